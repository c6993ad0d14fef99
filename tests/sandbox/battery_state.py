"""Attacks from one term on the next: the first term leaves something behind, the second one looks for it."""

from __future__ import annotations

from textwrap import dedent

from tests.sandbox.battery_attack import Attack, Exposed

_KEPT_IN_PROCESS = {
    "builtins": ("import builtins; builtins.kept = builtins.int = builtins.print", "kept; hit('builtins')"),
    "math": ("import math; math.isqrt = math.kept = abs", "import math; math.kept; hit('math')"),
    "modules": ("sys.modules['kept'] = sys", "import kept; hit('modules')"),
    "the environment": ("os.environ['KEPT'] = '1'", "os.environ['KEPT']; hit('environment')"),
    "recursion limit": ("sys.setrecursionlimit(777)", "sys.getrecursionlimit() == 777 and hit('limit')"),
    "working directory": ("os.chdir('/')\nos.umask(0o7)", "os.umask(0) == 0o7 and hit('umask')"),
    "signal handlers": (
        "import signal; signal.signal(10, signal.SIG_IGN)",
        "import signal; signal.getsignal(10) == signal.SIG_IGN and hit('handler')",
    ),
    "limits": (
        "import resource; resource.setrlimit(7, (77, 77))",
        "import resource; resource.getrlimit(7) == (77, 77) and hit('limit')",
    ),
    "random": (
        "import random; random.seed(1)",
        "import random; random.random() == 0.13436424411240122 and hit('seed')",
    ),
}

_KEPT_BY_KERNEL = {
    "files": (
        """
        for place in (".", "/tmp", "/dev/shm", "/dev", "/run", "/var/tmp", "/", HOME, "/proc/self/cwd", "/dev/mqueue"):
            try:
                open(os.path.join(place, "litter-" + MARK), "w").close()
            except OSError:
                pass
        """,
        """
        for place in (".", "/tmp", "/dev/shm", "/dev", "/run", "/var/tmp", "/", HOME, "/proc/self/cwd", "/dev/mqueue"):
            path = os.path.join(place, "litter-" + MARK)
            if os.path.exists(path):
                hit(path)
                os.unlink(path)
        """,
    ),
    "System V shared memory": (
        "import ctypes; ctypes.CDLL(None).shmget(SYSV, 4096, 0o1600)",
        """
        import ctypes
        kept = ctypes.CDLL(None).shmget(SYSV, 4096, 0)
        if kept >= 0:
            hit("shm")
            ctypes.CDLL(None).shmctl(kept, 0, None)
        """,
    ),
    "System V semaphores and messages": (
        "import ctypes; ctypes.CDLL(None).semget(SYSV, 1, 0o1600); ctypes.CDLL(None).msgget(SYSV, 0o1600)",
        """
        import ctypes
        libc = ctypes.CDLL(None)
        semaphores, messages = libc.semget(SYSV, 1, 0), libc.msgget(SYSV, 0)
        if semaphores >= 0:
            hit("semaphores")
            libc.semctl(semaphores, 0, 0)
        if messages >= 0:
            hit("messages")
            libc.msgctl(messages, 0, None)
        """,
    ),
    "a message queue": (
        "import ctypes; ctypes.CDLL(None).syscall(240, MARK.encode(), 0o102, 0o600, None)",
        """
        import ctypes
        if ctypes.CDLL(None).syscall(240, MARK.encode(), 0o2, 0o600, None) >= 0:
            hit("queue")
            ctypes.CDLL(None).syscall(241, MARK.encode())
        """,
    ),
    "a keyring": (
        "import ctypes; ctypes.CDLL(None).syscall(248, b'user', MARK.encode(), b'kept', 4, -4)",
        """
        import ctypes
        key = ctypes.CDLL(None).syscall(250, 10, -4, b"user", MARK.encode(), 0)
        if key >= 0:
            hit("key")
            ctypes.CDLL(None).syscall(250, 9, key, -4)
        """,
    ),
    "an abstract socket of a process that stays": (
        """
        import socket, time
        if os.fork() == 0:
            server = socket.socket(socket.AF_UNIX)
            server.bind("\\0kept-" + MARK)
            server.listen()
            time.sleep(5)
            os._exit(0)
        time.sleep(0.1)
        """,
        "import socket; socket.socket(socket.AF_UNIX).connect('\\0kept-' + MARK); hit('socket')",
    ),
    "flags of a shared descriptor": (
        """
        import fcntl
        for fd in range(256):
            try:
                fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_NONBLOCK | os.O_APPEND)
                fcntl.fcntl(fd, 10, 12)
                fcntl.fcntl(fd, fcntl.F_SETOWN, os.getpid())
            except OSError:
                pass
        """,
        """
        import fcntl
        for fd in range(256):
            try:
                if fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_NONBLOCK or fcntl.fcntl(fd, 11) == 12:
                    hit("flags of", fd)
            except OSError:
                pass
        """,
    ),
    "process ids": (
        """
        import threading
        threading.stack_size(1 << 16)
        for _ in range(900):
            thread = threading.Thread(target=int)
            thread.start()
            thread.join()
        """,
        """
        if os.getppid() == 1 and os.getpid() > 900:  # where processes are counted from 1, few have been
            hit(os.getpid())
        """,
    ),
    "a lock on a file": (
        "import fcntl; fcntl.flock(os.open(os.__file__, os.O_RDONLY), fcntl.LOCK_EX); print('held')",
        "import fcntl; fcntl.flock(os.open(os.__file__, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB); print('free')",
    ),
}

# A forked program shares what lies in its process; only the kernel keeps things between processes.
_NOT_SHOWN = {"a lock on a file", "process ids", "random"}


def _program(first: str, second: str) -> str:
    branches = ("    " + dedent(part).strip().replace("\n", "\n    ") for part in (first, second))
    return "if n == 0:\n{}\nelse:\n{}\n".format(*branches)


def _attack(kept_in: str, parts: tuple[str, str], exposed: Exposed) -> Attack:
    if kept_in in _NOT_SHOWN:
        exposed = Exposed.NOWHERE
    return Attack(f"keep state in {kept_in}", _program(*parts), inputs=(0, 1), exposed=exposed)


# Linux notes the first reading of a file within a day. Whether there are files that are still to be read today is for
# the machine to say, and so it is not shown.
_ACCESS_TIMES = Attack(
    "keep state in access times",
    """
    import stat, time
    here = os.path.dirname(os.__file__)
    for folder in ("encodings", "json", "email", "test"):
        folder = os.path.join(here, folder)
        for path in [os.path.join(folder, name) for name in os.listdir(folder)]:
            found = os.stat(path)
            if stat.S_ISREG(found.st_mode) and found.st_atime <= max(found.st_mtime, time.time() - 86400):
                open(path, "rb").read(1)
                if os.stat(path).st_atime > found.st_atime:
                    hit("noted at", path)
                    sys.exit()
    """,
    exposed=Exposed.NOWHERE,
)

ATTACKS = (
    _ACCESS_TIMES,
    *(_attack(kept_in, parts, Exposed.FORK) for kept_in, parts in _KEPT_IN_PROCESS.items()),
    *(
        _attack(kept_in, parts, Exposed.FORK if "descriptor" in kept_in else Exposed.SUBPROCESS)
        for kept_in, parts in _KEPT_BY_KERNEL.items()
    ),
)
