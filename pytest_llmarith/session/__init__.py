"""A pytest run: collection, ask, controller, xdist, recorder, terminal, forecast.

This module defines the stash keys on pytest's config and items. Every pytest run loads it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from pytest_llmarith.records import Record
    from pytest_llmarith.settings import Settings
    from pytest_llmarith.types import Failure, Question, Reply

# The key in xdist's `workerinput` of options that the controller passes to workers, which parse the command line anew.
OPTIONS_INPUT = "llmarith_options"
# On an item: the record of its trial, and its settings of pytest-timeout.
RECORD: pytest.StashKey[Record] = pytest.StashKey()
TIMER = pytest.StashKey[Any]()
_SETTINGS: pytest.StashKey[Settings] = pytest.StashKey()


class BrokerClient(Protocol):
    """The access of this process to the broker: `RunBroker`, or the connection of a worker."""

    def ask_and_wait(self, question: Question) -> Reply | Failure: ...

    def report_program(self, what: str | None) -> None:
        """Report which program is running; None when it has ended."""


BROKER_CLIENT: pytest.StashKey[BrokerClient] = pytest.StashKey()


def settings_of(config: pytest.Config) -> Settings:
    """The settings of the run, parsed on first use. Raises pytest.UsageError."""
    if _SETTINGS not in config.stash:
        from pytest_llmarith.settings import parse_settings

        config.stash[_SETTINGS] = parse_settings(config)
    return config.stash[_SETTINGS]
