"""The sandbox under attack: nothing gets through, nothing is left, and the next term runs as if there had been none.

A driver makes all attacks at one level, as one user, in a process of its own. The self-test of the sandbox is a short
version of this, which runs before every run of programs: see test_sandbox_isolation.py.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.types import Isolation, Level
from tests.sandbox.battery import ATTACKS, KEY

_PROJECT = Path(__file__).parents[2]
_NOBODY = 65534
_DRIVER_S = 600
_IS_ROOT = os.geteuid() == 0
_USERS = [None, *([_NOBODY] if _IS_ROOT else [])]  # this one, and another that has no rights

pytestmark = [pytest.mark.proof, pytest.mark.timeout(2 * _DRIVER_S)]


@pytest.fixture(scope="module", autouse=True)
def _has_a_sandbox(isolations: dict[Level, Isolation]) -> None:
    if Level.STANDARD not in isolations:
        pytest.skip("this machine has no sandbox")


def _attacked(where: str, user: int | None) -> dict[str, dict[str, Any]]:
    """What the driver found of each attack, at a level or without a sandbox."""
    python = _interpreter(user)
    if python is None:
        pytest.skip(f"uid {_NOBODY} can run no Python 3.11 or newer here, or not read this project")
    planted = [f"llmarith-secret-{place}-{secrets.token_hex(8)}" for place in ("cmdline", "environ")]
    done = _as_user(user, [python, "-B", "-m", "tests.sandbox.battery", where, planted[0]], planted[1])
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if unavailable := [line["unavailable"] for line in lines if "unavailable" in line]:
        assert where == "strict", unavailable  # other users may have no namespaces
        pytest.skip(unavailable[0])
    assert done.returncode == 0, (lines[-1:], done.stderr[-4000:])
    return {line["attack"]: line for line in lines}


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


@pytest.mark.parametrize("user", _USERS)
@pytest.mark.parametrize("level", ["strict", "standard"])
def test_nothing_gets_through(level: str, user: int | None) -> None:
    """No attack reaches its target, changes the report of its run, or touches the next term."""
    found = _attacked(level, user)
    assert [*found] == [*ATTACKS]
    assert [one for one in found.values() if one["through"] or one["report"] or one["next"]] == []


@pytest.mark.parametrize("way", ["subprocess", "fork"])
def test_without_a_sandbox_they_would(way: str) -> None:
    """The same attacks reach their targets without a sandbox, so that they are real ones."""
    exposed = [name for name, attack in ATTACKS.items() if attack.exposed == way and (_IS_ROOT or not attack.root)]
    found = _attacked(way, None)
    assert [name for name in exposed if not found[name]["through"]] == []
