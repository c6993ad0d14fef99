"""The first process of a sandbox, one per program.

It forks a term for every input and reports how it ended.
"""

from __future__ import annotations

import _socket
import gc
import os
import struct
import time

from pytest_llmarith.sandbox.child import protocol
from pytest_llmarith.sandbox.child.clock import Clock, ran_and_waited_ns
from pytest_llmarith.sandbox.child.confinement import (
    Confinement,
    end_with_parent,
    protect_zygote,
)
from pytest_llmarith.sandbox.child.supervision import CallCounter, Output, Supervision

# Messages of a term about its start: a listener, the program begins, the term could not
# be confined.
_LISTENER, _BEGUN, _FAILED = b"l", b"+", b"-"
# When the term began, and how long it had waited for a processor by then.
_START = struct.Struct("<QQ")
_DESCRIPTOR = struct.Struct("i")
_SCM_RIGHTS = 1
_MESSAGE_BYTES = 1000
# More than the zygote ever has open.
_DESCRIPTORS = 64


def main(control: int, confinement: dict[str, object]) -> None:
    """Serve the harness until it is gone.

    Returns in the forked terms only: confined, with their standard streams.
    """
    os.environ.clear()
    try:
        protect_zygote()
        restrictions = Confinement(**confinement)  # type: ignore[arg-type]
    except OSError as error:
        text = f"{error}".encode("utf-8", "replace")
        _send(control, protocol.LENGTH.pack(len(text)), text)
        os._exit(1)
    _send(control, protocol.LENGTH.pack(0))
    gc.freeze()
    try:
        _Zygote(control).serve(restrictions)
    except ConnectionError:
        os._exit(0)


class _Zygote:
    def __init__(self, control: int) -> None:
        self._control = control
        self._stdout = Output()
        self._stderr = Output()

    def serve(self, restrictions: Confinement) -> None:
        while True:
            request = protocol.receive(self._control, protocol.REQUEST.size)
            stop_ns, inconclusive_ns, length = protocol.REQUEST.unpack(request)
            pipes = _Pipes(protocol.receive(self._control, length))
            try:
                pid = os.fork()
            except OSError as error:
                pipes.close_term_ends()
                self._report_failure(error)
            else:
                if pid == 0:
                    pipes.enter(restrictions)
                    return
                self._supervise(pid, pipes, stop_ns, inconclusive_ns)
            pipes.close()

    def _supervise(
        self, pid: int, pipes: _Pipes, stop_ns: int, inconclusive_ns: int
    ) -> None:
        try:
            started_ns, waited_before_ns, listener = pipes.start()
        except OSError as error:
            os.waitpid(pid, 0)
            self._report_failure(error)
            return
        clock = Clock(pid, started_ns, waited_before_ns)
        counter = None if listener is None else CallCounter(listener)
        outputs = {pipes.stdout: self._stdout, pipes.stderr: self._stderr}
        supervision = Supervision(pid, clock, self._control, outputs, counter)
        code, number = supervision.watch(stop_ns, inconclusive_ns)
        times = clock.counted_ns, clock.wall_ns
        stdout, stderr = self._stdout.kept, self._stderr.kept
        answer = protocol.ANSWER.pack(code, number, *times, len(stdout), len(stderr))
        _send(self._control, answer, stdout, stderr)
        self._stdout.wipe()
        self._stderr.wipe()

    def _report_failure(self, error: OSError) -> None:
        text = f"{error}".encode("utf-8", "replace")
        code = protocol.NOT_STARTED
        answer = protocol.ANSWER.pack(code, 0, 0, 0, 0, len(text))
        _send(self._control, answer, text)


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
            start = _START.pack(time.monotonic_ns(), ran_and_waited_ns("self")[1])
            listener = restrictions.notify()
            if listener is not None:
                rights = [(_socket.SOL_SOCKET, _SCM_RIGHTS, _DESCRIPTOR.pack(listener))]
                self._socket_end.sendmsg([_LISTENER], rights)
            restrictions.apply()
            os.write(self._socket_end.fileno(), _BEGUN + start)
            os.closerange(3, _DESCRIPTORS)
        except BaseException as error:
            message = _FAILED + f"{error}".encode()
            os.write(self._socket_end.fileno(), message[:_MESSAGE_BYTES])
            os._exit(1)

    def start(self) -> tuple[int, int, int | None]:
        """In the zygote: the term's start, and how long it had waited by then.

        The third is the listener for calls that are counted. Raises OSError if the term
        could not be confined.
        """
        self.close_term_ends()
        listener = None
        while True:
            message, rights, _, _ = self._socket.recvmsg(
                _MESSAGE_BYTES, _socket.CMSG_SPACE(_DESCRIPTOR.size)
            )
            kind, content = message[:1], message[1:]
            if kind == _BEGUN:
                return *_START.unpack(content), listener
            if kind != _LISTENER:
                why = content.decode("utf-8", "replace")
                raise OSError(why or "a term ended before its program began")
            listener = _DESCRIPTOR.unpack(rights[0][2])[0]

    def close_term_ends(self) -> None:
        for descriptor in (self._stdin, self._stdout_end, self._stderr_end):
            os.close(descriptor)
        self._socket_end.close()

    def close(self) -> None:
        os.close(self.stdout)
        os.close(self.stderr)
        self._socket.close()


def _send(control: int, *parts: bytes | memoryview) -> None:
    for part in parts:
        left = memoryview(part)
        while left:
            left = left[os.write(control, left) :]
