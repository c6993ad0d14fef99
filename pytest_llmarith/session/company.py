"""Other plugins: what their options forbid, which is refused before the first request,
and their reports, which get the outcome of a trial.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from pytest_llmarith.types import Model

_HYPOTHESIS = "hypothesispytest"
_FORKED = (
    "{by} of pytest-forked runs each test in a fork, from which no question reaches "
    "the model; remove it: what a model writes runs in processes of its own anyway"
)
# Of pytest-socket and pytest-recording: what blocks the network, the option with the
# hosts that are allowed, and how to allow all.
_BLOCKS = (
    ("--disable-socket", "--allow-hosts", "add --force-enable-socket"),
    ("--allow-hosts", "--allow-hosts", "add --force-enable-socket"),
    ("--block-network", "--allowed-hosts", "remove --block-network"),
)


def spare_hypothesis(config: pytest.Config) -> None:
    """Unregister the plugin of hypothesis in a run that has not used it.

    It would import hypothesis, a tenth of a small run, to find nothing to say.
    """
    if "hypothesis" not in sys.modules:
        manager = config.pluginmanager
        if manager.hasplugin(_HYPOTHESIS):
            manager.unregister(name=_HYPOTHESIS)


def forked(config: pytest.Config, items: Iterable[pytest.Item]) -> str | None:
    """Why these items cannot ask, or None: they would be run in a fork."""
    if not hasattr(config.option, "forked"):
        return None
    for item in items:
        if config.option.forked:
            return _FORKED.format(by="--forked")
        if item.get_closest_marker("forked"):
            return _FORKED.format(by=f"the mark of {item.nodeid}")
    return None


def refuse_network(config: pytest.Config, models: Iterable[Model]) -> None:
    """Raise pytest.UsageError if one of these models would be asked though the user
    has said that nothing uses the network.
    """
    if config.getoption("--force-enable-socket", False):
        return
    for block, allowing, how in _BLOCKS:
        if not config.getoption(block, None):
            continue
        hosts = config.getoption(allowing, None) or ""
        for model in models:
            for host in _hosts_of(model):
                if _is_allowed(host, hosts):
                    continue
                by_host = f", or its host to {allowing}" if host else ""
                raise pytest.UsageError(
                    f"{block}: {model.name} would be asked over the network, and only "
                    f"fake models and stored replies need none; {how} to allow "
                    f"it{by_host}"
                )


def _hosts_of(model: Model) -> list[str | None]:
    """The hosts that are asked; None is one that only the provider's package knows."""
    if model.simulated or model.is_function:
        return []  # what a function does is the user's
    if model.file is not None:
        return ["127.0.0.1"]
    if model.servers is not None:
        return [urlsplit(one).hostname for one in model.servers.addresses]
    return [urlsplit(model.api_base).hostname if model.api_base else None]


def _is_allowed(host: str | None, hosts: str) -> bool:
    """Whether a host is among names, addresses or patterns with commas between."""
    for one in filter(None, map(str.strip, hosts.split(","))):
        try:
            if host is not None and re.fullmatch(one, host):
                return True
        except re.error:
            continue
    return False


# --- reports of other plugins ---------------------------------------------------------

_COLUMN = 2  # after the id of a test
_HTML_HEADER = '<th class="sortable" data-column-type="llmarith">Answer</th>'


class HtmlColumn:
    """The outcome as a column of pytest-html's table."""

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_table_header(self, cells: list[str]) -> None:
        cells.insert(_COLUMN, _HTML_HEADER)

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_table_row(
        self, report: pytest.TestReport, cells: list[str]
    ) -> None:
        facts = dict(report.user_properties)
        outcome = facts.get("llmarith_outcome", "")
        if cells:  # else the row is left out
            cells.insert(
                _COLUMN, f'<td class="col-llmarith">{escape(str(outcome))}</td>'
            )


def tell_allure(item: pytest.Item, outcome: str, why: str | None) -> None:
    """Add labels, parameters and the status text to allure's result of an item."""
    listener = item.config.pluginmanager.getplugin("allure_listener")
    result = listener and listener.allure_logger.get_test(None)
    if not result:
        return
    from allure_commons.model2 import Label, Parameter, StatusDetails

    for name, value in item.user_properties:
        if name.startswith("llmarith_"):
            # Excluded, so that the history of a test does not depend on its outcome.
            short = name.removeprefix("llmarith_")
            result.parameters.append(Parameter(name=short, value=value, excluded=True))
    result.labels.append(Label(name="llmarith_outcome", value=outcome))
    result.labels.append(Label(name="tag", value=outcome))
    if why is not None and result.statusDetails is None:
        result.statusDetails = StatusDetails(message=f"{outcome}: {why}")
