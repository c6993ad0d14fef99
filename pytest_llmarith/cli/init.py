"""`llmarith init` writes a new project: benches, starter sequences, a lock, a recipe
for CI, a README and a pytest.ini.

A wheel contains the files that are copied in `_kit`; a clone uses its own.
"""

from __future__ import annotations

import argparse
import os
import shlex
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_llmarith.cli.parser import (
    WRONG_USAGE,
    add_command,
    print_error,
    sanitize_line,
    say,
)
from pytest_llmarith.installation import origin

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands

BENCHES = "benches"
CONFIGURATION = "pytest.ini"

_PACKAGE = Path(__file__).parent.parent
_IN_A_WHEEL = _PACKAGE / "_kit"
_PARTS = (
    *(f"{BENCHES}/*.py", f"{BENCHES}/papers/*.py", f"{BENCHES}/papers/*.md"),
    *("oeis_cache/*.md", "oeis_cache/starter/A*"),
)
_ACTION = ".github/actions/llmarith/action.yml"
_RECIPE = ".github/workflows/llmarith.yml"
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

_IGNORED = """\
.llmarith/
.venv/
reports/
"""
_FIRST_RUN = "pytest benches --llm-model=llmarith/sloppy -k depth_3"
_README = f"""\
# Benchmark of language models

pytest-llmarith asks models questions whose right answer is known exactly.

```console
$ python -m pip install -r requirements.txt
$ {_FIRST_RUN}
$ pytest benches --llm-model=gpt-4o-mini -k "int_add and depth_3" --llm-max-cost=0.10
```

The first run asks a fake model, for free. The second one needs `OPENAI_API_KEY`, and
pays for ten questions. A run writes a folder below `reports/`; `.llmarith/` keeps all
replies, so that none is paid for twice.

| file | what it is |
|---|---|
| `benches/` | the questions, as tests of pytest |
| `oeis_cache/` | integer sequences; `llmarith oeis sync` fetches more |
| `requirements.txt` | the versions that are installed, here and in CI |
| `{_RECIPE}` | CI: a fake model for each pull request, a real one by hand |
| `{_ACTION}` | the steps of CI |
| `pytest.ini` | options of pytest, such as the usual model |

CI takes the key from the secret `OPENAI_API_KEY`, and compares with the run in
`baseline/`. Until there is one, the comparison fails: download the first run from CI,
and commit its `trials.jsonl` and `summary.json` there.
"""
_LOCK = """\
# The versions with which this project was made. For hashes, and for other systems:
# uv pip compile --universal --generate-hashes --output-file requirements.txt FILE,
# where FILE contains the line pytest-llmarith.
"""
_UNRELEASED = """\
# This pytest-llmarith is not released, so pip finds it only where it is here. For CI put
# its wheel, which `make dist` writes in its clone, into this folder, and write ./NAME.whl
# for its line.
"""

Files = dict[str, bytes]  # content by path, with slashes


def add_init(commands: Commands) -> None:
    """Declare the command."""
    purpose = "Create a project: benches, starter sequences, a lock, CI and a README"
    details = (
        "An existing README, lock, recipe for CI, .gitignore and pytest configuration "
        "are kept. Other changed files are not replaced."
    )
    command = add_command(commands, "init", purpose, details, _init)
    command.add_argument(
        "folder",
        nargs="?",
        type=Path,
        default=Path(),
        metavar="FOLDER",
        help="Folder of the project (default: the current folder)",
    )
    command.add_argument("--force", action="store_true", help="Replace changed files")


def _init(request: argparse.Namespace) -> int:
    folder: Path = request.folder
    try:
        files = project_files() | _kept_files(folder)
        different = []
        for name, content in files.items():
            if not _holds(folder / name, content):
                different.append(name)
        # A broken link is there, too.
        changed = [name for name in different if os.path.lexists(folder / name)]
        if changed and not request.force:
            first = f"{str(folder / changed[0])!r}"
            if len(changed) > 1:
                first += f" and {len(changed) - 1:,} more"
            print_error(
                "init",
                f"{first} would be replaced; name another folder, or write --force",
            )
            return WRONG_USAGE
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    except OSError as error:
        print_error("init", f"{str(folder)!r} cannot be written: {error}")
        return WRONG_USAGE
    headline = "Created" if different else "Already complete:"
    say(f"{headline} {sanitize_line(str(folder.absolute()))}:")
    counts = Counter(name.partition("/")[:2] for name in files)
    for (name, slash), count in counts.items():
        say(f"  {name}/ ({count:,} files)" if slash else f"  {name}")
    say("", "Next:")
    if folder.absolute() != Path.cwd():
        say(f"  cd {sanitize_line(shlex.quote(str(folder)))}")
    say(f"  {_FIRST_RUN}")
    return 0


def project_files() -> Files:
    """The files of a new project that are copied.

    Raises OSError if they cannot be read.
    """
    root = _root()
    paths: list[Path] = []
    for part in _PARTS:
        paths += root.glob(part)
    paths.sort()
    if not any(path.parent.name == BENCHES for path in paths):
        raise FileNotFoundError(
            f"no benches found in {str(root)!r}; reinstall pytest-llmarith"
        )
    files = {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}
    return files | {_ACTION: (root / "action.yml").read_bytes()}


def _kept_files(folder: Path) -> Files:
    """The files that belong to the user as soon as they are there.

    A pytest.ini would override another configuration of pytest.
    """
    lock = _LOCK
    pins = installed_versions()
    url = origin()
    if ".dev" in version("pytest-llmarith"):
        lock += _UNRELEASED
        if url is not None:
            pins = [_at(url, pin) for pin in pins]
    texts = {
        ".gitignore": _IGNORED,
        "README.md": _README,
        "requirements.txt": lock + "\n".join(pins) + "\n",
        _RECIPE: (_root() / "docs/ci/pull-request.yml").read_text("utf-8"),
    }
    if not any((folder / name).exists() for name in _OTHER_CONFIGURATIONS):
        texts[CONFIGURATION] = _SETTINGS
    files: Files = {}
    for name, text in texts.items():
        if not (folder / name).exists():
            files[name] = text.encode("utf-8")
    return files


def _at(url: str, pin: str) -> str:
    """The pin, or for this package where it was installed from."""
    name, _, _ = pin.partition("==")
    return f"{name} @ {url}" if name == "pytest-llmarith" else pin


def _root() -> Path:
    return _IN_A_WHEEL if _IN_A_WHEEL.is_dir() else _PACKAGE.parent


def installed_versions() -> list[str]:
    """The package and all that it needs, as installed here: lines `NAME==VERSION`."""
    from importlib.metadata import PackageNotFoundError, distribution

    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    versions: dict[str, str] = {}
    needed = [Requirement("pytest-llmarith")]
    looked_at = set()
    while needed:
        requirement = needed.pop()
        if str(requirement) in looked_at:
            continue
        looked_at.add(str(requirement))
        try:
            found = distribution(requirement.name)
        except PackageNotFoundError:  # installed without its dependencies
            continue
        versions[canonicalize_name(requirement.name)] = found.version
        for line in found.requires or ():
            further = Requirement(line)
            extras = requirement.extras or {""}
            marker = further.marker
            for extra in extras:
                if marker is None or marker.evaluate({"extra": extra}):
                    needed.append(further)
                    break
    return [f"{name}=={versions[name]}" for name in sorted(versions)]


def _holds(path: Path, content: bytes) -> bool:
    if not path.is_file() or path.stat().st_size != len(content):
        return False
    return path.read_bytes() == content
