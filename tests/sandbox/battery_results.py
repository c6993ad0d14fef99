"""Attacks on the result: forging one, hiding one, or making the harness stumble over one."""

from __future__ import annotations

from tests.sandbox.battery_attack import Attack, Exposed, ends, told

_FORGING = (
    Attack(
        "write to inherited descriptors",
        """
        import select
        for fd in range(3, 256):
            attempt(("wrote to", fd), os.write, fd, b'{"input": 0, "ending": "exited", "stdout": "forged"}\\n')
        """,
        exposed=Exposed.FORK,
    ),
    Attack(
        "read from inherited descriptors",
        """
        for fd in range(3, 256):
            try:
                os.set_blocking(fd, False)
                os.read(fd, 1 << 16)
            except BlockingIOError:
                pass  # it may, there is nothing yet
            except OSError:
                continue
            hit("may read", fd)
        """,
        exposed=Exposed.FORK,
    ),
    Attack(
        "put words into the mouths of its callers",
        """
        # Whatever still runs below a forked program: its objects and its functions.
        import gc
        frame, found = sys._getframe(), gc.get_objects()
        while frame := frame.f_back:
            found += [*frame.f_globals.values(), *frame.f_locals.values()]
        def forge(thing):
            if thing.fileno() > 2:
                getattr(thing, "send", thing.write)(b"forged")
                getattr(thing, "flush", id)()
                hit("by", type(thing))
        for thing in found:
            if type(thing).__name__ in ("socket", "Connection", "FileIO", "BufferedWriter"):
                try:
                    forge(thing)
                except (OSError, ValueError, AttributeError):
                    pass
        """,
        exposed=Exposed.FORK,
    ),
    Attack(
        "write into its own stdin for the next term",
        """
        attempt("stdin", os.write, 0, b"7\\n7\\n7\\n")
        for fd in (0, 1, 2):
            try:
                back = os.open(f"/proc/self/fd/{fd}", os.O_RDWR | os.O_NONBLOCK)
                os.write(back, b"7\\n7\\n7\\n")
            except OSError:
                pass
        """,
        exposed=Exposed.NOWHERE,
    ),
    Attack(
        "return into the harness",
        """
        # A program that is run by exec() in a fork may unwind further than its own code.
        class Unwound(BaseException):
            def __str__(self):
                print("unwound", flush=True)
                return ""
        raise Unwound
        """,
        exposed=Exposed.NOWHERE,
        promise=ends("exited"),
    ),
    Attack("return from its own process", "raise SystemExit(sys)", exposed=Exposed.NOWHERE),
    Attack(
        "print the framing of a result",
        """
        # Ended by itself, status 0, some times, 2 bytes of output: as the zygote would say it.
        import struct
        os.write(1, struct.pack("<BiQQQQII", 0, 0, 9, 9, 9, 9, 2, 0) + b"9\\n" + b"+" + bytes(16))
        os.write(2, struct.pack("<BiQQQQII", 0, 0, 9, 9, 9, 9, 2, 0) + b"9\\n")
        """,
        exposed=Exposed.NOWHERE,
    ),
)

_TOLD = {
    "leave without a word after printing": ("print(5, flush=True); os._exit(0)", "5\n", 0),
    "leave with a status after printing": ("print(5); sys.exit(3)", "5\n", 3),
    "leave with a large status": ("print(5, flush=True); os._exit(255)", "5\n", 255),
    "ask for more input than there is": (
        "try: input()\nexcept EOFError: print('end')",
        "end\n",
        0,
    ),
    "write what is no UTF-8": ("os.write(1, b'\\xff\\xfe5\\xed\\xa0\\x80')", "\ufffd\ufffd5\ufffd\ufffd\ufffd", 0),
    "write null characters": ("os.write(1, b'5\\x00\\x005')", "5\0\0" + "5", 0),
    "write controls of a terminal": ("os.write(1, b'\\x1b]0;x\\x07\\x1b[2J5\\r')", "\x1b]0;x\x07\x1b[2J5\r", 0),
    "close stdout, then leave": ("os.write(1, b'5'); os.close(1); os.close(2); os._exit(0)", "5", 0),
    "write in small pieces": ("for k in range(2000): os.write(1, b'5')", "5" * 2000, 0),
    "write as much as is allowed": ("os.write(1, b'5' * 65536)", "5" * 65536, 0),
    "make stdout impatient": ("os.set_blocking(1, False); os.write(1, b'5')", "5", 0),
    "shut its stdin": ("os.close(0); print(5)", "5\n", 0),
    "swap stdout and stderr": ("a = os.dup(1); os.dup2(2, 1); os.dup2(a, 2); os.write(2, b'5')", "5", 0),
}

_TELLING = (
    *(
        Attack(name, program, exposed=Exposed.NOWHERE, promise=told(stdout, status))
        for name, (program, stdout, status) in _TOLD.items()
    ),
    *(
        Attack(
            f"die of signal {number}",
            f"print(5, flush=True); import signal; signal.pthread_sigmask(1, [{number}]);"
            f" {number} in (9, 19) or signal.signal({number}, signal.SIG_DFL); os.kill(os.getpid(), {number})",
            exposed=Exposed.NOWHERE,
            promise=ends("killed", "late"),
        )
        for number in (6, 9, 11, 13, 15, 24, 31, 34)
    ),
)

ATTACKS = (*_FORGING, *_TELLING)
