"""The files of a new project, which `llmarith init` writes: benches, starter sequences, a configuration of pytest.

A wheel has them in a folder of the package; in a clone they are those of the clone.
"""

from __future__ import annotations

from pathlib import Path

BENCHES = "benches"
CONFIGURATION = "pytest.ini"

_PACKAGE = Path(__file__).parent
_IN_A_WHEEL = _PACKAGE / "_kit"
_PARTS = (f"{BENCHES}/*.py", "oeis_cache/*.md", "oeis_cache/starter/A*")
_OTHER_CONFIGURATIONS = (
    CONFIGURATION,
    "pytest.toml",
    ".pytest.ini",
    ".pytest.toml",
    "pyproject.toml",
    "tox.ini",
    "setup.cfg",
)
_SETTINGS = f"""\
[pytest]
testpaths = {BENCHES}
# Without --llm-model, this one is asked:
# llm_model = o4-mini
"""

Files = dict[str, bytes]  # content by path, with slashes


def kit() -> Files:
    """The files of a new project, without its configuration. Raises OSError if they cannot be read."""
    root = _IN_A_WHEEL if _IN_A_WHEEL.is_dir() else _PACKAGE.parent
    paths = sorted(path for part in _PARTS for path in root.glob(part))
    if not any(path.parent.name == BENCHES for path in paths):
        raise FileNotFoundError(f"the benches are not in {str(root)!r}; install the package again")
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}


def configuration(folder: Path) -> Files:
    """A pytest.ini, if the folder has no configuration of pytest, which it would hide."""
    if any((folder / name).exists() for name in _OTHER_CONFIGURATIONS):
        return {}
    return {CONFIGURATION: _SETTINGS.encode("ascii")}


def in_the_way(folder: Path, files: Files) -> list[Path]:
    """The files that exist with another content."""
    return [path for name, content in files.items() if _is_there(path := folder / name) and not _holds(path, content)]


def is_laid_out(folder: Path, files: Files) -> bool:
    """Whether all files exist with this content."""
    return all(_holds(folder / name, content) for name, content in files.items())


def lay_out(folder: Path, files: Files) -> None:
    """Write the files. Raises OSError."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _is_there(path: Path) -> bool:
    return path.exists() or path.is_symlink()  # also a broken link


def _holds(path: Path, content: bytes) -> bool:
    return path.is_file() and path.stat().st_size == len(content) and path.read_bytes() == content
