"""Workers of pytest-xdist and their connections to the broker, which the controller owns."""

from __future__ import annotations

import threading
from dataclasses import astuple
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import pytest

from pytest_llmarith import evaluate
from pytest_llmarith.records import Record
from pytest_llmarith.session.collection import digest_of
from pytest_llmarith.session.marks import problem_of
from pytest_llmarith.session.outcomes import BROKER_CLIENT, OPTIONS_INPUT
from pytest_llmarith.session.selection import PlannedQuestion, planned_questions, selected
from pytest_llmarith.settings import Settings
from pytest_llmarith.tasks.oeis import OeisProblem
from pytest_llmarith.types import Failure, Question, Reply

if TYPE_CHECKING:
    from xdist.workermanage import WorkerController

    from pytest_llmarith.models.process import Channel
    from pytest_llmarith.session.run_broker import RunBroker

# Other messages of a worker: its version of the plugin, the digest of its OEIS entries, the program it runs.
VERSION, ENTRIES, RUNS = "version", "entries", "runs"
DISTRIBUTION = "pytest-llmarith"
CHANNEL_INPUT = "llmarith"
ANNOUNCES_INPUT = "llmarith_announces"
_LOOK_S = 0.5
# Options that a worker cannot determine: a random seed, and models from the environment of another host.
_SHARED_OPTIONS = ("llm_seed", "llm_model")


class Workers:
    """Connects workers, and keeps the announced questions to report those of crashed workers."""

    def __init__(self, config: pytest.Config, settings: Settings, broker: RunBroker) -> None:
        self._config = config
        self._models = {model.name: model for model in settings.models}
        self._broker = broker
        self._announced: dict[str, PlannedQuestion] = {}
        self._announcer: str | None = None
        self._announced_all = threading.Event()
        self._begun = False
        self._entries: dict[str, str] = {}  # the first worker that sent the digest of its entries, and the digest
        self._lock = threading.Lock()

    def record_of_crashed(self, nodeid: str) -> Record | None:
        """The record of an announced trial whose worker crashed before it reported."""
        if (asked := self._announced.get(nodeid)) is None:
            return None
        question, model = asked.question, self._models[asked.question.model]
        trial = evaluate.Trial(
            asked.task, asked.problem, model, question.prompt, nodeid, asked.condition, question.repeat
        )
        return evaluate.unanswered_record(trial, Failure("worker crashed"))

    def reported(self, nodeid: str) -> None:
        """Remove an announced trial whose record has arrived."""
        self._announced.pop(nodeid, None)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: WorkerController) -> None:
        """Connect a worker or the replacement of a crashed one. One worker announces for all."""
        name = node.gateway.id
        channel = node.gateway.newchannel()
        self._broker.process().attach(name, channel)
        channel.setcallback(partial(self._received, name, channel), endmarker=None)
        node.workerinput[CHANNEL_INPUT] = channel
        node.workerinput[OPTIONS_INPUT] = {name: getattr(self._config.option, name) for name in _SHARED_OPTIONS}
        node.workerinput[ANNOUNCES_INPUT] = self._announcer is None
        self._announcer = self._announcer or name

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: WorkerController) -> None:
        """Begin asking the announced questions, before any worker gets an item to run."""
        while self._announcer == node.gateway.id and not self._begun:
            if self._announced_all.wait(_LOOK_S):
                self._begun = True
                if self._announced:
                    self._broker.begin(list(self._announced.values()))

    # --- messages of workers --------------------------------------------------------------------------------------

    def _received(self, worker: str, channel: Channel, message: tuple[Any, ...] | None) -> None:
        """Runs on execnet's receiver thread, where an exception would close the channel silently."""
        try:
            self._handle(worker, message)
        except Exception:  # the worker has another version, or is gone
            channel.close()

    def _handle(self, worker: str, message: tuple[Any, ...] | None) -> None:
        kind, *said = message or ("ended",)
        if kind == "ask":
            self._broker.process().ask_for(worker, *said)
        elif kind == "announce":
            asked = [PlannedQuestion.of_label(Question(*fields), label) for fields, label in said[0]]
            self._announced.update((one.nodeid, one) for one in asked)
        elif kind == "announced":
            self._announced_all.set()
        elif kind == "notify":
            self._handle_notice(worker, *said)
        else:
            self._broker.process().detach(worker)
            self._ended(worker)

    def _handle_notice(self, worker: str, kind: str, what: Any) -> None:
        """Handle other messages: stop the run if a worker has a different version or different OEIS entries."""
        if kind == RUNS:
            self._broker.note_running(worker, what)
        elif kind == VERSION and what != version(DISTRIBUTION):
            self._broker.stop(
                f"worker {worker} has {DISTRIBUTION} {what}, not {version(DISTRIBUTION)}; "
                "install the same version on every host"
            )
        elif kind == ENTRIES:
            with self._lock:
                self._entries = self._entries or {worker: what}
            ((first, expected),) = self._entries.items()
            if what != expected:
                self._broker.stop(
                    f"worker {worker} has different OEIS entries than {first} (digest {what}, not {expected}); "
                    "copy the same oeis_cache to every host, or name it with oeis_cache"
                )

    def _ended(self, worker: str) -> None:
        """Handle the end of a worker; if it had not announced all questions, the next new worker announces."""
        self._broker.note_running(worker, None)
        if self._announcer == worker and not self._announced_all.is_set():
            self._announced.clear()
            self._announcer = None


class Worker:
    """The plugin of a worker: announces the selected questions and asks through the controller."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        from pytest_llmarith.models.process import WorkerConnection

        workerinput = config.workerinput  # type: ignore[attr-defined]  # xdist's, this is a worker
        self._settings = settings
        self._announces = workerinput[ANNOUNCES_INPUT]
        self._broker = WorkerConnection(workerinput[CHANNEL_INPUT])
        config.stash[BROKER_CLIENT] = self

    def ask_and_wait(self, question: Question) -> Reply | Failure:
        return self._broker.ask_and_wait(question)

    def report_program(self, what: str | None) -> None:
        self._broker.notify(RUNS, what)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._broker.notify(VERSION, version(DISTRIBUTION))
        items = selected(session.items)
        if sequences := [problem for item in items if isinstance(problem := problem_of(item), OeisProblem)]:
            self._broker.notify(ENTRIES, digest_of(sequences, self._settings))
        if self._announces:
            asked = planned_questions(items, self._settings)
            self._broker.announce((astuple(one.question), one.label) for one in asked)
