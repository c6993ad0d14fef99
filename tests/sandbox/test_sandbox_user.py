"""The sandbox as an ordinary user has it, and with nothing but the standard library to import from."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pytest_llmarith
from pytest_llmarith.values import Isolation, Level

_NOBODY = 65534
_SYSTEM_PYTHON = "/usr/bin/python3"
_QUESTION = """
import json, sys, tempfile
from pathlib import Path
from pytest_llmarith.sandbox.levels import UnavailableError, probe
from pytest_llmarith.sandbox.runner import Sandbox
from pytest_llmarith.sandbox.slots import Slots
from pytest_llmarith.values import Level, ProgramLimits
found = {}
for level in Level:
    try:
        isolation = probe(level)
        slots = Slots(Path(tempfile.mkdtemp(dir=sys.argv[1])), 1)
        runs = Sandbox(isolation, ProgramLimits(seconds=(30.0,)), slots).run("print(int(input()) ** 2)", range(5))
        found[level] = [isolation.enforced, [run.stdout for run in runs]]
    except UnavailableError as error:
        found[level] = str(error)
print(json.dumps(found))
"""


@pytest.fixture
def open_copy() -> Iterator[Path]:
    """The two rooms that are needed, where everybody may read them."""
    source = Path(pytest_llmarith.__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / source.name
        copy.mkdir()
        shutil.copy(source / "__init__.py", copy)
        for room in "values", "sandbox":
            shutil.copytree(source / room, copy / room, ignore=shutil.ignore_patterns("__pycache__"))
        for path in (copy.parent, *copy.parent.rglob("*")):
            path.chmod(0o755)
        copy.parent.chmod(0o777)  # for slots of its own: no other run is waited for
        yield copy.parent


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
@pytest.mark.skipif(not os.path.exists(_SYSTEM_PYTHON), reason="no interpreter that everybody may run")
def test_an_ordinary_user_has_it_too(open_copy: Path, isolations: dict[Level, Isolation]) -> None:
    """Landlock and seccomp need no privilege; namespaces are the machine's to allow."""
    found = _ask(_SYSTEM_PYTHON, open_copy, _NOBODY)
    _holds(found, Level.STANDARD)
    if isinstance(found[Level.STRICT], str):
        assert Level.STRICT not in isolations or "namespaces" in found[Level.STRICT]
    else:
        _holds(found, Level.STRICT)


@pytest.mark.parametrize("python", [sys.executable, _SYSTEM_PYTHON])
def test_the_standard_library_is_enough(open_copy: Path, isolations: dict[Level, Isolation], python: str) -> None:
    """Whatever interpreter runs the harness, its base runs the programs, and no package is imported for it."""
    if not os.path.exists(python):
        pytest.skip(f"no {python} here")
    found = _ask(python, open_copy, None)
    for level in isolations:
        _holds(found, level)


def _holds(found: dict[str, Any], level: Level) -> None:
    enforced, outputs = found[level]
    assert level is Level.NONE or len(enforced) == 9
    assert outputs == [f"{number**2}\n" for number in range(5)]


def _ask(python: str, path: Path, user: int | None) -> dict[str, Any]:
    done = subprocess.run(
        [python, "-S", "-B", "-c", _QUESTION, str(path)],  # -S: without any package
        env={"PYTHONPATH": str(path), "PATH": os.defpath, "TMPDIR": tempfile.gettempdir()},
        cwd=path,
        user=user,
        group=user,
        extra_groups=None if user is None else [],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    found: dict[str, Any] = json.loads(done.stdout)
    return found
