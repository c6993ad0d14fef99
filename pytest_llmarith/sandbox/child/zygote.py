"""The first process of a sandbox, one per program.

It forks a term for every input and reports how it ended.
"""

from __future__ import annotations

import _socket
import os
import struct
import time

from pytest_llmarith.sandbox.child import protocol
from pytest_llmarith.sandbox.child.clock import Clock
from pytest_llmarith.sandbox.child.confinement import (
    Confinement,
    end_with_parent,
    protect_zygote,
)
from pytest_llmarith.sandbox.child.launch import prepare
from pytest_llmarith.sandbox.child.supervision import CallCounter, Output, Supervision

# The message of a term that has started. Another one says why it was not confined.
_STARTED = b"+"
_DESCRIPTOR = struct.Struct("i")
_SCM_RIGHTS = 1
_MESSAGE_BYTES = 1000
# More than the zygote ever has open.
_DESCRIPTORS = 64
# A program that takes longer to compile is compiled by each of its terms.
_COMPILE_NS = 100_000_000
# What a term would free when it leaves the zygote's functions: that copies the memory
# that it shares with the zygote.
_KEPT: list[object] = []


def main(control: int, confinement: dict[str, object]) -> bytes | None:
    """Serve the harness until it is gone.

    Returns in forks only, which are confined and have their standard streams: in terms
    with the code of the program, empty if it is unknown, and None in the process that
    compiles it.
    """
    os.environ.clear()
    try:
        protect_zygote()
        restrictions = Confinement(**confinement)  # type: ignore[arg-type]
        confinement.clear()
    except OSError as error:
        text = f"{error}".encode("utf-8", "replace")
        _send(control, protocol.LENGTH.pack(len(text)), text)
        os._exit(1)
    _send(control, protocol.LENGTH.pack(0))
    prepare()
    try:
        return _Zygote(control, restrictions).serve()
    except ConnectionError:
        os._exit(0)
    except OSError as error:
        text = f"{error}".encode("utf-8", "replace")
        answer = protocol.ANSWER.pack(protocol.NOT_STARTED, 0, 0, 0, 0, len(text))
        _send(control, answer, text)
        os._exit(1)


class _Zygote:
    def __init__(self, control: int, restrictions: Confinement) -> None:
        self._control = control
        self._restrictions = restrictions
        self._stdout = Output()
        self._stderr = Output()

    def serve(self) -> bytes | None:
        known: bytes | None = None
        compiled_ns = 0
        while True:
            request = protocol.receive(self._control, protocol.REQUEST.size)
            stop_ns, inconclusive_ns, length = protocol.REQUEST.unpack(request)
            stdin = protocol.receive(self._control, length)
            if known is None:
                # Confined as the terms are, as the compiler reads what is hostile. Its
                # process counts in each term: an interpreter compiles at each start.
                ended = self._run(b"", _COMPILE_NS, _COMPILE_NS)
                if ended is None:
                    return None
                # Each term shows a warning anew, and errors as python does.
                known = b""
                if ended[0] == protocol.EXITED and not self._stderr.kept:
                    known = bytes(self._stdout.kept)
                    compiled_ns = ended[2].counted_ns
            ended = self._run(stdin, stop_ns - compiled_ns, inconclusive_ns)
            if ended is None:
                return known
            code, number, clock = ended
            times = clock.counted_ns + compiled_ns, clock.wall_ns + compiled_ns
            outputs = self._stdout.kept, self._stderr.kept
            lengths = map(len, outputs)
            answer = protocol.ANSWER.pack(code, number, *times, *lengths)
            _send(self._control, answer, *outputs)

    def _run(
        self, stdin: bytes, stop_ns: int, inconclusive_ns: int
    ) -> tuple[int, int, Clock] | None:
        """How a term ended, its exit status or signal, and its clock; None in the term.

        Raises OSError if the term could not be started.
        """
        self._stdout.wipe()
        self._stderr.wipe()
        pipes = _Pipes(stdin)
        started_ns = time.monotonic_ns()
        pid = os.fork()
        if pid == 0:
            _KEPT.extend((self, pipes))
            pipes.enter(self._restrictions)
            return None
        listener = pipes.listener()
        clock = Clock(pid, started_ns)
        counter = None if listener is None else CallCounter(listener)
        outputs = {pipes.stdout: self._stdout, pipes.stderr: self._stderr}
        supervision = Supervision(pid, clock, self._control, outputs, counter)
        code, number = supervision.watch(stop_ns, inconclusive_ns)
        pipes.close()
        return code, number, clock


class _Pipes:
    """The standard streams of a term, and a socket on which it reports its start."""

    def __init__(self, stdin: bytes) -> None:
        self._zygote = os.getpid()
        self._stdin, feed = os.pipe()
        os.write(feed, stdin)
        os.close(feed)
        self.stdout, self._stdout_end = os.pipe()
        self.stderr, self._stderr_end = os.pipe()
        self._socket, self._socket_end = _socket.socketpair(
            _socket.AF_UNIX, _socket.SOCK_SEQPACKET
        )
        for descriptor in (self.stdout, self.stderr):
            os.set_blocking(descriptor, False)

    def enter(self, restrictions: Confinement) -> None:
        """In the term: take the streams, and apply the restrictions.

        All other descriptors are closed.
        """
        try:
            end_with_parent(self._zygote)
            os.setsid()
            streams = (self._stdin, self._stdout_end, self._stderr_end)
            for number, descriptor in enumerate(streams):
                os.dup2(descriptor, number)
            rights = []
            if restrictions.notify is not None:
                descriptors = _DESCRIPTOR.pack(restrictions.notify())
                rights.append((_socket.SOL_SOCKET, _SCM_RIGHTS, descriptors))
            self._socket_end.sendmsg([_STARTED], rights)
            restrictions.apply()
            os.closerange(3, _DESCRIPTORS)
        except BaseException as error:
            message = f"{error}".encode()[:_MESSAGE_BYTES]
            os.write(self._socket_end.fileno(), message)
            os._exit(1)

    def listener(self) -> int | None:
        """In the zygote: the listener for calls that are counted.

        Raises OSError if the term could not be started.
        """
        for descriptor in (self._stdin, self._stdout_end, self._stderr_end):
            os.close(descriptor)
        self._socket_end.close()
        message, rights, _, _ = self._socket.recvmsg(
            _MESSAGE_BYTES, _socket.CMSG_SPACE(_DESCRIPTOR.size)
        )
        if message != _STARTED:
            why = message.decode("utf-8", "replace")
            raise OSError(why or "a term ended before its program began")
        return _DESCRIPTOR.unpack(rights[0][2])[0] if rights else None

    def close(self) -> None:
        """In the zygote, once the term has ended.

        Raises OSError if it could not be confined.
        """
        os.close(self.stdout)
        os.close(self.stderr)
        why = self._socket.recv(_MESSAGE_BYTES)
        self._socket.close()
        if why:
            raise OSError(why.decode("utf-8", "replace"))


def _send(control: int, *parts: bytes | memoryview) -> None:
    for part in parts:
        left = memoryview(part)
        while left:
            left = left[os.write(control, left) :]
