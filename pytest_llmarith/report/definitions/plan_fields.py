"""Tables of plans: questions that show a difference, and what they cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import ceil
from typing import NamedTuple

from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.results.plan import (
    FEWEST_PAIRS,
    ModelCost,
    PlannedGrid,
    Tokens,
    needs,
)
from pytest_llmarith.statistics.pairs import SIGNIFICANT
from pytest_llmarith.statistics.plans import POWER
from pytest_llmarith.types import Price
from pytest_llmarith.views import formatting, kinds
from pytest_llmarith.views.table import Column, Definition, Kind, Shown, Table

NEEDS = Definition(
    "needs",
    "questions that show a difference",
    [
        Column(
            "model", "model", kinds.NAME, "the first model", lambda need: need.first
        ),
        Column(
            "other",
            "compared with",
            kinds.NAME,
            "the other model",
            lambda need: need.second,
        ),
        Column(
            "observed",
            "only one right",
            kinds.TEXT,
            "questions that exactly one of the two models gets right",
            lambda need: need.measured,
            explained=True,
        ),
        Column(
            "rows",
            "rows",
            kinds.COUNT,
            "of a comparison, counted by Holm's correction",
            lambda need: need.tests,
            explained=True,
        ),
        Column(
            "share",
            "planned with",
            kinds.plain("{:.1%}".format),
            "the share of questions that only one gets right, at least 3 of those "
            "asked and the difference itself",
            lambda need: need.discordant,
            explained=True,
        ),
        Column(
            "paired",
            "paired",
            kinds.COUNT,
            "questions for each of both models, if both are asked the same ones "
            "(McNemar's exact test)",
            lambda need: need.paired,
            explained=True,
        ),
        Column(
            "at_most",
            "at most",
            kinds.COUNT,
            "if only one is right as often as its upper 95 % bound says",
            lambda need: need.at_most,
            explained=True,
        ),
        Column(
            "unpaired",
            "unpaired",
            kinds.COUNT,
            "other questions for each of both",
            lambda need: need.unpaired,
            explained=True,
        ),
    ],
)


class Priced(NamedTuple):
    """A model, and how many questions it is asked."""

    cost: ModelCost
    questions: int

    def of(self, price: Price | None) -> Bound | None:
        """The cost at this price; None if it is unknown."""
        if price is None:
            return None
        usd = price.of(*self.cost.tokens) * self.questions
        return Bound(usd, self.cost.without_reasoning)


class Bound(NamedTuple):
    """A cost, which is a lower bound for a model that reasons."""

    usd: float
    is_lower: bool


def _bound(found: Bound) -> Shown:
    text = formatting.dollars(found.usd)
    return Shown(f"at least {text}" if found.is_lower else text)


_BOUND: Kind[Bound] = Kind(
    _bound,
    lambda v: v.usd,
    "US dollars",
)
_TOKENS: Kind[Tokens] = Kind(
    lambda v: Shown(f"{v.prompt:,.0f} + {v.completion:,.0f}"),
    lambda v: v.prompt,
    "tokens",
)


PRICES = Definition(
    "prices",
    "what the questions cost",
    [
        Column("model", "model", kinds.NAME, "the model", lambda item: item.cost.model),
        Column(
            "tokens",
            "tokens each",
            _TOKENS,
            "the means of prompts and replies of the runs, or those of a short answer, "
            "a lower bound for a model that reasons",
            lambda item: item.cost.tokens,
            explained=True,
        ),
        Column(
            "singly",
            "singly",
            _BOUND,
            "US dollars; -: no price in litellm's list",
            lambda item: item.of(item.cost.price),
            explained=True,
        ),
        Column(
            "batched",
            "in batches",
            _BOUND,
            "US dollars",
            lambda item: item.of(item.cost.batch),
        ),
    ],
)


def plan_tables(
    points: float,
    runs: Sequence[LoadedRun],
    prices: Sequence[ModelCost],
    grid: PlannedGrid,
) -> Iterator[Table]:
    """The questions, and the cost of the largest paired number of them."""
    found = needs(points, runs, grid)
    most = max(need.paired or 0 for need in found)
    title = (
        f"questions that show a difference of {points:g} points with {POWER:.0%} "
        f"power at p < {SIGNIFICANT}"
    )
    notes = []
    if most:
        trials = ceil(most / grid.cells)
        notes.append(
            f"{most:,} questions: --llm-trials={trials} with all {grid.cells} cells "
            f"of {grid.task}"
        )
    table = NEEDS.table(found, notes=notes)
    legend = ""
    if any(need.is_assumed for need in found):
        legend = (
            f"assumed: --from names no run in which two models have {FEWEST_PAIRS} "
            f"questions in common"
        )
    yield replace(table, title=title, legend=legend)
    if prices and most:
        costs = PRICES.table(Priced(one, most) for one in prices)
        title = f"cost of {most:,} questions (the largest paired number)"
        yield replace(costs, title=title)
