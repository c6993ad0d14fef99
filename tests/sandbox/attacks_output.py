"""Attacks on the result, on limits of memory and output, and on the interpreter
itself.
"""

from __future__ import annotations

from tests.sandbox.attack import Attack, parse

_RESULTS = r"""
## write into its own stdin for the next term
attempt("stdin", os.write, 0, b"7\n7\n7\n")
for fd in (0, 1, 2):
    try:
        back = os.open(f"/proc/self/fd/{fd}", os.O_RDWR | os.O_NONBLOCK)
        os.write(back, b"7\n7\n7\n")
    except OSError:
        pass
## return into the harness | exited
# A program that is run by exec() in a fork may unwind further than its own code.
class Unwound(BaseException):
    def __str__(self):
        print("unwound", flush=True)
        return ""
raise Unwound
## forge a result on inherited descriptors
# Ended by itself, status 0, some times, 2 bytes of output: as the zygote would say it.
import struct
for fd in range(3, 256):
    attempt(("wrote to", fd), os.write, fd, struct.pack("<BiQQQQII", 0, 0, 9, 9, 9, 9, 2, 0) + b"9\n")
"""
# 768 MB are three times what the battery allows.
_MEMORY = r"""
## grow a list :: kept = [b'x' * (1 << 20) for _ in range(768)]; hit('grown')
## grow by pipes
import fcntl
kept = 0
while kept < 768 << 20:
    taking, giving = os.pipe()
    size = fcntl.fcntl(giving, 1031, 1 << 20)  # F_SETPIPE_SZ
    os.set_blocking(giving, False)
    kept += os.write(giving, bytes(size))
hit("grown", kept)
## grow by pairs of sockets that are closed while they are waited for
# Who polls a descriptor holds what it stood for, even once it is closed.
import select, socket, threading, time
kept = []
threading.stack_size(1 << 16)
for _ in range(50):
    pairs = [socket.socketpair() for _ in range(20)]
    poll = select.poll()
    for pair in pairs:
        poll.register(pair[0], 0)
        poll.register(pair[1], 0)
    kept.append(threading.Thread(target=poll.poll, daemon=True))
    kept[-1].start()
    time.sleep(0.001)
    del pair, pairs
hit(20 * len(kept), "pairs")
## take every descriptor
count = 0
try:
    while count < 4096:
        os.dup(0)
        count += 1
except OSError:
    pass
if count == 4096:
    hit("4096 descriptors")
"""
_FLOOD = r"""
import sys
for _ in range(300):
    os.write({flooded}, b"x" * (1 << 20))
os.write({other}, b"HIT flooded\n")
"""
_OUTPUT = rf"""
## flood stdout | killed late{_FLOOD.format(flooded=1, other=2)}
## flood stderr | killed late{_FLOOD.format(flooded=2, other=1)}
"""
_REPORTED = {
    "leave with a large status": ("print(5, flush=True); os._exit(255)", "5\n", 255),
    "write what is no UTF-8": (
        "os.write(1, b'\\xff\\xfe5\\xed\\xa0\\x80\\x005')",
        "\ufffd\ufffd5\ufffd\ufffd\ufffd\0" + "5",
        0,
    ),
    "close stdout, then leave": (
        "os.write(1, b'5'); os.close(1); os.close(2); os._exit(0)",
        "5",
        0,
    ),
    "write as much as is allowed": ("os.write(1, b'5' * 65536)", "5" * 65536, 0),
    "swap stdout and stderr": (
        "a = os.dup(1); os.dup2(2, 1); os.dup2(a, 2); os.write(2, b'5')",
        "5",
        0,
    ),
}
_SIGNALS = "\n".join(
    f"## die of signal {number} | killed late :: print(5, flush=True); import signal;"
    f" {number} == 9 or signal.signal({number}, signal.SIG_DFL); os.kill(os.getpid(), {number})"
    for number in (9, 13, 24, 31)
)
_CRASHES = {
    "segfault": "import ctypes; ctypes.string_at(0)",
    "recurse in C": "sys.setrecursionlimit(10**8)\nx = []\nfor _ in range(10**6): x = [x]\nrepr(x) == x",
    "trace and swallow": "def look(*_): return look\nsys.settrace(look)\nwhile True: pass",
    "break the exception hook": "sys.excepthook = sys.unraisablehook = None; del sys.stderr; 1 / 0",
    "overwrite small integers": "import ctypes; ctypes.memset(id(7) + 24, 9, 1); print(7)",
}

ATTACKS = [
    *parse(_RESULTS),
    *parse(_MEMORY),
    *parse(_OUTPUT),
    *parse(_SIGNALS),
    *(
        Attack(name, program, output=(stdout, status))
        for name, (program, stdout, status) in _REPORTED.items()
    ),
    *(Attack(name, program) for name, program in _CRASHES.items()),
]
