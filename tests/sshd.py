"""A real sshd on loopback with keys, port and configuration of its own; nobody's ~/.ssh is read or written.

    with Sshd(folder) as sshd:
        subprocess.run(["ssh", "-F", sshd.client_config, HOST, "true"])

It lets in whoever runs it, root or not, and gives sessions nothing of this process' environment.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

HOST = "loopback"
_PATH = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/usr/local/sbin"])
_TRIES, _PATIENCE_S = 5, 60.0


class NoSshdError(Exception):
    """There is none to be had here; the message says why."""


class Sshd:
    """Listens between `with` and its end; `environment` is what its sessions get."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._folder = folder
        self._environment = environment
        self.client_config = folder / "ssh_config"

    def __enter__(self) -> Sshd:
        tools = {name: shutil.which(name, path=_PATH) for name in ("sshd", "ssh", "ssh-keygen")}
        if missing := [name for name, path in tools.items() if path is None]:
            raise NoSshdError(f"not installed: {', '.join(missing)}; apt install openssh-server openssh-client")
        if os.geteuid() == 0:
            with suppress(OSError):  # where root's sshd locks itself in; what starts it elsewhere makes this folder too
                Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        self._make_keys()
        for _ in range(_TRIES):  # the port may be taken between finding and using it
            self._listen(f"{tools['sshd']}")
            tried = subprocess.run(
                ["ssh", "-F", self.client_config, HOST, "true"], capture_output=True, text=True, timeout=_PATIENCE_S
            )
            if tried.returncode == 0:
                return self
            self.__exit__()
        raise NoSshdError(f"no session: {tried.stderr.strip()} {(self._folder / 'log').read_text().strip()}")

    def __exit__(self, *exc_info: object) -> None:
        """End the server, and whatever its sessions have left."""
        for pid in [*_descendants(self._server.pid), self._server.pid]:
            _kill(pid)
        self._server.wait(_PATIENCE_S)

    def cut(self) -> None:
        """Let the host be gone: nobody listens, and the sessions have lost their connections."""
        for pid in [self._server.pid, *filter(_is_sshd, _descendants(self._server.pid))]:
            _kill(pid)

    def _make_keys(self) -> None:
        for name in ("host_key", "user_key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self._folder / name], check=True)
        shutil.copy(self._folder / "user_key.pub", self._folder / "authorized_keys")

    def _listen(self, sshd: str) -> None:
        port = _free_port()
        given = "".join(f"SetEnv {name}={value}\n" for name, value in self._environment.items())
        (self._folder / "sshd_config").write_text(
            f"ListenAddress 127.0.0.1\nPort {port}\nPidFile none\nHostKey {self._folder}/host_key\n"
            f"AuthorizedKeysFile {self._folder}/authorized_keys\nStrictModes no\nPasswordAuthentication no\n"
            f"KbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\n{given}"
        )
        host_key = (self._folder / "host_key.pub").read_text()
        (self._folder / "known_hosts").write_text(f"[127.0.0.1]:{port} {host_key}")
        self.client_config.write_text(
            f"Host {HOST}\nHostName 127.0.0.1\nPort {port}\nIdentityFile {self._folder}/user_key\nIdentitiesOnly yes\n"
            f"UserKnownHostsFile {self._folder}/known_hosts\nGlobalKnownHostsFile /dev/null\nBatchMode yes\n"
            f"ConnectionAttempts 10\n"
        )
        with open(self._folder / "log", "ab") as log:
            self._server = subprocess.Popen(
                [sshd, "-D", "-e", "-f", self._folder / "sshd_config"],
                stdin=subprocess.DEVNULL,
                stderr=log,
                env={"PATH": os.defpath},
            )
        self._wait_until_it_listens(port)

    def _wait_until_it_listens(self, port: int) -> None:
        give_up_at = time.monotonic() + _PATIENCE_S
        while self._server.poll() is None and time.monotonic() < give_up_at:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                return
            time.sleep(0.05)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def _descendants(pid: int) -> Iterator[int]:
    children = [child for child, parent in _parents().items() if parent == pid]
    for child in children:
        yield child
        yield from _descendants(child)


def _parents() -> dict[int, int]:
    found = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            found[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    return found


def _is_sshd(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().startswith("sshd")
    return False


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
