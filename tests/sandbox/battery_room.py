"""Attacks on room: memory, output, descriptors, and the interpreter's own depth."""

from __future__ import annotations

from pytest_llmarith.values.programs import ProgramRun
from tests.sandbox.battery_attack import Attack, Exposed, ends

# Three times what the battery allows, and little enough for the machine that tests it.
_MORE = 768


def _stays_small(run: ProgramRun) -> str | None:
    kept = len(run.stdout.encode()), len(run.stderr.encode())
    return f"kept {kept} bytes" if max(kept) > (1 << 16) + 256 else None


def _killed_and_small(run: ProgramRun) -> str | None:
    return ends("killed", "late")(run) or _stays_small(run)


_MEMORY = (
    Attack("grow a list", f"kept = [b'x' * (1 << 20) for _ in range({_MORE})]; hit('grown')"),
    Attack("grow one string", f"kept = 'x' * ({_MORE} << 20); hit('grown')"),
    Attack(
        "grow by mapping",
        f"""
        import mmap
        kept = mmap.mmap(-1, {_MORE} << 20)
        for page in range(0, len(kept), 4096):
            kept[page] = 1
        hit("grown")
        """,
    ),
    Attack(
        "grow by threads",
        f"""
        import threading
        kept = []
        def grow():
            kept.append(b"x" * ({_MORE} << 16))
        threads = [threading.Thread(target=grow) for _ in range(16)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        if sum(map(len, kept)) == {_MORE} << 20:
            hit("grown")
        """,
    ),
    Attack(
        # The kernel's memory, which no limit on the program's own counts.
        "grow by pipes",
        f"""
        import fcntl
        kept = 0
        while kept < {_MORE} << 20:
            taking, giving = os.pipe()
            size = fcntl.fcntl(giving, 1031, 1 << 20)  # F_SETPIPE_SZ
            os.set_blocking(giving, False)
            kept += os.write(giving, bytes(size))
        hit("grown", kept)
        """,
        root=True,
    ),
    Attack(
        "grow by pairs of sockets",
        f"""
        import socket
        kept, pairs = 0, []
        while kept < {_MORE} << 20:
            pairs.append(socket.socketpair())
            pairs[-1][0].setblocking(False)
            kept += pairs[-1][0].send(bytes(1 << 20))
        hit("grown", kept)
        """,
    ),
    Attack(
        # What lies in a socket is the kernel's memory, too: 1000 full pairs are some 400 MB.
        "grow by threads with descriptors of their own",
        """
        import ctypes, socket, threading
        call = ctypes.CDLL(None).syscall
        kept, stay = [], threading.Event()
        threading.stack_size(1 << 16)
        def keep():
            if call(436, 1 << 20, 1 << 20, 2) == 0:  # close_range, which first unshares them
                kept.extend(1 for _ in range(20) if socket.socketpair()[0].detach())
            stay.wait()
        for _ in range(100):
            threading.Thread(target=keep, daemon=True).start()
        while len(kept) < 1000 and threading.active_count() > 1:
            pass
        hit(len(kept), "pairs")
        """,
    ),
    Attack(
        "grow by pairs of sockets that are closed while they are waited for",
        """
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
        """,
    ),
    Attack(
        "grow by one pipe after the other",
        """
        for _ in range(1000):
            for end in os.pipe():
                os.close(end)
        hit("1000 pipes")
        """,
    ),
    Attack(
        "take every descriptor",
        """
        count = 0
        try:
            while count < 4096:
                os.dup(0)
                count += 1
        except OSError:
            pass
        if count == 4096:
            hit("4096 descriptors")
        """,
        root=True,
    ),
    Attack(
        "write a huge number in decimal",
        "sys.set_int_max_str_digits(0); print(10 ** 200000); hit('written')",
        promise=_killed_and_small,
    ),
)

_FLOOD = """
import sys
for _ in range(300):
    os.write({flooded}, b"x" * (1 << 20))
os.write({other}, b"HIT flooded\\n")
"""

_OUTPUT = (
    Attack("flood stdout", _FLOOD.format(flooded=1, other=2), promise=_killed_and_small),
    Attack("flood stderr", _FLOOD.format(flooded=2, other=1), promise=_killed_and_small),
    Attack(
        "flood both by threads",
        """
        import threading
        def flood(fd):
            for _ in range(150):
                os.write(fd, b"x" * (1 << 20))
        threads = [threading.Thread(target=flood, args=(1 + k % 2,)) for k in range(4)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        """,
        exposed=Exposed.NOWHERE,
        promise=_killed_and_small,
    ),
    Attack(
        "flood after asking for a wide pipe",
        "import fcntl; fcntl.fcntl(1, 1031, 1 << 20); os.write(1, b'x' * (1 << 20)); os.write(2, b'HIT wide\\n')",
        promise=_stays_small,
    ),
)

_DEPTH = tuple(
    Attack(name, program, exposed=Exposed.NOWHERE)
    for name, program in {
        "segfault": "import ctypes; ctypes.string_at(0)",
        "abort": "os.abort()",
        "recurse for ever": "sys.setrecursionlimit(10**8)\ndef deeper(): return deeper() + 1\ndeeper()",
        "recurse in C": "sys.setrecursionlimit(10**8)\nx = []\nfor _ in range(10**6): x = [x]\nrepr(x) == x",
        "free a deep structure": "x = ()\nfor _ in range(10**6): x = (x,)\ndel x",
        "trace every line": "sys.settrace(lambda *_: 1 / 0)\n(lambda: None)()",
        "trace and swallow": "def look(*_): return look\nsys.settrace(look)\nwhile True: pass",
        "raise while collecting": "import gc; gc.callbacks.append(lambda *_: 1 / 0); gc.set_threshold(1); gc.collect()",
        "freeze the garbage collector": "import gc; gc.freeze(); gc.disable(); gc.set_debug(gc.DEBUG_LEAK)",
        "break the exception hook": "sys.excepthook = sys.unraisablehook = None; del sys.stderr; 1 / 0",
        "write into code": "import ctypes; ctypes.memset(id(type(None)), 255, 64); None.x",
        "overwrite small integers": "import ctypes; ctypes.memset(id(7) + 24, 9, 1); print(7)",
        "use up every frame": "import threading; threading.stack_size(32768)\ndef f(): f()\n"
        "sys.setrecursionlimit(10**6)\nthreading.Thread(target=f).start()",
    }.items()
)

_PARSING = tuple(
    Attack(name, program, exposed=Exposed.NOWHERE, raw=True)
    for name, program in {
        "nest brackets": "(" * 100_000 + ")" * 100_000,
        "nest minus signs": "-" * 1_000_000 + "1",
        "nest indentation": "".join(" " * depth + "if 1:\n" for depth in range(120)) + " " * 120 + "pass",
        "nest calls": "f" + "(0)" * 50_000,
        "nest lambdas": "lambda: " * 50_000 + "0",
        "chain attributes": "a" + ".a" * 500_000,
        "fold constants": "x = " + "+".join(["((1 << 1000) ** 10)"] * 10_000),
        "write a huge literal": "x = " + "9" * 2_000_000,
        "write a huge hexadecimal literal": "x = 0x" + "f" * 4_000_000,
        "write a huge source": "x = 1\n" * 2_000_000,
        "hold a null character": "print(1)\0print(2)",
        "hold half a surrogate pair": "print('\ud800')",
        "declare another encoding": "# -*- coding: utf-7 -*-\nprint(1)",
        "declare no encoding at all": "# -*- coding: no-such-encoding -*-\nprint(1)",
        "be empty": "",
        "be no program": "\x0c\x1a\x1b[2J\u2028\ufeff",
        "warn endlessly": "x = 1 is 1\n" * 20_000,
    }.items()
)

ATTACKS = (*_MEMORY, *_OUTPUT, *_DEPTH, *_PARSING)
