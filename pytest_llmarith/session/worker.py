"""A worker of pytest-xdist: it asks the controller's broker, announces what was selected, and writes nothing."""

from __future__ import annotations

from dataclasses import astuple
from importlib.metadata import version

import pytest

from pytest_llmarith.items.sequences import digest_of
from pytest_llmarith.models.channel import RemoteBroker
from pytest_llmarith.session.selection import selected
from pytest_llmarith.session.workers import ANNOUNCES_INPUT, CHANNEL_INPUT, DISTRIBUTION, ENTRIES, RUNS, VERSION
from pytest_llmarith.settings import Settings
from pytest_llmarith.values import Failure, OeisProblem, Question, Reply


class Worker:
    """Holds the line to the broker."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        workerinput = config.workerinput  # type: ignore[attr-defined]  # xdist's, this is a worker
        self._settings = settings
        self._announces = workerinput[ANNOUNCES_INPUT]
        self._broker = RemoteBroker(workerinput[CHANNEL_INPUT])

    def ask_and_wait(self, question: Question) -> Reply | Failure:
        return self._broker.ask_and_wait(question)

    def runs(self, what: str | None) -> None:
        """Tell which program is being run."""
        self._broker.tell(RUNS, what)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._broker.tell(VERSION, version(DISTRIBUTION))
        mine = list(selected(session.items))
        if sequences := [one.problem for one in mine if isinstance(one.problem, OeisProblem)]:
            self._broker.tell(ENTRIES, digest_of(sequences, self._settings))
        if self._announces:
            self._broker.announce(
                (astuple(question), one.label()) for one in mine if (question := one.question(self._settings))
            )
