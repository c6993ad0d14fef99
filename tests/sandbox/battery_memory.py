"""Attacks on what others remember: environments, command lines and memory, above all the parent's."""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent

from tests.sandbox.battery_attack import Attack, Exposed

# Prints every secret that stands in some bytes. The pattern does not match its own text.
_SEARCH = """
import re
def search(data):
    for secret in set(re.findall(rb"llmarith-secret-[a-z]+-[0-9a-f]{16}", data)):
        print(secret.decode())
def regions(pid):
    for line in open(f"/proc/{pid}/maps"):
        span, mode, *_, inode = line.split()[:5]
        start, end = (int(edge, 16) for edge in span.split("-"))
        if mode.startswith("rw") and inode == "0" and end - start < 1 << 27:
            yield start, end
PARENT = os.getppid()
"""

_ENVIRONMENTS = (
    Attack(
        "read its own environment",
        """
        search(repr(os.environ).encode())
        import ctypes
        environ = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
        at = 0
        while environ and environ[at]:
            search(environ[at])
            at += 1
        search(open("/proc/self/environ", "rb").read())
        """,
    ),
    Attack(
        "read everybody's environment",
        """
        for pid in filter(str.isdigit, os.listdir("/proc")):
            for name in ("environ", "cmdline"):
                try:
                    search(open(f"/proc/{pid}/{name}", "rb").read())
                except OSError:
                    pass
        """,
    ),
    Attack("read the parent's command line", "print(len(open(f'/proc/{PARENT}/cmdline').read())); hit('cmdline')"),
    Attack(
        "look at the parent",
        """
        for name in ("environ", "maps", "auxv", "stack", "syscall", "io", "smaps", "pagemap", "wchan", "personality"):
            attempt(name, lambda: open(f"/proc/{PARENT}/{name}", "rb").read(8))
        for name in ("fd", "fdinfo", "map_files", "ns", "task"):
            attempt(name, os.listdir, f"/proc/{PARENT}/{name}")
        for name in ("cwd", "root", "exe", "fd/0", "fd/1", "fd/2"):
            attempt(name, os.readlink, f"/proc/{PARENT}/{name}")
        """,
    ),
)

_MEMORY = (
    Attack(
        "read the parent's memory",
        """
        with open(f"/proc/{PARENT}/mem", "rb", 0) as memory:
            for start, end in regions(PARENT):
                memory.seek(start)
                search(memory.read(end - start))
        """,
    ),
    Attack(
        "read the parent's memory without knowing its places",
        """
        # A fork has the places of its parent, so an address of its own will do.
        with open(f"/proc/{PARENT}/mem", "rb", 0) as memory:
            hit("opened")
            memory.seek(id(None))
            hit(memory.read(8))
        """,
    ),
    Attack(
        "write the parent's memory",
        """
        memory = os.open(f"/proc/{PARENT}/mem", os.O_RDWR)
        start = next(regions(PARENT))[0]
        os.pwrite(memory, os.pread(memory, 8, start), start)
        hit("written")
        """,
    ),
    Attack(
        "process_vm_readv and process_vm_writev on the parent",
        """
        import ctypes
        libc = ctypes.CDLL(None, use_errno=True)
        class Span(ctypes.Structure):
            _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
        try:
            place = next(regions(PARENT))[0]
        except OSError:
            place = id(None)
        here = ctypes.create_string_buffer(8)
        for call in (libc.process_vm_readv, libc.process_vm_writev):
            local, remote = Span(ctypes.addressof(here), 8), Span(place, 8)
            done = call(PARENT, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0)
            if done == 8 or ctypes.get_errno() == 14:  # EFAULT: allowed, but the place was a bad guess
                hit(call.__name__)
        """,
    ),
    Attack(
        "ptrace the parent",
        """
        import ctypes
        PTRACE_SEIZE = 0x4206
        if ctypes.CDLL(None).ptrace(PTRACE_SEIZE, PARENT, None, None) == 0:
            hit("seized")
        """,
    ),
    Attack(
        "take the parent's descriptors",
        """
        import ctypes
        libc = ctypes.CDLL(None)
        pidfd = libc.syscall(434, PARENT, 0)
        if pidfd >= 0:
            hit("pidfd_open")
            for fd in range(64):
                if libc.syscall(438, pidfd, fd, 0) >= 0:
                    hit("pidfd_getfd", fd)
        for fd in range(64):
            for mode in (os.O_RDONLY, os.O_WRONLY):
                attempt(("reopened", fd, mode), os.open, f"/proc/{PARENT}/fd/{fd}", mode | os.O_NONBLOCK)
        """,
    ),
    Attack(
        "find answers in its own memory",
        """
        # gc misses strings in dictionaries of strings, so look at the bytes as well.
        import gc
        for thing in gc.get_objects():
            if isinstance(thing, (dict, list, tuple, set)) and len(thing) < 10000:
                search(repr([*thing.items()] if isinstance(thing, dict) else [*thing]).encode(errors="replace"))
        """,
        exposed=Exposed.FORK,
    ),
    Attack(
        "find answers in the bytes of its own memory",
        """
        with open("/proc/self/mem", "rb", 0) as memory:
            for start, end in regions("self"):
                memory.seek(start)
                search(memory.read(end - start))
        """,
        exposed=Exposed.FORK,
    ),
    Attack(
        "find answers on its own heap, without /proc",
        """
        import ctypes
        libc = ctypes.CDLL(None)
        libc.sbrk.restype = ctypes.c_void_p
        place = libc.sbrk(0)
        after = b""
        while True:  # until it runs off the heap
            place -= 4096
            here = ctypes.string_at(place, 4096)
            search(here + after[:64])
            sys.stdout.flush()
            after = here
        """,
        exposed=Exposed.FORK,
    ),
    Attack(
        "find memory that is shared with others",
        """
        for line in open("/proc/self/maps"):
            if "rw-s" in line:
                hit(line.strip())
        """,
        exposed=Exposed.FORK,
    ),
)

ATTACKS = tuple(replace(attack, program=_SEARCH + dedent(attack.program)) for attack in (*_ENVIRONMENTS, *_MEMORY))
