"""Attacks on the clock: running on after the limit.

Where a processor is busy, a program may lawfully last longer than its limit. So who computes has got through when it
has used more of the processor than the limit allows, and who sleeps when it has slept longer.
"""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent

from tests.sandbox.battery_attack import Attack, Exposed, ends

_SPIN = """
import threading, time
def spin(until=1.2):
    while time.process_time() < until:
        pass
"""

_LATE = (
    Attack("spin", "spin(); hit('ran on')"),
    Attack("sleep", "time.sleep(1.2); hit('slept on')"),
    Attack("spin in C", "3 ** (5 * 10**6); hit('computed on')"),
    Attack("match for ever", "import re; re.match('(a|aa)*$', 'a' * 33 + 'b'); hit('matched on')"),
    Attack(
        "ignore every signal",
        """
        import signal
        for number in range(1, 65):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        try:
            signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
        except OSError:
            pass
        spin(); hit("ignored on")
        """,
    ),
    Attack("live thread at exit", "threading.Thread(target=lambda: (spin(), hit('lived on'))).start()"),
    Attack(
        "main thread that leaves",
        """
        import ctypes
        threading.Thread(target=lambda: (spin(), hit("stayed on"))).start()
        ctypes.CDLL(None).syscall(60, 0)
        """,
    ),
    Attack("spin at exit", "import atexit; atexit.register(lambda: (spin(), hit('stayed on')))"),
    Attack(
        "spin when its last object goes",
        """
        class Last:
            def __del__(self, clock=time.process_time, write=os.write):
                while clock() < 1.2:
                    pass
                write(1, b"HIT went on\\n")
        last = Last()
        """,
    ),
    Attack(
        "spin when stdout is flushed",
        """
        class Slow:
            closed = False
            def write(self, text):
                pass
            def flush(self, stdout=sys.stdout):
                spin(); print("HIT flushed on", file=stdout, flush=True)
        sys.stdout = Slow()
        """,
    ),
    Attack(
        "wait for its own lock",
        "lock = threading.Lock(); lock.acquire(); lock.acquire(timeout=1.2); hit('waited on')",
    ),
    Attack(
        "ask for one thread after the other",
        """
        import ctypes
        libc, thread = ctypes.CDLL(None), ctypes.c_ulong()
        while time.process_time() < 1.2:
            libc.pthread_create(ctypes.byref(thread), None, libc.getpid, None)
            libc.pthread_detach(thread)
        hit("asked on")
        """,
    ),
    Attack(
        "never let another thread in",
        "sys.setswitchinterval(1000); threading.Thread(target=spin, daemon=True).start(); spin(); hit('kept on')",
    ),
)

_UNSEEN = (
    Attack(
        "close everything and spin",
        "os.closerange(0, 256); spin()",
        exposed=Exposed.NOWHERE,
    ),
    Attack(
        "close everything and sleep",
        "os.closerange(0, 256); time.sleep(1.2)",
        exposed=Exposed.NOWHERE,
    ),
)

_BOUGHT = Attack(
    # Who waits for a processor does not use it up: but not when it waits for its own threads.
    "buy time with its own threads",
    """
    import hashlib
    processors = len(os.sched_getaffinity(0))
    block = bytes(1 << 24)
    go = threading.Event()
    def work():
        go.wait()
        while time.process_time() < 1.5 * SECONDS * processors:
            hashlib.sha256(block).digest()
    threading.stack_size(1 << 16)
    try:
        for _ in range(16 * processors):
            threading.Thread(target=work, daemon=True).start()
    except RuntimeError:
        pass  # so many, then
    go.set()
    work()
    hit("worked on")
    """,
)

ATTACKS = tuple(
    replace(attack, program=_SPIN + dedent(attack.program), promise=ends("late", "killed"))
    for attack in (*_LATE, *_UNSEEN, _BOUGHT)
)
