"""The first process of a jail, one for every program. It forks a term for every input, and reports how that ended.

It never runs a line of the program itself, and gets to know nothing but its text, its inputs and its limits.
"""

from __future__ import annotations

import gc
import os
import struct
import time

from pytest_llmarith.sandbox.inside import wire
from pytest_llmarith.sandbox.inside.clock import Clock, waited_ns
from pytest_llmarith.sandbox.inside.confinement import Confinement, die_with, guard_zygote
from pytest_llmarith.sandbox.inside.supervision import HarnessGone, Output, Supervision

# Term to zygote, before the program begins: when it started and how long it had waited for a processor by then, else
# why it could not.
_BEGUN, _FAILED = b"+", b"-"
_START = struct.Struct("<QQ")
# More than the zygote ever has open: the harness' socket is its descriptor 3.
_DESCRIPTORS = 64
_NS_PER_S = 1_000_000_000


def main(control: int, confinement: dict[str, object], stdout_bytes: int, stderr_bytes: int) -> None:
    """Serve the harness until it is gone. Only a term returns from here: locked in, with its streams in place."""
    zygote = _Zygote(control, stdout_bytes, stderr_bytes)
    os.environ.clear()  # the jail's own tools have left their mark there
    try:
        guard_zygote()
        locks = Confinement(**confinement)  # type: ignore[arg-type]
    except OSError as error:
        zygote.greet(f"{error}")
        os._exit(1)
    zygote.greet("")
    gc.freeze()
    try:
        zygote.serve(locks)
    except (HarnessGone, ConnectionError):
        os._exit(0)


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
            pipes = _Pipes(self._receive(length))
            try:
                pid = os.fork()
            except OSError as error:
                pipes.close_term_ends()
                pipes.close()
                self._answer_with_trouble(wire.NOT_FORKED, f"{error}")
                continue
            if pid == 0:
                pipes.enter(locks)
                return
            self._attend(pid, pipes, int(stop_s * _NS_PER_S), int(patience_s * _NS_PER_S))

    def _attend(self, pid: int, pipes: _Pipes, stop_ns: int, patience_ns: int) -> None:
        pipes.close_term_ends()
        word = pipes.word()
        if word[:1] != _BEGUN:
            os.waitpid(pid, 0)
            pipes.close()
            self._answer_with_trouble(wire.NOT_CONFINED, word[1:].decode("utf-8", "replace"))
            return
        clock = Clock(pid, *_START.unpack(word[1:]))
        outputs = {pipes.stdout: self._stdout, pipes.stderr: self._stderr}
        code, number = Supervision(pid, clock, self._control, outputs).watch(stop_ns, patience_ns)
        pipes.close()
        times = clock.counted_ns, clock.wall_ns, clock.cpu_ns, clock.waited_ns
        stdout, stderr = self._stdout.kept, self._stderr.kept
        self._send(wire.ANSWER.pack(code, number, *times, len(stdout), len(stderr)), stdout, stderr)
        self._stdout.wipe()
        self._stderr.wipe()

    def _answer_with_trouble(self, code: int, trouble: str) -> None:
        text = trouble.encode("utf-8", "replace")
        self._send(wire.ANSWER.pack(code, 0, 0, 0, 0, 0, 0, len(text)), text)

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


class _Pipes:
    """What connects a term with the zygote: its standard streams, and one word from it before the program begins."""

    def __init__(self, stdin: bytes) -> None:
        self._zygote = os.getpid()
        self._stdin, feed = os.pipe()
        os.write(feed, stdin)
        os.close(feed)
        self.stdout, self._stdout_end = os.pipe()
        self.stderr, self._stderr_end = os.pipe()
        self._word, self._word_end = os.pipe()
        for descriptor in (self.stdout, self.stderr):
            os.set_blocking(descriptor, False)

    def enter(self, locks: Confinement) -> None:
        """In the term: take the streams, close the locks, send word, and keep no way back to the zygote."""
        try:
            die_with(self._zygote)
            os.setsid()
            for number, descriptor in enumerate((self._stdin, self._stdout_end, self._stderr_end)):
                os.dup2(descriptor, number)
            start = _START.pack(time.monotonic_ns(), waited_ns("self"))
            locks.close_in()
            os.write(self._word_end, _BEGUN + start)
            os.closerange(3, _DESCRIPTORS)
        except BaseException as error:
            os.write(self._word_end, _FAILED + f"{error}".encode())
            os._exit(1)

    def word(self) -> bytes:
        """In the zygote: what the term says of its beginning."""
        return os.read(self._word, 1000) or _FAILED + b"a term died before its program began"

    def close_term_ends(self) -> None:
        for descriptor in (self._stdin, self._stdout_end, self._stderr_end, self._word_end):
            os.close(descriptor)

    def close(self) -> None:
        for descriptor in (self.stdout, self.stderr, self._word):
            os.close(descriptor)
