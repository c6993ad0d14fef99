"""The fixtures of a test:

`model` replies to a prompt, `ask` and `search` ask a problem.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from pytest_llmarith import evaluate
from pytest_llmarith.models import redact
from pytest_llmarith.records import Record, Reply
from pytest_llmarith.safe_text import sanitize, text_of_error
from pytest_llmarith.session.items import (
    ASK,
    HAS_ASKED,
    RECORD,
    SHOW_PROGRESS,
    TIMER,
    keep,
    limit_of,
)
from pytest_llmarith.session.planned import config_of, known_to, question_of
from pytest_llmarith.settings import Settings
from pytest_llmarith.tasks.prompts import render
from pytest_llmarith.tasks.task import InvalidGrade, TaskProblem, Tools
from pytest_llmarith.types import (
    Failure,
    Model,
    Outcome,
    Prompt,
    Unanswered,
)

_LONGEST_MESSAGE = 500
# Exceptions by which a test controls its outcome, or the run.
_CONTROL = (
    KeyboardInterrupt,
    pytest.skip.Exception,
    pytest.fail.Exception,
    pytest.exit.Exception,
)


class ModelUnderTest:
    """The `model` fixture: a model of the run, bound to the trial and the prompt config
    of an item.
    """

    def __init__(self, item: pytest.Item, model: Model, settings: Settings) -> None:
        self.model = model
        self._question = question_of(item, model, "", settings)
        self._ask = item.config.stash[ASK]

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def params(self) -> dict[str, Any]:
        return dict(self.model.params)

    def reply(self, prompt: Prompt, **changes: Any) -> Reply:
        """Ask the model; `changes` are further fields of the question. Raises
        `Unanswered`.
        """
        answer = self._ask(replace(self._question, prompt=prompt, **changes))
        if isinstance(answer, Failure):
            raise Unanswered(answer)
        return answer


class Ask:
    """The fixtures `ask` and `search`: ask the model the question or the questions of a
    problem, and return its record.

    There is one record per test. If another plugin runs the test again, what was
    measured is final: it gets the same record.
    """

    def __init__(self, item: pytest.Item, model: Any, settings: Settings) -> None:
        self._item = item
        self._model = model
        self._settings = settings
        self._config = config_of(item)

    def __call__(self, problem: TaskProblem) -> Record:
        __tracebackhide__ = True
        if HAS_ASKED in self._item.stash:
            pytest.fail(
                "ask: this test has already asked its problem; ask once per test",
                pytrace=False,
            )
        self._item.stash[HAS_ASKED] = True
        if not hasattr(problem, "owner"):
            given = type(problem).__name__
            pytest.fail(
                f"ask: pass the fixture `problem`, not a {given}", pytrace=False
            )
        before = self._item.stash.get(RECORD, None)
        if before is not None and before.outcome is not Outcome.UNANSWERED:
            return before
        trial = self._trial(problem)
        if problem.search is not None:
            return self._finish(self._searched(problem, trial))
        answer = self._reply(problem, trial.prompt)
        if isinstance(answer, Failure):
            return self._finish(evaluate.unanswered_record(trial, answer))
        return self._finish(self._evaluated(problem, trial, answer))

    def end(self) -> None:
        """The test has ended, so it may ask if it is run again."""
        if HAS_ASKED in self._item.stash:
            del self._item.stash[HAS_ASKED]

    def _searched(self, problem: TaskProblem, trial: evaluate.AskedTrial) -> Record:
        """Ask the questions of a search.

        An exception of the task is the test's error; the replies are recorded.
        """
        __tracebackhide__ = True
        assert problem.search is not None
        from pytest_llmarith.evaluate_search import Step, Ungraded, run_search
        from pytest_llmarith.statistics.depth_chooser import DepthChooser

        raised = []

        def ask(question: TaskProblem, **changes: int) -> Step:
            __tracebackhide__ = True
            prompt = self._prompt(question)
            answer = self._reply(question, prompt, **changes)
            if isinstance(answer, Failure):
                raise Unanswered(answer)
            before = changes.get("before", changes.get("trial", 0))
            short = question.recorded.short
            reading, tools = self._settings.reading, self._tools(answer, trial)
            message = None
            try:
                graded = evaluate.graded(question, answer, reading, tools)
                return Step(question, prompt, answer, graded, before)
            except _CONTROL:
                raise
            except InvalidGrade as error:
                ungraded = evaluate.invalid_grade(question.task, short, error)
            except BaseException as error:
                raised.append(error)
                message = _in_a_line(error)
                why = f"task {question.task} raised {message}, for {short}"
                ungraded = evaluate.Graded(Outcome.UNANSWERED, why)
            raise Ungraded(Step(question, prompt, answer, ungraded, before), message)

        record = run_search(problem, trial, ask, DepthChooser)
        if raised:
            keep(record, self._item)
            raise raised[0]
        return record

    def _evaluated(
        self, problem: TaskProblem, trial: evaluate.AskedTrial, reply: Reply
    ) -> Record:
        """The record of a reply.

        An exception of the task is the test's error; the reply is recorded.
        """
        __tracebackhide__ = True
        try:
            return evaluate.evaluate(
                problem, trial, reply, self._settings.reading, self._tools(reply, trial)
            )
        except _CONTROL:
            raise
        except InvalidGrade as error:
            return evaluate.invalid_grade_record(trial, reply, error)
        except BaseException as error:  # such as the SystemExit of an argument parser
            keep(evaluate.raised_record(trial, reply, _in_a_line(error)), self._item)
            raise

    def _tools(self, reply: Reply, trial: evaluate.AskedTrial) -> Tools:
        config = self._item.config
        return Tools(
            reply=reply,
            ask=config.stash.get(ASK, None),
            limit_s=limit_of(self._item),
            simulated=trial.model.simulated,
            worker=getattr(config, "workerinput", {}).get("workerid"),
            idle=config.stash.get(SHOW_PROGRESS, _nothing),  # workers show none
        )

    def _prompt(self, problem: TaskProblem) -> Prompt:
        templates = self._settings.prompt_configs.templates
        condition = self._config.condition
        return render(problem, condition, templates, self._settings.seed)

    def _trial(self, problem: TaskProblem) -> evaluate.AskedTrial:
        model = self._model
        if isinstance(model, ModelUnderTest):
            model = model.model
        else:
            model = Model(str(getattr(model, "name", type(model).__name__)), "fixture")
        return evaluate.AskedTrial.of(
            problem, model, self._prompt(problem), self._item.nodeid, self._config
        )

    def _reply(
        self, problem: TaskProblem, prompt: Prompt, **changes: Any
    ) -> Reply | Failure:
        """The reply of the model, without keys; `changes` are further fields of the
        question.
        """
        is_own = not isinstance(self._model, ModelUnderTest)
        sent: Any = prompt
        if is_own:
            changes = {}
            if not isinstance(prompt, str):
                sent = Model("", "").messages(prompt)
        elif self._model.model.simulated:
            changes["known"] = known_to(self._model.model, problem)
        with _untimed(self._item):  # llm_timeout limits the wait, not --timeout
            try:
                answer = self._model.reply(sent, **changes)
            except Unanswered as unanswered:
                return unanswered.failure
            except Exception as error:  # a model fixture of the user may raise anything
                return Failure(_in_a_line(error))
        if not is_own and isinstance(answer, Reply):
            return answer  # which has hidden them
        try:
            return redact.own_reply(answer, os.environ)
        except ValueError as error:
            pytest.fail(f"model: reply(prompt) {error}", pytrace=False)

    def _finish(self, record: Record) -> Record:
        """Attach the record; fail the test in one line if it is unanswered."""
        __tracebackhide__ = True
        keep(record, self._item)
        if record.outcome is Outcome.UNANSWERED:
            pytest.fail(
                f"unanswered: {sanitize(record.why or '', _LONGEST_MESSAGE)}",
                pytrace=False,
            )
        return record


def _nothing() -> None:
    """No progress is shown."""


@contextmanager
def _untimed(item: pytest.Item) -> Iterator[None]:
    """Cancel the item's pytest-timeout timer, and restart it afterwards.

    It is not restarted after an exception: the item ends, and the alarm would hit a
    later one.
    """
    timer = item.stash.get(TIMER, None)
    if timer is None:
        yield
        return
    item.config.hook.pytest_timeout_cancel_timer(item=item)
    yield
    item.config.hook.pytest_timeout_set_timer(item=item, settings=timer)


def _in_a_line(error: BaseException) -> str:
    """An exception of the user's code in one line, without keys."""
    text = redact.hide_keys(text_of_error(error), os.environ)
    return sanitize(text, _LONGEST_MESSAGE)
