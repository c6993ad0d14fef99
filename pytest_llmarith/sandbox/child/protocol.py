"""The messages between harness and zygote, and the script of a new child.

The script receives the zygote's code. The zygote trusts the harness; the harness checks
each answer, which has fixed fields and then bytes.
"""

from __future__ import annotations

import marshal
import os
import struct
import sys
from types import CodeType, ModuleType

# Harness to zygote, once: the length of the marshalled payload, which follows. Zygote
# to harness, once: the length of the error message, which follows; 0 if the zygote is
# ready.
LENGTH = struct.Struct("<Q")
# Harness to zygote, for every term: the counted ns after which it is stopped, the ns of
# wall time after which it may be inconclusive, and the length of its stdin, which
# follows.
REQUEST = struct.Struct("<QQI")
# After that wall time a term continues only while at least one second in this many
# counts.
SLOWEST = 20
# Zygote to harness, for every term: how it ended, its exit status or signal; the time
# that counts and wall time in ns; the lengths of stdout and stderr, which follow.
ANSWER = struct.Struct("<BiQQII")

# How a term ended. After the last one the program has not run, and stderr says why.
EXITED, SIGNALLED, LATE, INCONCLUSIVE, OUTPUT_FULL, NOT_STARTED = range(6)

# A term that writes more to stdout or stderr is ended.
OUTPUT_BYTES = 1 << 16

_CONTROL = 3


def receive(control: int, length: int) -> bytes:
    """Exactly this many bytes; raises ConnectionError if the harness is gone."""
    parts = bytearray()
    while len(parts) < length:
        part = os.read(control, length - len(parts))
        if not part:
            raise ConnectionError
        parts += part
    return bytes(parts)


def _import(modules: list[tuple[str, CodeType]]) -> None:
    for name, code in modules:
        module = sys.modules[name] = ModuleType(name)
        module.__path__ = []
        exec(code, vars(module))


def _load(control: int) -> tuple[ModuleType, bytes, bytes | None]:
    """Become the zygote.

    Returns in its forks, with the module that runs programs, and the program: its
    source, and what is known of its code.
    """
    if control != _CONTROL:
        os.dup2(control, _CONTROL)
        os.close(control)
    (length,) = LENGTH.unpack(receive(_CONTROL, LENGTH.size))
    payload = marshal.loads(receive(_CONTROL, length))
    _import(payload.pop("modules"))
    program, zygote = (sys.modules[payload[name]] for name in ("program", "zygote"))
    known = zygote.main(_CONTROL, payload["confinement"])
    return program, payload["source"], known


if __name__ == "__main__":
    program, source, known = _load(int(sys.argv[1]))
    program.run(source, known)
