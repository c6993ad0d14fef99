"""Attacks from one term on the next: the first leaves something behind, the second looks for it."""

from __future__ import annotations

from tests.sandbox.attack import parse

_STATE = r"""
## keep state in builtins | fork
import builtins; builtins.kept = builtins.int = builtins.print
---
kept; hit('builtins')
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
