"""The sandbox under attack: nothing gets through, nothing is left, and the next term runs as if nothing had been.

A driver makes all attacks of one stand in one process, and each stand is driven once per run: under pytest-xdist the
first worker that needs it drives, behind a lock, and the others read what it found.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import platform
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.sandbox.battery import ATTACKS, KEY
from tests.sandbox.battery_attack import Exposed
from tests.sandbox.battery_census import descendants, gone

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="the sandbox needs Linux on x86_64"
)

Found = dict[str, dict[str, Any]]
Drive = Callable[[str, str], Found]

_PROJECT = Path(__file__).parents[2]
_NOBODY = 65534
_DRIVER_S = 600
_OPEN = pytest.mark.xfail(reason="an open hole", strict=False)
_NAMES = [
    pytest.param(name, marks=_OPEN) if name in ("thread bomb", "buy time with its own threads") else name
    for name in ATTACKS
]
_EXPOSED = [(name, attack.exposed) for name, attack in ATTACKS.items() if attack.exposed is not Exposed.NOWHERE]

# Tells its level, and then runs a program that does not end.
_HARNESS = """
import sys
from pytest_llmarith.sandbox.levels import probe
from pytest_llmarith.sandbox.runner import Sandbox
from pytest_llmarith.values.programs import Level, ProgramLimits
isolation = probe(Level(sys.argv[1]))
sys.stdout.write(f"{isolation.level}\\n")
sys.stdout.flush()
Sandbox(isolation, ProgramLimits((60.0,))).run(sys.argv[2], [0])
"""
_STUBBORN = [
    "while True: pass",
    "import time; time.sleep(60)",
    "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
    "import os; os.closerange(0, 64)\nwhile True: pass",
]


@pytest.fixture(scope="session")
def found(tmp_path_factory: pytest.TempPathFactory) -> Drive:
    """What a driver found at a stand, as a user."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent

    @cache
    def found_at(stand: str, user: str) -> Found:
        path = folder / f"battery-{stand}-{user}.json"
        with (folder / f"{path.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.exists():
                path.write_text(json.dumps(_drive(stand, user)))
        return dict(json.loads(path.read_text()))

    return found_at


@pytest.mark.parametrize("name", _NAMES)
@pytest.mark.parametrize("user", ["root", "user"])
@pytest.mark.parametrize("level", ["strict", "standard"])
def test_nothing_gets_through(found: Drive, level: str, user: str, name: str) -> None:
    outcome = _outcome(found, level, user, name)
    assert outcome["through"] == [], outcome
    assert outcome["told"] is None, outcome
    assert outcome["next"] is None, outcome


@pytest.mark.parametrize(("name", "exposed"), _EXPOSED)
def test_without_a_sandbox_it_would(found: Drive, name: str, exposed: Exposed) -> None:
    if ATTACKS[name].root and os.geteuid() != 0:
        pytest.skip("only root can do this at all")
    outcome = _outcome(found, exposed, "root" if os.geteuid() == 0 else "user", name)
    assert outcome["through"] != [], outcome


@pytest.mark.parametrize("program", _STUBBORN)
@pytest.mark.parametrize("level", ["strict", "standard"])
def test_nothing_survives_a_killed_harness(level: str, program: str) -> None:
    command = [sys.executable, "-c", _HARNESS, level, program]
    with subprocess.Popen(command, cwd=_PROJECT, stdout=subprocess.PIPE) as harness:
        assert harness.stdout is not None
        told = harness.stdout.readline().decode().strip()
        below = _settled_descendants(harness.pid) if told == level else set()
        harness.kill()
    if told != level:
        assert _cannot(level, None), told
        pytest.skip(told)
    assert below
    assert gone(below, within_s=2)


def _settled_descendants(of: int) -> set[int]:
    """Those of a harness whose term runs: the term is the last one to come."""
    deadline = time.monotonic() + 10
    before: set[int] = set()
    while time.monotonic() < deadline:
        time.sleep(0.2)
        if (now := descendants(of)) and now == before:
            return now
        before = now
    return before


def _outcome(found: Drive, stand: str, user: str, name: str) -> dict[str, Any]:
    if user == "root" and os.geteuid() != 0:
        pytest.skip("these tests do not run as root")
    outcomes = found(stand, user)
    if reason := outcomes.get("skipped", {}).get("reason"):
        pytest.skip(reason)
    assert name in outcomes, f"the driver came no further than {[*outcomes][-2:]}: {outcomes['driver']}"
    return outcomes[name]


def _drive(stand: str, user: str) -> Found:
    other = _NOBODY if user == "user" and os.geteuid() == 0 else None
    python = _interpreter(other)
    if python is None:
        return _skipped(f"no Python 3.11 or newer here that uid {_NOBODY} may run, or it may not read this project")
    planted = [f"llmarith-secret-{place}-{secrets.token_hex(8)}" for place in ("cmdline", "environ")]
    done = _as_user(other, [python, "-B", "-m", "tests.sandbox.battery_driver", stand, planted[0]], planted[1])
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    for line in lines:
        if "unavailable" in line:
            assert _cannot(stand, other), f"{stand} is missing though this machine can: {line['unavailable']}"
            return _skipped(line["unavailable"])
    driver = {"status": done.returncode, "stderr": done.stderr[-4000:]}
    return {**{line["attack"]: line for line in lines}, "driver": driver}


def _skipped(reason: str) -> Found:
    return {"skipped": {"reason": reason}}


def _interpreter(user: int | None) -> str | None:
    """This interpreter, or one that another user may run: virtual environments often lie in a closed home."""
    candidates = [sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"]
    imports = ["-B", "-c", "import sys, tests.sandbox.battery; sys.exit(sys.version_info < (3, 11))"]
    for python in filter(os.path.exists, candidates):
        try:
            if _as_user(user, [python, *imports]).returncode == 0:
                return python
        except OSError:
            continue
    return None


def _cannot(level: str, user: int | None) -> bool:
    """Does the machine lack what the level needs, asked without the sandbox?"""
    if level == "standard":
        return int(ctypes.CDLL(None).syscall(444, None, 0, 1)) < 1  # Landlock's version
    bubblewrap = shutil.which("bwrap")
    everything = ["--ro-bind", "/", "/", "--unshare-all", "true"]
    return bubblewrap is None or _as_user(user, [bubblewrap, *everything]).returncode != 0


def _as_user(user: int | None, command: list[str], key: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=_PROJECT,
        env={"PATH": os.defpath, "PYTHONPATH": str(_PROJECT), KEY: key},
        user=user,
        group=user,
        extra_groups=None if user is None else [],
        capture_output=True,
        text=True,
        timeout=_DRIVER_S,
        check=False,
    )
