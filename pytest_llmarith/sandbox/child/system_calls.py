"""The system calls of the sandbox, and their numbers on each kind of processor."""

from __future__ import annotations

# What the kernel calls these processors, see AUDIT_ARCH_* in linux/audit.h.
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# The numbers on x86_64 and on aarch64, None if aarch64 has a newer call only. They are
# in asm/unistd_64.h and asm-generic/unistd.h.
_Numbers = dict[str, tuple[int, int | None]]
# The calls that computing needs. A program may make them with any arguments.
ALLOWED: _Numbers = {
    "read": (0, 63),
    "write": (1, 64),
    "close": (3, 57),
    "stat": (4, None),
    "fstat": (5, 80),
    "lstat": (6, None),
    "poll": (7, None),
    "lseek": (8, 62),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "brk": (12, 214),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "pread64": (17, 67),
    "pwrite64": (18, 68),
    "readv": (19, 65),
    "writev": (20, 66),
    "access": (21, None),
    "pipe": (22, None),
    "select": (23, None),
    "sched_yield": (24, 124),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "dup": (32, 23),
    "dup2": (33, None),
    "pause": (34, None),
    "nanosleep": (35, 101),
    "getitimer": (36, 102),
    "alarm": (37, None),
    "setitimer": (38, 103),
    "getpid": (39, 172),
    "recvfrom": (45, 207),
    "shutdown": (48, 210),
    "getsockname": (51, 204),
    "getsockopt": (55, 209),
    "exit": (60, 93),
    "uname": (63, 160),
    "getcwd": (79, 17),
    "chdir": (80, 49),
    "readlink": (89, None),
    "umask": (95, 166),
    "gettimeofday": (96, 169),
    "getrlimit": (97, 163),
    "getrusage": (98, 165),
    "sysinfo": (99, 179),
    "times": (100, 153),
    "getuid": (102, 174),
    "getgid": (104, 176),
    "geteuid": (107, 175),
    "getegid": (108, 177),
    "getppid": (110, 173),
    "getpgrp": (111, None),
    "getgroups": (115, 158),
    "rt_sigpending": (127, 136),
    "rt_sigtimedwait": (128, 137),
    "rt_sigsuspend": (130, 133),
    "sigaltstack": (131, 132),
    "gettid": (186, 178),
    "time": (201, None),
    "futex": (202, 98),
    "sched_getaffinity": (204, 123),
    "epoll_create": (213, None),
    "getdents64": (217, 61),
    "set_tid_address": (218, 96),
    "restart_syscall": (219, 128),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "exit_group": (231, 94),
    "epoll_wait": (232, None),
    "epoll_ctl": (233, 21),
    "openat": (257, 56),
    "newfstatat": (262, 79),
    "readlinkat": (267, 78),
    "faccessat": (269, 48),
    "pselect6": (270, 72),
    "ppoll": (271, 73),
    "set_robust_list": (273, 99),
    "epoll_pwait": (281, 22),
    "eventfd": (284, None),
    "eventfd2": (290, 19),
    "epoll_create1": (291, 20),
    "dup3": (292, 24),
    "pipe2": (293, 59),
    "getrandom": (318, 278),
    "membarrier": (324, 283),
    "statx": (332, 291),
    "rseq": (334, 293),
    "faccessat2": (439, 439),
}
# Calls that a program may make with some arguments, or that the sandbox makes.
_OTHERS: _Numbers = {
    "clone": (56, 220),
    "clone3": (435, 435),
    "close_range": (436, 436),
    "fcntl": (72, 25),
    "getpgid": (121, 155),
    "ioctl": (16, 29),
    "kill": (62, 129),
    "prlimit64": (302, 261),
    "sendto": (44, 206),
    "socketpair": (53, 199),
    "tgkill": (234, 131),
    "capset": (126, 91),
    "seccomp": (317, 277),
}


def numbers(machine: str) -> dict[str, int]:
    """The numbers of the calls that this machine has, none on other processors."""
    found = dict[str, int]()
    for name, (x86_64, aarch64) in (ALLOWED | _OTHERS).items():
        number = {"x86_64": x86_64, "aarch64": aarch64}.get(machine)
        if number is not None:
            found[name] = number
    return found
