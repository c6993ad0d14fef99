"""Replies: cost, time, tokens, where they came from, and why there are none."""

from __future__ import annotations

import collections
from array import array
from collections.abc import Iterator, Sequence
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal, localcontext
from math import fsum
from operator import attrgetter
from statistics import median

from pytest_llmarith.figures.estimates import Figure, Leaf, MakeFigures, Measure, Trial
from pytest_llmarith.figures.shares import percentage, ratio
from pytest_llmarith.statistics.means import quantile_of_sorted
from pytest_llmarith.types import FailureCode, Outcome

MOST_REASONS = 50  # messages of providers may all differ
LONGEST_REASON = 300
OTHER_REASONS = "other reasons"
_SHORTEST_S = 0.001  # faster is no model, but a clock that was set

# For sums and medians of exact numbers: 4,096 digits are enough for any answer, and no
# exponent overflows.
WIDE = Context(prec=4096, rounding=ROUND_HALF_EVEN, Emax=MAX_EMAX, Emin=MIN_EMIN)

# Kind, unit and title.
_SUMMED = ("$", "s", "tokens")
AMOUNTS = (
    ("cost_usd", "$", "cost"),
    ("latency_s", "s", "latency"),
    ("prompt_tokens", "tokens", "prompt tokens"),
    ("completion_tokens", "tokens", "completion tokens"),
    ("reasoning_tokens", "tokens", "reasoning tokens"),
    ("served_tokens_a_second", "tokens/s", "tokens/s of the server"),
    ("served_first_token_s", "s", "seconds to the first token"),
    ("in_flight", "requests", "requests in flight"),
)
_KINDS = tuple(kind for kind, _, _ in AMOUNTS)
_amounts_in = attrgetter(*_KINDS)


_Reasons = collections.Counter[tuple[FailureCode | None, str]]


class ReplyCounter:
    def __init__(self) -> None:
        self.replies = self.stored = self.batched = self.asked = self.thinking = 0
        self.timed = array("d")  # tokens and seconds, alternating
        self.amounts = {kind: array("d") for kind in _KINDS}
        self.reasons = {
            Outcome.NAN: _Reasons(),
            Outcome.UNANSWERED: _Reasons(),
        }

    def add(self, trial: Trial) -> None:
        record = trial.record
        # An unanswered search has read its replies.
        is_read = bool(trial.search) or record.outcome is not Outcome.UNANSWERED
        for reply in trial.replies:
            self.replies += 1
            self.stored += reply.stored
            self.batched += reply.batched
            thought = getattr(reply, "reasoning", None) or reply.reasoning_tokens
            self.thinking += bool(thought)
            self.asked += is_read and not reply.stored
            seconds = reply.latency_s or 0.0
            if reply.completion_tokens is not None and seconds >= _SHORTEST_S:
                self.timed.extend((reply.completion_tokens, seconds))
            for kind, amount in zip(_KINDS, _amounts_in(reply), strict=True):
                if amount is not None:
                    self.amounts[kind].append(amount)
        if record.outcome in self.reasons:
            reason = (record.why or "no reason given")[:LONGEST_REASON]
            self.reasons[record.outcome][record.failure, reason] += 1


def _tokens_a_second(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    pairs: list[tuple[float, float]] = []
    for leaf in leaves:
        pairs += zip(*[iter(leaf.counted.timed)] * 2, strict=True)
    if pairs:
        yield ratio(pairs)


def _thinking(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    """None if no reply thinks, as nearly all models do not."""
    thinking = sum(leaf.counted.thinking for leaf in leaves)
    found = percentage(thinking, sum(leaf.counted.replies for leaf in leaves))
    if thinking and found is not None:
        yield found


def _amounts_of(kind: str, unit: str) -> MakeFigures:
    def figures(leaves: Sequence[Leaf]) -> Iterator[Figure]:
        known = []
        for leaf in leaves:
            known += leaf.counted.amounts[kind]
        if not known:
            return
        known.sort()
        if unit in _SUMMED:
            total = fsum(known) if unit == "tokens" else float(exact_sum(known))
            yield Figure(total, n=len(known), by="statistic", at="sum")
        yield Figure(median(known), n=len(known), by="statistic", at="median")
        p90 = quantile_of_sorted(known, 90)
        yield Figure(p90, n=len(known), by="statistic", at="p90")

    return figures


def exact_sum(values: Sequence[float]) -> Decimal:
    """The sum, whatever the order of the values."""
    total = Decimal(0)
    with localcontext(WIDE):
        for value in values:
            total += Decimal(repr(value))
    return total


def _unpriced(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    replies = known = 0
    for leaf in leaves:
        replies += leaf.counted.replies
        known += len(leaf.counted.amounts["cost_usd"])
    yield Figure(replies - known, n=replies)


def _count_of(name: str) -> MakeFigures:
    def figures(leaves: Sequence[Leaf]) -> Iterator[Figure]:
        yield Figure(sum(getattr(leaf.counted, name) for leaf in leaves))

    return figures


def _reasons_of(outcome: Outcome) -> MakeFigures:
    """Why trials have no answer, the most frequent reasons first; after `MOST_REASONS`
    the others together.

    A task that returns no grade does so for many problems: all of them are one reason,
    with the first problem.
    """

    def figures(leaves: Sequence[Leaf]) -> Iterator[Figure]:
        reasons = _Reasons()
        for leaf in leaves:
            reasons.update(leaf.counted.reasons[outcome])
        counts = collections.Counter[str]()
        of_grade = None
        for code, reason in sorted(reasons, key=str):
            name = reason
            if code is FailureCode.GRADE:
                of_grade = name = of_grade or reason
            counts[name] += reasons[code, reason]
        ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
        for reason, count in ordered[:MOST_REASONS]:
            yield Figure(count, by="reason", at=reason)
        others = sum(count for _, count in ordered[MOST_REASONS:])
        if others:
            yield Figure(others, by="reason", at=OTHER_REASONS)

    return figures


def _codes(leaves: Sequence[Leaf]) -> Iterator[Figure]:
    counts = collections.Counter[FailureCode]()
    for leaf in leaves:
        for (code, _), count in leaf.counted.reasons[Outcome.UNANSWERED].items():
            if code is not None:
                counts[code] += count
    for code in sorted(counts):
        yield Figure(counts[code], by="code", at=code)


# --- measures -------------------------------------------------------------------------

_COUNTS = (
    ("replies", "replies", "replies of all trials"),
    ("stored", "stored", "replies from the store"),
    ("batched", "batched", "replies from batches, in this run or an earlier one"),
    ("asked", "asked", "replies that the model gave in this run"),
)


def _measures() -> Iterator[Measure]:
    for kind, unit, title in AMOUNTS:
        meaning = f"{title} of the n replies in which it is known"
        yield Measure(kind, title, unit, meaning, ReplyCounter, _amounts_of(kind, unit))
    yield Measure(
        "tokens_a_second",
        "tokens/s",
        "tokens/s",
        "completion tokens by seconds from the request to the whole reply",
        ReplyCounter,
        _tokens_a_second,
    )
    meaning = "replies with a text or tokens of reasoning"
    yield Measure("thinking", "thinking %", "%", meaning, ReplyCounter, _thinking)
    for name, title, meaning in _COUNTS:
        yield Measure(name, title, "replies", meaning, ReplyCounter, _count_of(name))
    meaning = "of n replies, those without a known cost"
    yield Measure("unpriced", "unpriced", "replies", meaning, ReplyCounter, _unpriced)
    for outcome in (Outcome.NAN, Outcome.UNANSWERED):
        key, title = f"{outcome}_reason", f"reasons of {outcome}"
        meaning = f"trials with the outcome {outcome} by reason"
        figures = _reasons_of(outcome)
        yield Measure(key, title, "trials", meaning, ReplyCounter, figures)
    key, title, meaning = "unanswered_code", "failures", "unanswered trials by code"
    yield Measure(key, title, "trials", meaning, ReplyCounter, _codes)


MEASURES = tuple(_measures())
