"""What the self-test sees is what is enforced; what is missing is said in one line."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_llmarith.sandbox import jail, selftest
from pytest_llmarith.sandbox.facts import facts
from pytest_llmarith.sandbox.levels import UnavailableError, probe
from pytest_llmarith.values import Isolation, Level


def test_what_stands_there_is_enforced(isolation: Isolation) -> None:
    """Strict and standard hold against every attack; whatever level holds memory."""
    assert "memory" in isolation.enforced
    if isolation.level is not Level.NONE:
        assert isolation.enforced == selftest.NAMES


def test_attacks_are_real(isolations: dict[Level, Isolation]) -> None:
    """Where nothing is in their way they get through: no test passes because an attack is broken."""
    through = set(selftest.NAMES) - set(isolations[Level.NONE].enforced)
    assert through >= {"file reads", "file writes", "network", "new processes", "signals"}
    assert "environment" in through or os.geteuid() == 0


def test_the_strictest_comes_first(isolations: dict[Level, Isolation]) -> None:
    """Without a wish it is the first level that this machine has, and never none."""
    best = next((level for level in (Level.STRICT, Level.STANDARD) if level in isolations), None)
    if best is None:
        pytest.skip("this machine has neither strict nor standard")
    found = probe()
    assert found.level is best
    assert bool(found.remarks) == (best is not Level.STRICT)


def test_no_bubblewrap(isolations: dict[Level, Isolation], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Strict says what to install, and the standard level says why it is not strict."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UnavailableError, match="apt install bubblewrap, or ask for --oeis-sandbox=standard"):
        probe(Level.STRICT)
    if Level.STANDARD in isolations:
        found = probe()
        assert (found.level, len(found.remarks)) == (Level.STANDARD, 1)


@pytest.fixture
def open_path() -> Iterator[Path]:
    """A folder that any user may look into: the harness may give up its rights before it calls a tool."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        path.chmod(0o755)
        yield path


def test_bubblewrap_that_may_not(
    isolations: dict[Level, Isolation], monkeypatch: pytest.MonkeyPatch, open_path: Path
) -> None:
    """What the tool complains of reaches the reader, in one line."""
    tool = open_path / "bwrap"
    tool.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    tool.chmod(0o755)
    monkeypatch.setattr(jail, "bubblewrap", lambda: str(tool))
    jail._command.cache_clear()
    try:
        with pytest.raises(UnavailableError, match="setting up uid map: Permission denied") as raised:
            probe(Level.STRICT)
    finally:
        jail._command.cache_clear()
    assert "\n" not in str(raised.value)


def test_nothing_holds(isolations: dict[Level, Isolation], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where attacks get through, their names are said, and no wish is granted by something weaker."""
    monkeypatch.setattr(selftest, "attacked", lambda level: [selftest.HELD, *["through\n"] * len(selftest.NAMES)])
    with pytest.raises(UnavailableError, match=r"does not hold here \(file reads, .*\): ask for --oeis-sandbox=none"):
        probe()
    assert probe(Level.NONE).enforced == ()


def test_nothing_runs(isolations: dict[Level, Isolation], monkeypatch: pytest.MonkeyPatch) -> None:
    """A sandbox that runs no program holds against everything, and is none."""
    monkeypatch.setattr(selftest, "attacked", lambda level: [""] * (1 + len(selftest.NAMES)))
    for level in Level:
        with pytest.raises(UnavailableError, match="runs no program at all"):
            probe(level)


def test_a_self_test_that_came_to_no_end(isolations: dict[Level, Isolation], monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine too busy for the self-test has no level at all, and says why."""
    monkeypatch.setattr(selftest, "attacked", lambda level: [selftest.HELD] * 3)
    with pytest.raises(UnavailableError, match="too busy"):
        probe()


@pytest.mark.parametrize(
    ("system", "machine", "wanted", "there"),
    [
        ("Darwin", "arm64", None, False),
        ("Darwin", "x86_64", Level.NONE, False),
        ("Windows", "AMD64", Level.STRICT, False),
        ("Linux", "aarch64", None, False),
        ("Linux", "aarch64", Level.STANDARD, False),
        ("Linux", "aarch64", Level.NONE, True),
    ],
)
def test_other_machines(
    isolations: dict[Level, Isolation],
    monkeypatch: pytest.MonkeyPatch,
    system: str,
    machine: str,
    wanted: Level | None,
    there: bool,
) -> None:
    """Elsewhere it says where it could be; resource limits alone are to be had on any Linux."""
    monkeypatch.setattr(platform, "system", lambda: system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    if there:
        assert probe(wanted).level is wanted
    else:
        with pytest.raises(UnavailableError, match=f"Linux x86_64, and this is {system} {machine}"):
            probe(wanted)


def test_facts(isolations: dict[Level, Isolation]) -> None:
    """What a record says of interpreter and machine is there and plain."""
    found = facts()
    assert found["interpreter"].startswith("CPython 3.")
    assert found["slots"] == max(1, found["cores"] - 1)
    assert all(isinstance(value, str | int | None) for value in found.values())


_ELSEWHERE = """
import platform, sys
sys.modules.update(fcntl=None, resource=None, _ctypes=None)
platform.system, platform.machine = lambda: "Windows", lambda: "AMD64"
from pytest_llmarith.sandbox.levels import UnavailableError, probe
try:
    probe()
except UnavailableError as error:
    print(error)
"""


def test_it_can_be_asked_for_anywhere() -> None:
    """Where nothing of what the sandbox needs can even be imported, the answer is still one line."""
    done = subprocess.run([sys.executable, "-c", _ELSEWHERE], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("programs can be locked in on Linux x86_64, and this is Windows AMD64"), done.stderr
    assert done.stdout.count("\n") == 1
