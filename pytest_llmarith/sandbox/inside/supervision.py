"""One running term: its output is read up to the caps, and it is stopped when its time is up."""

from __future__ import annotations

import os
import select
import time

from pytest_llmarith.sandbox.inside import wire
from pytest_llmarith.sandbox.inside.clock import Clock, ran_and_waited_ns
from pytest_llmarith.sandbox.inside.gate import Gate

_SIGKILL = 9
_NS_PER_MS = 1_000_000


class HarnessGone(Exception):
    """Nobody is there any more to be told."""


class Output:
    """One stream of a term. The same memory serves every term and is wiped in between: nothing is handed down."""

    def __init__(self, cap: int, when_full: int) -> None:
        self._memory = memoryview(bytearray(cap + 1))
        self._cap = cap
        self._used = 0
        self.when_full = when_full

    @property
    def full(self) -> bool:
        return self._used > self._cap

    @property
    def kept(self) -> memoryview:
        return self._memory[: min(self._used, self._cap)]

    def take(self, descriptor: int) -> bool:
        """Read what is there; False where nothing more is, or may be, to come."""
        try:
            got = os.readv(descriptor, [self._memory[self._used :]])
        except BlockingIOError:
            return False
        self._used += got
        return got > 0 and not self.full

    def wipe(self) -> None:
        self._memory[: self._used] = bytes(self._used)
        self._used = 0


class Supervision:
    """Watches one term until it is dead. `outputs` are the near ends of its pipes; `control` leads to the harness."""

    def __init__(self, pid: int, clock: Clock, control: int, outputs: dict[int, Output], gate: Gate | None) -> None:
        self._pid = pid
        self._clock = clock
        self._control = control
        self._outputs = outputs
        self._gate = gate
        self._pidfd = os.pidfd_open(pid)
        self._poll = select.poll()
        for descriptor in (self._pidfd, control, *outputs):
            self._poll.register(descriptor, select.POLLIN)
        if gate is not None:
            self._poll.register(gate.listener, select.POLLIN)

    def watch(self, stop_ns: int, patience_ns: int) -> tuple[int, int]:
        """How the term ended, and its exit status or the negative number of its signal; raises HarnessGone."""
        try:
            code = self._wait(stop_ns, patience_ns)
        finally:
            self._kill()
        full = self._drain()
        if code == wire.EXITED and full is not None:
            code = full
        status = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        return (wire.SIGNALLED, -status) if code == wire.EXITED and status < 0 else (code, status)

    def _wait(self, stop_ns: int, patience_ns: int) -> int:
        """Attend to the term until it ends or is stopped, and look at its clock every few milliseconds."""
        while True:
            waited_before_ns = ran_and_waited_ns("self")[1]
            events = self._poll.poll(max(0, self._clock.next_look_ns - time.monotonic_ns()) // _NS_PER_MS + 1)
            code = self._attend(dict(events))
            # A term that asks for one thread after the other leaves no moment without an event.
            if code is None and time.monotonic_ns() < self._clock.next_look_ns:
                continue
            self._clock.look(ran_and_waited_ns("self")[1] - waited_before_ns if code == wire.EXITED else 0)
            if code is not None:
                return code
            if self._clock.counted_ns >= stop_ns and not self._clock.is_waiting():
                return wire.LATE
            if self._clock.wall_ns >= max(patience_ns, self._clock.counted_ns * wire.SLOWEST):
                return wire.INCONCLUSIVE

    def _attend(self, events: dict[int, int]) -> int | None:
        if self._control in events:
            raise HarnessGone
        if self._pidfd in events:
            return wire.EXITED
        for descriptor in events:
            if not self._serve(descriptor, events[descriptor]):
                self._poll.unregister(descriptor)
            if descriptor in self._outputs and self._outputs[descriptor].full:
                return self._outputs[descriptor].when_full
        return None

    def _serve(self, descriptor: int, event: int) -> bool:
        """Whether more is to be expected there."""
        if descriptor in self._outputs:
            return self._outputs[descriptor].take(descriptor)
        if self._gate is not None and event & select.POLLIN:
            self._gate.answer()
        return not event & select.POLLHUP

    def _drain(self) -> int | None:
        """Read what a dead term has left in its pipes; says which of them was full."""
        for descriptor, output in self._outputs.items():
            while output.take(descriptor):
                pass
            if output.full:
                return output.when_full
        return None

    def _kill(self) -> None:
        """The term with its process group; its number stays its own until it is reaped."""
        try:
            os.killpg(self._pid, _SIGKILL)
        except ProcessLookupError:
            os.kill(self._pid, _SIGKILL)
        os.waitid(os.P_PIDFD, self._pidfd, os.WEXITED | os.WNOWAIT)
        os.close(self._pidfd)
        if self._gate is not None:
            self._gate.close()
