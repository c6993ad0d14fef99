"""The tables of `llmarith plan`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

from pytest_llmarith.report.formatting import dollars
from pytest_llmarith.report.tables import Column, Row, Table
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.results.plan import CELLS, FEWEST_PAIRS, Cost, needs
from pytest_llmarith.statistics.pairs import POWER, SIGNIFICANT
from pytest_llmarith.types import Price


def tables(
    points: float, runs: Sequence[LoadedRun], prices: Sequence[Cost]
) -> Iterator[Table]:
    """The questions, and the cost of the largest paired number of them."""
    found = needs(points, runs)
    most = max(need.paired or 0 for need in found)
    trials = (
        f"{most:,} questions: --llm-trials={ceil(most / CELLS)} with all "
        f"{CELLS} cells of arithmetic"
    )
    yield Table(
        f"questions that show a difference of {points:g} points with {POWER:.0%} "
        f"power at p < {SIGNIFICANT}",
        [
            *(Column(header, is_name=True) for header in ("model", "compared with")),
            Column("only one right"),
            Column("rows"),
            Column("planned with", "{:.1%}".format),
            *(
                Column(header, "{:,}".format)
                for header in ("paired", "at most", "unpaired")
            ),
        ],
        [Row(need) for need in found],
        "questions for each of both models; only one right: exactly one of both is "
        "right; assumed: no two models of "
        f"the runs have {FEWEST_PAIRS} questions in common; rows: of a comparison, "
        f"counted by Holm's correction; "
        "planned with: at least 3 of the questions asked, and at least the difference "
        "itself; paired: both are asked "
        "the same questions (McNemar's exact test); at most: if only one is right as "
        "often as its upper 95 % bound "
        "says; unpaired: other questions",
        [trials] * bool(most),
    )
    if prices and most:
        yield Table(
            f"cost of {most:,} questions (the largest paired number)",
            [
                Column("model", is_name=True),
                Column(
                    "tokens each",
                    lambda tokens: f"{tokens.prompt:,.0f} + {tokens.completion:,.0f}",
                ),
                Column("singly"),
                Column("in batches"),
            ],
            [
                Row(
                    [
                        one.model,
                        one.tokens,
                        _cost(one, one.price, most),
                        _cost(one, one.batch, most),
                    ]
                )
                for one in prices
            ],
            "prompt and completion tokens are the means of the runs, or those of a "
            "short answer"
            + ", which is a lower bound for a model that reasons"
            * any(one.without_reasoning for one in prices)
            + "; -: no price in litellm's list"
            * any(None in (one.price, one.batch) for one in prices),
        )


def _cost(one: Cost, price: Price | None, questions: int) -> str | None:
    """Such as `$0.21` or `at least $0.21`; None if the price is unknown."""
    if price is None:
        return None
    cost = dollars(price.of(*one.tokens) * questions)
    return f"at least {cost}" if one.without_reasoning else cost
