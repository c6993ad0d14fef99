"""The sandbox under attack: nothing gets through, nothing is left, and the next term runs as if there had been none.

A driver makes all attacks of one stand in one process, once per run: under pytest-xdist, the other workers read what
it found.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.values import Isolation, Level
from tests.sandbox.battery import ATTACKS, KEY

Found = dict[str, dict[str, Any]]
# A level or a way to run without any, and a user.
Stand = tuple[str, str]

_PROJECT = Path(__file__).parents[2]
_NOBODY = 65534
_DRIVER_S = 600
_IS_ROOT = os.geteuid() == 0
_USERS = ("root", "user") if _IS_ROOT else ("user",)
_EXPOSED = [
    pytest.param(name, (attack.exposed, _USERS[0]), id=name)
    for name, attack in ATTACKS.items()
    if attack.exposed != "nowhere" and (_IS_ROOT or not attack.root)
]
# make proof attacks the weaker level.
_STANDS = [
    pytest.param((level, user), id=f"{level}-{user}", marks=[pytest.mark.proof] * (level == "standard"))
    for level in ("strict", "standard")
    for user in _USERS
]


@pytest.fixture(scope="session")
def found(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, isolations: dict[Level, Isolation]
) -> Callable[[Stand], Found]:
    """What the driver found at a stand."""
    if Level.STANDARD not in isolations:
        pytest.skip("this machine has no sandbox")
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    asked_for = {item.callspec.params.get("stand") for item in request.session.items if hasattr(item, "callspec")}

    @cache
    def found_at(stand: Stand) -> Found:
        # While another worker drives here, drive at a stand where none does.
        if not _driven(stand, folder, wait=False):
            for other in sorted(asked_for - {None}):
                _driven(other, folder, wait=False)
            _driven(stand, folder, wait=True)
        outcomes: Found = json.loads(_path(stand, folder).read_text())
        return outcomes

    return found_at


def _path(stand: Stand, folder: Path) -> Path:
    return folder / f"battery-{'-'.join(stand)}.json"


def _driven(stand: Stand, folder: Path, *, wait: bool) -> bool:
    """Drive at this stand, once for all workers; False if another one does."""
    path = _path(stand, folder)
    with path.with_suffix(".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        if not path.exists():
            path.write_text(json.dumps(_drive(*stand)))
    return True


def _drive(stand: str, user: str) -> Found:
    uid = _NOBODY if user == "user" and _IS_ROOT else None
    python = _interpreter(uid)
    if python is None:
        return {"skipped": {"reason": f"uid {_NOBODY} can run no Python 3.11 or newer here, or not read this project"}}
    planted = [f"llmarith-secret-{place}-{secrets.token_hex(8)}" for place in ("cmdline", "environ")]
    done = _as_user(uid, [python, "-B", "-m", "tests.sandbox.battery", stand, planted[0]], planted[1])
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if unavailable := [line["unavailable"] for line in lines if "unavailable" in line]:
        assert stand == "strict", unavailable  # other users may have no namespaces
        return {"skipped": {"reason": unavailable[0]}}
    driver = {"status": done.returncode, "stderr": done.stderr[-4000:]}
    return {**{line["attack"]: line for line in lines}, "driver": driver}


def _interpreter(user: int | None) -> str | None:
    """This interpreter, or one that another user may run: virtual environments are often in a closed home."""
    check = ["-B", "-c", "import sys, tests.sandbox.battery; sys.exit(sys.version_info < (3, 11))"]
    for python in (sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"):
        with suppress(OSError):
            if _as_user(user, [python, *check]).returncode == 0:
                return python
    return None


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


def _outcome(found: Callable[[Stand], Found], stand: Stand, name: str) -> dict[str, Any]:
    outcomes = found(stand)
    if reason := outcomes.get("skipped", {}).get("reason"):
        pytest.skip(reason)
    assert name in outcomes, f"the driver came no further than {[*outcomes][-2:]}: {outcomes['driver']}"
    return outcomes[name]


@pytest.mark.parametrize("stand", _STANDS)
@pytest.mark.parametrize("name", ATTACKS)
def test_nothing_gets_through(found: Callable[[Stand], Found], stand: Stand, name: str) -> None:
    """No attack reaches its target, changes the report of its run, or touches the next term."""
    outcome = _outcome(found, stand, name)
    assert (outcome["through"], outcome["report"], outcome["next"]) == ([], None, None), outcome


@pytest.mark.parametrize(("name", "stand"), _EXPOSED)
def test_without_a_sandbox_it_would(found: Callable[[Stand], Found], stand: Stand, name: str) -> None:
    """The same attack reaches its target without a sandbox, so that it is a real one."""
    assert _outcome(found, stand, name)["through"] != []
