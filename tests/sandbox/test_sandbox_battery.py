"""The sandbox under attack: nothing gets through, nothing is left, and the next term runs as if nothing had been.

A driver makes all attacks of one stand in one process, and each stand is driven once per run: under pytest-xdist by
the worker that comes first, behind a lock, and the others read what it found.
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
# A level or a way to run without any, and a user.
Stand = tuple[str, str]

_PROJECT = Path(__file__).parents[2]
_NOBODY = 65534
_DRIVER_S = 600
_IS_ROOT = os.geteuid() == 0
_USERS = ("root", "user") if _IS_ROOT else ("user",)
_EXPOSED = [
    pytest.param(name, (str(attack.exposed), _USERS[0]), id=name)
    for name, attack in ATTACKS.items()
    if attack.exposed is not Exposed.NOWHERE
]
# The weaker level is attacked by `make proof`.
_STANDS = [
    pytest.param((level, user), id=f"{level}-{user}", marks=[pytest.mark.proof] * (level == "standard"))
    for level in ("strict", "standard")
    for user in _USERS
]
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
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Stand], Found]:
    """What the driver found at a stand."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    asked_for = dict.fromkeys(stand for item in request.session.items if (stand := _stand_of(item)))

    @cache
    def found_at(stand: Stand) -> Found:
        path = folder / f"battery-{'-'.join(stand)}.json"
        # While another worker drives here, drive where nobody has begun.
        if not _driven(stand, path, wait=False):
            for other in asked_for:
                _driven(other, folder / f"battery-{'-'.join(other)}.json", wait=False)
            _driven(stand, path, wait=True)
        return dict(json.loads(path.read_text()))

    return found_at


def _stand_of(item: pytest.Item) -> Stand | None:
    stand: Stand | None = getattr(item, "callspec", None) and item.callspec.params.get("stand")  # type: ignore[attr-defined]
    return stand


def _driven(stand: Stand, path: Path, *, wait: bool) -> bool:
    """Drive there once for all; False where another worker is at it."""
    with path.with_suffix(".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        if not path.exists():
            path.write_text(json.dumps(_drive(*stand)))
    return True


@pytest.mark.parametrize("stand", _STANDS)
@pytest.mark.parametrize("name", ATTACKS)
def test_nothing_gets_through(found: Callable[[Stand], Found], stand: Stand, name: str) -> None:
    """No attack reaches anything in the sandbox, changes what we are told, or touches the next program."""
    outcome = _outcome(found, stand, name)
    assert outcome["through"] == [], outcome
    assert outcome["told"] is None, outcome
    assert outcome["next"] is None, outcome


@pytest.mark.parametrize("stand", _STANDS)
def test_the_run_stays_small(found: Callable[[Stand], Found], stand: Stand) -> None:
    """No process of the sandbox itself grows with what the programs do; the largest is the interpreter of the run."""
    outcome = _outcome(found, stand, "driver")
    assert 0 < outcome["peak_mb"] < 200, outcome


@pytest.mark.parametrize(("name", "stand"), _EXPOSED)
def test_without_a_sandbox_it_would(found: Callable[[Stand], Found], stand: Stand, name: str) -> None:
    """The same attack reaches what it aims at where it is not held back, so that it is a real one."""
    if ATTACKS[name].root and not _IS_ROOT:
        pytest.skip("only root can do this at all")
    outcome = _outcome(found, stand, name)
    assert outcome["through"] != [], outcome


@pytest.mark.parametrize("program", _STUBBORN)
@pytest.mark.parametrize("level", ["strict", "standard"])
def test_nothing_survives_a_killed_harness(level: str, program: str) -> None:
    """When the harness is killed, every process below it goes, too."""
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
    assert gone(below, within_s=30)


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


def _outcome(found: Callable[[Stand], Found], stand: Stand, name: str) -> dict[str, Any]:
    outcomes = found(stand)
    if reason := outcomes.get("skipped", {}).get("reason"):
        pytest.skip(reason)
    assert name in outcomes, f"the driver came no further than {[*outcomes][-2:]}: {outcomes['driver']}"
    return outcomes[name]


def _drive(stand: str, user: str) -> Found:
    other = _NOBODY if user == "user" and _IS_ROOT else None
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
    peak_mb = max((line["peak_mb"] for line in lines if "peak_mb" in line), default=0)
    driver = {"status": done.returncode, "stderr": done.stderr[-4000:], "peak_mb": peak_mb}
    return {**{line["attack"]: line for line in lines if "attack" in line}, "driver": driver}


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
