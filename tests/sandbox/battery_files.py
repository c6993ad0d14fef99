"""Attacks on files: leaving some behind, changing some, reading what is none of a program's business."""

from __future__ import annotations

from tests.sandbox.battery_attack import Attack

_LITTER = """
path = os.path.join({place}, "litter-" + MARK)
open(path, "w").write("left behind")
hit(path)
"""

_WRITING = (
    *(
        Attack(f"write to {name}", _LITTER.format(place=place))
        for name, place in {
            "HOME": "HOME",
            "the project": "PROJECT",
            "the working directory": "'.'",
            "/tmp": "'/tmp'",
            "/dev/shm": "'/dev/shm'",
        }.items()
    ),
    Attack(
        "write anywhere",
        """
        import tempfile
        for place in ["/", "/var/tmp", "/run", "/run/lock", "/dev", "/proc", "/sys", "/usr", sys.prefix, "/etc", "/opt",
                      "/proc/self/root/tmp", "/proc/self/cwd", os.path.dirname(os.__file__), tempfile.gettempdir()]:
            path = os.path.join(place, "litter-" + MARK)
            for way in (lambda: open(path, "w").close(), lambda: os.mkdir(path), lambda: os.symlink("/", path),
                        lambda: os.mkfifo(path), lambda: os.link(ANSWERS, path)):
                try:
                    way()
                except OSError:
                    continue
                hit(path)
                os.rmdir(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
        """,
    ),
    Attack("chmod a file of the project", "os.chmod(ANSWERS, 0o777); hit('chmod')"),
    Attack(
        "change files of the project",
        """
        attempt("utime", os.utime, ANSWERS, (1, 1))
        attempt("chown", os.chown, ANSWERS, os.getuid(), os.getgid())
        attempt("xattr", os.setxattr, ANSWERS, "user.mark", b"x")
        attempt("link", os.link, ANSWERS, ANSWERS + ".link")
        attempt("symlink", os.symlink, ANSWERS, ANSWERS + ".symlink")
        attempt("rename", os.rename, ANSWERS + ".link", ANSWERS + ".renamed")
        attempt("unlink", os.unlink, ANSWERS + ".renamed")
        attempt("append", open, ANSWERS, "a")
        attempt("truncate", os.truncate, ANSWERS, 0)
        """,
    ),
    Attack(
        "fill the disk",
        """
        for place in (".", HOME, PROJECT, "/tmp", "/dev/shm", "/var/tmp", "/run"):
            path = os.path.join(place, "litter-" + MARK)
            try:
                with open(path, "wb") as file:
                    for _ in range(64):
                        file.write(bytes(1 << 20))
                hit("64 MB in", place)
            except OSError:
                pass
            finally:
                if os.path.exists(path) and place in ("/tmp", "/dev/shm", "/var/tmp", "/run"):
                    os.unlink(path)
        """,
    ),
    Attack(
        "fill a memfd",
        """
        fd = os.memfd_create("litter")
        for _ in range(64):
            os.write(fd, bytes(1 << 20))
        hit("64 MB of memfd")
        """,
    ),
    Attack(
        "dump core",
        """
        import resource
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2)
        os.abort()
        """,
    ),
    Attack(
        "turn knobs of the kernel",
        """
        own = ["oom_score_adj", "coredump_filter", "comm", "clear_refs", "loginuid", "uid_map", "setgroups"]
        for path in [*("/proc/self/" + name for name in own), "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger",
                     "/proc/sys/vm/drop_caches", "/sys/power/state", "/sys/kernel/mm/ksm/run", "/dev/kmsg", "/dev/mem",
                     "/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/memory/tasks"]:
            try:
                os.close(os.open(path, os.O_WRONLY))
            except OSError:
                continue
            hit(path)
        """,
    ),
)

_READING = (
    Attack("steal answers by path", "print(open(ANSWERS).read())"),
    Attack(
        "steal answers by tricks of paths",
        """
        for path in ("/proc/self/root" + ANSWERS, "/proc/self/cwd/" + os.path.basename(ANSWERS), "/.." + ANSWERS,
                     "//" + ANSWERS, "/proc/1/root" + ANSWERS, f"/proc/{os.getppid()}/root" + ANSWERS,
                     f"/proc/{os.getppid()}/cwd/" + os.path.basename(ANSWERS), "/proc/thread-self/root" + ANSWERS):
            try:
                print(open(path).read())
            except OSError:
                pass
        """,
    ),
    Attack(
        "steal answers by walking from /",
        """
        here = "/"
        for step in ANSWERS.strip("/").split("/"):
            if step in os.listdir(here):
                hit("listed", here)
            here = os.path.join(here, step)
        print(open(here).read())
        """,
    ),
    Attack(
        "steal answers by /proc/*/cwd",
        """
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                for name in os.listdir(f"/proc/{pid}/cwd"):
                    if name.startswith("answers"):
                        print(open(f"/proc/{pid}/cwd/{name}").read())
            except OSError:
                pass
        """,
    ),
    Attack("read .env", "print(open(os.path.join(PROJECT, '.env')).read(), open(os.path.join(HOME, '.env')).read())"),
    Attack(
        "read what is installed beside the interpreter",
        """
        # A plugin that is installed brings its reference programs and its cache along.
        for file in SITES:
            attempt(file, open, file)
            attempt("names", os.listdir, os.path.dirname(file))
        attempt("the package", lambda: os.listdir(PACKAGE)[0])
        attempt("the package", open, os.path.join(PACKAGE, "__init__.py"))
        """,
    ),
    Attack(
        "read libraries that no Python needs",
        """
        for folder in ("/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/usr/lib"):
            attempt(folder, os.listdir, folder)
            for name in ("libBrokenLocale.so.1", "libanl.so.1", "libthread_db.so.1", "libutil.so.1", "libmemusage.so"):
                attempt(name, open, os.path.join(folder, name), "rb")
        """,
    ),
    Attack(
        "read the machine's files",
        """
        for path in ("/etc/passwd", "/etc/hostname", "/etc/machine-id", "/etc/shadow", "/proc/kallsyms", "/proc/kmsg",
                     "/proc/net/tcp", "/proc/1/environ", "/proc/mounts", "/sys/class/net", "/var/log", "/root"):
            attempt(path, lambda: os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(64))
        """,
    ),
    Attack(
        "open devices",
        """
        import stat
        names = ["mem", "kmsg", "kvm", "fuse", "vsock", "ptmx", "net/tun", "loop-control", "userfaultfd", "console"]
        disks = [name for name in os.listdir("/dev") if stat.S_ISBLK(os.stat("/dev/" + name).st_mode)]
        for name in names + disks:
            attempt(name, lambda: os.close(os.open("/dev/" + name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)))
        """,
    ),
    Attack(
        "watch files",
        """
        import ctypes
        libc = ctypes.CDLL(None)
        fd = libc.inotify_init1(0)
        if fd >= 0 and libc.inotify_add_watch(fd, PROJECT.encode(), 0xFFF) >= 0:
            hit("watches the project")
        """,
    ),
)

ATTACKS = (*_WRITING, *_READING)
