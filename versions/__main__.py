"""Run the tests with the oldest of everything, and with the newest; exit status 1 where they fail."""

from __future__ import annotations

import argparse
import subprocess
import sys

from versions import debian
from versions.bounds import ROOT, lowest_versions, oldest_python
from versions.pythons import found

_FOLDER = ROOT / ".versions"
_INSTALL = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
_SAID = "import pytest, sys; print('tested:', 'Python', sys.version.split()[0], 'with pytest', pytest.__version__)"


def oldest() -> list[str]:
    """The Python of an environment with the lowest versions, of the oldest Python that is found."""
    promised = tuple(map(int, oldest_python().split(".")))
    fitting = [python for version, python in found().items() if version[:2] == promised]
    if not fitting:
        sys.exit(f"make versions: no python{oldest_python()} on PATH, which is the oldest that is supported")
    constraints = _FOLDER / "lowest.txt"
    constraints.write_text("\n".join(lowest_versions()), encoding="utf-8")
    return _environment([f"{fitting[0]}"], "oldest", "--constraint", f"{constraints}")


def newest() -> list[str]:
    """The Python of an environment with the newest versions, of Debian's unstable release or of the newest found."""
    if missing := debian.missing():
        *_, (version, python) = found().items()
        print(f"newest: Python {version[0]}.{version[1]} of PATH; Debian's wants {', '.join(missing)}")  # noqa: T201
        return _environment([f"{python}"], "newest")
    return _environment([*debian.lay_out(_FOLDER / "debian"), "/usr/bin/python3"], "newest-of-debian")


def main() -> int:
    """Lay out, and test."""
    parser = argparse.ArgumentParser(prog="python -m versions", description=__doc__)
    parser.add_argument("which", choices=["oldest", "newest"])
    parser.add_argument("arguments", nargs="*", metavar="ARGUMENT", help="of pytest, after --")
    chosen = parser.parse_args()
    _FOLDER.mkdir(exist_ok=True)
    python = {"oldest": oldest, "newest": newest}[chosen.which]()
    ended = subprocess.run([*python, "-m", "pytest", *chosen.arguments], cwd=ROOT, check=False)
    subprocess.run([*python, "-c", _SAID], check=True)
    return ended.returncode


def _environment(base: list[str], name: str, *constraint: str) -> list[str]:
    """An environment of its own, with the project in it; `base` is a Python, and how to enter the system it is of."""
    *entering, _ = base
    python = [*entering, f"{_FOLDER / name / 'bin' / 'python'}"]
    subprocess.run([*base, "-m", "venv", f"{_FOLDER / name}"], check=True)
    subprocess.run([*python, *_INSTALL, *constraint, "--editable", f"{ROOT}[dev]"], check=True)
    return python


if __name__ == "__main__":
    sys.exit(main())
