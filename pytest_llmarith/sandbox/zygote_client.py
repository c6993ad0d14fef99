"""The client of a zygote: starts it at a level, and sends it inputs.

Each answer becomes a run.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from _socket import socketpair  # that of `socket` is closed by pytest-socket
from contextlib import closing
from functools import cache
from typing import Any

from pytest_llmarith.sandbox.child import protocol
from pytest_llmarith.sandbox.payload import CHILD, FLAGS, base_interpreter, pack
from pytest_llmarith.sandbox.program_runs import (
    Ending,
    IsolationLevel,
    ProgramLimits,
    ProgramRun,
)

_START_S = 30.0
_GRACE_S = 5.0
_END_S = 2.0
_NS = 1e-9
# Else glibc reserves address space of 64 MB for each thread that allocates, and the
# limit of memory stops the tenth; and each term looks up anew where functions are.
_ENVIRONMENT = {"MALLOC_ARENA_MAX": "2", "LD_BIND_NOW": "1"}
_DEVICES = ("/dev/null", "/dev/urandom")
_LINKS = {"/dev/fd": "/proc/self/fd", "/dev/stdin": "/proc/self/fd/0"}
# systemd assigns no user ids from here on. Each harness uses one.
_UNUSED_USERS = 0x70000000
_SIGNALS = {each.value: each.name for each in signal.Signals}
_ENDINGS = {
    protocol.EXITED: Ending.EXITED,
    protocol.SIGNALLED: Ending.KILLED,
    protocol.LATE: Ending.LATE,
    protocol.INCONCLUSIVE: Ending.INCONCLUSIVE,
    protocol.OUTPUT_FULL: Ending.KILLED,
}


class ZygoteLost(Exception):
    """A zygote ended, hung or sent an invalid answer during a term."""


class ZygoteClient:
    """The zygote of one program, started for the first term and after it was lost."""

    def __init__(
        self, level: IsolationLevel, program: str, limits: ProgramLimits
    ) -> None:
        self._level = level
        self._payload = pack(level, program, limits)
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, number: int, stop_s: float, inconclusive_s: float) -> ProgramRun:
        """Run one term.

        Raises ZygoteLost, and OSError if no zygote starts or it cannot start a term.
        """
        if self._process is None:
            self._start()
        stdin = f"{number}\n".encode()
        run = None
        try:
            longest_s = max(inconclusive_s, stop_s * protocol.SLOWEST)
            self._socket.settimeout(longest_s + _GRACE_S)
            request = protocol.REQUEST.pack(
                int(stop_s / _NS), int(inconclusive_s / _NS), len(stdin)
            )
            self._socket.sendall(request + stdin)
            run = self._answer(number)
        except (ConnectionError, TimeoutError) as error:
            raise ZygoteLost(f"{error}") from None
        finally:
            if run is None:
                self.close()
        return run

    def _start(self) -> None:
        self._socket, control = socketpair()
        try:
            with closing(control):
                self._process = _start_process(self._level, control.fileno())
        except OSError:
            self._socket.close()
            raise
        message = "it was interrupted"
        try:
            self._socket.settimeout(_START_S)
            self._socket.sendall(
                protocol.LENGTH.pack(len(self._payload)) + self._payload
            )
            (length,) = protocol.LENGTH.unpack(self._receive(protocol.LENGTH.size))
            message = self._receive(length).decode("utf-8", "replace")
        except OSError as error:
            message = self._last_line() or f"{error}"
        finally:
            if message:
                self.close()
        if message:
            raise OSError(f"the sandbox does not start: {message}")

    def close(self) -> None:
        """Close the socket, upon which the zygote ends; if it does not, kill it."""
        if self._process is not None:
            self._socket.close()
            try:
                self._process.wait(_END_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None

    def _answer(self, number: int) -> ProgramRun:
        """The run; raises ConnectionError if an answer is invalid or missing."""
        fields = protocol.ANSWER.unpack(self._receive(protocol.ANSWER.size))
        code, status, counted_ns, wall_ns, stdout_bytes, stderr_bytes = fields
        if max(stdout_bytes, stderr_bytes) > protocol.OUTPUT_BYTES:
            raise ConnectionError("its answer is invalid")
        stdout = self._receive(stdout_bytes).decode("utf-8", "replace")
        stderr = self._receive(stderr_bytes).decode("utf-8", "replace")
        if code == protocol.NOT_STARTED:
            raise OSError(f"a program could not be started: {stderr}")
        if code not in _ENDINGS:
            raise ConnectionError("its answer is invalid")
        detail = None
        if code == protocol.SIGNALLED:
            detail = _SIGNALS.get(status, f"signal {status}")
        elif code == protocol.OUTPUT_FULL:
            detail = f"more than {protocol.OUTPUT_BYTES:,} bytes on stdout or stderr"
        elif code == protocol.INCONCLUSIVE:
            waited_s = (wall_ns - counted_ns) * _NS
            detail = (
                f"the machine was too busy: {waited_s:.1f} s of {wall_ns * _NS:.1f} s "
                f"spent waiting"
            )
        return ProgramRun(
            number,
            _ENDINGS[code],
            status if code == protocol.EXITED else None,
            detail,
            stdout,
            stderr,
            counted_ns * _NS,
        )

    def _receive(self, length: int) -> bytes:
        parts = bytearray()
        while len(parts) < length:
            part = self._socket.recv(length - len(parts))
            if not part:
                raise ConnectionError("it ended without an answer")
            parts += part
        return bytes(parts)

    def _last_line(self) -> str:
        """The last line that bubblewrap or the interpreter printed."""
        assert self._process is not None
        assert self._process.stdout is not None
        self._process.kill()
        printed = self._process.stdout.read(10_000).decode("utf-8", "replace")
        lines = printed.strip().splitlines()
        return lines[-1] if lines else ""


def _start_process(level: IsolationLevel, control: int) -> subprocess.Popen[bytes]:
    script = (CHILD / "protocol.py").read_text(encoding="utf-8")
    user = None
    if os.geteuid() == 0 and starts_as(level, _UNUSED_USERS + os.getpid()):
        user = _UNUSED_USERS + os.getpid()
    process = subprocess.Popen(
        [*_command(level), "-c", script, str(control)],
        # sys.stdin is created now; in a program it has to be that of a pipe
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=(control,),
        **_options(user),
    )
    assert process.stdin is not None
    process.stdin.close()
    return process


@cache
def starts_as(level: IsolationLevel, user: int) -> bool:
    """Whether the interpreter starts as this user, as which root runs it."""
    command = [*_command(level), "-c", ""]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_START_S,
            check=False,
            **_options(user),
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _options(user: int | None) -> dict[str, Any]:
    # In its own session it does not receive the terminal's Ctrl-C.
    options = {"env": _ENVIRONMENT, "cwd": "/", "start_new_session": True}
    if user is None:
        return options
    return {**options, "user": user, "group": user, "extra_groups": []}


@cache
def _command(level: IsolationLevel) -> tuple[str, ...]:
    interpreter = base_interpreter()
    python = (interpreter.executable, *FLAGS)
    if level is not IsolationLevel.STRICT:
        return python
    tool = shutil.which("bwrap", path=os.environ.get("PATH", os.defpath))
    if tool is None:
        raise FileNotFoundError(
            "bubblewrap is not installed, run apt install bubblewrap"
        )
    command = [tool, "--unshare-all", "--die-with-parent", "--new-session"]
    command += ["--as-pid-1", "--cap-drop", "ALL"]
    for path in (*interpreter.files, *interpreter.folders):
        command += ["--ro-bind", path, path]
    for path in interpreter.hidden:
        command += ["--tmpfs", path]
    for path in _DEVICES:
        command += ["--dev-bind", path, path]
    for path, target in _LINKS.items():
        command += ["--symlink", target, path]
    command += ["--proc", "/proc", "--remount-ro", "/", "--chdir", "/", "--"]
    return (*command, *python)
