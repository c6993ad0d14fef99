"""Runs a program once for every input, each time in a process of its own, and says how that went."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Sequence

from pytest_llmarith.sandbox import timing
from pytest_llmarith.sandbox.conversation import Answer, Conversation, ZygoteLost
from pytest_llmarith.sandbox.facts import facts as facts
from pytest_llmarith.sandbox.inside import wire
from pytest_llmarith.sandbox.slots import Slots
from pytest_llmarith.values import Ending, Isolation, ProgramLimits, ProgramRun

_TRY_AGAIN_S = 5.0
_ENDINGS = {
    wire.EXITED: Ending.EXITED,
    wire.SIGNALLED: Ending.KILLED,
    wire.LATE: Ending.LATE,
    wire.INCONCLUSIVE: Ending.INCONCLUSIVE,
    wire.STDOUT_FULL: Ending.KILLED,
    wire.STDERR_FULL: Ending.KILLED,
    wire.NOT_FORKED: Ending.INCONCLUSIVE,
}


class Sandbox:
    """A `Runner` at the level that was probed. It holds nothing between two programs, and may serve several threads.

    A program whose term could not be timed waits up to `wait_s` seconds for a machine that is quiet enough.
    """

    def __init__(
        self, isolation: Isolation, limits: ProgramLimits, slots: Slots | None = None, *, wait_s: float = 0.0
    ) -> None:
        self._isolation = isolation
        self._limits = limits
        self._slots = slots or Slots()
        self._wait_s = wait_s

    @property
    def isolation(self) -> Isolation:
        return self._isolation

    @property
    def limits(self) -> ProgramLimits:
        return self._limits

    def run(
        self, program: str, inputs: Sequence[int], on_run: Callable[[ProgramRun], None] | None = None
    ) -> list[ProgramRun]:
        """Run it with every input, in this order, up to the first that is inconclusive; `on_run` hears of each run.

        Raises OSError where the sandbox itself does not start, never for anything that a program does.
        """
        runs: list[ProgramRun] = []
        until = time.monotonic() + self._wait_s
        with Conversation(self._isolation.level, program, self._limits) as conversation:
            for number in inputs:
                run = self._measure(conversation, number)
                while run.ending is Ending.INCONCLUSIVE and time.monotonic() < until:
                    time.sleep(_TRY_AGAIN_S)
                    run = self._measure(conversation, number)
                if on_run is not None:
                    on_run(run)
                runs.append(run)
                if run.ending is Ending.INCONCLUSIVE:
                    break
        return runs

    def _measure(self, conversation: Conversation, number: int) -> ProgramRun:
        """A time in doubt counts only if no other term ran, and a lost zygote only if it is lost twice.

        If there is a single slot, no other term ever runs.
        """
        for every_slot in (False, True):
            alone = every_slot or self._slots.size == 1
            try:
                with self._slots.all() if every_slot else self._slots.one():
                    run = self._once(conversation, number, alone=alone)
            except ZygoteLost as error:
                lost = _lost(number, f"its parent process was lost: {error}")
            else:
                is_clear = run.ending is not Ending.INCONCLUSIVE and not timing.is_in_doubt(run, self._limits.seconds)
                if alone or is_clear:
                    return run
        return lost

    def _once(self, conversation: Conversation, number: int, *, alone: bool) -> ProgramRun:
        longest_s = self._limits.longest_s
        stop_s = longest_s if alone else timing.beyond_margin_s(longest_s)
        answer = conversation.ask(f"{number}\n".encode(), stop_s, timing.patience_s(longest_s))
        return ProgramRun(
            input=number,
            ending=_ENDINGS[answer.code],
            exit_status=answer.number if answer.code == wire.EXITED else None,
            detail=self._detail(answer),
            stdout=answer.stdout.decode("utf-8", "replace"),
            stderr=answer.stderr.decode("utf-8", "replace"),
            seconds=answer.seconds,
            cpu_s=answer.cpu_s,
            wall_s=answer.wall_s,
            waited_s=answer.waited_s,
            alone=alone,
        )

    def _detail(self, answer: Answer) -> str | None:
        match answer.code:
            case wire.SIGNALLED:
                return _signal_name(answer.number)
            case wire.STDOUT_FULL:
                return f"stdout over {self._limits.stdout_bytes:,} bytes"
            case wire.STDERR_FULL:
                return f"stderr over {self._limits.stderr_bytes:,} bytes"
            case wire.INCONCLUSIVE:
                return f"the machine was too busy: {answer.waited_s:.1f} s of {answer.wall_s:.1f} s spent waiting"
            case wire.NOT_FORKED:
                return f"the machine could not start a process: {answer.stderr.decode('utf-8', 'replace')}"
        return None


def _lost(number: int, why: str) -> ProgramRun:
    return ProgramRun(number, Ending.KILLED, None, why, "", "", 0.0, 0.0, 0.0, 0.0, alone=True)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
