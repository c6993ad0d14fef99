"""How many threads, pipes and pairs of sockets a term may make. The kernel asks the zygote about each new one.

RLIMIT_NPROC does not do for threads: it does not count for root, and for other users it counts all that the user runs.
RLIMIT_NOFILE does not do for pipes: a call that waits for a descriptor keeps its pipe, even once that is closed.
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct

# At once.
_THREADS = 256
# From the term's start to its end.
_THREADS_IN_ALL, _PIPES_IN_ALL = 1000, 64
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_NOTICE = struct.Struct("<QIIi60x")
_REPLY = struct.Struct("<QqiI")
_CONTINUE = 1
_CLONE = 56


class Gate:
    """Answers a term that waits to make one of these. `listener` comes from its seccomp filter."""

    def __init__(self, listener: int, pid: int) -> None:
        self.listener = listener
        self.threads = 0
        self.pipes = 0
        self._tasks = f"/proc/{pid}/task"

    def answer(self) -> None:
        """Let the call go on, or refuse it as an exhausted system would."""
        notice = bytearray(_NOTICE.size)
        try:
            fcntl.ioctl(self.listener, _RECEIVE, notice)
            number, _, _, call = _NOTICE.unpack(notice)
            error = self._thread() if call == _CLONE else self._pipe()
            fcntl.ioctl(self.listener, _SEND, _REPLY.pack(number, 0, -error, 0 if error else _CONTINUE))
        except OSError:
            pass  # the thread that asked is dead by now

    def close(self) -> None:
        os.close(self.listener)

    def _thread(self) -> int:
        if self.threads == _THREADS_IN_ALL or len(os.listdir(self._tasks)) >= _THREADS:
            return errno.EAGAIN
        self.threads += 1
        return 0

    def _pipe(self) -> int:
        if self.pipes == _PIPES_IN_ALL:
            return errno.EMFILE
        self.pipes += 1
        return 0
