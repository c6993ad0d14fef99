"""The controller's side of pytest-xdist: every worker gets a line to the one broker."""

from __future__ import annotations

import threading
from collections import Counter
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import pytest

from pytest_llmarith import trials
from pytest_llmarith.records import Record
from pytest_llmarith.reports.keys import Key
from pytest_llmarith.session.begin import OPTIONS_INPUT
from pytest_llmarith.session.conductor import Conductor
from pytest_llmarith.session.forecast import Asked
from pytest_llmarith.session.selection import Label
from pytest_llmarith.settings import Settings
from pytest_llmarith.values import BreakingProblem, Condition, Failure, Question

if TYPE_CHECKING:
    from xdist.workermanage import WorkerController

# What a worker tells first: which version of ours it has.
VERSION = "version"
DISTRIBUTION = "pytest-llmarith"
CHANNEL_INPUT = "llmarith"
ANNOUNCES_INPUT = "llmarith_announces"
# What a worker tells besides its questions: the digest of the entries that it has, the program that it runs.
ENTRIES = "entries"
RUNS = "runs"
_LOOK_S = 0.5
# What a worker cannot find out for itself: a drawn seed, and models named in the environment of another host.
_SHARED_OPTIONS = ("llm_seed", "llm_model")


class Workers:
    """Hands out the lines, and knows every announced trial: a worker that died can report nothing."""

    def __init__(self, config: pytest.Config, settings: Settings, conductor: Conductor) -> None:
        self._config = config
        self._settings = settings
        self._models = {model.name: model for model in settings.models}
        self._conductor = conductor
        self._announced: dict[str, tuple[Question, Label]] = {}
        self._selected: Counter[Key] = Counter()
        self._announcer: str | None = None
        self._announced_all = threading.Event()
        self._begun = False
        self._entries: dict[str, str] = {}  # the first lane that told of its entries, and their digest
        self._lock = threading.Lock()

    def record_of_crashed(self, nodeid: str) -> Record | None:
        """The record of an announced trial whose worker died before it could report."""
        if nodeid not in self._announced:
            return None
        question, (_, task, fields, condition) = self._announced[nodeid]
        model = self._models[question.model]
        subject = trials.Subject(task, fields, model, question.prompt, nodeid, condition, question.repeat)
        return trials.unanswered_record(subject, Failure("worker crashed"))

    def reported(self, nodeid: str) -> None:
        """Forget an announced trial: its record has arrived."""
        self._announced.pop(nodeid, None)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: WorkerController) -> None:
        """Replacements of dead workers come through here too."""
        from pytest_llmarith.models.channel import Clerk

        name = node.gateway.id
        channel = node.gateway.newchannel()
        Clerk(channel, self._conductor.broker(), name, Lane(self, name)).begin()
        node.workerinput[CHANNEL_INPUT] = channel
        node.workerinput[OPTIONS_INPUT] = {name: getattr(self._config.option, name) for name in _SHARED_OPTIONS}
        node.workerinput[ANNOUNCES_INPUT] = self._announcer is None
        self._announcer = self._announcer or name

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: WorkerController) -> None:
        """What the announcer has selected is going to be asked: before any worker is given an item to run."""
        while self._announcer == node.gateway.id and not self._begun:
            if self._announced_all.wait(_LOOK_S):
                self._begun = True
                asked = [_asked(question, label) for question, label in self._announced.values()]
                if asked:
                    self._conductor.begin_asking(asked)

    # --- what the lanes hear --------------------------------------------------------------------------------------

    def announced(self, announcements: list[tuple[Question, Label]]) -> None:
        """Note what is going to be asked."""
        self._announced.update((label[0], (question, label)) for question, label in announcements)
        self._selected.update(_asked(question, label).key for question, label in announcements)
        self._conductor.on_selected(self._selected)

    def announced_all(self) -> None:
        """Note that there are no others."""
        self._announced_all.set()

    def has_entries(self, lane: str, digest: str) -> None:
        """End the run where two workers would ask about different sequences under the same name."""
        with self._lock:
            self._entries = self._entries or {lane: digest}
        ((first, expected),) = self._entries.items()
        if digest != expected:
            self._conductor.stop(
                f"worker {lane} has other OEIS entries than {first} (digest {digest}, not {expected}); "
                "copy the same oeis_cache to every host, or name it with --oeis-cache"
            )

    def has_version(self, lane: str, found: str) -> None:
        """End the run where a worker's host has another version of ours: it may ask and grade otherwise."""
        if found != version(DISTRIBUTION):
            self._conductor.stop(
                f"worker {lane} has {DISTRIBUTION} {found}, not {version(DISTRIBUTION)}; "
                "install the same version on every host"
            )

    def runs(self, lane: str, what: str | None) -> None:
        """Note which program a worker is running, for the progress line."""
        self._conductor.note_running(lane, what)

    def ended(self, lane: str) -> None:
        """An announcer that died before it had announced all is followed by the next new worker."""
        self._conductor.note_running(lane, None)
        if self._announcer == lane and not self._announced_all.is_set():
            self._announced.clear()
            self._selected.clear()
            self._announcer = None


def _asked(question: Question, label: Label) -> Asked:
    _, task, fields, condition = label
    search = BreakingProblem.of_fields(fields) if task == BreakingProblem.task else None
    return Asked(question, task, Condition.of_fields(condition), search, fields.get("set"))


class Lane:
    """What one worker says besides its questions."""

    def __init__(self, workers: Workers, name: str) -> None:
        self._workers = workers
        self._name = name

    def announced(self, announcements: list[tuple[Question, Label]]) -> None:
        self._workers.announced(announcements)

    def announced_all(self) -> None:
        self._workers.announced_all()

    def told(self, kind: str, what: Any) -> None:
        hear = {
            VERSION: self._workers.has_version,
            ENTRIES: self._workers.has_entries,
            RUNS: self._workers.runs,
        }[kind]
        hear(self._name, what)

    def ended(self) -> None:
        self._workers.ended(self._name)
