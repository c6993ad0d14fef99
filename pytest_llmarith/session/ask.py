"""What a test gets in its hands: `model`, which replies to a prompt, and `ask`, which puts a problem to it."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, Protocol

import pytest

from pytest_llmarith import records, trials
from pytest_llmarith.items.manners import manner_of
from pytest_llmarith.items.records import RECORD
from pytest_llmarith.models import scrubbing
from pytest_llmarith.records import Record, as_dict, convert
from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.session.begin import ASKER, settings_of
from pytest_llmarith.session.programs import run_program
from pytest_llmarith.session.properties import properties_of
from pytest_llmarith.session.selection import prompt_of, system_prompt
from pytest_llmarith.session.timer import paused
from pytest_llmarith.settings import Settings
from pytest_llmarith.tasks import TASKS
from pytest_llmarith.tasks.custom import CheckedProblem
from pytest_llmarith.values import Failure, Model, OeisProblem, Outcome, Problem, Question, Reply

_LONGEST_MESSAGE = 500
# With these somebody says what becomes of the test, or of the run.
_CONTROL = (KeyboardInterrupt, *(says.Exception for says in (pytest.skip, pytest.fail, pytest.exit)))


class Asker(Protocol):
    """Whoever gets a question answered: the broker, or a worker's line to it."""

    def ask_and_wait(self, question: Question) -> Reply | Failure: ...

    def runs(self, what: str | None) -> None:
        """Say which program is being run; None when it has ended."""


class Unanswered(Exception):
    """A question got no reply; the failure says why."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def asked_model(item: pytest.Item, model: Model) -> AskedModel:
    """The `model` fixture of one item."""
    problem = item.callspec.params.get("problem")  # type: ignore[attr-defined]  # it has a model: it was parametrized
    manner = manner_of(item)
    system = system_prompt(manner.condition, settings_of(item.config))
    asked = Question(model.name, "", problem.trial if problem else 0, manner.repeat, system)
    return AskedModel(model, asked, item.config.stash[ASKER])


class AskedModel:
    """The `model` fixture: one model of the run, bound to the question of one item but for its prompt."""

    def __init__(self, model: Model, question: Question, asker: Asker) -> None:
        self.model = model
        self._question = question
        self._asker = asker

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def params(self) -> dict[str, Any]:
        return dict(self.model.params)

    def reply(self, prompt: str, before: int = 0) -> Reply:
        """Ask the model; raises `Unanswered` where no reply came. What was asked `before` is another question."""
        question = replace(self._question, prompt=prompt, before=before)
        answer = self._asker.ask_and_wait(question)
        if isinstance(answer, Failure):
            raise Unanswered(answer)
        return answer


class Ask:
    """The `ask` fixture: puts a problem to the model and writes the trial down on the item.

    Returns the record. A question without a reply fails the test in one line, as `unanswered`.
    """

    def __init__(self, item: pytest.Item, model: Any, settings: Settings) -> None:
        self._item = item
        self._model = model
        self._settings = settings
        self._manner = manner_of(item)

    def __call__(self, problem: Problem) -> Record:
        __tracebackhide__ = True
        check_askable(self._item, self._model)
        if not hasattr(problem, "task"):
            given = type(problem).__name__
            pytest.fail(f"ask: takes the fixture `problem`, which comes from its task, not a {given}", pytrace=False)
        prompt = prompt_of(problem, self._manner, self._settings)
        record = self._record(problem, prompt, reply_of(self._item, self._model, prompt))
        write_down(self._item, record)
        return record

    def _record(self, problem: Problem, prompt: str, answer: Reply | Failure) -> Record:
        __tracebackhide__ = True
        subject = trials.Subject.of(problem, known(self._model), prompt, self._item.nodeid, self._manner)
        if isinstance(answer, Failure):
            return trials.unanswered_record(subject, answer)
        if isinstance(problem, OeisProblem):
            return run_program(self._item, problem, subject, answer, self._settings)
        if isinstance(problem, CheckedProblem):
            return self._own_record(problem, subject, answer)
        reading = self._settings.reading or TASKS[problem.task].READING
        return trials.number_record(problem, subject, reading, answer)  # type: ignore[arg-type]  # no other is left

    def _own_record(self, problem: CheckedProblem, subject: trials.Subject, reply: Reply) -> Record:
        """What the task raises is the test's error, with its traceback; the reply is kept, and nothing is measured."""
        __tracebackhide__ = True
        try:
            return trials.own_record(problem, subject, reply)
        except _CONTROL:
            raise
        except BaseException as error:  # such as the SystemExit of an argument parser that reads
            _keep(self._item, trials.raised_record(subject, reply, _told(error)))
            raise


def check_askable(item: pytest.Item, model: Any) -> None:
    """Fail a test that has had its trial, or whose model cannot be asked."""
    if RECORD in item.stash:
        pytest.fail("ask: this test has asked its problem already; one item is one trial", pytrace=False)
    if not callable(getattr(model, "reply", None)):
        pytest.fail(f"model: {type(model).__name__} has no reply(prompt) that could be asked", pytrace=False)


def reply_of(item: pytest.Item, model: Any, prompt: str, before: int = 0) -> Reply | Failure:
    """What a model replies; one of the user's own does not hear how often it was asked before."""
    told = {"before": before} if before and isinstance(model, AskedModel) else {}
    with paused(item):  # waiting is bounded by --llm-timeout, not by the user's --timeout
        try:
            answer = model.reply(prompt, **told)
        except Unanswered as unanswered:
            return unanswered.failure
        except Exception as error:  # a model of the user's own may raise anything; it measured nothing
            return Failure(_told(error))
    if isinstance(answer, str):
        answer = Reply(answer)
    if not isinstance(answer, Reply):
        pytest.fail(f"model: reply(prompt) gave {type(answer).__name__}; it has to give the text", pytrace=False)
    try:
        convert(as_dict(trials.reply_part(answer)), records.Reply)
    except (TypeError, ValueError) as error:
        pytest.fail(f"model: reply(prompt) gave a Reply that cannot be recorded: {_told(error)}", pytrace=False)
    return _without_keys(answer)


def write_down(item: pytest.Item, record: Record) -> None:
    """Put the record on its item; a trial without an answer fails the test in one line."""
    __tracebackhide__ = True
    _keep(item, record)
    if record.outcome is Outcome.UNANSWERED:
        pytest.fail(f"unanswered: {sanitize(record.reason or '', _LONGEST_MESSAGE)}", pytrace=False)


def _keep(item: pytest.Item, record: Record) -> None:
    item.stash[RECORD] = record
    item.user_properties += properties_of(record)


def _told(error: BaseException) -> str:
    """What somebody else's code raised, in one line that may be written down."""
    return sanitize(scrubbing.hide_keys(f"{type(error).__name__}: {error}", os.environ), _LONGEST_MESSAGE)


def _without_keys(reply: Reply) -> Reply:
    """The reply as it may be written down, whoever gave it."""
    reasoning = reply.reasoning and scrubbing.without_known_keys(reply.reasoning, os.environ)
    return replace(reply, text=scrubbing.without_known_keys(reply.text, os.environ), reasoning=reasoning)


def known(model: Any) -> Model:
    """The model as a record names it; one of the user's own has whatever name it says it has."""
    if isinstance(model, AskedModel):
        return model.model
    return Model(str(getattr(model, "name", type(model).__name__)), "fixture")
