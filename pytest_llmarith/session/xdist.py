"""Workers of pytest-xdist and their connections to the broker, which the controller
owns.
"""

from __future__ import annotations

import signal
import threading
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import pytest

from pytest_llmarith import evaluate
from pytest_llmarith.models.process import (
    BrokerProcess,
    Channel,
    WorkerConnection,
    decoded,
    encoded,
)
from pytest_llmarith.records import Record, Reply
from pytest_llmarith.session.collection import digest_of
from pytest_llmarith.session.console import shortened
from pytest_llmarith.session.items import ASK, OPTIONS_INPUT, problem_of
from pytest_llmarith.session.planned import (
    REFUSED,
    PlannedQuestion,
    planned_questions,
    selected,
)
from pytest_llmarith.settings import Settings
from pytest_llmarith.tasks.task import TaskProblem
from pytest_llmarith.types import Failure, Question

if TYPE_CHECKING:
    from xdist.workermanage import WorkerController

DISTRIBUTION = "pytest-llmarith"
CHANNEL_INPUT = "llmarith"
ANNOUNCES_INPUT = "llmarith_announces"
_LOOK_S = 0.5
_OTHER_PROBLEMS = (
    "make different problems, perhaps from a set, whose order differs between "
    "processes; sort it, and draw from random.Random(f'{seed}/{trial}'). If the "
    "workers are on several hosts, copy the same tests and oeis_cache to each"
)
# Options that a worker cannot determine: a random seed, and models from the environment
# of another host.
_SHARED_OPTIONS = ("llm_seed", "llm_model")


class Workers:
    """Connects workers, and keeps the announced questions to report those of crashed
    workers.

    `broker` returns the broker's process; `begin` is called with all announced
    questions, on the main thread.
    """

    def __init__(
        self,
        config: pytest.Config,
        settings: Settings,
        broker: Callable[[], BrokerProcess],
        begin: Callable[[list[PlannedQuestion]], None],
    ) -> None:
        self._config = config
        self._models = {model.name: model for model in settings.models}
        self._broker = broker
        self._begin = begin
        self._announced: dict[str, PlannedQuestion] = {}
        self._announcer: str | None = None
        self._announced_all = threading.Event()
        self._begun = False
        self._collecting: set[str] = set()
        # What must be the same in every process, and which one had it first.
        self._installed = {DISTRIBUTION: (version(DISTRIBUTION), "the controller")}
        self._problems: dict[str, tuple[str, str]] = {}  # digests by task
        self._refused: str | None = None

    def record_of_crashed(self, nodeid: str) -> Record | None:
        """The record of an announced trial whose worker crashed before it reported."""
        asked = self._announced.get(nodeid)
        if asked is None:
            return None
        question = asked.question
        trial = evaluate.AskedTrial(
            asked.task,
            asked.problem,
            self._models[question.model],
            question.prompt,
            nodeid,
            asked.condition,
            question.repeat,
        )
        grade = None
        if asked.questions is not None:
            from pytest_llmarith.evaluate_search import not_run

            grade = not_run(asked.questions)
        return evaluate.unanswered_record(trial, Failure("worker crashed"), grade)

    def reported(self, nodeid: str) -> None:
        """Remove an announced trial whose record has arrived."""
        self._announced.pop(nodeid, None)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: WorkerController) -> None:
        """Connect a worker or the replacement of a crashed one.

        One worker announces for all.
        """
        name = node.gateway.id
        self._collecting.add(name)
        channel = node.gateway.newchannel()
        self._broker().attach(name, channel)
        channel.setcallback(partial(self._received, name, channel), endmarker=None)
        if self._announcer is None:
            self._announcer = name
        options = {one: getattr(self._config.option, one) for one in _SHARED_OPTIONS}
        node.workerinput[CHANNEL_INPUT] = channel
        node.workerinput[OPTIONS_INPUT] = options
        node.workerinput[ANNOUNCES_INPUT] = self._announcer == name

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: WorkerController) -> None:
        self._collected(node)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: WorkerController) -> None:
        self._collected(node)

    def _collected(self, node: WorkerController) -> None:
        """Begin asking the announced questions if all workers have collected, and
        before any of them gets an item to run.

        Raises pytest.UsageError if a worker refuses, or they have different problems.
        """
        self._collecting.discard(node.gateway.id)
        while not self._collecting and self._announcer is not None and not self._begun:
            if self._refused is not None:
                raise pytest.UsageError(self._refused)
            if self._announced_all.wait(_LOOK_S):
                self._begun = True
                self._begin(list(self._announced.values()))

    # --- messages of workers ----------------------------------------------------------

    def _received(
        self, worker: str, channel: Channel, message: tuple[Any, ...] | None
    ) -> None:
        """Runs on execnet's receiver thread, where an exception would close the channel
        silently.
        """
        try:
            self._handle(worker, message)
        except Exception:  # the worker has another version, or is gone
            channel.close()

    def _handle(self, worker: str, message: tuple[Any, ...] | None) -> None:
        kind, *said = message or ("ended",)
        if kind == "ask":
            self._broker().ask_for(worker, *said)
        elif kind == "announce":
            for text in said[0]:
                asked = decoded(text, PlannedQuestion)
                self._announced[asked.nodeid] = asked
        elif kind == "announced":
            self._announced_all.set()
        elif kind == "installed":
            self._check_installed(worker, *said)
        elif kind == "problems":
            self._check_problems(worker, *said)
        elif kind == "refused":
            self._refuse(*said)
        else:
            self._broker().detach(worker)
            # The next new worker announces.
            if self._announcer == worker and not self._announced_all.is_set():
                self._announced.clear()
                self._announcer = None

    def _check_installed(self, worker: str, what: str, found: str) -> None:
        """Stop the run if a worker would ask or grade otherwise."""
        expected, first = self._installed.setdefault(what, (found, worker))
        if found != expected:
            self._broker().stop(
                f"worker {worker} has {what} {found}, and {first} has {expected}; "
                f"install the same {DISTRIBUTION} on every host"
            )

    def _check_problems(self, worker: str, task: str, digest: str) -> None:
        """Stop the run if a worker would ask other problems of a task."""
        expected, first = self._problems.setdefault(task, (digest, worker))
        if digest != expected:
            self._refuse(f"task {task}: workers {first} and {worker} {_OTHER_PROBLEMS}")

    def _refuse(self, why: str) -> None:
        self._refused = why
        if self._begun:  # the worker replaces one that crashed
            self._broker().stop(why)


class Worker:
    """The plugin of a worker: announces the selected questions and asks through the
    controller.
    """

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        workerinput = config.workerinput  # type: ignore[attr-defined]  # xdist's, this is a worker
        self._config = config
        self._settings = settings
        self._announces = workerinput[ANNOUNCES_INPUT]
        self._controller = WorkerConnection(workerinput[CHANNEL_INPUT])
        config.stash[ASK] = self._ask

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._controller.send("installed", DISTRIBUTION, version(DISTRIBUTION))
        items = selected(session.items)
        problems = defaultdict[str, list[TaskProblem]](list)
        for item in items:
            problem = problem_of(item)
            problems[problem.task].append(problem)
        for task, each in problems.items():
            self._controller.send("problems", task, digest_of(each))
        if REFUSED in self._config.stash:
            self._controller.send("refused", self._config.stash[REFUSED])
        elif self._announces:
            verbose = self._config.getoption("verbose", 0)
            planned = planned_questions(items, self._settings, verbose)
            self._controller.announce(map(encoded, planned))

    def _ask(self, question: Question) -> Reply | Failure:
        try:
            return self._controller.ask_and_wait(question)
        except KeyboardInterrupt:
            # A second Ctrl-C would hit pytest while it ends, which then prints a
            # traceback; the controller ends the worker in any case.
            if threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGINT, signal.SIG_IGN)
            raise

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Any:
        try:
            return (yield)
        except KeyboardInterrupt as interrupt:
            raise shortened(interrupt, self._config) from None
