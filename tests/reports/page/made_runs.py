"""Runs whose records are made by the parts that a run has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pytest_llmarith.evaluate import Trial, number_record, unanswered_record, verdict_of
from pytest_llmarith.evaluate_programs import ProgramRules, program_record
from pytest_llmarith.evaluate_search import Step, record_of_search
from pytest_llmarith.records import as_dict
from pytest_llmarith.reports.page import RunAtHand
from pytest_llmarith.tasks import arithmetic, breaking_point
from pytest_llmarith.tasks.breaking_point import Draws
from pytest_llmarith.tasks.search import SearchEngine
from pytest_llmarith.values import (
    ArithmeticProblem,
    Dtype,
    Ending,
    Failure,
    IntegerSequence,
    Isolation,
    Level,
    Model,
    NumberProblem,
    OeisProblem,
    Op,
    ProgramLimits,
    ProgramRun,
    Reading,
    Reply,
)
from tests.runs_on_disk import record_of, summed_up

FACTS: dict[str, Any] = {
    "started_at": "2026-11-22T00:31:05+00:00",
    "finished_at": "2026-11-22T00:41:05+00:00",
    "seed": 7,
    "symbols": "ascii",
    "reading": None,
    "store": "on",
    "strict": False,
    "versions": {"python": "3.11.7", "litellm": "1.83.0"},
    "git": {"commit": "0123456789abcdef0123456789abcdef01234567", "dirty": True},
    "models": [{"name": "o4-mini", "target": "openai/o4-mini", "params": {"reasoning_effort": "high"}}],
    "stopped": None,
    "partial": False,
}

COMMA = {"numbers": "comma", "symbols": "ascii", "context": None, "prompt": None, "system": None}

Record = dict[str, Any]
Replies = Callable[[ArithmeticProblem], Reply]


def problem(op: Op = Op.ADD, depth: int = 2, trial: int = 0, dtype: Dtype = Dtype.INT) -> ArithmeticProblem:
    """A question whose digits follow from where it stands."""
    lhs, rhs = (int(str(digit + trial % 3) * depth) for digit in (7, 2))
    expected = {Op.ADD: lhs + rhs, Op.SUB: lhs - rhs, Op.MUL: lhs * rhs, Op.DIV: lhs // rhs}[op]
    return ArithmeticProblem(0, op, dtype, depth, trial, str(lhs), str(rhs), str(expected))


def record(of: ArithmeticProblem, reply: Reply | Failure, model: str = "o4-mini") -> Record:
    """The record that a trial of it makes."""
    prompt = f"Compute {of.lhs} {of.op} {of.rhs}"
    nodeid = f"test_bench.py::test_arithmetic[{model}-{of.label}]"
    asked = Model(model, f"openai/{model}")
    if isinstance(reply, Failure):
        return as_dict(unanswered_record(Trial.of(of, asked, prompt, nodeid), reply))
    return as_dict(number_record(of, Trial.of(of, asked, prompt, nodeid), Reading.TOLERANT, reply))


def run_of(records: Sequence[Record], name: str = "2026-11-22T00-31-05_o4-mini", **facts: Any) -> RunAtHand:
    """A run that has ended with these records."""
    counted = summed_up(records, FACTS | {"id": name, "selected": len(records)} | facts)
    return RunAtHand(Path(name), counted, list(map(record_of, records)))


def usual_records(model: str = "o4-mini", trials: int = 3) -> list[Record]:
    """Sums are right; differences miss a digit from depth 4 on; of products nothing can be read."""
    return [
        record(of, _usual_reply(of), model)
        for op in (Op.ADD, Op.SUB, Op.MUL)
        for depth in (2, 3, 4)
        for of in (problem(op, depth, trial) for trial in range(trials))
    ]


def _usual_reply(of: ArithmeticProblem) -> Reply:
    text = of.expected
    if of.op is Op.SUB and of.depth == 4:
        text = f"{text[:-1]}0"
    if of.op is Op.MUL:
        text = "I would rather not."
    return Reply(text=text, reasoning="Let me think.", cost_usd=0.001, latency_s=1.5, prompt_tokens=30)


def embedded_records(model: str, wrong_from: int, trials: int = 10) -> list[Record]:
    """Records of an embedded model that does all depths and variants, and errs in the last digit from a depth on."""
    asked = Model(model, model)
    return [
        as_dict(
            number_record(
                of,
                Trial.of(of, asked, "prompt", f"item[{model}-{of.label}]"),
                Reading.TOLERANT,
                _embedded(of, wrong_from),
            )
        )
        for dtype in Dtype
        for op in Op
        for depth in range(2, 11)
        for of in (arithmetic.problem(0, dtype, op, depth, trial) for trial in range(trials))
    ]


def _embedded(of: ArithmeticProblem, wrong_from: int) -> Reply:
    text = of.expected
    if of.depth >= wrong_from and of.trial % 2:
        text = f"{text[:-1]}{(int(text[-1]) + 1) % 10}"
    return Reply(text=text, cost_usd=0.001, latency_s=1.5, prompt_tokens=30, completion_tokens=20)


def priced_run(name: str, right: int, cost: float | None) -> RunAtHand:
    """A run of ten sums, so many of them right, each at the same cost."""
    records = [
        record(problem(depth=3, trial=trial), Reply(text=problem(depth=3).expected, cost_usd=cost), name)
        if trial % 3 == 0
        else record(problem(depth=3, trial=trial), Reply(text="1", cost_usd=cost), name)
        for trial in [0] * right + [1] * (10 - right)
    ]
    return run_of(records, name)


class Runner:
    """Runs no program, and says that it printed what the test tells; whoever runs them is not what is tested here."""

    isolation = Isolation(Level.STRICT, ("network",))
    limits = ProgramLimits()

    def __init__(self, printed: Sequence[str]) -> None:
        self._printed = printed

    def run(self, program: str, inputs: Sequence[int]) -> list[ProgramRun]:
        return [
            ProgramRun(n, Ending.EXITED, 0, None, text, "", 0.01, 0.01, 0.01, 0.0)
            for n, text in zip(inputs, self._printed, strict=True)
        ]


def sequence_record(number: str, terms: Sequence[int], printed: Sequence[str], program: str = "print(1)") -> Record:
    """The record of a program that printed something for each term of a sequence."""
    sequence = IntegerSequence(number, f"The sequence {number}.", (), tuple(map(str, terms)), 1, ("nonn",))
    asked = OeisProblem("starter", sequence)
    subject = Trial.of(asked, Model("o4-mini", "openai/o4-mini"), f"A program for {number}", f"test_oeis[{number}]")
    reply = Reply(text=f"```python\n{program}\n```")
    return as_dict(program_record(asked, subject, reply, Runner(printed), ProgramRules(static_judge=False)))


def search_record(said: Callable[[NumberProblem], str], budget: int = 12) -> Record:
    """The record of a search through sums, by a model of which the test tells what it said."""
    of = next(breaking_point.problems(0, budget))

    def ask(draws: Draws, before: int) -> Step:
        question = breaking_point.question(of, draws)
        reply = Reply(text=said(question), cost_usd=0.001, latency_s=1.5)
        verdict = verdict_of(question, reply, Reading.TOLERANT)
        return Step(question, "prompt", reply, verdict, Reading.TOLERANT, before)

    engine = SearchEngine(ask, budget, "seed")
    engine.run()
    subject = Trial.of(of, Model("o4-mini", "openai/o4-mini"), "prompt", "test_breaking_point[int_add]")
    return as_dict(record_of_search(subject, engine, None))
