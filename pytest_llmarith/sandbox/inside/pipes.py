"""What connects a term with its zygote: three standard streams, and word of its beginning. Each term has its own."""

from __future__ import annotations

import _socket
import os
import struct
import time

from pytest_llmarith.sandbox.inside.clock import ran_and_waited_ns
from pytest_llmarith.sandbox.inside.confinement import Confinement, die_with

# When the term began, and how long it had waited for a processor by then.
_START = struct.Struct("<QQ")
_GATE, _BEGUN, _FAILED = b"g", b"+", b"-"
_DESCRIPTOR = struct.Struct("i")
_SCM_RIGHTS = 1
_LONGEST_WORD = 1000
# More than the zygote ever has open: the harness' socket is its descriptor 3.
_DESCRIPTORS = 64


class NotConfined(Exception):
    """A term that could not be locked in, and so never began."""


class Pipes:
    """Both ends of them, before the fork; after it, each side keeps its own."""

    def __init__(self, stdin: bytes) -> None:
        self._zygote = os.getpid()
        self._stdin, feed = os.pipe()
        os.write(feed, stdin)
        os.close(feed)
        self.stdout, self._stdout_end = os.pipe()
        self.stderr, self._stderr_end = os.pipe()
        self._word, self._word_end = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
        for descriptor in (self.stdout, self.stderr):
            os.set_blocking(descriptor, False)

    def enter(self, locks: Confinement) -> None:
        """In the term: take the streams, close the locks, send word, and keep no way back to the zygote."""
        try:
            die_with(self._zygote)
            os.setsid()
            for number, descriptor in enumerate((self._stdin, self._stdout_end, self._stderr_end)):
                os.dup2(descriptor, number)
            start = _START.pack(time.monotonic_ns(), ran_and_waited_ns("self")[1])
            gate = locks.gate_threads()
            if gate is not None:
                self._word_end.sendmsg([_GATE], [(_socket.SOL_SOCKET, _SCM_RIGHTS, _DESCRIPTOR.pack(gate))])
            locks.close_in()
            os.write(self._word_end.fileno(), _BEGUN + start)
            os.closerange(3, _DESCRIPTORS)
        except BaseException as error:
            os.write(self._word_end.fileno(), _FAILED + f"{error}".encode()[: _LONGEST_WORD - 1])
            os._exit(1)

    def beginning(self) -> tuple[int, int, int | None]:
        """In the zygote: start, waiting until then, and the gate of its threads; raises NotConfined."""
        self.close_term_ends()
        gate = None
        while True:
            word, rights, _, _ = self._word.recvmsg(_LONGEST_WORD, _socket.CMSG_SPACE(_DESCRIPTOR.size))
            if word[:1] == _BEGUN:
                return *_START.unpack(word[1:]), gate
            if word[:1] != _GATE:
                raise NotConfined(word[1:].decode("utf-8", "replace") or "a term died before its program began")
            gate = _DESCRIPTOR.unpack(rights[0][2])[0]

    def close_term_ends(self) -> None:
        for descriptor in (self._stdin, self._stdout_end, self._stderr_end):
            os.close(descriptor)
        self._word_end.close()

    def close(self) -> None:
        os.close(self.stdout)
        os.close(self.stderr)
        self._word.close()
