"""Attacks on the result, on limits of memory and output, and on the interpreter itself."""

from __future__ import annotations

from tests.sandbox.attack import Attack, parse, reported

_RESULTS = r"""
## write to inherited descriptors | fork
import select
for fd in range(3, 256):
    attempt(("wrote to", fd), os.write, fd, b'{"input": 0, "ending": "exited", "stdout": "forged"}\n')
## read from inherited descriptors | fork
for fd in range(3, 256):
    try:
        os.set_blocking(fd, False)
        os.read(fd, 1 << 16)
    except BlockingIOError:
        pass  # it may, there is nothing yet
    except OSError:
        continue
    hit("may read", fd)
## write into its own stdin for the next term | nowhere
attempt("stdin", os.write, 0, b"7\n7\n7\n")
for fd in (0, 1, 2):
    try:
        back = os.open(f"/proc/self/fd/{fd}", os.O_RDWR | os.O_NONBLOCK)
        os.write(back, b"7\n7\n7\n")
    except OSError:
        pass
## return into the harness | nowhere, ends exited
# A program that is run by exec() in a fork may unwind further than its own code.
class Unwound(BaseException):
    def __str__(self):
        print("unwound", flush=True)
        return ""
raise Unwound
## print the framing of a result | nowhere
# Ended by itself, status 0, some times, 2 bytes of output: as the zygote would say it.
import struct
os.write(1, struct.pack("<Bi?QQQQII", 0, 0, False, 9, 9, 9, 9, 2, 0) + b"9\n" + b"+" + bytes(16))
os.write(2, struct.pack("<Bi?QQQQII", 0, 0, False, 9, 9, 9, 9, 2, 0) + b"9\n")
"""
# 768 MB are three times what the battery allows.
_MEMORY = r"""
## grow a list :: kept = [b'x' * (1 << 20) for _ in range(768)]; hit('grown')
## grow by mapping
import mmap
kept = mmap.mmap(-1, 768 << 20)
for page in range(0, len(kept), 4096):
    kept[page] = 1
hit("grown")
## grow by pipes | root
import fcntl
kept = 0
while kept < 768 << 20:
    taking, giving = os.pipe()
    size = fcntl.fcntl(giving, 1031, 1 << 20)  # F_SETPIPE_SZ
    os.set_blocking(giving, False)
    kept += os.write(giving, bytes(size))
hit("grown", kept)
## grow by pairs of sockets
import socket
kept, pairs = 0, []
while kept < 768 << 20:
    pairs.append(socket.socketpair())
    pairs[-1][0].setblocking(False)
    kept += pairs[-1][0].send(bytes(1 << 20))
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
## take every descriptor | root
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
## flood stdout | ends killed late{_FLOOD.format(flooded=1, other=2)}
## flood stderr | ends killed late{_FLOOD.format(flooded=2, other=1)}
## flood after asking for a wide pipe | small
import fcntl; fcntl.fcntl(1, 1031, 1 << 20); os.write(1, b'x' * (1 << 20)); os.write(2, b'HIT wide\n')
"""
_REPORTED = {
    "leave without a word after printing": ("print(5, flush=True); os._exit(0)", "5\n", 0),
    "leave with a large status": ("print(5, flush=True); os._exit(255)", "5\n", 255),
    "write what is no UTF-8": ("os.write(1, b'\\xff\\xfe5\\xed\\xa0\\x80')", "\ufffd\ufffd5\ufffd\ufffd\ufffd", 0),
    "write null characters": ("os.write(1, b'5\\x00\\x005')", "5\0\0" + "5", 0),
    "close stdout, then leave": ("os.write(1, b'5'); os.close(1); os.close(2); os._exit(0)", "5", 0),
    "write as much as is allowed": ("os.write(1, b'5' * 65536)", "5" * 65536, 0),
    "swap stdout and stderr": ("a = os.dup(1); os.dup2(2, 1); os.dup2(a, 2); os.write(2, b'5')", "5", 0),
}


_SIGNALS = "\n".join(
    f"## die of signal {number} | ends killed late :: print(5, flush=True); import signal;"
    f" signal.pthread_sigmask(1, [{number}]);"
    f" {number} in (9, 19) or signal.signal({number}, signal.SIG_DFL); os.kill(os.getpid(), {number})"
    for number in (6, 9, 11, 13, 15, 24, 31, 34)
)
_CRASHES = {
    "segfault": "import ctypes; ctypes.string_at(0)",
    "abort": "os.abort()",
    "recurse for ever": "sys.setrecursionlimit(10**8)\ndef deeper(): return deeper() + 1\ndeeper()",
    "recurse in C": "sys.setrecursionlimit(10**8)\nx = []\nfor _ in range(10**6): x = [x]\nrepr(x) == x",
    "free a deep structure": "x = ()\nfor _ in range(10**6): x = (x,)\ndel x",
    "trace and swallow": "def look(*_): return look\nsys.settrace(look)\nwhile True: pass",
    "freeze the garbage collector": "import gc; gc.freeze(); gc.disable(); gc.set_debug(gc.DEBUG_LEAK)",
    "break the exception hook": "sys.excepthook = sys.unraisablehook = None; del sys.stderr; 1 / 0",
    "overwrite small integers": "import ctypes; ctypes.memset(id(7) + 24, 9, 1); print(7)",
}
_SOURCES = {
    "nest brackets": "(" * 100_000 + ")" * 100_000,
    "nest indentation": "".join(" " * depth + "if 1:\n" for depth in range(120)) + " " * 120 + "pass",
    "fold constants": "x = " + "+".join(["((1 << 1000) ** 10)"] * 10_000),
    "write a huge literal": "x = " + "9" * 2_000_000,
    "hold a null character": "print(1)\0print(2)",
    "hold half a surrogate pair": "print('\ud800')",
    "declare another encoding": "# -*- coding: utf-7 -*-\nprint(1)",
    "declare no encoding at all": "# -*- coding: no-such-encoding -*-\nprint(1)",
    "be empty": "",
    "warn endlessly": "x = 1 is 1\n" * 20_000,
}

ATTACKS = [
    *parse(_RESULTS),
    *parse(_MEMORY),
    *parse(_OUTPUT),
    *parse(_SIGNALS, flags="nowhere"),
    *(
        Attack(name, program, exposed="nowhere", promise=reported(stdout, status))
        for name, (program, stdout, status) in _REPORTED.items()
    ),
    *(Attack(name, program, exposed="nowhere") for name, program in _CRASHES.items()),
    *(Attack(name, program, exposed="nowhere", raw=True) for name, program in _SOURCES.items()),
]
