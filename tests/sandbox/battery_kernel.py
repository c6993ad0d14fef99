"""Attacks through system calls: is what a program has no use for out of its reach?

Every call is made so that nothing happens where it is let through: with descriptors, addresses and flags that do
not exist. Anything but EPERM or ENOSYS shows that the kernel looked at it.
"""

from __future__ import annotations

from tests.sandbox.battery_attack import Attack, Exposed

# name: number on x86_64, arguments. -1 is no descriptor, 1 is no address.
CALLS: dict[str, tuple[int, ...]] = {
    "shmget": (29, 0, 0, 0),
    "shmat": (30, -1, 0, 0),
    "shmctl": (31, -1, 0, 0),
    "socket": (41, 1, 1, 0),
    "socketpair of datagrams": (53, 1, 2, 0, 1),
    "socketpair of the network": (53, 2, 1, 0, 1),
    "connect": (42, -1, 0, 0),
    "bind": (49, -1, 0, 0),
    "sendto an address": (44, -1, 0, 0, 0, 1, 16),
    "sendmsg": (46, -1, 0, 0),
    "recvmsg": (47, -1, 0, 0),
    "sendmmsg": (307, -1, 0, 0, 0),
    "setsockopt": (54, -1, 0, 0, 0, 0),
    "ptrace": (101, 0x4206, -1, 0, 0),
    "semget": (64, 0, 0, 0),
    "msgget": (68, 0x7E571, 0),
    "setpgid": (109, -1, -1),
    "syslog": (103, 10, 0, 0),
    "setuid to itself": (105, -1),
    "capset": (126, 1, 1),
    "personality": (135, 0xFFFFFFFF),
    "setpriority": (141, 9, 0, 0),
    "sched_setparam": (142, -1, 1),
    "sched_setscheduler": (144, -1, 0, 1),
    "mlock": (149, 1 << 46, 4096),
    "mlockall": (151, 0),
    "modify_ldt": (154, -1, 0, 0),
    "pivot_root": (155, 1, 1),
    "chroot": (161, 1),
    "acct": (163, 1),
    "settimeofday": (164, 1, 0),
    "mount": (165, 1, 1, 1, 0, 1),
    "umount2": (166, 1, 0),
    "swapon": (167, 1, 0),
    "reboot": (169, 0, 0, 0, 0),
    "sethostname": (170, 1, -1),
    "iopl": (172, 4),
    "ioperm": (173, 1 << 20, 1, 1),
    "init_module": (175, 0, 0, 0),
    "delete_module": (176, 1, 0),
    "quotactl": (179, 0, 1, 0, 0),
    "io_setup": (206, 0, 0),
    "lookup_dcookie": (212, 0, 0, 0),
    "clone with descriptors of its own": (56, 0x10100, 0, 0, 0, 0),
    "close_range with descriptors of its own": (436, 9, 8, 2),
    "remap_file_pages": (216, 1, 0, 0, 0, 0),
    "timer_create": (222, 77, 0, 0),
    "clock_settime": (227, 0, 1),
    "lock of a range": (72, -1, 6, 1),
    "mbind": (237, 1, 4096, 99, 0, 0, 0),
    "mq_open": (240, 1, 0, 0, 0),
    "kexec_load": (246, 0, 0, 0, -1),
    "add_key": (248, 1, 1, 0, 0, 0),
    "request_key": (249, 1, 1, 0, 0),
    "keyctl": (250, 999, 0, 0, 0, 0),
    "ioprio_set": (251, 1, -1, 0),
    "inotify_init": (253,),
    "migrate_pages": (256, -1, 0, 0, 0),
    "mknodat": (259, -1, 1, 0, 0),
    "fchownat": (260, -1, 1, 0, 0, 0),
    "unlinkat": (263, -1, 1, 0),
    "renameat": (264, -1, 1, -1, 1),
    "linkat": (265, -1, 1, -1, 1, 0),
    "symlinkat": (266, 1, -1, 1),
    "fchmodat": (268, -1, 1, 0),
    "unshare": (272, -1),
    "get_robust_list": (274, 1 << 30, 1, 1),
    "splice": (275, -1, 0, -1, 0, 1, 0),
    "tee": (276, -1, -1, 1, 0),
    "vmsplice": (278, -1, 0, 0, 0),
    "move_pages": (279, -1, 0, 0, 0, 0, 0),
    "signalfd4": (289, -1, 0, 0, 0),
    "timerfd_create": (283, 77, 0),
    "fallocate": (285, -1, 0, 0, 1),
    "perf_event_open": (298, 1, 0, -1, -1, 0),
    "fanotify_init": (300, -1, 0),
    "name_to_handle_at": (303, -1, 1, 1, 1, 0),
    "open_by_handle_at": (304, -1, 1, 0),
    "clock_adjtime": (305, 0, 1),
    "setns": (308, -1, 0),
    "process_vm_readv": (310, 1, 0, 0, 0, 0, 1),
    "process_vm_writev": (311, 1, 0, 0, 0, 0, 1),
    "kcmp": (312, -1, -1, 99, 0, 0),
    "finit_module": (313, -1, 1, 0),
    "sched_setattr": (314, -1, 1, 0),
    "seccomp": (317, 99, 0, 0),
    "memfd_create": (319, 1, 0),
    "kexec_file_load": (320, -1, -1, 0, 0, 0),
    "bpf": (321, 999, 0, 0),
    "execveat": (322, -1, 1, 0, 0, 0),
    "userfaultfd": (323, -1),
    "copy_file_range": (326, -1, 0, -1, 0, 1, 0),
    "pkey_mprotect": (329, 1, 0, 0, 99),
    "pidfd_send_signal": (424, -1, 0, 0, 0),
    "io_uring_setup": (425, 0, 0),
    "io_uring_enter": (426, -1, 0, 0, 0, 0, 0),
    "io_uring_register": (427, -1, 0, 0, 0),
    "open_tree": (428, -1, 1, 0),
    "move_mount": (429, -1, 1, -1, 1, 0),
    "fsopen": (430, 1, 0),
    "fsmount": (432, -1, 0, 0),
    "pidfd_open": (434, 1 << 30, 0),
    "pidfd_getfd": (438, -1, 0, 0),
    "process_madvise": (440, -1, 0, 0, 0, 0),
    "mount_setattr": (442, -1, 1, 0, 0, 0),
    "memfd_secret": (447, -1),
    "set_mempolicy_home_node": (450, 1, 0, 0, 0),
    "statmount": (457, 1, 1, 1, 0),
    "listmount": (458, 1, 1, 1, 0),
}

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

ATTACKS = (
    Attack("system calls", f"CALLS = {CALLS!r}\n{_CALL}", inputs=tuple(range(len(CALLS))), exposed=Exposed.FORK),
    # getpid by the doors of other architectures, where the numbers mean other calls: 32 bit, and x32.
    Attack("system calls of 32 bits", _MACHINE_CODE.format(code="b814000000cd80c3")),
    Attack("system calls of x32", _MACHINE_CODE.format(code="b8270000400f05c3"), exposed=Exposed.NOWHERE),
    Attack(
        "loosen its own bonds",
        """
        import ctypes
        libc = ctypes.CDLL(None)
        for name, arguments in {
            "dumpable": (4, 1), "no signal with the parent": (1, 0), "any tracer": (0x59616D61, -1),
            "subreaper": (36, 1), "keep capabilities": (8, 1), "timestamps": (26, 1), "name": (15, b"innocent"),
        }.items():
            if libc.prctl(*arguments, 0, 0, 0) == 0:
                hit(name)
        """,
    ),
)
