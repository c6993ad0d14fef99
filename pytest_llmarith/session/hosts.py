"""Workers on other hosts: a path means there what it means here, nothing is copied, and one that is lost is lost alone.

Left to itself, pytest-xdist refuses every path that it has not copied to the host, copies pytest into the folder that
`chdir` names, where it hides the installed one ever after, and ends the run with an internal error once a host is gone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any

import pytest

from pytest_llmarith.session.conductor import Conductor

if TYPE_CHECKING:
    from xdist.workermanage import WorkerController

# So many workers of one kind may die before they begin: one that cannot begin is replaced in vain.
_STILLBORN = 2


class Hosts:
    """Registered in the controller or the only process; it acts only where pytest-xdist distributes the items."""

    def __init__(self, config: pytest.Config, conductor: Conductor) -> None:
        self._config = config
        self._conductor = conductor
        self._lost: str | None = None
        self._stillborn: Counter[str] = Counter()
        self._undo = pytest.MonkeyPatch()

    @pytest.hookimpl(wrapper=True)
    def pytest_sessionstart(self) -> Any:
        """Here xdist starts its workers."""
        with _wrong_usage() if self._conductor.has_workers() else nullcontext():
            return (yield)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_setupnodes(self) -> None:
        from xdist import workermanage

        dsession = self._config.pluginmanager.getplugin("dsession")
        if not (self._config.getoption("rsyncdir") or self._config.getini("rsyncdirs")):
            dsession.nodemanager.roots = []
            self._undo.setattr(workermanage, "make_reltoroot", lambda roots, args: args, raising=False)
        self._undo.setattr(dsession, "_clone_node", self._replacing(dsession))

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: WorkerController) -> None:
        """What is sent to a worker that has just died is lost: soon xdist hears of that, and gives its items away."""
        node.sendcommand = _in_vain(node.sendcommand)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Any:
        try:
            return (yield)
        except RuntimeError:  # xdist's word for items that are left when no worker is
            if self._lost is None:
                raise
            self._conductor.stop(self._lost)
            raise session.Interrupted(self._lost) from None

    def pytest_unconfigure(self) -> None:
        self._undo.undo()

    def _replacing(self, dsession: Any) -> Callable[[WorkerController], Any]:
        """Go on without a worker that cannot be replaced: xdist would fail, or try for ever."""
        replace = dsession._clone_node

        def attempt(node: WorkerController) -> Any:
            spec = str(node.gateway.spec)
            self._stillborn[spec] += not hasattr(node, "workerinfo")  # which it gets when it is ready to collect
            try:
                if self._stillborn[spec] > _STILLBORN:
                    raise EOFError(f"{self._stillborn[spec]} died before they began")
                return replace(node)
            except _troubles() as error:
                self._lost = f"worker {node.gateway.id} is lost, and cannot be replaced: {_words(error)}"
                if not dsession.sched.collection_is_completed:  # for which all the others would wait
                    raise pytest.UsageError(self._lost) from None
                self._conductor.say(self._lost)
                return None

        return attempt


@contextmanager
def _wrong_usage() -> Iterator[None]:
    """A host that cannot be reached, or has no pytest, is no error of ours. What ssh says of it is on stderr."""
    try:
        yield
    except _troubles() as error:
        raise pytest.UsageError(f"a worker cannot be started: {_words(error)}") from None


def _troubles() -> tuple[type[Exception], ...]:
    """How execnet tells that the other side is not there, or cannot do its work."""
    import execnet

    return (execnet.HostNotFound, execnet.RemoteError, EOFError, OSError)


def _words(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[-1]}" if lines else type(error).__name__


def _in_vain(send: Callable[..., None]) -> Callable[..., None]:
    def attempt(name: str, **what: Any) -> None:
        with suppress(OSError):
            send(name, **what)

    return attempt
