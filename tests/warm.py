"""`pytest` and `llmarith` as programs of a shell, without the seconds that litellm
takes to be imported every time.

    with warm_programs(shared) as folder:
        subprocess.run("pytest --version", shell=True, env={"PATH": folder})

Each command is a process of its own with its caller's folder, environment and files: a
fork of one that has imported litellm and nothing of pytest-llmarith. So is the broker's
process of a run, which `python` in the folder starts. Run as a script, this module is
that process.
"""

from __future__ import annotations

import fcntl
import gc
import importlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

DOOR = "door"
# A pipe that is open where the programs may be called; it serves as long as one is.
USED = "used"
_SERVER = "pytest_llmarith.models.broker"
_LONGEST = 1 << 20
_CALLER = """\
#!{python} -IS
import json, os, socket, sys

if sys.argv[0].endswith("/python") and {server!r} not in sys.argv:
    os.execv({python!r}, [{python!r}, *sys.argv[1:]])
with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as door:
    door.connect({door!r})
    told = {{"argv": sys.argv, "folder": os.getcwd(), "environment": dict(os.environ)}}
    socket.send_fds(door, [json.dumps(told).encode()], [0, 1, 2])
    sys.exit(int(door.recv(8)))
"""


@contextmanager
def warm_programs(shared: Path) -> Iterator[Path]:
    """A folder with both programs, for a PATH; the same one for all who name `shared`
    at a time.
    """
    server = None
    with (shared / "warm").open("a+") as known:
        fcntl.flock(known, fcntl.LOCK_EX)
        known.seek(0)
        folder = Path(known.read() or "nowhere")
        try:
            used = os.open(folder / USED, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # it was not begun yet, or has ended
            folder = Path(tempfile.mkdtemp())  # the path of a socket has to be short
            os.mkfifo(folder / USED)
            used = os.open(folder / USED, os.O_RDWR)
            server = _begin(folder)
            known.truncate(0)
            known.write(f"{folder}")
    try:
        yield folder
    finally:
        os.close(used)
        if server is not None:
            server.wait()
            shutil.rmtree(folder)


def _begin(folder: Path) -> subprocess.Popen[bytes]:
    for program in ("pytest", "llmarith", "python"):
        caller = _CALLER.format(
            python=sys.executable, door=f"{folder / DOOR}", server=_SERVER
        )
        (folder / program).write_text(caller)
        (folder / program).chmod(0o700)
    as_ours = os.environ | {
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_MODE": "PRODUCTION",
    }
    server = subprocess.Popen(
        [sys.executable, "-P", __file__, f"{folder / DOOR}"],
        stdout=subprocess.PIPE,
        env=as_ours,
    )
    assert server.stdout is not None
    with server.stdout as said:
        assert said.readline() == b"warm\n"
    return server


def _serve(door: str) -> int | None:
    """Give each caller its program; returns in the process of a program too, with how
    that ends.
    """
    import litellm  # noqa: F401
    import openai.resources  # noqa: F401  # else litellm's first call imports it

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    gc.freeze()  # else every child looks for garbage among litellm's 300,000 objects
    used = os.open(Path(door).with_name(USED), os.O_RDONLY | os.O_NONBLOCK)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
        listening.bind(door)
        listening.listen()
        os.write(1, b"warm\n")
        watched: list[Any] = [listening, used]
        while listening in select.select(watched, [], [])[0]:
            caller, _ = listening.accept()
            with caller:
                message, files, *_ = socket.recv_fds(caller, _LONGEST, 3)
                if (
                    os.fork() == 0
                ):  # it waits for the program, and its own end is waited for by nobody
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    if (child := os.fork()) == 0:
                        break
                    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
                    with suppress(BrokenPipeError):  # a test has killed it
                        caller.send(str(status).encode())
                    os._exit(0)
                for file in files:
                    os.close(file)
        else:
            return 0
    return _run(json.loads(message), files, Path(door).parent)


def _run(told: dict[str, Any], files: list[int], folder: Path) -> int | None:
    for mine, theirs in enumerate(files):
        os.dup2(theirs, mine)
        os.close(theirs)
    os.chdir(told["folder"])
    os.environ.clear()
    os.environ.update(told["environment"])
    # As at the start of a process.
    sys.path[:0] = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    sys.argv[:] = told["argv"]
    if _SERVER in sys.argv:
        importlib.import_module(_SERVER).main()
    sys.executable = str(folder / "python")
    (program,) = entry_points(group="console_scripts", name=Path(sys.argv[0]).name)
    status: int | None = program.load()()
    return status


if __name__ == "__main__":
    sys.exit(_serve(sys.argv[1]))
