"""The targets of the attacks: files, sockets and secrets, and the traces that an attack
leaves on them.
"""

from __future__ import annotations

import os
import resource
import secrets
import shutil
import signal
import socket
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tests.sandbox.census import adopt, descendants, wait_until

_PUBLIC = ("/tmp", "/dev/shm", "/var/tmp", "/run", "/dev", "/")
_GRACE_S = 20.0
_GROWTH_KB = 1 << 16


class Targets:
    """A project, listeners and secrets; `planted` secrets are in this process
    already.
    """

    def __init__(self, planted: list[str], longest_s: float) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="llmarith-battery-"))
        self._folder.chmod(0o755)
        self._secrets = [f"llmarith-secret-answers-{secrets.token_hex(8)}", *planted]
        self._answers = self._folder / "answers.json"
        mark = secrets.token_hex(6)
        self._litter = [Path(place, f"litter-{mark}") for place in _PUBLIC]
        os.environ["HOME"] = str(self._folder)
        os.chdir(self._folder)
        tcp, udp = (
            socket.create_server(("127.0.0.1", 0)),
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
        )
        udp.bind(("127.0.0.1", 0))
        unix, abstract = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
        unix.bind(str(self._folder / "socket"))
        abstract.bind("\0" + mark)
        unix.listen()
        abstract.listen()
        self._open = [tcp, udp, unix, abstract]
        os.set_inheritable(
            tcp.fileno(), True
        )  # a child of this process could inherit it
        adopt()
        self.names: dict[str, object] = {
            "HOME": str(self._folder),
            "PROJECT": str(self._folder),
            "ANSWERS": str(self._answers),
            "MARK": mark,
            "TCP": tcp.getsockname()[1],
            "UDP": udp.getsockname()[1],
            "UNIX": unix.getsockname(),
            "ABSTRACT": mark,
            "SYSV": secrets.randbits(30) + 1,
            "SECONDS": longest_s,
            "SITES": _files_of_packages(),
            "PACKAGE": str(Path(__file__).parents[2] / "pytest_llmarith"),
        }
        self._settle()

    def _settle(self) -> None:
        """Restore the answers; what is here now belongs here."""
        self._answers.unlink(missing_ok=True)
        self._answers.write_text(self._secrets[0])
        self._state = self._look()
        self._files = {*self._folder.rglob("*")}
        self._own_processes = descendants()
        self._peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def _look(self) -> tuple[int, ...]:
        if not self._answers.exists():
            return ()
        found = self._answers.lstat()
        return (
            found.st_mode,
            found.st_uid,
            found.st_nlink,
            found.st_size,
            found.st_mtime_ns,
            found.st_ino,
        )

    def traces(self) -> list[str]:
        """What was left behind since the last look; removes it."""
        found = [*self._left_files()]
        if not wait_until(lambda: not descendants() - self._own_processes, _GRACE_S):
            found.append("processes stayed")
            for pid in descendants() - self._own_processes:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        if (
            grown_kb := resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            - self._peak_kb
        ) > _GROWTH_KB:
            found.append(f"the harness grew by {grown_kb >> 10} MB")
        if found:
            self._settle()
        return found

    def stolen(self, text: str) -> list[str]:
        """The secrets in the text."""
        return sorted({f"stolen: {one}" for one in self._secrets if one in text})

    def close(self) -> None:
        for each in self._open:
            each.close()
        os.chdir("/")
        shutil.rmtree(self._folder, ignore_errors=True)

    def _left_files(self) -> Iterator[str]:
        if self._look() != self._state:
            yield "changed the answers"
        new = {*self._folder.rglob("*")} - self._files
        for path in (*new, *filter(os.path.lexists, self._litter)):
            yield f"left {path}"
            path.unlink()


def _files_of_packages() -> list[str]:
    """A file of every folder where packages are installed."""
    bases = [
        {"base": prefix, "platbase": prefix} for prefix in (sys.prefix, sys.base_prefix)
    ]
    folders = {
        sysconfig.get_path(kind, vars=base)
        for kind in ("purelib", "platlib")
        for base in bases
    }
    files = [
        sorted(filter(Path.is_file, Path(each).glob("*")))
        for each in (*folders, "/usr/lib/python3/dist-packages")
    ]
    return [str(found[0]) for found in files if found]
