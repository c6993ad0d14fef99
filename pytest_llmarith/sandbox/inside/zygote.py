"""The first process of a jail, one for every program. It forks a term for every input, and reports how that ended.

It never runs a line of the program itself, and gets to know nothing but its text, its inputs and its limits.
"""

from __future__ import annotations

import _thread
import gc
import os

from pytest_llmarith.sandbox.inside import wire
from pytest_llmarith.sandbox.inside.clock import Clock
from pytest_llmarith.sandbox.inside.confinement import Confinement, end_children, guard_zygote
from pytest_llmarith.sandbox.inside.gate import Gate
from pytest_llmarith.sandbox.inside.pipes import NotConfined, Pipes
from pytest_llmarith.sandbox.inside.supervision import HarnessGone, Output, Supervision

_NS_PER_S = 1_000_000_000
# More than a term may use up; and as many inode numbers as the kernel gives to a processor at a time.
_PROCESS_IDS, _INODE_NUMBERS = 4096, 1024


def main(control: int, confinement: dict[str, object], stdout_bytes: int, stderr_bytes: int) -> None:
    """Serve the harness until it is gone. Only a term returns from here: locked in, with its streams in place."""
    zygote = _Zygote(control, stdout_bytes, stderr_bytes)
    os.environ.clear()  # the jail's own tools have left their mark there
    try:
        guard_zygote(terms_fork=not confinement["seccomp"])
        locks = Confinement(**confinement)  # type: ignore[arg-type]
    except OSError as error:
        zygote.greet(f"{error}")
        os._exit(1)
    zygote.greet("")
    gc.freeze()
    try:
        zygote.serve(locks)
    except (HarnessGone, ConnectionError):
        end_children()
        os._exit(0)


def _move_counters() -> None:
    """Use up random numbers of process ids and inode numbers, so that the next term does not see what this one used."""
    if os.getpid() != 1:  # else the ids are this jail's own and end with it
        ended = _thread.allocate_lock()
        ended.acquire()
        for _ in range(_random(_PROCESS_IDS)):
            _thread.start_new_thread(ended.release, ())
            ended.acquire()
    for processor in os.sched_getaffinity(0):
        os.sched_setaffinity(0, {processor})
        for _ in range(_random(_INODE_NUMBERS)):
            for end in os.pipe():
                os.close(end)


def _random(below: int) -> int:
    return int.from_bytes(os.urandom(4), "little") % below


class _Zygote:
    def __init__(self, control: int, stdout_bytes: int, stderr_bytes: int) -> None:
        self._control = control
        self._stdout = Output(stdout_bytes, wire.STDOUT_FULL)
        self._stderr = Output(stderr_bytes, wire.STDERR_FULL)

    def greet(self, trouble: str) -> None:
        text = trouble.encode("utf-8", "replace")
        self._send(wire.GREETING.pack(not text, len(text)), text)

    def serve(self, locks: Confinement) -> None:
        """Run term after term; returns only in a term."""
        while True:
            stop_s, patience_s, length = wire.REQUEST.unpack(self._receive(wire.REQUEST.size))
            pipes = Pipes(self._receive(length))
            try:
                pid = os.fork()
            except OSError as error:
                pipes.close_term_ends()
                self._answer_with_trouble(wire.NOT_FORKED, f"{error}")
            else:
                if pid == 0:
                    pipes.enter(locks)
                    return
                self._attend(pid, pipes, int(stop_s * _NS_PER_S), int(patience_s * _NS_PER_S))
            pipes.close()

    def _attend(self, pid: int, pipes: Pipes, stop_ns: int, patience_ns: int) -> None:
        try:
            started_ns, waited_before_ns, gate = pipes.beginning()
        except NotConfined as trouble:
            os.waitpid(pid, 0)
            self._answer_with_trouble(wire.NOT_CONFINED, f"{trouble}")
            return
        clock = Clock(pid, started_ns, waited_before_ns)
        outputs = {pipes.stdout: self._stdout, pipes.stderr: self._stderr}
        counting = None if gate is None else Gate(gate, pid)
        term = Supervision(pid, clock, self._control, outputs, counting)
        code, number = term.watch(stop_ns, patience_ns)
        end_children()  # those that the term forked, if it may
        ends = counting is not None and counting.threads + counting.pipes > 0
        clock.wipe()
        times = clock.counted_ns, clock.wall_ns, clock.cpu_ns, clock.waited_ns
        stdout, stderr = self._stdout.kept, self._stderr.kept
        self._send(wire.ANSWER.pack(code, number, ends, *times, len(stdout), len(stderr)), stdout, stderr)
        self._stdout.wipe()
        self._stderr.wipe()
        if ends:
            _move_counters()
            os._exit(0)

    def _answer_with_trouble(self, code: int, trouble: str) -> None:
        text = trouble.encode("utf-8", "replace")
        self._send(wire.ANSWER.pack(code, 0, False, 0, 0, 0, 0, 0, len(text)), text)

    def _send(self, *parts: bytes | memoryview) -> None:
        for part in parts:
            left = memoryview(part)
            while left:
                left = left[os.write(self._control, left) :]

    def _receive(self, length: int) -> bytes:
        parts = bytearray()
        while len(parts) < length:
            part = os.read(self._control, length - len(parts))
            if not part:
                raise HarnessGone
            parts += part
        return bytes(parts)
