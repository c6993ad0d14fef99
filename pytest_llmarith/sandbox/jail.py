"""How the first process of a jail is started: its command line and its user, at each level."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from pytest_llmarith.sandbox.interpreter import FLAGS, base_interpreter
from pytest_llmarith.values import Level

_BOOT = Path(__file__).with_name("inside") / "boot.py"
_DEVICES = ("/dev/null", "/dev/urandom")
# systemd leaves the users from here on to nobody. Each harness takes its own.
_UNUSED_USERS = 0x70000000
_PATIENCE_S = 30


def start(level: Level, control: int) -> subprocess.Popen[bytes]:
    """Start the interpreter of a jail. `control` is its end of a socket; what it prints itself says what went wrong.

    Raises OSError where the level's tool or the interpreter is missing.
    """
    process = _popen([*_command(level), "-c", _boot_text(), str(control)], _user(level), (control,))
    assert process.stdin is not None
    process.stdin.close()
    return process


def bubblewrap() -> str | None:
    """The path of the tool that makes namespaces."""
    return shutil.which("bwrap", path=os.environ.get("PATH", os.defpath))


def _user(level: Level) -> dict[str, Any]:
    """Root gives its rights away where the interpreter starts without them: as a user that owns nothing."""
    if os.geteuid() == 0 and _starts_as(level, _unused_user()):
        return {"user": _unused_user(), "group": _unused_user(), "extra_groups": []}
    return {}


def _unused_user() -> int:
    return _UNUSED_USERS + os.getpid()


@cache
def _starts_as(level: Level, user: int) -> bool:
    try:
        process = _popen([*_command(level), "-c", ""], {"user": user, "group": user, "extra_groups": []}, ())
    except OSError:
        return False
    try:
        process.communicate(timeout=_PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
    return process.returncode == 0


def _popen(command: list[str], user: dict[str, Any], descriptors: tuple[int, ...]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=descriptors,
        env={},
        cwd="/",
        start_new_session=True,  # Ctrl-C on a terminal is the harness' to handle
        **user,
    )


@cache
def _boot_text() -> str:
    return _BOOT.read_text(encoding="utf-8")


@cache
def _command(level: Level) -> tuple[str, ...]:
    python = (base_interpreter().executable, *FLAGS)
    return (*_wrapping(), *python) if level is Level.STRICT else python


def _wrapping() -> list[str]:
    """No namespace shared with the machine, and of its files those that the interpreter needs, to be read."""
    tool = bubblewrap()
    if tool is None:
        raise FileNotFoundError("bubblewrap is not installed")
    interpreter = base_interpreter()
    return [
        tool,
        *("--unshare-all", "--die-with-parent", "--new-session", "--as-pid-1", "--clearenv", "--cap-drop", "ALL"),
        *(word for path in (*interpreter.files, *interpreter.folders) for word in ("--ro-bind", path, path)),
        *(word for path in interpreter.hidden for word in ("--tmpfs", path)),
        *(word for path in _DEVICES for word in ("--dev-bind", path, path)),
        *("--proc", "/proc", "--remount-ro", "/", "--chdir", "/", "--"),
    ]
