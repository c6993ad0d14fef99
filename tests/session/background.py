"""A run in the background, which waits for replies that its server holds back:
something to kill, or to interrupt.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tests.llm_server import PATIENCE_S, Answer, Call, Gate
from tests.session.bench import Bench, right

FREE = (
    4  # trials that are certain to be written: the sums and differences that come first
)
HELD = 8  # products and quotients, which wait for the test


@contextmanager
def started(bench: Bench, gate: Gate, *args: str) -> Iterator[subprocess.Popen[str]]:
    """A run that has written some trials, and whose other requests are in flight until
    the gate is opened.
    """

    server = bench.server
    bench.script = lambda call: Answer(
        right(call), gate=gate if _is_held(call) else None
    )
    with begun(bench, *args) as process:
        try:
            _wait_for_trials(bench, FREE)
            server.wait_until(
                lambda: server.in_flight == sum(map(_is_held, server.requests)) == HELD,
                "all that is held",
            )
            yield process
        finally:
            gate.open()


def _is_held(call: Call) -> bool:
    return bool({"*", "/"} & set(call.prompt.splitlines()[-1].split()))


@contextmanager
def begun(
    bench: Bench, *args: str, before: Sequence[str] = ()
) -> Iterator[subprocess.Popen[str]]:
    """A run in a group of its own, as a shell begins it; `before` stands before its
    command.
    """
    command = [
        *before,
        sys.executable,
        "-m",
        "pytest",
        "--llm-model=openai/gpt-4o-mini",
        f"--llm-concurrency={HELD}",
    ]
    command += [f"--llm-api-base={bench.server.base_url}", *args]
    with subprocess.Popen(
        command,
        cwd=bench.pytester.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={
            name: value
            for name, value in os.environ.items()
            if name != "PYTHONUNBUFFERED"
        },  # as in most shells
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def press_ctrl_c(process: subprocess.Popen[str]) -> None:
    """A terminal's Ctrl-C reaches the whole group: the controller and its workers."""
    os.killpg(process.pid, signal.SIGINT)


def read_until(process: subprocess.Popen[str], words: str) -> str:
    """What a run prints up to the line that holds these words."""
    assert process.stdout is not None
    printed = ""
    for line in process.stdout:
        printed += line
        if words in line:
            return printed
    raise AssertionError(printed)


def read_to_end(process: subprocess.Popen[str]) -> str:
    """What a run prints until all of its processes have ended."""
    assert process.stdout is not None
    printed = process.stdout.read()
    process.wait(PATIENCE_S)
    return printed


def _wait_for_trials(bench: Bench, count: int) -> None:
    """Wait for a state, not for a time: the limit only ends a test that fails
    anyway.
    """
    give_up_at = time.monotonic() + PATIENCE_S
    while time.monotonic() < give_up_at:
        logs = list((bench.pytester.path / "reports").glob("*/trials.jsonl"))
        if logs and logs[0].read_bytes().count(b"\n") >= count:
            return
        time.sleep(0.05)
    raise TimeoutError(f"{count} trials did not come")
