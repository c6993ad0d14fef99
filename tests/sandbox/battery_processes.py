"""Attacks by and on processes: multiplying, staying, signalling others, taking more than was given."""

from __future__ import annotations

from tests.sandbox.battery_attack import Attack, Exposed, ends, told

_MULTIPLYING = (
    Attack(
        "fork bomb",
        """
        import time
        for count in range(64):
            if os.fork() == 0:
                time.sleep(3)
                os._exit(0)
            hit("fork", count)
        """,
    ),
    Attack(
        "other ways to fork",
        """
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
        """,
    ),
    Attack("exec a shell", "os.execv('/bin/sh', ['sh', '-c', 'echo HIT shell'])"),
    Attack(
        "exec the interpreter again",
        "os.execv(sys.executable or '/usr/bin/python3', ['python3', '-c', 'print(\"HIT interpreter\")'])",
    ),
    Attack(
        "exec from a descriptor",
        """
        import ctypes
        fd = os.open("/bin/echo", os.O_RDONLY)
        arguments = (ctypes.c_char_p * 3)(b"echo", b"HIT execveat", None)
        ctypes.CDLL(None).syscall(322, fd, b"", arguments, (ctypes.c_char_p * 1)(None), 0x1000)
        """,
    ),
    Attack(
        "daemon that outlives the term",
        """
        import time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(20)
            os._exit(0)
        print("left one behind")
        """,
    ),
    Attack(
        "daemon that closes everything first",
        """
        import time
        if os.fork() == 0:
            os.closerange(0, 256)
            os.setsid()
            if os.fork() == 0:
                time.sleep(20)
            os._exit(0)
        """,
    ),
    Attack(
        # How many ids were used up is a number that the next term can read from its own.
        "use up process ids",
        """
        import threading
        threading.stack_size(1 << 16)
        for _ in range(2000):
            thread = threading.Thread(target=int)
            thread.start()
            thread.join()
        hit("2000 threads, one after the other")
        """,
    ),
    Attack(
        "thread bomb",
        """
        import ctypes
        libc, thread = ctypes.CDLL(None), ctypes.c_ulong()
        small = ctypes.create_string_buffer(64)
        libc.pthread_attr_init(small)
        libc.pthread_attr_setstacksize(small, ctypes.c_size_t(16384))
        for count in range(1000):
            if libc.pthread_create(ctypes.byref(thread), small, libc.pause, None) != 0:
                break
        else:
            import time
            time.sleep(0.1)
            hit("1000 threads")
        """,
    ),
)

_SIGNALLING = (
    Attack(
        "kill the parent",
        "import signal; os.kill(os.getppid(), 0); hit('may'); os.kill(os.getppid(), signal.SIGKILL)",
    ),
    Attack(
        "stop the parent",
        "import signal; os.kill(os.getppid(), 0); hit('may'); os.kill(os.getppid(), signal.SIGSTOP)",
    ),
    Attack(
        "kill everybody",
        # Signal 0 asks whether it may. Never anything else: this runs as root, too.
        "os.kill(-1, 0); hit('may')",
    ),
    Attack(
        "signal its group, and others by other calls",
        """
        import ctypes
        call, parent = ctypes.CDLL(None).syscall, os.getppid()
        info = ctypes.create_string_buffer(128)
        info[8:12] = (-1).to_bytes(4, "little", signed=True)
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
        """,
    ),
    Attack(
        "let a pipe kill the parent",
        """
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
        """,
        promise=told("alive\n"),
    ),
    Attack(
        "stop itself",
        "import signal; os.kill(os.getpid(), signal.SIGSTOP); print('on')",
        exposed=Exposed.NOWHERE,
        promise=ends("late", "killed", "exited"),
    ),
    Attack(
        "be traced by the parent",
        """
        import ctypes, signal
        if ctypes.CDLL(None).ptrace(0, 0, None, None) == 0:
            hit("traced")
            os.kill(os.getpid(), signal.SIGUSR1)
        """,
    ),
)

_TAKING = (
    Attack(
        "raise its own limits",
        """
        import resource
        for name in filter(lambda name: name.startswith("RLIMIT_"), dir(resource)):
            limit = getattr(resource, name)
            if name != "RLIMIT_STACK":  # it may grow, within the limit on all memory
                attempt(name, resource.setrlimit, limit, (resource.RLIM_INFINITY,) * 2)
        """,
    ),
    Attack(
        "change the parent's limits and place",
        """
        import resource
        parent = os.getppid()
        attempt("limits", lambda: resource.prlimit(parent, 7, resource.prlimit(parent, 7)))
        attempt("affinity", lambda: os.sched_setaffinity(parent, os.sched_getaffinity(parent)))
        attempt("priority", lambda: os.setpriority(os.PRIO_PROCESS, parent, os.getpriority(os.PRIO_PROCESS, parent)))
        attempt("scheduler", lambda: os.sched_setscheduler(parent, os.SCHED_OTHER, os.sched_param(0)))
        """,
    ),
    Attack(
        "take the processor for itself",
        """
        attempt("SCHED_FIFO", os.sched_setscheduler, 0, os.SCHED_FIFO, os.sched_param(1))
        attempt("nice", os.nice, -10)
        """,
        root=True,
    ),
    Attack("choose processors", "os.sched_setaffinity(0, os.sched_getaffinity(0)); hit('affinity')"),
    Attack(
        "set the clock",
        "import time; time.clock_settime(time.CLOCK_REALTIME, time.time()); hit('set')",
        exposed=Exposed.NOWHERE,
    ),
    Attack(
        "become somebody else",
        """
        attempt("setgroups", os.setgroups, [12345])
        attempt("chroot", os.chroot, "/")
        attempt("setuid", os.setresuid, 12345, 12345, 12345)
        """,
        root=True,
    ),
)

ATTACKS = (*_MULTIPLYING, *_SIGNALLING, *_TAKING)
