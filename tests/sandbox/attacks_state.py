"""Attacks from one term on the next: the first leaves something behind, the second
looks for it.
"""

from __future__ import annotations

from tests.sandbox.attack import parse

_STATE = r"""
## keep state in the process
import builtins, signal
builtins.kept = builtins.int = builtins.print
sys.modules['kept'] = sys
os.environ['KEPT'] = '1'
signal.signal(10, signal.SIG_IGN)
sys.setrecursionlimit(777)
os.umask(0o7)
---
import builtins, signal
hasattr(builtins, 'kept') and hit('builtins')
'kept' in sys.modules and hit('modules')
'KEPT' in os.environ and hit('environment')
signal.getsignal(10) == signal.SIG_IGN and hit('handler')
sys.getrecursionlimit() == 777 and hit('limit')
os.umask(0) == 0o7 and hit('umask')
## keep state in files
places = (".", "/tmp", "/dev/shm", "/dev", "/run", "/var/tmp", "/", HOME, "/proc/self/cwd", "/dev/mqueue")
for path in [os.path.join(place, "litter-" + MARK) for place in places]:
    try:
        if os.path.exists(path):
            hit(path)
            os.unlink(path)
        elif n == 0:
            open(path, "w").close()
    except OSError:
        pass
---
pass
## keep state in System V shared memory
import ctypes; ctypes.CDLL(None).shmget(SYSV, 4096, 0o1600)
---
import ctypes
kept = ctypes.CDLL(None).shmget(SYSV, 4096, 0)
if kept >= 0:
    hit("shm")
    ctypes.CDLL(None).shmctl(kept, 0, None)
## keep state in flags of a shared descriptor
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
"""

ATTACKS = [*parse(_STATE)]
