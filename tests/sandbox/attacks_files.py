"""Attacks on files, devices and the network."""

from __future__ import annotations

from tests.sandbox.attack import parse

_FILES = r"""
## write anywhere
import tempfile
for place in [".", HOME, PROJECT, "/tmp", "/dev/shm", "/", "/var/tmp", "/run", "/run/lock", "/dev",
              "/proc", "/sys", "/usr", sys.prefix, "/etc", "/opt",
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
## change files of the project
attempt("utime", os.utime, ANSWERS, (1, 1))
attempt("chmod", os.chmod, ANSWERS, 0o777)
attempt("chown", os.chown, ANSWERS, os.getuid(), os.getgid())
attempt("xattr", os.setxattr, ANSWERS, "user.mark", b"x")
attempt("link", os.link, ANSWERS, ANSWERS + ".link")
attempt("symlink", os.symlink, ANSWERS, ANSWERS + ".symlink")
attempt("rename", os.rename, ANSWERS + ".link", ANSWERS + ".renamed")
attempt("unlink", os.unlink, ANSWERS + ".renamed")
attempt("append", open, ANSWERS, "a")
attempt("truncate", os.truncate, ANSWERS, 0)
## turn knobs of the kernel
own = ["oom_score_adj", "coredump_filter", "comm", "clear_refs", "loginuid", "uid_map", "setgroups"]
for path in [*("/proc/self/" + name for name in own), "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger",
             "/proc/sys/vm/drop_caches", "/sys/power/state", "/sys/kernel/mm/ksm/run", "/dev/kmsg", "/dev/mem",
             "/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/memory/tasks"]:
    try:
        os.close(os.open(path, os.O_WRONLY))
    except OSError:
        continue
    hit(path)
## steal answers by path :: print(open(ANSWERS).read())
## steal answers by tricks of paths
for path in ("/proc/self/root" + ANSWERS, "/proc/self/cwd/" + os.path.basename(ANSWERS), "/.." + ANSWERS,
             f"/proc/{os.getppid()}/root" + ANSWERS, f"/proc/{os.getppid()}/cwd/" + os.path.basename(ANSWERS)):
    try:
        print(open(path).read())
    except OSError:
        pass
## read what is installed beside the interpreter
# A plugin that is installed brings its reference programs and its cache along.
for file in SITES:
    attempt(file, open, file)
    attempt("names", os.listdir, os.path.dirname(file))
attempt("the package", lambda: os.listdir(PACKAGE)[0])
attempt("the package", open, os.path.join(PACKAGE, "__init__.py"))
## read the machine's files
for path in ("/etc/passwd", "/etc/hostname", "/etc/machine-id", "/etc/shadow", "/proc/kallsyms", "/proc/kmsg",
             "/proc/net/tcp", "/proc/1/environ", "/proc/mounts", "/sys/class/net", "/var/log", "/root"):
    attempt(path, lambda: os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(64))
## open devices
import stat
names = ["mem", "kmsg", "kvm", "fuse", "vsock", "ptmx", "net/tun", "loop-control", "userfaultfd", "console"]
disks = [name for name in os.listdir("/dev") if stat.S_ISBLK(os.stat("/dev/" + name).st_mode)]
for name in names + disks:
    attempt(name, lambda: os.close(os.open("/dev/" + name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)))
"""
_NETWORK = r"""
## TCP :: socket.create_connection(('127.0.0.1', TCP), 1); hit('connected')
## UDP :: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', UDP)); hit('sent')
## unix socket with a path :: socket.socket(socket.AF_UNIX).connect(UNIX); hit('connected')
## abstract unix socket :: socket.socket(socket.AF_UNIX).connect('\0' + ABSTRACT); hit('connected')
## every family of sockets
for family in range(1, 46):
    for kind in (1, 2, 3, 5):
        attempt((family, kind), socket.socket, family, kind)
"""

ATTACKS = [*parse(_FILES), *parse(_NETWORK, head="import socket\n")]
