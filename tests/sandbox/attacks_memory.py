"""Attacks on the memory of other processes, above all the parent's, and through system calls."""

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
## read the parent's command line :: print(len(open(f'/proc/{PARENT}/cmdline').read())); hit('cmdline')
## look at the parent
for name in ("environ", "maps", "auxv", "stack", "syscall", "io", "smaps", "pagemap", "wchan", "personality"):
    attempt(name, lambda: open(f"/proc/{PARENT}/{name}", "rb").read(8))
for name in ("fd", "fdinfo", "map_files", "ns", "task"):
    attempt(name, os.listdir, f"/proc/{PARENT}/{name}")
for name in ("cwd", "root", "exe", "fd/0", "fd/1", "fd/2"):
    attempt(name, os.readlink, f"/proc/{PARENT}/{name}")
## read the parent's memory
with open(f"/proc/{PARENT}/mem", "rb", 0) as memory:
    for start, end in regions(PARENT):
        memory.seek(start)
        search(memory.read(end - start))
## read the parent's memory without knowing its places
# A fork has the places of its parent, so an address of its own will do.
with open(f"/proc/{PARENT}/mem", "rb", 0) as memory:
    hit("opened")
    memory.seek(id(None))
    hit(memory.read(8))
## write the parent's memory
memory = os.open(f"/proc/{PARENT}/mem", os.O_RDWR)
start = next(regions(PARENT))[0]
os.pwrite(memory, os.pread(memory, 8, start), start)
hit("written")
## process_vm_readv and process_vm_writev on the parent
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
## ptrace the parent
import ctypes
PTRACE_SEIZE = 0x4206
if ctypes.CDLL(None).ptrace(PTRACE_SEIZE, PARENT, None, None) == 0:
    hit("seized")
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
## find answers in its own memory | fork
# gc misses strings in dictionaries of strings, so look at the bytes as well.
import gc
for thing in gc.get_objects():
    if isinstance(thing, (dict, list, tuple, set)) and len(thing) < 10000:
        search(repr([*thing.items()] if isinstance(thing, dict) else [*thing]).encode(errors="replace"))
## find answers in the bytes of its own memory | fork
with open("/proc/self/mem", "rb", 0) as memory:
    for start, end in regions("self"):
        memory.seek(start)
        search(memory.read(end - start))
## find answers on its own heap, without /proc | fork
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
## find memory that is shared with others | fork
for line in open("/proc/self/maps"):
    if "rw-s" in line:
        hit(line.strip())
"""

# name: number on x86_64, arguments. They do no harm if the call is let through: -1 is no descriptor, 1 is no address.
# fmt: off
CALLS: dict[str, tuple[int, ...]] = {
    "shmget": (29, 0, 0, 0), "shmat": (30, -1, 0, 0), "shmctl": (31, -1, 0, 0), "socket": (41, 1, 1, 0),
    "socketpair of datagrams": (53, 1, 2, 0, 1), "socketpair of the network": (53, 2, 1, 0, 1),
    "connect": (42, -1, 0, 0), "bind": (49, -1, 0, 0), "sendto an address": (44, -1, 0, 0, 0, 1, 16),
    "sendmsg": (46, -1, 0, 0), "recvmsg": (47, -1, 0, 0), "sendmmsg": (307, -1, 0, 0, 0),
    "setsockopt": (54, -1, 0, 0, 0, 0), "ptrace": (101, 16902, -1, 0, 0), "semget": (64, 0, 0, 0),
    "msgget": (68, 517489, 0), "setpgid": (109, -1, -1), "syslog": (103, 10, 0, 0), "setuid to itself": (105, -1),
    "capset": (126, 1, 1), "personality": (135, 4294967295), "setpriority": (141, 9, 0, 0),
    "sched_setparam": (142, -1, 1), "sched_setscheduler": (144, -1, 0, 1), "mlock": (149, 70368744177664, 4096),
    "mlockall": (151, 0), "modify_ldt": (154, -1, 0, 0), "pivot_root": (155, 1, 1), "chroot": (161, 1),
    "acct": (163, 1), "settimeofday": (164, 1, 0), "mount": (165, 1, 1, 1, 0, 1), "umount2": (166, 1, 0),
    "swapon": (167, 1, 0), "reboot": (169, 0, 0, 0, 0), "sethostname": (170, 1, -1), "iopl": (172, 4),
    "ioperm": (173, 1048576, 1, 1), "init_module": (175, 0, 0, 0), "delete_module": (176, 1, 0),
    "quotactl": (179, 0, 1, 0, 0), "io_setup": (206, 0, 0), "lookup_dcookie": (212, 0, 0, 0),
    "clone with descriptors of its own": (56, 65792, 0, 0, 0, 0),
    "close_range with descriptors of its own": (436, 9, 8, 2), "remap_file_pages": (216, 1, 0, 0, 0, 0),
    "timer_create": (222, 77, 0, 0), "clock_settime": (227, 0, 1), "lock of a range": (72, -1, 6, 1),
    "mbind": (237, 1, 4096, 99, 0, 0, 0), "mq_open": (240, 1, 0, 0, 0), "kexec_load": (246, 0, 0, 0, -1),
    "add_key": (248, 1, 1, 0, 0, 0), "request_key": (249, 1, 1, 0, 0), "keyctl": (250, 999, 0, 0, 0, 0),
    "ioprio_set": (251, 1, -1, 0), "inotify_init": (253,), "migrate_pages": (256, -1, 0, 0, 0),
    "mknodat": (259, -1, 1, 0, 0), "fchownat": (260, -1, 1, 0, 0, 0), "unlinkat": (263, -1, 1, 0),
    "renameat": (264, -1, 1, -1, 1), "linkat": (265, -1, 1, -1, 1, 0), "symlinkat": (266, 1, -1, 1),
    "fchmodat": (268, -1, 1, 0), "unshare": (272, -1), "get_robust_list": (274, 1073741824, 1, 1),
    "splice": (275, -1, 0, -1, 0, 1, 0), "tee": (276, -1, -1, 1, 0), "vmsplice": (278, -1, 0, 0, 0),
    "move_pages": (279, -1, 0, 0, 0, 0, 0), "signalfd4": (289, -1, 0, 0, 0), "timerfd_create": (283, 77, 0),
    "fallocate": (285, -1, 0, 0, 1), "perf_event_open": (298, 1, 0, -1, -1, 0), "fanotify_init": (300, -1, 0),
    "name_to_handle_at": (303, -1, 1, 1, 1, 0), "open_by_handle_at": (304, -1, 1, 0), "clock_adjtime": (305, 0, 1),
    "setns": (308, -1, 0), "process_vm_readv": (310, 1, 0, 0, 0, 0, 1), "process_vm_writev": (311, 1, 0, 0, 0, 0, 1),
    "kcmp": (312, -1, -1, 99, 0, 0), "finit_module": (313, -1, 1, 0), "sched_setattr": (314, -1, 1, 0),
    "seccomp": (317, 99, 0, 0), "memfd_create": (319, 1, 0), "kexec_file_load": (320, -1, -1, 0, 0, 0),
    "bpf": (321, 999, 0, 0), "execveat": (322, -1, 1, 0, 0, 0), "userfaultfd": (323, -1),
    "copy_file_range": (326, -1, 0, -1, 0, 1, 0), "pkey_mprotect": (329, 1, 0, 0, 99),
    "pidfd_send_signal": (424, -1, 0, 0, 0), "io_uring_setup": (425, 0, 0), "io_uring_enter": (426, -1, 0, 0, 0, 0, 0),
    "io_uring_register": (427, -1, 0, 0, 0), "open_tree": (428, -1, 1, 0), "move_mount": (429, -1, 1, -1, 1, 0),
    "fsopen": (430, 1, 0), "fsmount": (432, -1, 0, 0), "pidfd_open": (434, 1073741824, 0),
    "pidfd_getfd": (438, -1, 0, 0), "process_madvise": (440, -1, 0, 0, 0, 0), "mount_setattr": (442, -1, 1, 0, 0, 0),
    "memfd_secret": (447, -1), "set_mempolicy_home_node": (450, 1, 0, 0, 0), "statmount": (457, 1, 1, 1, 0),
    "listmount": (458, 1, 1, 1, 0), "tkill": (200, -1, 0), "terminal input": (16, -1, 0x5412, 0),
    "owner of a descriptor": (72, -1, 8, 1), "query of a lock": (72, -1, 5, 1), "size of a pipe": (72, -1, 1031, 1),
    "sendto a high address": (44, -1, 0, 0, 0, 1 << 32, 16), "limits at a high address": (302, 0, 7, 1 << 32, 0),
    "limits of another process": (302, 1, 3, 0, 0), "kill of a negative id": (62, -(1 << 30), 0),
    "close_range with all flags": (436, 9, 8, 6), "clone into a namespace": (56, 0x10010000, 0, 0, 0, 0),
}
# fmt: on
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
## system calls of x32 | nowhere{_MACHINE_CODE.format(code="b8270000400f05c3")}
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
    Attack("system calls", f"CALLS = {CALLS!r}\n{_CALL}", tuple(range(len(CALLS))), "fork"),
    *parse(_KERNEL),
]
