"""The controller's side of pytest-xdist: every worker gets a line to the one broker."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from pytest_llmarith.options.settings import Settings
from pytest_llmarith.session.begin import OPTIONS_INPUT
from pytest_llmarith.session.conductor import Conductor
from pytest_llmarith.session.selection import Label, crashed_record

if TYPE_CHECKING:
    from xdist.workermanage import WorkerController

CHANNEL_INPUT = "llmarith"
ANNOUNCES_INPUT = "llmarith_announces"
# What a worker cannot find out for itself: a drawn seed, and models named in the environment of another host.
SHARED_OPTIONS = ("llm_seed", "llm_model")


class Workers:
    """Hands out the lines, and knows every announced trial: a worker that died can report nothing."""

    def __init__(self, config: pytest.Config, settings: Settings, conductor: Conductor) -> None:
        self._config = config
        self._settings = settings
        self._conductor = conductor
        self._labels: dict[str, Label] = {}
        self._selected: Counter[tuple[str, str]] = Counter()
        self._announcer: str | None = None

    def record_of_crashed(self, nodeid: str) -> dict[str, Any] | None:
        label = self._labels.get(nodeid)
        return label and crashed_record(label, self._settings)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: WorkerController) -> None:
        """Replacements of dead workers come through here too."""
        from pytest_llmarith.models.channel import serve

        lane = node.gateway.id
        channel = node.gateway.newchannel()
        serve(channel, self._conductor.broker, lane, self._announced, lambda: self._gone(lane))
        node.workerinput[CHANNEL_INPUT] = channel
        node.workerinput[OPTIONS_INPUT] = {name: getattr(self._config.option, name) for name in SHARED_OPTIONS}
        node.workerinput[ANNOUNCES_INPUT] = self._announcer is None
        self._announcer = self._announcer or lane

    def _announced(self, labels: list[Label]) -> None:
        self._labels.update((label[0], label) for label in labels)
        self._selected.update((model, task) for _, task, model, _ in labels)
        self._conductor.on_selected(self._selected)

    def _gone(self, lane: str) -> None:
        """An announcer that died before it announced anything is followed by the next new worker."""
        if self._announcer == lane and not self._labels:
            self._announcer = None
