"""A comparison as text for a terminal, as GitHub's markdown, as LaTeX, and as lines of
a gate that fails.

Names of runs, models, sets and facts are untrusted text: they are sanitized and
shortened here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import count
from pathlib import PurePath
from textwrap import wrap
from typing import Any

from pytest_llmarith.report import formatting
from pytest_llmarith.report.definitions.differences import (
    COMPARISON,
    COMPARISON_OF_D50,
    COMPARISONS,
    DIFFERING,
    MEAN_SCORES,
    Compared,
    Fact,
    Pairing,
)
from pytest_llmarith.report.formatting import (
    interval_of,
    p_of,
    signed,
)
from pytest_llmarith.report.render import documents
from pytest_llmarith.report.render.terminal import one_table
from pytest_llmarith.report.table import Definition, Level, Table
from pytest_llmarith.results.compare import (
    Comparison,
    Comparisons,
    Differing,
    LeftOut,
    Side,
)
from pytest_llmarith.results.compare_rows import DifferenceOfScores, Row
from pytest_llmarith.safe_text import sanitize, sanitize_name
from pytest_llmarith.statistics.pairs import SIGNIFICANT

_LONGEST_NAME = 80
_LONGEST_LABEL = 28
_LONGEST_CONDITION = 60
_LONGEST_FACT = 200
_MOST_ALONE = 10


def as_text(comparisons: Comparisons, width: int) -> str:
    """Every comparison with its table, wrapped to `width` columns."""
    lines: list[str] = []
    for block in _blocks(comparisons):
        if isinstance(block, Table):
            lines += ["", *one_table(block, width), ""]
        else:
            lines += wrap(block, width, break_on_hyphens=False, subsequent_indent="  ")
    return "".join(f"{line}\n" for line in lines).replace("\n\n\n", "\n\n")


def as_markdown(comparisons: Comparisons) -> str:
    """The same as markdown for the summary of a CI job, in which untrusted text has no
    effect.
    """
    lines = ["## Comparison", ""]
    for block in _blocks(comparisons):
        lines += (
            ["", *documents.as_markdown(block)]
            if isinstance(block, Table)
            else [f"- {documents.code(block)}"]
        )
    return "".join(f"{line}\n" for line in lines)


def as_latex(comparisons: Comparisons) -> str:
    """The same for a paper: the caption of each table says what is compared, and
    how.
    """
    found, captioned = comparisons.comparisons, []
    for one in found:
        sides = (
            f"{_which(side)}{_simulated(side)}" for side in (one.second, one.first)
        )
        facts = [f"{text[:1].upper()}{text[1:]}" for text in _facts(one)]
        title = "B = {} minus A = {}".format(*sides)
        legend = " ".join(_legend([one]))
        captioned += [
            replace(block, title=title, notes=facts, legend=legend)
            for block in _tables_of(one)
        ]
    for block in _over_all(found):
        captioned.append(
            replace(
                block,
                title="Each B minus A, over all",
                legend=" ".join(_legend(found)),
            )
        )
    return "".join(
        f"{line}\n"
        for line in [
            *(f"% {text}" for text in alone(comparisons)),
            *documents.as_latex(captioned),
        ]
    )


def data_tables(comparisons: Comparisons) -> list[Table]:
    """The same as data."""
    names = [_pairing(one) for one in comparisons.comparisons]
    found = list(zip(names, comparisons.comparisons, strict=True))
    facts = []
    for name, one in found:
        facts += [Fact(name, "fact", fact) for fact in one.differing]
        facts += [Fact(name, "search", search) for search in one.searches]

    def rows(part: str) -> list[Compared]:
        return [
            Compared(_label(row) if part == "rows" else "", row, name)
            for name, one in found
            for row in getattr(one, part)
        ]

    whole: Sequence[tuple[Definition, Sequence[Any]]] = [
        (COMPARISONS, [Pairing(name, one) for name, one in found]),
        (DIFFERING, facts),
        (COMPARISON, rows("rows")),
        (MEAN_SCORES, rows("scores")),
        (COMPARISON_OF_D50, rows("thresholds")),
    ]
    return [definition.table(items, Level.DATA) for definition, items in whole]


def _pairing(one: Comparison) -> str:
    """Such as `new, o4-mini - old, o4-mini`."""
    return f"{_which(one.second)} - {_which(one.first)}"


def _blocks(comparisons: Comparisons) -> Iterator[str | Table]:
    found = comparisons.comparisons
    for one in found:
        for letter, side in (("A", one.first), ("B", one.second)):
            yield f"{letter}: {_name(side.run)}, {_who(side)}{_simulated(side)}"
        yield from _facts(one)
        yield from _tables_of(one)
    yield from _over_all(found)
    yield from alone(comparisons)
    yield from _legend(found)


def _tables_of(one: Comparison) -> Iterator[Table]:
    if one.rows:
        items = [Compared(_label(row), row) for row in one.rows]
        yield _comparison(items, is_paired=one.method == "paired")
    if one.scores:
        yield _untitled(MEAN_SCORES.table(Compared("", row) for row in one.scores))
    if one.thresholds:
        items = [Compared("", row) for row in one.thresholds]
        yield _untitled(COMPARISON_OF_D50.table(items))


def _comparison(items: Sequence[Compared], *, is_paired: bool) -> Table:
    """The rows of a comparison; trials are shown if questions are not paired."""
    table = _untitled(COMPARISON.table(items))
    if is_paired:
        return table.without("first_trials", "second_trials")
    return table.without("pairs", "better", "worse")


def _untitled(table: Table) -> Table:
    return replace(table, title="")


def _over_all(found: Sequence[Comparison]) -> Iterator[Table]:
    shown = [one for one in found if one.rows]
    if len(shown) > 1:
        items = [Compared(_which(one.second), one.rows[0]) for one in shown]
        table = _comparison(items, is_paired=True).without("better", "worse")
        yield table.titled("part", "B")


def _facts(one: Comparison) -> Iterator[str]:
    """What is compared and how, a text per fact."""
    if one.rows:
        yield _counts(one)
    yield f"differing: {', '.join(map(_fact, one.differing)) or 'nothing that is known'}"
    if one.searches:
        yield (
            f"breaking points, in no row (in A and in B): "
            f"{', '.join(map(_fact, one.searches))}"
        )
    if one.rows and one.method == "paired":
        shown = one.rows[0].shown
        smallest = "none" if shown is None else f"{shown:.1f} points"
        yield (
            f"smallest difference that these pairs show with 80 % power, after "
            f"Holm's correction: {smallest}"
        )


def alone(comparisons: Comparisons) -> Iterator[str]:
    if alone := [
        sanitize_name(one, 2 * _LONGEST_NAME) for one in comparisons.not_compared
    ]:
        more = (
            f" and {len(alone) - _MOST_ALONE} more" if len(alone) > _MOST_ALONE else ""
        )
        yield (
            f"not compared, as the other run has no model of this name: "
            f"{', '.join(alone[:_MOST_ALONE])}{more}"
        )


def _fact(fact: Differing) -> str:
    first, second = (
        "unknown" if value is None else value or "none"
        for value in (fact.first, fact.second)
    )
    return sanitize(f"{fact.what} ({first} and {second})", _LONGEST_FACT)


def _name(name: str) -> str:
    return sanitize_name(name, _LONGEST_NAME)


def _who(side: Side) -> str:
    return ", ".join(_name(name) for name in (side.model, side.condition) if name)


def _simulated(side: Side) -> str:
    return " (simulated)" if side.simulated else ""


def _which(side: Side) -> str:
    return f"{_name(PurePath(side.run).name)}, {_who(side)}"


def _label(row: Row) -> str:
    longest = _LONGEST_CONDITION if row.kind == "condition" else _LONGEST_LABEL
    return sanitize_name(row.name or row.task or "over all", longest)


def _counts(one: Comparison) -> str:
    counts = one.questions
    unanswered = (
        f"unanswered in A {counts.first.unanswered:,}, in B "
        f"{counts.second.unanswered:,}"
    )
    if counts.unanswered:
        unanswered += f" (B - A is {signed(counts.at_worst)} at worst)"
    if one.method == "unpaired":
        others = f"in A {_left_out(counts.first)}, in B {_left_out(counts.second)}"
        return (
            f"not paired, as A and B did not ask the same questions: {counts.cells:,} "
            f"cells answered in "
            f"both; left out, as the other has no answer in their cell: {others}; "
            f"{unanswered}"
        )
    pairs = f"{counts.compared:,}" + (
        f" pairs of {one.rows[0].first.questions:,}" if _has_repeats(one) else ""
    )
    same = (
        f"; {counts.same_words:,} with the same prompt in both, left out"
        if counts.same_words
        else ""
    )
    alone = (
        f"without a pair in A {counts.first.others:,}, in B {counts.second.others:,}"
    )
    return f"paired: {pairs} questions{same}; {alone}; {unanswered}"


def _left_out(side: LeftOut) -> str:
    return (
        f"{side.others:,} of {side.answered:,} "
        f"({formatting.share(side.others, side.answered or 0)} %)"
    )


def _has_repeats(one: Comparison) -> bool:
    return any(map(_is_repeated, one.rows))


def _is_repeated(row: Row) -> bool:
    return any(side.questions < side.measured for side in (row.first, row.second))


def _legend(found: Sequence[Comparison]) -> Iterator[str]:
    if any(one.thresholds for one in found):
        yield (
            "D50: the depth (of numbers the digits) at which half of the answers are "
            "right, B - A in depths, with 95 % intervals (Zou, Donner)."
        )
    if not (found := [one for one in found if one.rows]):
        return
    paired = [one for one in found if one.method == "paired"]
    repeated = [_is_repeated(row) for one in paired for row in one.rows]
    if not all(repeated):
        yield (
            "B - A: percentage points, with Newcombe's 95 % interval for pairs. "
            "Better, worse: questions "
            "that B alone, or A alone, got right. p: McNemar's exact test."
        )
    if any(one.scores for one in paired):
        yield (
            "Mean score: over problems, repeats averaged; 95 % and p of B - A by "
            "the paired t test, or, if all differences are equal, by the test of signs."
        )
    if any(repeated):
        yield (
            "With repeats or several conditions: B - A: mean difference in percentage "
            "points, with 95 % and p by "
            "Student's t over questions. Better, worse: questions that B, or A, got "
            "right more often."
        )
    if len(paired) < len(found):
        yield (
            "Without pairs: means over cells (a variant, or a variant at a depth) "
            "with the same weights in A "
            "and B, the difference of Mantel and Haenszel with the 95 % interval of "
            "Miettinen and Nurminen, and the "
            "exact test."
        )
    differences = [row.difference for one in found for row in one.rows]
    differences += [row.difference for one in found for row in one.scores]
    if any(each and each.low is None for each in differences):
        yield formatting.NO_INTERVAL
    yield "95 % and p are of each row alone."
    yield (
        "*: p is below 0.05 also after Holm's correction for all rows of its "
        "comparison."
    )


def failures(
    comparisons: Comparisons, points: Decimal, allow_unanswered: int = 0
) -> list[str]:
    """The failures of a gate, one line each.

    A gate fails for rows that are lower by more than `points` and significantly so
    after Holm's correction, for too many unanswered questions, and for questions that
    the second side did not ask.
    """
    return [
        f"{_which(one.second)}{why}"
        for one in comparisons.comparisons
        for why in (*_outages(one, allow_unanswered), *_losses(one, points))
    ]


def unseen(comparisons: Comparisons, points: Decimal) -> list[str]:
    """A line for each comparison whose pairs are too few to show the difference that
    its gate is to find.
    """
    lines = []
    for one in comparisons.comparisons:
        whole = one.rows[0]
        if one.method == "paired" and (whole.shown is None or whole.shown > points):
            pairs = (
                "1 pair of questions"
                if whole.first.questions == 1
                else f"{whole.first.questions:,} pairs of questions"
            )
            shown = (
                "no difference"
                if whole.shown is None
                else f"no difference below {whole.shown:.1f} points"
            )
            lines.append(
                f"{_which(one.second)}: passed, but {pairs} show {shown} (80 % "
                f"power), and the limit is {points}"
            )
    return lines


def _outages(one: Comparison, allowed: int) -> Iterator[str]:
    counts = one.questions
    allow = f"{allowed:,} are allowed (--allow-unanswered)"
    if one.rows[0].difference is None:
        yield ": no question has an answer in both, so nothing was compared"
    elif counts.unanswered > allowed:
        worst = (
            f"if all of these were right in A and wrong in B, B - A would be "
            f"{signed(counts.at_worst)} points"
        )
        yield f": {counts.unanswered:,} unanswered, {allow}; {worst}"
    if one.method == "paired" and counts.first.others > allowed:
        yield f": {counts.first.others:,} questions of A were never asked in B, {allow}"


def _losses(one: Comparison, points: Decimal) -> Iterator[str]:
    than = (
        _who(one.first)
        if one.first.run == one.second.run
        else _name(PurePath(one.first.run).name)
    )
    compared: list[tuple[Row | DifferenceOfScores, str]] = []
    for row in one.rows:
        compared.append((row, _label(row)))
    for score in one.scores:
        compared.append((score, f"mean score of {_name(score.task)}"))
    for tested, name in compared:
        if tested.difference is None or tested.p_holm is None:
            continue
        if tested.p_holm >= SIGNIFICANT:
            continue
        lower = -Decimal(str(tested.difference.points))
        if lower > points:  # with as many decimals as necessary
            rounded = (
                lower.quantize(Decimal(1).scaleb(-decimals)) for decimals in count(1)
            )
            lost = next(value for value in rounded if value > points)
            sure = (
                f"95 % {interval_of(tested.difference)}, p {p_of(tested.p)}, "
                f"Holm-corrected {p_of(tested.p_holm)}"
            )
            yield (
                f", {name}: {lost} points lower than {than} ({sure}), "
                f"{points} are allowed"
            )
