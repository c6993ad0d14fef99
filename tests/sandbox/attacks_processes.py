"""Attacks by and on processes, and on the clock.

If a processor is busy, a program may last longer than its limit. So a program that
computes has got through if it used more of the processor than the limit allows, and one
that sleeps if it slept longer.
"""

from __future__ import annotations

from tests.sandbox.attack import parse

_PROCESSES = r"""
## fork bomb
import time
for count in range(64):
    if os.fork() == 0:
        time.sleep(3)
        os._exit(0)
    hit("fork", count)
## other ways to fork
import ctypes, posix, subprocess
true = ["/bin/true"]
attempt("posix_spawn", posix.posix_spawn, true[0], true, {})
attempt("subprocess", subprocess.run, true)
attempt("subprocess without vfork", lambda: subprocess.run(true, preexec_fn=lambda: None))
attempt("system", lambda: os.system("true") == 0 or 1 / 0)
for name, number in {"fork": 57, "vfork by clone": 56}.items():
    pid = ctypes.CDLL(None).syscall(number, 17, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    if pid > 0:
        hit(name)
## exec a shell :: os.execv('/bin/sh', ['sh', '-c', 'echo HIT shell'])
## kill the parent :: import signal; os.kill(os.getppid(), 0); hit('may'); os.kill(os.getppid(), signal.SIGKILL)
## signal its group, and others by other calls
import ctypes
call, parent = ctypes.CDLL(None).syscall, os.getppid()
info = ctypes.create_string_buffer(128)
info[8:12] = (-1).to_bytes(4, "little", signed=True)
attempt("everybody", os.kill, -1, 0)
attempt("own group", os.kill, 0, 0)
attempt("parent's group", os.kill, -os.getpgid(parent), 0)
for name, result in {
    "tkill": call(200, parent, 0),
    "tgkill": call(234, parent, parent, 0),
    "rt_sigqueueinfo": call(129, parent, 0, info),
    "rt_tgsigqueueinfo": call(297, parent, parent, 0, info),
}.items():
    if result == 0:
        hit(name)
## let a pipe kill the parent
# A descriptor's owner gets the signal of the owner's choice when data arrives: no kill() anywhere.
import fcntl, signal, time
def arm():
    taking, giving = os.pipe()
    fcntl.fcntl(taking, fcntl.F_SETOWN, os.getppid())
    fcntl.fcntl(taking, 10, signal.SIGKILL)  # F_SETSIG
    fcntl.fcntl(taking, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    os.write(giving, b"x")
try:
    arm()
except OSError:
    pass
time.sleep(0.1)
print("alive")
## stop itself | late killed exited :: import signal; os.kill(os.getpid(), signal.SIGSTOP); print('on')
## raise its own limits
import resource
for name in filter(lambda name: name.startswith("RLIMIT_"), dir(resource)):
    if name != "RLIMIT_STACK":  # it may grow, within the limit on all memory
        attempt(name, resource.setrlimit, getattr(resource, name), (resource.RLIM_INFINITY,) * 2)
## change the parent's limits and place
import resource
parent = os.getppid()
attempt("limits", lambda: resource.prlimit(parent, 7, resource.prlimit(parent, 7)))
attempt("affinity", lambda: os.sched_setaffinity(parent, os.sched_getaffinity(parent)))
attempt("priority", lambda: os.setpriority(os.PRIO_PROCESS, parent, os.getpriority(os.PRIO_PROCESS, parent)))
attempt("scheduler", lambda: os.sched_setscheduler(parent, os.SCHED_OTHER, os.sched_param(0)))
## take the processor for itself
attempt("SCHED_FIFO", os.sched_setscheduler, 0, os.SCHED_FIFO, os.sched_param(1))
attempt("nice", os.nice, -10)
## set the clock :: import time; time.clock_settime(time.CLOCK_REALTIME, time.time()); hit('set')
"""
_SPIN = """
import threading, time
def spin(until=1.2):
    while time.process_time() < until:
        pass
"""
_TIME = r"""
## sleep :: time.sleep(1.2); hit('slept on')
## ignore every signal
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
## live thread at exit :: threading.Thread(target=lambda: (spin(), hit('lived on'))).start()
## main thread that leaves
import ctypes
threading.Thread(target=lambda: (spin(), hit("stayed on"))).start()
ctypes.CDLL(None).syscall(60, 0)
## spin when stdout is flushed
class Slow:
    closed = False
    def write(self, text):
        pass
    def flush(self, stdout=sys.stdout):
        spin(); print("HIT flushed on", file=stdout, flush=True)
sys.stdout = Slow()
## ask for one thread after the other
import ctypes
libc, thread = ctypes.CDLL(None), ctypes.c_ulong()
while time.process_time() < 1.2:
    libc.pthread_create(ctypes.byref(thread), None, libc.getpid, None)
    libc.pthread_detach(thread)
hit("asked on")
## buy time with its own threads
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
    pass  # that is all it gets
go.set()
work()
hit("worked on")
"""

ATTACKS = [*parse(_PROCESSES), *parse(_TIME, head=_SPIN, endings="late killed")]
