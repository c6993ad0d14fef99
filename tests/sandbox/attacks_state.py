"""Attacks from one term on the next: the first leaves something behind, the second looks for it."""

from __future__ import annotations

from tests.sandbox.attack import parse

_STATE = r"""
## keep state in builtins | fork
import builtins; builtins.kept = builtins.int = builtins.print
---
kept; hit('builtins')
## keep state in math | fork
import math; math.isqrt = math.kept = abs
---
import math; math.kept; hit('math')
## keep state in modules | fork
sys.modules['kept'] = sys
---
import kept; hit('modules')
## keep state in the environment | fork
os.environ['KEPT'] = '1'
---
os.environ['KEPT']; hit('environment')
## keep state in recursion limit | fork
sys.setrecursionlimit(777)
---
sys.getrecursionlimit() == 777 and hit('limit')
## keep state in working directory | fork
os.chdir('/')
os.umask(0o7)
---
os.umask(0) == 0o7 and hit('umask')
## keep state in signal handlers | fork
import signal; signal.signal(10, signal.SIG_IGN)
---
import signal; signal.getsignal(10) == signal.SIG_IGN and hit('handler')
## keep state in limits | fork
import resource; resource.setrlimit(7, (77, 77))
---
import resource; resource.getrlimit(7) == (77, 77) and hit('limit')
## keep state in random | nowhere
import random; random.seed(1)
---
import random; random.random() == 0.13436424411240122 and hit('seed')
## keep state in files
for place in (".", "/tmp", "/dev/shm", "/dev", "/run", "/var/tmp", "/", HOME, "/proc/self/cwd", "/dev/mqueue"):
    try:
        open(os.path.join(place, "litter-" + MARK), "w").close()
    except OSError:
        pass
---
for place in (".", "/tmp", "/dev/shm", "/dev", "/run", "/var/tmp", "/", HOME, "/proc/self/cwd", "/dev/mqueue"):
    path = os.path.join(place, "litter-" + MARK)
    if os.path.exists(path):
        hit(path)
        os.unlink(path)
## keep state in System V shared memory
import ctypes; ctypes.CDLL(None).shmget(SYSV, 4096, 0o1600)
---
import ctypes
kept = ctypes.CDLL(None).shmget(SYSV, 4096, 0)
if kept >= 0:
    hit("shm")
    ctypes.CDLL(None).shmctl(kept, 0, None)
## keep state in System V semaphores and messages
import ctypes; ctypes.CDLL(None).semget(SYSV, 1, 0o1600); ctypes.CDLL(None).msgget(SYSV, 0o1600)
---
import ctypes
libc = ctypes.CDLL(None)
semaphores, messages = libc.semget(SYSV, 1, 0), libc.msgget(SYSV, 0)
if semaphores >= 0:
    hit("semaphores")
    libc.semctl(semaphores, 0, 0)
if messages >= 0:
    hit("messages")
    libc.msgctl(messages, 0, None)
## keep state in a message queue
import ctypes; ctypes.CDLL(None).syscall(240, MARK.encode(), 0o102, 0o600, None)
---
import ctypes
if ctypes.CDLL(None).syscall(240, MARK.encode(), 0o2, 0o600, None) >= 0:
    hit("queue")
    ctypes.CDLL(None).syscall(241, MARK.encode())
## keep state in a keyring
import ctypes; ctypes.CDLL(None).syscall(248, b'user', MARK.encode(), b'kept', 4, -4)
---
import ctypes
key = ctypes.CDLL(None).syscall(250, 10, -4, b"user", MARK.encode(), 0)
if key >= 0:
    hit("key")
    ctypes.CDLL(None).syscall(250, 9, key, -4)
## keep state in an abstract socket of a process that stays
import socket, time
if os.fork() == 0:
    server = socket.socket(socket.AF_UNIX)
    server.bind("\0kept-" + MARK)
    server.listen()
    time.sleep(5)
    os._exit(0)
time.sleep(0.1)
---
import socket; socket.socket(socket.AF_UNIX).connect('\0kept-' + MARK); hit('socket')
## keep state in flags of a shared descriptor | fork
import fcntl
for fd in range(256):
    try:
        fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_NONBLOCK | os.O_APPEND)
        fcntl.fcntl(fd, 10, 12)
        fcntl.fcntl(fd, fcntl.F_SETOWN, os.getpid())
    except OSError:
        pass
---
import fcntl
for fd in range(256):
    try:
        if fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_NONBLOCK or fcntl.fcntl(fd, 11) == 12:
            hit("flags of", fd)
    except OSError:
        pass
## keep state in process ids | nowhere
import threading
threading.stack_size(1 << 16)
for _ in range(900):
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
---
if os.getppid() == 1 and os.getpid() > 900:  # where processes are counted from 1, few have been
    hit(os.getpid())
## keep state in a lock on a file | nowhere
import fcntl; fcntl.flock(os.open(os.__file__, os.O_RDONLY), fcntl.LOCK_EX); print('held')
---
import fcntl; fcntl.flock(os.open(os.__file__, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB); print('free')
## keep state in access times | nowhere
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
"""

ATTACKS = [*parse(_STATE)]
