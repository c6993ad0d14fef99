"""What options of other plugins forbid; it is refused before the first request."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from pytest_llmarith.types import Model

_FORKED = (
    "{by} of pytest-forked runs each test in a fork, from which no question reaches "
    "the model; remove it: programs of models run in processes of their own anyway"
)
# Of pytest-socket and pytest-recording: what blocks the network, the option with the
# hosts that are allowed, and how to allow all.
_BLOCKS = (
    ("--disable-socket", "--allow-hosts", "add --force-enable-socket"),
    ("--allow-hosts", "--allow-hosts", "add --force-enable-socket"),
    ("--block-network", "--allowed-hosts", "remove --block-network"),
)


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
            host = _host_of(model)
            if not model.simulated and not _is_allowed(host, hosts):
                by_host = f", or its host to {allowing}" if host else ""
                raise pytest.UsageError(
                    f"{block}: {model.name} would be asked over the network, and only "
                    f"fake models and stored replies need none; {how} to allow "
                    f"it{by_host}"
                )


def _host_of(model: Model) -> str | None:
    """The host that is asked, if it is known without the provider's package."""
    if model.file is not None:
        return "127.0.0.1"
    return urlsplit(model.api_base).hostname if model.api_base else None


def _is_allowed(host: str | None, hosts: str) -> bool:
    """Whether a host is among names, addresses or patterns with commas between."""
    for one in filter(None, map(str.strip, hosts.split(","))):
        try:
            if host is not None and re.fullmatch(one, host):
                return True
        except re.error:
            continue
    return False
