"""The ground that attacks are made on: secrets worth stealing, listeners, and a look at what was left behind.

Everything is real: files, sockets, processes. It puts itself right again after each look.
"""

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

from tests.sandbox.battery_census import adopt, descendants, end, stayed

_PUBLIC = ("/tmp", "/dev/shm", "/var/tmp", "/run", "/dev", "/")
_GRACE_S = 0.5
_GROWTH_KB = 1 << 16


def secret(place: str) -> str:
    """A secret of that place: what attacks look for, and print where they find it."""
    return f"llmarith-secret-{place}-{secrets.token_hex(8)}"


class Ground:
    """A home, a project, listeners and secrets; `planted` ones were put into this process from outside."""

    def __init__(self, planted: list[str], longest_s: float) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="llmarith-battery-"))
        self.root.chmod(0o755)
        self.mark = secrets.token_hex(6)
        self.secrets = {name: secret(name) for name in ("answers", "dotenv", "memory")}
        self._planted = planted
        self._lay_out()
        self._listen()
        self._control, to_control = os.pipe()
        os.set_inheritable(to_control, True)
        # What a fork of this process inherits, and nothing else should.
        self._inherited = os.fdopen(to_control, "wb"), mmap.mmap(-1, 4096)
        # Whoever outlives its parent becomes a child of this process, and is seen.
        adopt()
        self.places: dict[str, object] = {
            "HOME": str(self.home),
            "PROJECT": str(self.project),
            "ANSWERS": str(self._answers),
            "MARK": self.mark,
            "TCP": self._tcp.getsockname()[1],
            "UDP": self._udp.getsockname()[1],
            "UNIX": self._unix.getsockname(),
            "UNIX_DATAGRAM": self._datagrams.getsockname(),
            "ABSTRACT": self.mark,
            "SYSV": secrets.randbits(30) + 1,
            "SECONDS": longest_s,
            "SITES": _sites(),
            "PACKAGE": str(Path(__file__).parents[2] / "pytest_llmarith"),
        }
        self.settle()

    def _lay_out(self) -> None:
        self.home, self.project = self.root / "home", self.root / "project"
        self.home.mkdir()
        self.project.mkdir()
        self._answers = self.project / "answers.json"
        self._answers.write_text(self.secrets["answers"])
        for folder in (self.home, self.project):
            (folder / ".env").write_text(self.secrets["dotenv"])
        os.environ["HOME"] = str(self.home)
        os.chdir(self.project)

    def _listen(self) -> None:
        self._tcp = socket.create_server(("127.0.0.1", 0))
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind(("127.0.0.1", 0))
        self._unix, self._abstract = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
        self._unix.bind(str(self.root / "socket"))
        self._abstract.bind("\0" + self.mark)
        self._datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._datagrams.bind(str(self.root / "datagrams"))
        for listening in (self._unix, self._abstract):
            listening.listen()

    def settle(self) -> None:
        """Take everything as it is now for how it should be."""
        self._files = self._look()
        self._own_processes = descendants()
        self._peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def traces(self) -> list[str]:
        """What was left behind since the last look, put right again."""
        found = [*self._left_files(), *self._left_messages(), *self._left_processes()]
        peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        if peak_kb > self._peak_kb + _GROWTH_KB:
            found.append(f"the harness grew by {(peak_kb - self._peak_kb) >> 10} MB")
        self.settle()
        return found

    def stolen(self, text: str) -> list[str]:
        """The secrets that stand in the text."""
        known = [*self.secrets.values(), *self._planted]
        return sorted({f"stolen: {known_one}" for known_one in known if known_one in text})

    def clear(self) -> None:
        os.chdir("/")
        shutil.rmtree(self.root, ignore_errors=True)

    def _look(self) -> dict[Path, tuple[int, ...]]:
        seen: dict[Path, tuple[int, ...]] = {}
        for path in [*self.home.rglob("*"), *self.project.rglob("*")]:
            status = path.lstat()
            moment = 0 if path.is_dir() else status.st_mtime_ns
            seen[path] = (status.st_mode, status.st_uid, status.st_nlink, status.st_size, moment)
        return seen

    def _left_files(self) -> Iterator[str]:
        now = self._look()
        for path in sorted(now.keys() ^ self._files.keys()):
            yield f"{'left' if path in now else 'took'} {path.name}"
        for path in sorted(path for path in now.keys() & self._files.keys() if now[path] != self._files[path]):
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
                yield f"somebody connected to {listening.getsockname()}"
        descriptors = [self._udp.fileno(), self._datagrams.fileno(), self._control]
        while full := select.select(descriptors, [], [], 0)[0]:
            for descriptor in full:
                yield f"somebody sent {os.read(descriptor, 4096)!r}"

    def _left_processes(self) -> Iterator[str]:
        if left := stayed(self._own_processes, _GRACE_S):
            yield f"{len(left)} processes stayed"
            end(self._own_processes)


def _sites() -> list[str]:
    """A file of every folder where packages are installed."""
    places = [{"base": prefix, "platbase": prefix} for prefix in (sys.prefix, sys.base_prefix)]
    folders = {sysconfig.get_path(kind, vars=place) for kind in ("purelib", "platlib") for place in places}
    files = [
        sorted(filter(Path.is_file, Path(each).glob("*"))) for each in (*folders, "/usr/lib/python3/dist-packages")
    ]
    return [str(found[0]) for found in files if found]
