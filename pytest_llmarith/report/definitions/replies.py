"""Tables of replies: repeats, spending, and trials that are not correct."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pytest_llmarith.report import formatting, kinds
from pytest_llmarith.report.definitions.results import WHOSE, Of
from pytest_llmarith.report.series import ResultOfRun
from pytest_llmarith.report.table import Column, Definition
from pytest_llmarith.summaries import Result


def _times(item: Of) -> str:
    """How often the problems were asked, such as `5`, or `up to 5` if some repeats have
    no reply.
    """
    result: Result = item.row.result
    repeats = item.one
    asked = str(repeats.k)
    if result.measured < repeats.k * repeats.problems:
        return f"up to {asked}"
    return asked


REPEATS = Definition(
    "repeats",
    "repeats",
    [
        *WHOSE,
        Column(
            "problems",
            "problems",
            kinds.COUNT,
            "problems with a reply",
            lambda item: item.one.problems,
        ),
        Column(
            "times",
            "times",
            kinds.TEXT,
            "how often a problem was asked",
            _times,
            below="problems",
        ),
        Column(
            "same",
            "same %",
            kinds.PERCENT,
            "problems whose repeats all have the same answer, right or wrong",
            lambda item: item.one.consistency,
            explained=True,
        ),
        Column(
            "pass_at_1",
            "pass@1 %",
            kinds.PERCENT,
            "correct replies; the interval is clustered by problem, as repeats are "
            "alike",
            lambda item: item.one.pass_at_1,
            explained=True,
            pictured=True,
        ),
        Column(
            "pass_at_k",
            "pass@k %",
            kinds.SHARE,
            "the probability that one of k tries is correct",
            lambda item: item.one.pass_at_k,
            explained=True,
        ),
        Column(
            "majority",
            "majority %",
            kinds.PERCENT,
            "problems whose most frequent answer is correct",
            lambda item: item.one.majority,
            explained=True,
        ),
    ],
)


def repeat_items(rows: Iterable[ResultOfRun]) -> list[Of]:
    """The results with repeats."""
    repeated = [row for row in rows if row.result.repeats]
    return [Of(row, row.result.repeats) for row in repeated]


def _amounts(kind: str) -> Any:
    return lambda item: item.one[kind]


_COUNTS = kinds.amounts(formatting.count, "tokens")

REPLIES = Definition(
    "replies",
    "cost, seconds and tokens of replies: median / nine of ten at most / sum",
    [
        *WHOSE,
        Column(
            "cost",
            "cost",
            kinds.amounts(formatting.price, "US dollars"),
            "US dollars",
            _amounts("cost_usd"),
        ),
        Column(
            "latency",
            "seconds",
            kinds.amounts(formatting.seconds, "s"),
            "seconds from the request to the whole reply",
            _amounts("latency_s"),
        ),
        Column(
            "prompt", "prompt", _COUNTS, "tokens of prompts", _amounts("prompt_tokens")
        ),
        Column(
            "completion",
            "completion",
            _COUNTS,
            "tokens of replies",
            _amounts("completion_tokens"),
        ),
        Column(
            "reasoning",
            "reasoning",
            _COUNTS,
            "tokens of the reasoning in replies",
            _amounts("reasoning_tokens"),
        ),
    ],
)


def reply_items(rows: Iterable[ResultOfRun]) -> list[Of]:
    """The results in which an amount of replies is known."""
    known = [row for row in rows if any(row.result.spending.values())]
    return [Of(row, row.result.spending) for row in known]


WRONG_TRIALS = Definition(
    "wrong_trials",
    "trials that are not correct",
    [
        Column(
            "item",
            "item",
            kinds.NAME,
            "the item",
            lambda trial: trial.item.rpartition("::")[2],
        ),
        Column(
            "outcome",
            "outcome",
            kinds.NAME,
            "what it is instead",
            lambda trial: str(trial.outcome),
        ),
        Column("reason", "reason", kinds.NAME, "why", lambda trial: trial.why),
        Column(
            "cost",
            "cost",
            kinds.MONEY,
            "US dollars",
            lambda trial: _cost(trial.cost_usd),
        ),
    ],
)


def _cost(usd: float | None) -> kinds.Cost | None:
    return None if usd is None else kinds.Cost(usd)
