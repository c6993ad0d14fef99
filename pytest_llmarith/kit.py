"""The files that `llmarith init` writes: benches, starter sequences and a pytest.ini.

A wheel contains them in `_kit`; a clone uses its own benches and oeis_cache folders.
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
# The model to ask without --llm-model:
# llm_model = o4-mini
"""

Files = dict[str, bytes]  # content by path, with slashes


def project_files() -> Files:
    """The files of a new project, without its configuration. Raises OSError if they cannot be read."""
    root = _IN_A_WHEEL if _IN_A_WHEEL.is_dir() else _PACKAGE.parent
    paths = sorted(path for part in _PARTS for path in root.glob(part))
    if not any(path.parent.name == BENCHES for path in paths):
        raise FileNotFoundError(f"no benches found in {str(root)!r}; reinstall pytest-llmarith")
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}


def configuration(folder: Path) -> Files:
    """A pytest.ini, unless the folder has a pytest configuration, which it would override."""
    if any((folder / name).exists() for name in _OTHER_CONFIGURATIONS):
        return {}
    return {CONFIGURATION: _SETTINGS.encode("ascii")}


def changed_files(folder: Path, files: Files) -> list[Path]:
    """The paths that exist with different content."""
    return [path for name, content in files.items() if _is_there(path := folder / name) and not _holds(path, content)]


def are_present(folder: Path, files: Files) -> bool:
    """Whether all files exist with this content."""
    return all(_holds(folder / name, content) for name, content in files.items())


def write_files(folder: Path, files: Files) -> None:
    """Write the files. Raises OSError."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _is_there(path: Path) -> bool:
    return path.exists() or path.is_symlink()  # also a broken link


def _holds(path: Path, content: bytes) -> bool:
    return path.is_file() and path.stat().st_size == len(content) and path.read_bytes() == content
