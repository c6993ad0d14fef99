"""A comparison as text for a terminal, as GitHub's markdown, and as lines of a gate that fails.

Names of runs, models, sets and facts are untrusted text: they are sanitized and shortened here.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import count
from pathlib import PurePath
from textwrap import wrap
from typing import Any, NamedTuple

from pytest_llmarith.results.compare import Comparison, Comparisons, LeftOut, Side
from pytest_llmarith.results.compare_rows import Measured, Row, Score
from pytest_llmarith.results.differences import SIGNIFICANT
from pytest_llmarith.results.formatting import NO_INTERVAL, UNKNOWN, p_of, sanitize, sanitize_name, share, star
from pytest_llmarith.results.tables import code, draw

_LONGEST_NAME = 80
_LONGEST_LABEL = 28
_LONGEST_CONDITION = 60
_LONGEST_FACT = 120
_MOST_FACTS = 20
_MOST_ALONE = 10


class _Table(NamedTuple):
    headers: Sequence[str]
    rows: Sequence[Sequence[str]]


def as_text(comparisons: Comparisons, width: int) -> str:
    """Every comparison with its tables, wrapped to `width` columns."""
    lines: list[str] = []
    for block in _blocks(comparisons):
        if isinstance(block, _Table):
            lines += ["", *draw(block.headers, block.rows), ""]
        else:
            lines += wrap(block, width, break_on_hyphens=False)
    return "".join(f"{line}\n" for line in lines).replace("\n\n\n", "\n\n")


def as_markdown(comparisons: Comparisons) -> str:
    """The same for the summary of a CI job, with untrusted text in code spans."""
    lines = ["## Comparison", ""]
    for block in _blocks(comparisons):
        if isinstance(block, _Table):
            rows = [[code(row[0]), *map(html.escape, row[1:])] for row in block.rows]
            rule = ["---"] + ["---:"] * (len(block.headers) - 1)
            lines += ["", *(f"| {' | '.join(row)} |" for row in (block.headers, rule, *rows)), ""]
        else:
            lines.append(f"- {code(block)}")
    return "".join(f"{line}\n" for line in lines)


def _blocks(comparisons: Comparisons) -> Iterator[str | _Table]:
    found = comparisons.comparisons
    for one in found:
        for letter, side in (("A", one.first), ("B", one.second)):
            yield f"{letter}: {_name(side.run)}, {_who(side)}{' (simulated)' * side.simulated}"
        yield _counts(one)
        yield _differing(one)
        yield _rows(one)
        if one.scores:
            yield _scores(one.scores)
    if len(found) > 1:
        rows = []
        for one in found:
            over_all = one.rows[0]
            pairs = str(over_all.questions.compared) if over_all.questions else "unpaired"
            percents = _percent(over_all.first), _percent(over_all.second)
            rows.append([_which(one.second), pairs, *percents, *_difference(over_all), *_test(over_all)])
        yield _Table(["B", "pairs", "A %", "B %", "B - A", "95 %", "p", "*"], rows)
    if alone := [f"{_name(one.model)} in {_name(one.run)}" for one in comparisons.not_compared]:
        more = f" and {len(alone) - _MOST_ALONE} more" if len(alone) > _MOST_ALONE else ""
        yield f"not compared, as the other run has no model of this name: {', '.join(alone[:_MOST_ALONE])}{more}"
    yield " ".join(_legend(found))


def _name(name: str) -> str:
    return sanitize_name(name, _LONGEST_NAME)


def _who(side: Side) -> str:
    return ", ".join(_name(name) for name in (side.model, side.condition) if name)


def _which(side: Side) -> str:
    return f"{_name(PurePath(side.run).name)}, {_who(side)}"


def _label(row: Row) -> str:
    """The label of a row. A search has the variants of arithmetic, so its task is named, too."""
    longest = _LONGEST_CONDITION if row.kind == "condition" else _LONGEST_LABEL
    name = sanitize_name(row.name or row.task or "over all", longest)
    return f"{row.task} {name}" if row.task == "breaking_point" and row.kind == "variant" else name


def _counts(one: Comparison) -> str:
    counts = one.questions
    unanswered = f"unanswered in A {counts.first.unanswered:,}, in B {counts.second.unanswered:,}"
    if counts.unanswered:
        unanswered += f" (B - A is {_signed(counts.at_worst)} at worst)"
    if one.method == "unpaired":
        others = f"in A {_left_out(counts.first)}, in B {_left_out(counts.second)}"
        return (
            f"not paired, as A and B did not ask the same questions: {counts.cells:,} cells answered in both; "
            f"left out, as the other has no answer in their cell: {others}; {unanswered}"
        )
    pairs = f"{counts.compared:,}" + (f" pairs of {one.rows[0].first.questions:,}" if _has_repeats(one) else "")
    same = f"; {counts.same_words:,} with the same prompt in both, left out" if counts.same_words else ""
    alone = f"without a pair in A {counts.first.others:,}, in B {counts.second.others:,}"
    return f"paired: {pairs} questions{same}; {alone}; {unanswered}"


def _left_out(side: LeftOut) -> str:
    return f"{side.others:,} of {side.answered:,} ({share(side.others, side.answered or 0)} %)"


def _has_repeats(one: Comparison) -> bool:
    return any(side.questions < side.measured for row in one.rows for side in (row.first, row.second))


def _differing(one: Comparison) -> str:
    facts = [
        f"{sanitize(fact.what, _LONGEST_FACT)} ({_value(fact.first)} and {_value(fact.second)})"
        for fact in one.differing
    ]
    more = f", and {len(facts) - _MOST_FACTS} facts more" if len(facts) > _MOST_FACTS else ""
    unknown = [letter for letter, side in (("A", one.first), ("B", one.second)) if not side.facts_known]
    silent = f"; {' and '.join(unknown)} without a summary, so versions and parameters are unknown" if unknown else ""
    return f"differing: {', '.join(facts[:_MOST_FACTS]) or 'nothing that is known'}{more}{silent}"


def _value(value: Any) -> str:
    return "none" if value is None else sanitize(value if isinstance(value, str) else json.dumps(value), _LONGEST_FACT)


def _rows(one: Comparison) -> _Table:
    """A row per group: trials of both sides without pairing, else questions and how many went better or worse."""
    rows = []
    for row in one.rows:
        first, second = _percent(row.first), _percent(row.second)
        if row.questions is None:
            cells = [f"{row.first.measured}", first, f"{row.second.measured}", second, *_difference(row)]
        else:
            changes = row.questions
            cells = [f"{changes.compared}", first, second, *_difference(row), f"{changes.better}", f"{changes.worse}"]
        rows.append([_label(row), *cells, *_test(row)])
    if one.method == "unpaired":
        return _Table(["", "A", "A %", "B", "B %", "B - A", "95 %", "p", "*"], rows)
    return _Table(["", "pairs", "A %", "B %", "B - A", "95 %", "better", "worse", "p", "*"], rows)


def _scores(scores: Sequence[Score]) -> _Table:
    rows = []
    for score in scores:
        name = ", ".join(_name(name) for name in (score.set, score.condition) if name)
        sides = (score.first, score.second)
        counts = [*(str(side.sequences) for side in sides), *(f"{side.percent:.1f}" for side in sides)]
        rows.append([f"{name}, {score.seconds:g} s", *counts, *_difference(score)])
    return _Table(["mean score", "A", "B", "A %", "B %", "B - A", "95 %"], rows)


def _percent(side: Measured) -> str:
    if side.percent is None:
        return UNKNOWN
    text = f"{side.percent:.1f}"
    return text if side.percent in (0, 100) else {"100.0": ">99.9", "0.0": "<0.1"}.get(text, text)


def _difference(of: Row | Score) -> list[str]:
    found = of.difference
    if found is None:
        return [UNKNOWN, UNKNOWN]
    return [_signed(found.points), UNKNOWN if found.low is None else f"{_signed(found.low)} to {_signed(found.high)}"]


def _signed(points: float | None) -> str:
    text = UNKNOWN if points is None else f"{points:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text


def _test(row: Row) -> list[str]:
    return [p_of(row.p), star(row.p_holm)]


def _legend(found: Sequence[Comparison]) -> Iterator[str]:
    paired = [one for one in found if one.method == "paired"]
    if paired:
        yield (
            "B - A: percentage points, with Newcombe's 95 % interval for pairs. Better, worse: questions that B alone, "
            "or A alone, got right. p: McNemar's exact test."
        )
    if any(map(_has_repeats, paired)):
        yield "With repeats: questions that went better or worse, and Student's t over questions."
    if len(paired) < len(found):
        yield (
            "Without pairs: means over cells (a variant at a depth, or a set) with the same weights in A and B, the "
            "difference of Mantel and Haenszel with Sato's 95 % interval, and the Cochran-Mantel-Haenszel test."
        )
    if any(row.difference and row.difference.low is None for one in found for row in one.rows):
        yield NO_INTERVAL
    yield "95 % and p are of each row alone."
    yield "*: p is below 0.05 also after Holm's correction for all rows of its comparison."
    if any(one.scores for one in found):
        yield "Scores: the mean share of right terms, with a bootstrap 95 % interval over sequences."


def failures(comparisons: Comparisons, points: Decimal, allow_unanswered: int = 0) -> list[str]:
    """The failures of a gate, one line each.

    A gate fails for rows that are lower by more than `points` and significantly so after Holm's correction, for too
    many unanswered questions, and for questions that the second side did not ask.
    """
    return [
        f"{_which(one.second)}{why}"
        for one in comparisons.comparisons
        for why in (*_outages(one, allow_unanswered), *_losses(one, points))
    ]


def _outages(one: Comparison, allowed: int) -> Iterator[str]:
    counts = one.questions
    allow = f"{allowed:,} are allowed (--allow-unanswered)"
    if one.rows[0].difference is None:
        yield ": no question has an answer in both, so nothing was compared"
    elif counts.unanswered > allowed:
        worst = f"if all of these were right in A and wrong in B, B - A would be {_signed(counts.at_worst)} points"
        yield f": {counts.unanswered:,} unanswered, {allow}; {worst}"
    if one.method == "paired" and counts.first.others > allowed:
        yield f": {counts.first.others:,} questions of A have no pair in B, {allow}"


def _losses(one: Comparison, points: Decimal) -> Iterator[str]:
    than = _who(one.first) if one.first.run == one.second.run else _name(PurePath(one.first.run).name)
    for row in one.rows:
        if row.difference is None or row.p_holm is None or row.p_holm >= SIGNIFICANT:
            continue
        lower = -Decimal(str(row.difference.points))
        if lower > points:  # with as many decimals as necessary
            rounded = (lower.quantize(Decimal(1).scaleb(-decimals)) for decimals in count(1))
            lost = next(value for value in rounded if value > points)
            sure = f"95 % {_difference(row)[1]}, p {p_of(row.p)}, Holm-corrected {p_of(row.p_holm)}"
            yield f", {_label(row)}: {lost} points lower than {than} ({sure}), {points} are allowed"
