"""Attacks on the memory of other processes, above all the parent's, and through system
calls.
"""

from __future__ import annotations

from tests.sandbox.attack import Attack, parse

# Prints every secret in some bytes. The pattern does not match its own text.
_SEARCH = r"""
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
_MEMORY = r"""
## read its own environment
search(repr(os.environ).encode())
import ctypes
environ = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
at = 0
while environ and environ[at]:
    search(environ[at])
    at += 1
search(open("/proc/self/environ", "rb").read())
## read everybody's environment
for pid in filter(str.isdigit, os.listdir("/proc")):
    for name in ("environ", "cmdline"):
        try:
            search(open(f"/proc/{pid}/{name}", "rb").read())
        except OSError:
            pass
## look at the parent
for name in ("cmdline", "environ", "maps", "auxv", "stack", "syscall", "io", "smaps", "pagemap", "wchan"):
    attempt(name, lambda: open(f"/proc/{PARENT}/{name}", "rb").read(8))
for name in ("fd", "fdinfo", "map_files", "ns", "task"):
    attempt(name, os.listdir, f"/proc/{PARENT}/{name}")
for name in ("cwd", "root", "exe", "fd/0", "fd/1", "fd/2"):
    attempt(name, os.readlink, f"/proc/{PARENT}/{name}")
## write the parent's memory
memory = os.open(f"/proc/{PARENT}/mem", os.O_RDWR)
start = next(regions(PARENT))[0]
os.pwrite(memory, os.pread(memory, 8, start), start)
hit("written")
## take the parent's descriptors
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
## find answers in the bytes of its own memory
with open("/proc/self/mem", "rb", 0) as memory:
    for start, end in regions("self"):
        memory.seek(start)
        search(memory.read(end - start))
"""

# The numbers of the system calls that a program may make, with any or with some
# arguments.
_RANGES = """0-1 3-25 28 32-39 44 45 48 51 53 55 56 60 62 63 72 79 80 89 95-100 102 104 107 108 110 111 115 127 128 130
131 186 201 202 204 213 217-219 228-234 257 262 267 269-271 273 281 284 290-293 302 318 324 332 334 436 439"""
_EDGES = [[int(edge) for edge in each.split("-")] for each in _RANGES.split()]
ALLOWED = {number for edges in _EDGES for number in range(edges[0], edges[-1] + 1)}
# Allowed calls with forbidden arguments. They do no harm if they are let through: -1 is
# no descriptor.
CALLS: dict[str, tuple[int, ...]] = {
    "socketpair of datagrams": (53, 1, 2, 0, 1),
    "socketpair of the network": (53, 2, 1, 0, 1),
    "sendto an address": (44, -1, 0, 0, 0, 1, 16),
    "sendto a high address": (44, -1, 0, 0, 0, 1 << 32, 16),
    "clone with descriptors of its own": (56, 65792, 0, 0, 0, 0),
    "clone into a namespace": (56, 0x10010000, 0, 0, 0, 0),
    "close_range with descriptors of its own": (436, 9, 8, 2),
    "close_range with all flags": (436, 9, 8, 6),
    "terminal input": (16, -1, 0x5412, 0),
    "lock of a range": (72, -1, 6, 1),
    "query of a lock": (72, -1, 5, 1),
    "owner of a descriptor": (72, -1, 8, 1),
    "size of a pipe": (72, -1, 1031, 1),
    "limits at a high address": (302, 0, 7, 1 << 32, 0),
    "limits of another process": (302, 1, 3, 0, 0),
    "kill of a negative id": (62, -(1 << 30), 0),
}
# Every error but EPERM and ENOSYS shows that the kernel looked at the call.
_CALL = """
import ctypes
call, arguments = list(CALLS.items())[n]
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
result = libc.syscall(*(ctypes.c_long(argument) for argument in arguments))
if result >= 0 or ctypes.get_errno() not in (1, 38):
    hit(call, result, os.strerror(ctypes.get_errno()))
"""
_ALL_CALLS = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
for number in {*range(480)} - ALLOWED:
    result = libc.syscall(*[ctypes.c_long(value) for value in (number, *[-1] * 6)])
    if result >= 0 or ctypes.get_errno() not in (1, 38):
        hit(number, result, os.strerror(ctypes.get_errno()))
"""
_MACHINE_CODE = """
import ctypes, mmap
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(bytes.fromhex("{code}"))
run = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
if run() == os.getpid():
    hit("answered")
"""
_KERNEL = f"""
## system calls of 32 bits{_MACHINE_CODE.format(code="b814000000cd80c3")}
## system calls of x32{_MACHINE_CODE.format(code="b8270000400f05c3")}
## loosen its own bonds
import ctypes
libc = ctypes.CDLL(None)
for name, arguments in {{
    "dumpable": (4, 1), "no signal with the parent": (1, 0), "any tracer": (0x59616D61, -1),
    "subreaper": (36, 1), "keep capabilities": (8, 1), "timestamps": (26, 1), "name": (15, b"innocent"),
}}.items():
    if libc.prctl(*arguments, 0, 0, 0) == 0:
        hit(name)
"""

ATTACKS = [
    *parse(_MEMORY, head=_SEARCH),
    Attack(
        "arguments of system calls",
        f"CALLS = {CALLS!r}\n{_CALL}",
        tuple(range(len(CALLS))),
    ),
    Attack("all other system calls", f"ALLOWED = {ALLOWED!r}\n{_ALL_CALLS}"),
    *parse(_KERNEL),
]
