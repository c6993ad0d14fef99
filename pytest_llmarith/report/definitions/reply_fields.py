"""Tables of replies: repeats, spending, and trials that are not correct."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from pytest_llmarith.figures.count import MEASURES
from pytest_llmarith.figures.replies import AMOUNTS
from pytest_llmarith.report.definitions.results import CORRECT, COST
from pytest_llmarith.views import formatting, kinds
from pytest_llmarith.views.fields import WHOSE, field
from pytest_llmarith.views.places import Here
from pytest_llmarith.views.table import Column, Definition, Level


def _times(here: Here) -> str:
    """How often the problems were asked, such as `5`, or `up to 5` if some repeats have
    no reply.
    """
    repeats = here.number("repeats")
    if here.measured < repeats * _problems(here):
        return f"up to {repeats}"
    return str(repeats)


def _problems(here: Here) -> int:
    found = here.get("repeats")
    return found.n or 0 if found else 0


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
            _problems,
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
            lambda here: here.get("consistency"),
            explained=True,
        ),
        Column(
            "pass_at_1",
            "pass@1 %",
            kinds.PERCENT,
            "correct replies; the interval is clustered by problem, as repeats are "
            "alike",
            lambda here: here.get("pass_at_1"),
            explained=True,
            pictured=True,
        ),
        Column(
            "pass_at_k",
            "pass@k %",
            kinds.SHARE,
            "the probability that one of k tries is correct",
            lambda here: here.value("pass_at_k"),
            explained=True,
        ),
        Column(
            "majority",
            "majority %",
            kinds.PERCENT,
            "problems whose most frequent answer is correct",
            lambda here: here.get("majority"),
            explained=True,
        ),
    ],
)


NOISE = Definition(
    "noise",
    "the same question, asked again",
    [
        *WHOSE,
        field("same_reply", Level.BRIEF),
        field("same_outcome", Level.BRIEF),
        Column(
            "noise",
            "noise",
            kinds.GAIN,
            "points that two runs of these questions may differ by if nothing differs "
            "but that the model is asked again",
            lambda here: here.value("noise"),
            explained=True,
        ),
    ],
)


def repeat_items(rows: Iterable[Here]) -> list[Here]:
    """The results with repeats."""
    return [row for row in rows if row.get("repeats")]


def _amounts(kind: str) -> Callable[[Here], kinds.Amounts | None]:
    def amounts(here: Here) -> kinds.Amounts | None:
        middle = here.value(kind, "median")
        if middle is None:
            return None
        total = here.value(kind, "sum")
        if kind.endswith("tokens"):
            total = int(total)
        return kinds.Amounts(total, middle, here.value(kind, "p90"))

    return amounts


def _latency(here: Here) -> kinds.Amounts | None:
    found = _amounts("latency_s")(here)
    return found and found._replace(sum=None)


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
        field("bare_number"),
    ],
)


def speed(sizes: Mapping[str, float]) -> Definition:
    """The table of speed; `sizes` are those of model files in MB, by model."""
    return Definition(
        "speed",
        "speed: median / nine of ten at most",
        [
            *WHOSE,
            CORRECT,
            Column(
                "served_rate",
                "tokens/s",
                kinds.amounts("{:,.3g}".format, "tokens/s"),
                "tokens a second after the first one, as the server says",
                _amounts("served_tokens_a_second"),
            ),
            Column(
                "first_token",
                "first token",
                kinds.amounts(formatting.seconds, "s"),
                "seconds to the first token, as the server says",
                _amounts("served_first_token_s"),
            ),
            field("tokens_a_second"),
            Column(
                "latency",
                "s/reply",
                kinds.amounts(formatting.seconds, "s"),
                "seconds from the request to the whole reply, by the clock of the run",
                _latency,
            ),
            Column(
                "in_flight",
                "in flight",
                kinds.amounts(formatting.count, "requests"),
                "requests of the run that waited for a reply, on which speed depends",
                _amounts("in_flight"),
            ),
            COST,
            Column(
                "file",
                "file",
                kinds.plain("{:,.0f}".format, "MB"),
                "megabytes of the model file",
                lambda here: sizes.get(here.model),
            ),
        ],
    )


SPEED = speed({})


def speed_items(rows: Iterable[Here]) -> list[Here]:
    """The results of real models whose replies were timed."""
    return [row for row in rows if row.get("in_flight", "median")]


def reply_items(rows: Iterable[Here]) -> list[Here]:
    """The results in which an amount of replies is known."""
    return [row for row in rows if any(row.all(kind) for kind, _, _ in AMOUNTS)]


def _of(key: str, at: str, title: str) -> Column[Any]:
    """One of several figures of a measure."""
    column = field(key, Level.FULL)
    return replace(
        column, key=f"{key}_{at}", title=title, value=lambda here: here.get(key, at)
    )


def _confident(here: Here) -> str:
    found = here.get("confident")
    known, asked = (found.value, found.n) if found else (0, 0)
    return f"{known:,} of {asked:,}"


CONFIDENCE = Definition(
    "confidence",
    "how probable answers were to the model",
    [
        *WHOSE,
        Column(
            "answers",
            "answers",
            kinds.TEXT,
            "answers whose probability is known, of those that it was asked for",
            _confident,
        ),
        field("answer_probability", Level.FULL),
        field("confident_correct", Level.FULL),
        _of("answer_probability", "right", "if right %"),
        _of("answer_probability", "wrong", "if wrong %"),
        replace(field("confidence_auc", Level.FULL), explained=True),
        replace(field("calibration_error", Level.FULL), explained=True),
        replace(field("right_among_five", Level.FULL), explained=True),
        field("number_tokens", Level.FULL),
    ],
)

DIGITS_BY_POSITION = ("digit_probability", "digit_accuracy")
CONFIDENT_DIGITS = Definition(
    "confident_digits",
    "probability and accuracy of digits by position",
    [
        Column(
            "what",
            "%",
            kinds.NAME,
            "what the row has",
            lambda item: MEASURES[item[0]].title,
        ),
        Column(
            "digit",
            "digit",
            kinds.SHARE,
            "digits of answers as long as the expected value",
            lambda figure: figure.value,
            across="position",
        ),
    ],
)


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
