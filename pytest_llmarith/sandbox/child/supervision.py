"""Supervises a running term: reads its output, counts calls, measures its time."""

from __future__ import annotations

import errno
import fcntl
import os
import select
import struct
import time

from pytest_llmarith.sandbox.child import protocol
from pytest_llmarith.sandbox.child.clock import Clock, ran_and_waited_ns
from pytest_llmarith.sandbox.child.system_calls import numbers

_SIGKILL = 9
_CLONE = numbers(os.uname().machine).get("clone")
_NS_PER_MS = 1_000_000

# From a term's start to its end.
_THREADS, _PIPES = 1000, 64
# The requests and messages of a seccomp listener, see seccomp_unotify(2).
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_NOTIFICATION = struct.Struct("<QIIi60x")
_RESPONSE = struct.Struct("<QqiI")
_CONTINUE = 1


class Output:
    """One output stream of a term, up to a limit.

    All terms use the same memory, which is wiped before each.
    """

    def __init__(self) -> None:
        self._memory = memoryview(bytearray(protocol.OUTPUT_BYTES + 1))
        self._used = 0

    @property
    def full(self) -> bool:
        return self._used > protocol.OUTPUT_BYTES

    @property
    def kept(self) -> memoryview:
        return self._memory[: min(self._used, protocol.OUTPUT_BYTES)]

    def read(self, descriptor: int) -> bool:
        """Read what is available.

        Returns False at the end, at the limit, or if nothing is available.
        """
        try:
            got = os.readv(descriptor, [self._memory[self._used :]])
        except BlockingIOError:
            return False
        self._used += got
        return got > 0 and not self.full

    def wipe(self) -> None:
        self._memory[: self._used] = bytes(self._used)
        self._used = 0


class CallCounter:
    """Counts the threads, pipes and pairs of sockets that a term makes.

    It refuses those beyond the limits. The kernel reports each call on `listener`.
    RLIMIT_NPROC would not limit root's threads, and would count all threads of another
    user. RLIMIT_NOFILE would not limit pipes: a call that waits for a closed pipe keeps
    it.
    """

    def __init__(self, listener: int) -> None:
        self.listener = listener
        self._threads = self._pipes = 0

    def answer(self) -> None:
        """Let the call continue, or fail as if the system limit were reached."""
        notification = bytearray(_NOTIFICATION.size)
        try:
            fcntl.ioctl(self.listener, _RECEIVE, notification)
            number, _, _, call = _NOTIFICATION.unpack(notification)
            error = self._count(call)
            flags = 0 if error else _CONTINUE
            response = _RESPONSE.pack(number, 0, -error, flags)
            fcntl.ioctl(self.listener, _SEND, response)
        except OSError:
            pass  # the thread that called has ended

    def _count(self, call: int) -> int:
        if call == _CLONE:
            self._threads += 1
            return errno.EAGAIN if self._threads > _THREADS else 0
        self._pipes += 1
        return errno.EMFILE if self._pipes > _PIPES else 0


class Supervision:
    """Watches one term.

    `outputs` are the zygote's ends of its pipes; `control` is readable if the harness
    is gone.
    """

    def __init__(
        self,
        pid: int,
        clock: Clock,
        control: int,
        outputs: dict[int, Output],
        counter: CallCounter | None,
    ) -> None:
        self._pid = pid
        self._clock = clock
        self._control = control
        self._outputs = outputs
        self._counter = counter
        self._pidfd = os.pidfd_open(pid)
        self._poll = select.poll()
        for descriptor in (self._pidfd, control, *outputs):
            self._poll.register(descriptor, select.POLLIN)
        if counter is not None:
            self._poll.register(counter.listener, select.POLLIN)

    def watch(self, stop_ns: int, inconclusive_ns: int) -> tuple[int, int]:
        """How the term ended, and its exit status or signal.

        A term is late once `stop_ns` count, and inconclusive once `inconclusive_ns` of
        wall time have passed of which too little counts. Raises ConnectionError if the
        harness is gone.
        """
        try:
            code = self._wait(stop_ns, inconclusive_ns)
        finally:
            self._kill()
        for descriptor, output in self._outputs.items():
            while output.read(descriptor):
                pass
            if code == protocol.EXITED and output.full:
                code = protocol.OUTPUT_FULL
        status = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        if code == protocol.EXITED and status < 0:
            return protocol.SIGNALLED, -status
        return code, status

    def _wait(self, stop_ns: int, inconclusive_ns: int) -> int:
        clock = self._clock
        while True:
            waited_before_ns = ran_and_waited_ns("self")[1]
            left_ns = max(0, clock.next_sample_ns - time.monotonic_ns())
            events = self._poll.poll(left_ns // _NS_PER_MS + 1)
            code = self._handle(dict(events))
            # A term that starts threads all the time causes events all the time.
            if code is None and time.monotonic_ns() < clock.next_sample_ns:
                continue
            late_ns = 0
            if code == protocol.EXITED:
                late_ns = ran_and_waited_ns("self")[1] - waited_before_ns
            clock.sample(late_ns)
            if code is not None:
                return code
            if clock.counted_ns >= stop_ns and not clock.is_waiting():
                return protocol.LATE
            if clock.wall_ns >= max(
                inconclusive_ns, clock.counted_ns * protocol.SLOWEST
            ):
                return protocol.INCONCLUSIVE

    def _handle(self, events: dict[int, int]) -> int | None:
        """Handle the events of one poll.

        Returns how the term ended, None if it has not.
        """
        if self._control in events:
            raise ConnectionError
        if self._pidfd in events:
            return protocol.EXITED
        for descriptor, event in events.items():
            if descriptor in self._outputs:
                output = self._outputs[descriptor]
                is_open = output.read(descriptor)
                if output.full:
                    return protocol.OUTPUT_FULL
            else:
                is_open = not event & select.POLLHUP
                if self._counter is not None and event & select.POLLIN:
                    self._counter.answer()
            if not is_open:
                self._poll.unregister(descriptor)
        return None

    def _kill(self) -> None:
        """Kill the term and its process group.

        Its id stays its own until it is reaped.
        """
        try:
            os.killpg(self._pid, _SIGKILL)
        except ProcessLookupError:
            os.kill(self._pid, _SIGKILL)
        os.waitid(os.P_PIDFD, self._pidfd, os.WEXITED | os.WNOWAIT)
        os.close(self._pidfd)
        if self._counter is not None:
            os.close(self._counter.listener)
