"""The sandbox under attack: nothing gets through, nothing is left, and the next term
runs as if there had been none.

A driver makes all attacks at one level in a process of its own.
"""

from __future__ import annotations

import json
import os
import platform
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.sandbox.program_runs import Isolation, IsolationLevel
from tests.sandbox.attack import ATTACKS
from tests.sandbox.battery import KEY

_PROJECT = Path(__file__).parents[2]
_DRIVER_S = 600
_EXPOSED = {
    *("steal answers by path", "read the machine's files", "TCP", "UDP"),
    *("every family of sockets", "fork bomb", "exec a shell", "kill the parent"),
    *("let a pipe kill the parent", "arguments of system calls"),
    *("all other system calls", "raise its own limits", "loosen its own bonds"),
    *("keep state in System V shared memory", "keep state in files"),
    "grow by pairs of sockets that are closed while they are waited for",
}

pytestmark = [
    pytest.mark.timeout(2 * _DRIVER_S),
    pytest.mark.skipif(
        platform.machine() != "x86_64", reason="the attacks call the kernel of x86_64"
    ),
]


def _attacked(
    level: IsolationLevel, isolations: dict[IsolationLevel, Isolation]
) -> dict[str, dict[str, Any]]:
    """What the driver found of each attack."""
    if level not in isolations:
        pytest.skip(f"this machine has no level {level}")
    planted = [
        f"llmarith-secret-{place}-{secrets.token_hex(8)}"
        for place in ("cmdline", "environ")
    ]
    done = subprocess.run(
        [sys.executable, "-B", "-m", "tests.sandbox.battery", level, planted[0]],
        cwd=_PROJECT,
        env={"PATH": os.defpath, "PYTHONPATH": str(_PROJECT), KEY: planted[1]},
        capture_output=True,
        text=True,
        timeout=_DRIVER_S,
        check=False,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, (lines[-1:], done.stderr[-4000:])
    return {line["attack"]: line for line in lines}


@pytest.mark.proof
@pytest.mark.parametrize("level", [IsolationLevel.STANDARD, IsolationLevel.STRICT])
def test_nothing_gets_through(
    level: IsolationLevel, isolations: dict[IsolationLevel, Isolation]
) -> None:
    found = _attacked(level, isolations)
    assert [*found] == [*ATTACKS]
    assert [one for one in found.values() if one["through"] or one["wrong"]] == []


@pytest.mark.proof
def test_without_isolation_they_would(
    isolations: dict[IsolationLevel, Isolation],
) -> None:
    """At level none many attacks reach their targets, so that they are real ones."""
    through = {
        name
        for name, one in _attacked(IsolationLevel.NONE, isolations).items()
        if one["through"]
    }
    assert through >= _EXPOSED
