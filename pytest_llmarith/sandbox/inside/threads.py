"""How many threads a term may have at once. The kernel asks the zygote about each new one.

RLIMIT_NPROC would not do: it does not count for root, and for everybody else it counts all that the user runs.
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct

_MOST = 256
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_NOTICE = struct.Struct("<QII64x")
_REPLY = struct.Struct("<QqiI")
_CONTINUE = 1


class ThreadGate:
    """Answers a term that waits to start a thread. `listener` comes from its seccomp filter."""

    def __init__(self, listener: int, pid: int) -> None:
        self.listener = listener
        self._tasks = f"/proc/{pid}/task"

    def answer(self) -> None:
        """Let one thread begin, or refuse it as an exhausted system would."""
        notice = bytearray(_NOTICE.size)
        try:
            fcntl.ioctl(self.listener, _RECEIVE, notice)
            full = len(os.listdir(self._tasks)) >= _MOST
            reply = (0, -errno.EAGAIN, 0) if full else (0, 0, _CONTINUE)
            fcntl.ioctl(self.listener, _SEND, _REPLY.pack(_NOTICE.unpack(notice)[0], *reply))
        except OSError:
            pass  # whoever asked is dead by now

    def close(self) -> None:
        os.close(self.listener)
