"""The targets of the attacks: files, sockets and secrets, and the traces that an attack leaves on them."""

from __future__ import annotations

import mmap
import os
import resource
import secrets
import select
import shutil
import socket
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.sandbox.census import adopt, descendants, end, stayed

_PUBLIC = ("/tmp", "/dev/shm", "/var/tmp", "/run", "/dev", "/")
_GRACE_S = 0.5
_GROWTH_KB = 1 << 16


class Targets:
    """A home, a project, listeners and secrets; `planted` secrets are in this process already."""

    def __init__(self, planted: list[str], longest_s: float) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="llmarith-battery-"))
        self.root.chmod(0o755)
        self.mark = secrets.token_hex(6)
        names = ("answers", "memory")
        self.secrets = {name: f"llmarith-secret-{name}-{secrets.token_hex(8)}" for name in names}
        self._planted = planted
        self.home, self.project = self.root / "home", self.root / "project"
        self._answers = self.project / "answers.json"
        for folder in (self.home, self.project):
            folder.mkdir()
        self._answers.write_text(self.secrets["answers"])
        os.environ["HOME"] = str(self.home)
        os.chdir(self.project)
        self._tcp = socket.create_server(("127.0.0.1", 0))
        self._unix, self._abstract = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
        self._unix.bind(str(self.root / "socket"))
        self._abstract.bind("\0" + self.mark)
        for listening in (self._unix, self._abstract):
            listening.listen()
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind(("127.0.0.1", 0))
        # A fork of this process inherits these.
        self._control, to_control = os.pipe()
        os.set_inheritable(to_control, True)
        self._inherited = os.fdopen(to_control, "wb"), mmap.mmap(-1, 4096)
        adopt()
        self.names: dict[str, object] = {
            "HOME": str(self.home),
            "PROJECT": str(self.project),
            "ANSWERS": str(self._answers),
            "MARK": self.mark,
            "TCP": self._tcp.getsockname()[1],
            "UDP": self._udp.getsockname()[1],
            "UNIX": self._unix.getsockname(),
            "ABSTRACT": self.mark,
            "SYSV": secrets.randbits(30) + 1,
            "SECONDS": longest_s,
            "SITES": _files_of_packages(),
            "PACKAGE": str(Path(__file__).parents[2] / "pytest_llmarith"),
        }
        self.settle()

    def settle(self) -> None:
        """What is here now belongs here."""
        self._files = self._look()
        self._own_processes = descendants()
        self._peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def traces(self) -> list[str]:
        """What was left behind since the last look; removes it."""
        found = [*self._left_files(), *self._left_messages()]
        if left := stayed(self._own_processes, _GRACE_S):
            found.append(f"{len(left)} processes stayed")
            end(self._own_processes)
        if (grown_kb := resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - self._peak_kb) > _GROWTH_KB:
            found.append(f"the harness grew by {grown_kb >> 10} MB")
        self.settle()
        return found

    def stolen(self, text: str) -> list[str]:
        """The secrets in the text."""
        return sorted({f"stolen: {one}" for one in [*self.secrets.values(), *self._planted] if one in text})

    def clear(self) -> None:
        os.chdir("/")
        shutil.rmtree(self.root, ignore_errors=True)

    def _look(self) -> dict[Path, tuple[int, ...]]:
        seen: dict[Path, tuple[int, ...]] = {}
        for path in [*self.home.rglob("*"), *self.project.rglob("*")]:
            status = path.lstat()
            changed_ns = 0 if path.is_dir() else status.st_mtime_ns
            seen[path] = (status.st_mode, status.st_uid, status.st_nlink, status.st_size, changed_ns)
        return seen

    def _left_files(self) -> Iterator[str]:
        now = self._look()
        for path in sorted(now.keys() | self._files.keys()):
            if now.get(path) != self._files.get(path):
                yield f"changed {path.name}"
        for path in now.keys() - self._files.keys():
            path.unlink()
        if now.get(self._answers) != self._files[self._answers]:
            self._answers.unlink(missing_ok=True)
            self._answers.write_text(self.secrets["answers"])
        for litter in (Path(place) / f"litter-{self.mark}" for place in _PUBLIC):
            if litter.exists():
                yield f"left {litter}"
                litter.unlink()

    def _left_messages(self) -> Iterator[str]:
        while ready := select.select([self._tcp, self._unix, self._abstract], [], [], 0)[0]:
            for listening in ready:
                listening.accept()[0].close()
                yield f"a connection to {listening.getsockname()}"
        descriptors = [self._udp.fileno(), self._control]
        while full := select.select(descriptors, [], [], 0)[0]:
            for descriptor in full:
                yield f"a message: {os.read(descriptor, 4096)!r}"


def _files_of_packages() -> list[str]:
    """A file of every folder where packages are installed."""
    bases = [{"base": prefix, "platbase": prefix} for prefix in (sys.prefix, sys.base_prefix)]
    folders = {sysconfig.get_path(kind, vars=base) for kind in ("purelib", "platlib") for base in bases}
    files = [
        sorted(filter(Path.is_file, Path(each).glob("*"))) for each in (*folders, "/usr/lib/python3/dist-packages")
    ]
    return [str(found[0]) for found in files if found]
