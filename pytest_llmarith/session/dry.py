"""A dry run: what would be asked and what it might cost. Nothing is asked, run or written."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

import pytest

from pytest_llmarith.items.marks import NO_MODEL
from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.session.display import header
from pytest_llmarith.session.forecast import Asked, Forecast, asked_by
from pytest_llmarith.session.selection import Selected, selected
from pytest_llmarith.settings import Settings

if TYPE_CHECKING:
    from pytest_llmarith.models.broker import Broker

_LONGEST_LINE = 500


class DryRun:
    """Registered in place of everything that asks, runs and writes."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self._settings = settings
        if hasattr(config.option, "dist"):  # as with -n 0; pytest-xdist configures itself last, and will see it
            config.option.numprocesses, config.option.dist, config.option.tx = 0, "no", []

    def pytest_report_header(self) -> list[str]:
        return [*header(self._settings), "llmarith: dry run, nothing is asked"]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed and not session.config.option.continue_on_collection_errors:
            raise session.Interrupted(f"{session.testsfailed} errors during collection")
        mine = list(selected(session.items))
        for line in chain(self._counted(mine), self._prompts(mine)):
            self._write(line)
        return True

    def _counted(self, mine: list[Selected]) -> Iterator[str]:
        asked = asked_by(mine, self._settings)
        if asked:
            forecast = self._forecast(asked)
            yield from (f"llmarith: {line}" for line in forecast.lines())
            forecast.refuse_unbounded()
            forecast.refuse_too_small()
        if others := len(mine) - len(asked):
            yield f"llmarith: forecast: {others:,} questions to a model fixture of your own, of unknown cost"
        if not mine:
            yield f"llmarith: no question was selected{'' if self._settings.models else f'; {NO_MODEL}'}"

    def _forecast(self, asked: list[Asked]) -> Forecast:
        from pytest_llmarith.models.store import StoreError
        from pytest_llmarith.session.making import make_broker

        broker: Broker = make_broker(self._settings, only_looks=True)
        try:
            ahead = broker.look_ahead(one.question for one in asked)
        except StoreError as error:
            raise pytest.UsageError(str(error)) from None
        return Forecast(self._settings, broker, asked, ahead)

    def _prompts(self, mine: list[Selected]) -> Iterator[str]:
        """The first question of each task, as a model sees it."""
        first: dict[str, Selected] = {}
        for one in mine:
            first.setdefault(one.problem.task, one)
        for one in first.values():
            yield ""
            yield f"{one.problem.task}, as {sanitize(one.nodeid, _LONGEST_LINE)} asks:"
            for text in filter(None, (one.system_prompt(self._settings), one.prompt(self._settings))):
                yield from (f"    {sanitize(line, _LONGEST_LINE)}".rstrip() for line in text.split("\n"))

    def _write(self, line: str) -> None:
        terminal = self._config.pluginmanager.getplugin("terminalreporter")
        if terminal is not None:
            terminal.write_line(line)
