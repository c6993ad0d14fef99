"""The fixtures of a test: `model` replies to a prompt, `ask` asks a problem, `search` asks for a breaking point."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from pytest_llmarith import evaluate, records
from pytest_llmarith.models import redact
from pytest_llmarith.records import Record, as_dict, convert
from pytest_llmarith.results.formatting import sanitize
from pytest_llmarith.session.items import ASK, RECORD, TIMER, properties_of
from pytest_llmarith.session.programs import run_program
from pytest_llmarith.session.selection import config_of, question_of
from pytest_llmarith.settings import Settings
from pytest_llmarith.tasks import TASKS, Problem, breaking_point, render
from pytest_llmarith.tasks.breaking_point import BreakingPointProblem, Draws, ThresholdProblem
from pytest_llmarith.tasks.custom import CheckedProblem
from pytest_llmarith.tasks.oeis import OeisProblem
from pytest_llmarith.types import Failure, Model, Outcome, Prompt, Reading, Reply

_LONGEST_MESSAGE = 500
# Exceptions by which a test controls its outcome, or the run.
_CONTROL = (KeyboardInterrupt, *(says.Exception for says in (pytest.skip, pytest.fail, pytest.exit)))


class Unanswered(Exception):
    """A question got no reply."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class ModelUnderTest:
    """The `model` fixture: a model of the run, bound to the trial and the prompt config of an item."""

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

    def reply(self, prompt: Prompt, before: int = 0, trial: int | None = None) -> Reply:
        """Ask the model. Raises `Unanswered`.

        `before` counts how often a search has already asked this question; `trial` replaces that of the item.
        """
        trial = self._question.trial if trial is None else trial
        answer = self._ask(replace(self._question, prompt=prompt, before=before, trial=trial))
        if isinstance(answer, Failure):
            raise Unanswered(answer)
        return answer


class _Fixture:
    """The common base of `ask` and `search`: an item, its model, and its record."""

    def __init__(self, item: pytest.Item, model: Any, settings: Settings) -> None:
        self._item = item
        self._model = model
        self._settings = settings
        self._config = config_of(item)

    def _check(self) -> None:
        """Fail a test that has already asked."""
        if RECORD in self._item.stash:
            pytest.fail("ask: this test has already asked its problem; ask once per test", pytrace=False)

    def _prompt(self, problem: Problem) -> Prompt:
        settings = self._settings
        return render(problem, self._config.condition, settings.prompt_configs.templates, settings.seed)

    def _reading(self, task: str) -> Reading:
        return self._settings.reading or TASKS[task].READING or Reading.TOLERANT

    def _trial(self, problem: Problem, prompt: Prompt) -> evaluate.Trial:
        model = self._model
        if isinstance(model, ModelUnderTest):
            model = model.model
        else:
            model = Model(str(getattr(model, "name", type(model).__name__)), "fixture")
        return evaluate.Trial.of(problem, model, prompt, self._item.nodeid, self._config)

    def _reply(self, prompt: Prompt, **changes: int) -> Reply | Failure:
        """The reply of the model, without keys; `changes` are further arguments of `ModelUnderTest.reply`."""
        is_own = not isinstance(self._model, ModelUnderTest)
        if is_own:
            changes = {}
        said = Model("", "").messages(prompt) if is_own and not isinstance(prompt, str) else prompt
        with _untimed(self._item):  # llm_timeout limits the wait, not --timeout
            try:
                answer = self._model.reply(said, **changes)
            except Unanswered as unanswered:
                return unanswered.failure
            except Exception as error:  # a model fixture of the user may raise anything
                return Failure(_in_a_line(error))
        if isinstance(answer, str):
            answer = Reply(answer)
        if not isinstance(answer, Reply):
            pytest.fail(f"model: reply(prompt) returned {type(answer).__name__}; return the text as str", pytrace=False)
        try:
            convert(as_dict(evaluate.reply_part(answer)), records.Reply)
        except (TypeError, ValueError) as error:
            pytest.fail(
                f"model: reply(prompt) returned a Reply that cannot be recorded: {_in_a_line(error)}", pytrace=False
            )
        reasoning = answer.reasoning and redact.without_known_keys(answer.reasoning, os.environ)
        return replace(answer, text=redact.without_known_keys(answer.text, os.environ), reasoning=reasoning)

    def _keep(self, record: Record) -> None:
        self._item.stash[RECORD] = record
        self._item.user_properties += properties_of(record)

    def _finish(self, record: Record) -> Record:
        """Attach the record; fail the test in one line if it is unanswered."""
        __tracebackhide__ = True
        self._keep(record)
        if record.outcome is Outcome.UNANSWERED:
            pytest.fail(f"unanswered: {sanitize(record.reason or '', _LONGEST_MESSAGE)}", pytrace=False)
        return record


class Ask(_Fixture):
    """The `ask` fixture: asks the model a problem, and returns the record of the trial."""

    def __call__(self, problem: Problem) -> Record:
        __tracebackhide__ = True
        self._check()
        if not hasattr(problem, "task"):
            given = type(problem).__name__
            pytest.fail(f"ask: pass the fixture `problem`, not a {given}", pytrace=False)
        if isinstance(problem, ThresholdProblem):
            return self._finish(self._threshold_record(problem))
        prompt = self._prompt(problem)
        trial, answer = self._trial(problem, prompt), self._reply(prompt)
        if isinstance(answer, Failure):
            return self._finish(evaluate.unanswered_record(trial, answer))
        if isinstance(problem, OeisProblem):
            return self._finish(run_program(self._item, problem, trial, answer, self._settings))
        if isinstance(problem, CheckedProblem):
            return self._finish(self._custom_record(problem, trial, answer))
        reading = self._reading(problem.task)
        # No other kind of problem is left.
        record = evaluate.number_record(problem, trial, reading, answer)  # type: ignore[arg-type]
        return self._finish(record)

    def _threshold_record(self, problem: ThresholdProblem) -> Record:
        """Ask questions of chosen depths until D50 is known well enough, or the budget is spent.

        The k-th question at a depth is trial k of the arithmetic task, so that other runs share its reply.
        """
        from pytest_llmarith.evaluate_search import Step, record_of_threshold
        from pytest_llmarith.results.thresholds import DepthChooser

        reading = self._reading(problem.task)
        chooser, trials = DepthChooser(problem.depths, problem.half_width), Counter[int]()
        steps: list[Step] = []
        failure: Failure | None = None
        depth: int | None = problem.first_depth
        while depth is not None and len(steps) < problem.budget:
            question = problem.question(depth, trials[depth])
            prompt = self._prompt(question)
            answer = self._reply(prompt, trial=question.trial)
            if isinstance(answer, Failure):
                failure = answer
                break
            steps.append(Step(question, prompt, answer, evaluate.verdict_of(question, answer, reading), trials[depth]))
            trials[depth] += 1
            chooser.add(depth, is_right=not steps[-1].wrong)
            depth = chooser.next_depth()
        trial = self._trial(problem, self._prompt(problem))
        return record_of_threshold(trial, steps, depth is None, failure)

    def _custom_record(self, problem: CheckedProblem, trial: evaluate.Trial, reply: Reply) -> Record:
        """The record of a custom task. An exception of the task is the test's error; the reply is recorded."""
        __tracebackhide__ = True
        try:
            return evaluate.custom_record(problem, trial, reply)
        except _CONTROL:
            raise
        except BaseException as error:  # such as the SystemExit of an argument parser that reads
            self._keep(evaluate.raised_record(trial, reply, _in_a_line(error)))
            raise


class Search(_Fixture):
    """The `search` fixture: finds the breaking point of a model, and returns one record for the whole search."""

    def __call__(self, problem: BreakingPointProblem) -> Record:
        __tracebackhide__ = True
        from pytest_llmarith.evaluate_search import SearchEngine, Step, record_of_search

        self._check()
        reading = self._reading(problem.of)

        def ask(draws: Draws, before: int) -> Step:
            question = breaking_point.question(problem, draws)
            prompt = self._prompt(question)
            answer = self._reply(prompt, before=before)
            if isinstance(answer, Failure):
                raise Unanswered(answer)
            return Step(question, prompt, answer, evaluate.verdict_of(question, answer, reading), before)

        seed = f"{problem.seed}/{problem.task}/{problem.label}"
        engine = SearchEngine(ask, problem.budget, seed, partial(breaking_point.numbers, problem))
        failure = None
        try:
            engine.run()
        except Unanswered as unanswered:
            failure = unanswered.failure
        trial = self._trial(problem, self._prompt(problem))
        return self._finish(record_of_search(trial, engine, failure))


@contextmanager
def _untimed(item: pytest.Item) -> Iterator[None]:
    """Cancel the item's pytest-timeout timer, and restart it afterwards.

    It is not restarted after an exception: the item ends, and the alarm would hit a later one.
    """
    if (timer := item.stash.get(TIMER, None)) is None:
        yield
        return
    item.config.hook.pytest_timeout_cancel_timer(item=item)
    yield
    item.config.hook.pytest_timeout_set_timer(item=item, settings=timer)


def _in_a_line(error: BaseException) -> str:
    """An exception of the user's code in one line, without keys."""
    return sanitize(redact.hide_keys(f"{type(error).__name__}: {error}", os.environ), _LONGEST_MESSAGE)
