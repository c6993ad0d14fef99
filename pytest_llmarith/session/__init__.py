"""One pytest run: collection, ask, controller, xdist, recorder, terminal, forecast.

This module has what a run keeps on pytest's config and on its items. Every pytest run loads it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from pytest_llmarith.records import Record
    from pytest_llmarith.settings import Settings
    from pytest_llmarith.types import Failure, Question, Reply

# The controller's options for a worker, in xdist's `workerinput`: a worker parses the command line anew.
OPTIONS_INPUT = "llmarith_options"
# On an item: the record of its trial, and the settings with which pytest-timeout would time it.
RECORD: pytest.StashKey[Record] = pytest.StashKey()
TIMER = pytest.StashKey[Any]()
_SETTINGS: pytest.StashKey[Settings] = pytest.StashKey()


class Asker(Protocol):
    """Gets a question of this process answered: the run's broker, or a worker's connection to it."""

    def ask_and_wait(self, question: Question) -> Reply | Failure: ...

    def runs(self, what: str | None) -> None:
        """Say which program is being run; None when it has ended."""


ASKER: pytest.StashKey[Asker] = pytest.StashKey()


def settings_of(config: pytest.Config) -> Settings:
    """The settings of the run, parsed at first need. Raises pytest.UsageError."""
    if _SETTINGS not in config.stash:
        from pytest_llmarith.settings import parse_settings

        config.stash[_SETTINGS] = parse_settings(config)
    return config.stash[_SETTINGS]
