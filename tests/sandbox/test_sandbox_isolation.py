"""The self-test finds what is enforced; what is missing is reported in one line.

Slots are shared and private.
"""

from __future__ import annotations

import fcntl
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pytest_llmarith.sandbox import isolation as isolation_module
from pytest_llmarith.sandbox import zygote_client
from pytest_llmarith.sandbox.isolation import ATTACKED, UnavailableError, probe
from pytest_llmarith.sandbox.payload import Interpreter
from pytest_llmarith.sandbox.program_runs import Isolation, IsolationLevel
from pytest_llmarith.sandbox.runner import Slots, calibrate, machine_facts


def test_what_is_reported_is_enforced(
    isolations: dict[IsolationLevel, Isolation],
) -> None:
    """Strict and standard hold against every attack; at level none the attacks get
    through, so that they are real.
    """
    assert all(
        isolations[level].enforced == ATTACKED
        for level in isolations
        if level is not IsolationLevel.NONE
    )
    through = set(ATTACKED) - set(isolations[IsolationLevel.NONE].enforced)
    assert through >= {
        "file reads",
        "file writes",
        "network",
        "new processes",
        "signals",
    }
    assert "environment" in through or os.geteuid() == 0
    assert "memory" not in through


def test_the_strictest_comes_first(isolations: dict[IsolationLevel, Isolation]) -> None:
    """Without a wish it is the strictest level that this machine has; a weaker one says
    why.
    """
    found = probe()
    assert found.level is next(iter(isolations))
    assert bool(found.remarks) == (found.level is not IsolationLevel.STRICT)


@pytest.fixture
def broken_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # root gives up its rights before it runs the tool
        tool = Path(folder) / "bwrap"
        tool.write_text(
            "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n"
        )
        tool.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:/bin:/usr/bin")
        zygote_client._command.cache_clear()
        yield
    zygote_client._command.cache_clear()


@pytest.mark.usefixtures("isolations", "broken_bubblewrap")
def test_bubblewrap_that_may_not() -> None:
    with pytest.raises(
        UnavailableError, match="setting up uid map: Permission denied"
    ) as raised:
        probe(IsolationLevel.STRICT)
    assert "\n" not in str(raised.value)
    found = probe()
    assert (found.level, len(found.remarks)) == (IsolationLevel.STANDARD, 1)


@pytest.mark.usefixtures("isolations")
def test_a_missing_bubblewrap_has_one_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda *args, **named: None)
    zygote_client._command.cache_clear()
    try:
        with pytest.raises(UnavailableError) as raised:
            probe(IsolationLevel.STRICT)
    finally:
        zygote_client._command.cache_clear()
    assert (
        str(raised.value) == "bubblewrap is not installed, run apt install bubblewrap"
    )


_HELD, _THROUGH = "held\n", "through\n"


@pytest.mark.usefixtures("isolations")
@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        pytest.param(
            [_HELD, *[_THROUGH] * len(ATTACKED)],
            r"does not hold here \(file reads, .*\)",
            id="nothing_holds",
        ),
        pytest.param(
            [_HELD, *[_HELD] * (len(ATTACKED) - 1), _THROUGH],
            r"\(zygote memory\)",
            id="one_does_not_hold",
        ),
        pytest.param([""] * (1 + len(ATTACKED)), "runs no program", id="nothing_runs"),
        pytest.param(
            ["", *[_HELD] * len(ATTACKED)], "runs no program", id="only_attacks_run"
        ),
        pytest.param([_HELD] * 3, "too busy", id="too_busy"),
    ],
)
def test_a_self_test_that_fails(
    monkeypatch: pytest.MonkeyPatch, outputs: list[str], message: str
) -> None:
    monkeypatch.setattr(isolation_module, "attack", lambda level: outputs)
    for wanted in (None, IsolationLevel.STRICT, IsolationLevel.STANDARD):
        with pytest.raises(UnavailableError, match=message):
            probe(wanted)


def test_other_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    assert probe(IsolationLevel.NONE).level is IsolationLevel.NONE
    for wanted in (None, IsolationLevel.STRICT, IsolationLevel.STANDARD):
        with pytest.raises(
            UnavailableError, match="x86_64 and aarch64 only, and this is Linux riscv64"
        ):
            probe(wanted)


_ELSEWHERE = """
import platform, sys
sys.modules.update(fcntl=None, resource=None, _ctypes=None)
platform.system, platform.machine = lambda: "Windows", lambda: "AMD64"
from pytest_llmarith.sandbox.isolation import UnavailableError, probe
try:
    probe()
except UnavailableError as error:
    print(error)
"""


def test_it_can_be_imported_anywhere() -> None:
    """If the modules that the sandbox needs cannot be imported, the answer is one line
    that names the machine.
    """
    done = subprocess.run(
        [sys.executable, "-c", _ELSEWHERE], capture_output=True, text=True, check=True
    )
    assert "Windows AMD64" in done.stdout
    assert done.stdout.count("\n") == 1


def test_the_machine_is_described(any_isolation: Isolation) -> None:
    found = machine_facts()
    assert found["interpreter"].startswith("CPython 3.")
    assert found["slots"] == max(1, found["cores"] - 1)
    assert all(isinstance(value, str | int | None) for value in found.values())
    assert 0 < (calibrate(any_isolation) or 0) < 10


def test_slots_are_held(tmp_path: Path) -> None:
    slots, lock = Slots(tmp_path, 3), threading.Lock()
    holding: list[bool] = []
    seen: list[list[bool]] = []

    def hold(number: int) -> None:
        every = number % 4 == 0
        with slots.hold(every=every):
            with lock:
                holding.append(every)
            with lock:
                seen.append([*holding])
                holding.remove(every)

    with ThreadPoolExecutor(8) as threads:
        [*threads.map(hold, range(80))]
    assert len(seen) == 80
    assert all(len(each) <= 3 and (len(each) == 1 or not any(each)) for each in seen)


def test_each_holder_has_a_slot_of_its_own(tmp_path: Path) -> None:
    slots = Slots(tmp_path, 3)
    with slots.hold(), slots.hold(), slots.hold():
        for file in sorted(tmp_path.glob("*.lock")):
            with file.open() as lock, pytest.raises(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert len(list(tmp_path.glob("*.lock"))) == 3


@pytest.mark.parametrize("kind", ["open to others", "a link", "a linked lock"])
def test_the_folder_of_slots_is_private(tmp_path: Path, kind: str) -> None:
    (elsewhere := tmp_path / "elsewhere").mkdir(mode=0o700)
    folder = tmp_path / "slots"
    folder.symlink_to(elsewhere) if kind == "a link" else folder.mkdir(mode=0o700)
    if kind == "open to others":
        folder.chmod(0o777)
    if kind == "a linked lock":
        (folder / "0.lock").symlink_to(elsewhere / "made")
    with pytest.raises(OSError), Slots(folder, 1).hold():  # noqa: PT011 # any refusal will do
        pass
    assert not [*elsewhere.iterdir()]


def test_folders_of_packages_are_not_readable(tmp_path: Path) -> None:
    """Of a folder that has one, the other entries are."""
    for name in ("json", "site-packages"):
        (tmp_path / "lib" / name).mkdir(parents=True)
    (tmp_path / "zip").mkdir()
    folders = (f"{tmp_path}/lib", f"{tmp_path}/zip")
    hidden = (f"{tmp_path}/lib/site-packages",)
    interpreter = Interpreter("python", ("python",), folders, hidden)
    assert interpreter.readable() == ["python", f"{tmp_path}/lib/json", folders[1]]
