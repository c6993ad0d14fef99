"""Workers on ssh hosts: paths mean there what they mean here, nothing is copied, and a lost host is lost alone.

Registered only if `--tx` names an ssh host. pytest-xdist alone refuses paths that it has not copied to the host, copies
pytest into the folder that `chdir` names, and ends the run with an internal error if a host is lost.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from pytest_llmarith.session.conductor import Conductor

if TYPE_CHECKING:
    from xdist.workermanage import WorkerController


class SshHosts:
    def __init__(self, config: pytest.Config, conductor: Conductor) -> None:
        import execnet

        self._troubles = (execnet.HostNotFound, execnet.RemoteError, EOFError, OSError)
        self._config = config
        self._conductor = conductor
        self._lost: str | None = None
        self._patches = pytest.MonkeyPatch()

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionstart(self) -> Any:
        """xdist starts its workers here."""
        try:
            return (yield)
        except self._troubles as error:
            raise pytest.UsageError(f"a worker cannot be started: {_in_one_line(error)}") from None

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_setupnodes(self) -> None:
        from xdist import dsession, workermanage

        session = self._config.pluginmanager.getplugin("dsession")
        if not (self._config.getoption("rsyncdir") or self._config.getini("rsyncdirs")):
            session.nodemanager.roots = []
            self._patches.setattr(workermanage, "make_reltoroot", lambda roots, args: args)
        clone, send = dsession.DSession._clone_node, workermanage.WorkerController.sendcommand

        def replace(session: dsession.DSession, node: WorkerController) -> Any:
            try:
                if not hasattr(node, "workerinfo"):
                    raise EOFError("it ended before it was ready to collect")
                return clone(session, node)
            except self._troubles as error:
                self._lost = f"worker {node.gateway.id} is lost, and cannot be replaced: {_in_one_line(error)}"
                if session.sched is None or not session.sched.collection_is_completed:
                    raise pytest.UsageError(self._lost) from None
                self._conductor.say(self._lost)

        def send_or_lose(node: WorkerController, name: str, **arguments: Any) -> None:
            with suppress(OSError):  # the worker is dead: xdist learns of it next, and gives its items to others
                send(node, name, **arguments)

        self._patches.setattr(dsession.DSession, "_clone_node", replace)
        self._patches.setattr(workermanage.WorkerController, "sendcommand", send_or_lose)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Any:
        try:
            return (yield)
        except RuntimeError:  # xdist's error if items are left and no worker is
            if self._lost is None:
                raise
            self._conductor.stop(self._lost)
            raise session.Interrupted(self._lost) from None

    def pytest_unconfigure(self) -> None:
        self._patches.undo()


def _in_one_line(error: Exception) -> str:
    return ": ".join([type(error).__name__, *str(error).strip().splitlines()[-1:]])
