"""A comparison as text for a terminal, as GitHub's markdown, as LaTeX, and as lines of
a gate that fails.

Names of runs, models, sets and facts are untrusted text: they are sanitized and
shortened here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import PurePath
from textwrap import TextWrapper
from typing import Any

from pytest_llmarith.figures.contrasts import DIFFERENCE, SCORES, Compared
from pytest_llmarith.records import FORMAT, as_dict
from pytest_llmarith.report.definitions.difference_fields import (
    COMPARISON,
    COMPARISON_OF_D50,
    MEAN_SCORES,
    ComparedPart,
)
from pytest_llmarith.report.export import estimate_row
from pytest_llmarith.report.render import documents
from pytest_llmarith.report.render.terminal import one_table
from pytest_llmarith.results.compare import (
    Comparison,
    Comparisons,
    Differing,
    LeftOut,
    Side,
)
from pytest_llmarith.safe_text import sanitize, sanitize_name
from pytest_llmarith.statistics.pairs import SIGNIFICANT
from pytest_llmarith.summaries import described
from pytest_llmarith.views import formatting
from pytest_llmarith.views.formatting import (
    interval_of,
    p_of,
    signed,
    with_interval,
)
from pytest_llmarith.views.table import Table

_LONGEST_NAME = 80
_LONGEST_LABEL = 28
_LONGEST_CONDITION = 60
_LONGEST_FACT = 200
_MOST_ALONE = 10
_FACTS = ("first", "second", "differing", "searches", "method", "questions")


def as_lines(comparisons: Comparisons, width: int) -> list[str]:
    """Every comparison with its table, wrapped to `width` columns."""
    wrapper = TextWrapper(width, subsequent_indent="  ", break_on_hyphens=False)
    lines: list[str] = []
    for block in _blocks(comparisons):
        if isinstance(block, Table):
            if not lines or lines[-1]:
                lines.append("")
            lines += [*one_table(block, width), ""]
        else:
            lines += wrapper.wrap(block)
    return lines


def _joined(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def as_markdown(comparisons: Comparisons) -> str:
    """The same as markdown for the summary of a CI job, in which untrusted text has no
    effect.
    """
    lines = ["## Comparison", ""]
    for block in _blocks(comparisons):
        if isinstance(block, Table):
            lines += ["", *documents.as_markdown(block)]
        else:
            lines.append(f"- {documents.code(block)}")
    return _joined(lines)


def as_latex(comparisons: Comparisons) -> str:
    """The same for a paper: the caption of each table says what is compared, and
    how.
    """
    found = comparisons.comparisons
    captioned = []
    for one in found:
        title = f"B = {_marked(one.second)} minus A = {_marked(one.first)}"
        facts = [f"{text[:1].upper()}{text[1:]}" for text in _facts(one)]
        legend = " ".join(_legend([one]))
        for table in _tables_of(one):
            table = replace(table, title=title, notes=facts, legend=legend)
            captioned.append(table)
    for table in _over_all(found):
        legend = " ".join(_legend(found))
        table = replace(table, title="Each B minus A, over all", legend=legend)
        captioned.append(table)
    lines = [f"% {text}" for text in alone(comparisons)]
    return _joined([*lines, *documents.as_latex(captioned)])


def as_data(comparisons: Comparisons) -> dict[str, Any]:
    """The same as data: facts, and estimates of B beside A."""
    found, measures = [], set()
    for one in comparisons.comparisons:
        facts = {name: as_dict(getattr(one, name)) for name in _FACTS}
        found.append(facts | {"estimates": list(rows_of(one))})
        measures |= {estimate.measure for estimate in one.estimates()}
    return {
        "format": FORMAT,
        "comparisons": found,
        "measures": as_dict(described(sorted(measures))),
        "notes": list(alone(comparisons)),
    }


def rows_of(one: Comparison) -> Iterator[Mapping[str, object]]:
    """The rows of its estimates."""
    for estimate in one.estimates():
        yield estimate_row(estimate, one.second.run)


def _blocks(comparisons: Comparisons) -> Iterator[str | Table]:
    found = comparisons.comparisons
    for one in found:
        for letter, side in (("A", one.first), ("B", one.second)):
            whose = f"{_name(side.run)}, {_who(side)}"
            yield f"{letter}: {_with_mark(whose, side)}"
        yield from _facts(one)
        yield from _tables_of(one)
    yield from _over_all(found)
    yield from alone(comparisons)
    yield from _legend(found)


def _tables_of(one: Comparison) -> Iterator[Table]:
    for measure, definition in ((DIFFERENCE, COMPARISON), (SCORES, MEAN_SCORES)):
        parts = [
            ComparedPart(_label(row), row) for row in one.rows if row.measure == measure
        ]
        if parts:
            table = _untitled(definition.table(parts))
            if one.method == "paired":
                table = table.without("first_trials", "second_trials")
            yield table
    if one.thresholds:
        yield _untitled(COMPARISON_OF_D50.table(one.thresholds))


def _untitled(table: Table) -> Table:
    return replace(table, title="")


def _over_all(found: Sequence[Comparison]) -> Iterator[Table]:
    shown = [one for one in found if one.rows]
    if len(shown) > 1:
        parts = [ComparedPart(_which(one.second), one.rows[0]) for one in shown]
        first, *others = COMPARISON.columns
        columns = [replace(first, title="B"), *others]
        table = _untitled(replace(COMPARISON, columns=columns).table(parts))
        yield table.without("first_trials", "second_trials", "better", "worse")


def _facts(one: Comparison) -> Iterator[str]:
    """What is compared and how, a text per fact."""
    if one.rows:
        yield _counts(one)
    differing = ", ".join(map(_fact, one.differing))
    if not differing:
        differing = "nothing that is known"
        if not one.first.simulated:
            differing += " (dtype, kernels and batch of a server are not)"
    yield f"differing: {differing}"
    if one.searches:
        searches = ", ".join(map(_fact, one.searches))
        yield f"breaking points, in no row (in A and in B): {searches}"
    if one.rows and one.method == "paired":
        shown = one.rows[0].value("detectable")
        smallest = "none" if shown is None else f"{shown:.1f} points"
        yield (
            f"smallest difference that these pairs show with 80 % power, after "
            f"Holm's correction: {smallest}"
        )
        yield from _noise(one.rows[0])


def _noise(row: Compared) -> Iterator[str]:
    """How far a model that was asked twice agrees with itself."""
    replies, outcomes = row.get("same_replies"), row.get("same_outcomes")
    noise = row.get("noise")
    if replies and outcomes and noise:
        shares = [f"{with_interval(one)} %" for one in (replies, outcomes)]
        yield (
            f"the same model in both: {shares[0]} of {replies.n:,} questions have the "
            f"same reply, {shares[1]} the same outcome; a difference of models below "
            f"{noise.value:.1f} points (at most {noise.high:.1f}) may be this noise"
        )


def alone(comparisons: Comparisons) -> Iterator[str]:
    """The remark about models of one run that the other one lacks."""
    models = comparisons.not_compared
    if not models:
        return
    some = models[:_MOST_ALONE]
    names = ", ".join(sanitize_name(one, 2 * _LONGEST_NAME) for one in some)
    if len(models) > _MOST_ALONE:
        names += f" and {len(models) - _MOST_ALONE} more"
    yield f"not compared, as the other run has no model of this name: {names}"


def _fact(fact: Differing) -> str:
    values = f"{_value(fact.first)} and {_value(fact.second)}"
    return sanitize(f"{fact.what} ({values})", _LONGEST_FACT)


def _value(value: str | None) -> str:
    if value is None:
        return "unknown"
    return value or "none"


def _name(name: str) -> str:
    return sanitize_name(name, _LONGEST_NAME)


def _who(side: Side) -> str:
    if not side.condition:
        return _name(side.model)
    return f"{_name(side.model)}, {_name(side.condition)}"


def _marked(side: Side) -> str:
    return _with_mark(_which(side), side)


def _with_mark(text: str, side: Side) -> str:
    return f"{text} (simulated)" if side.simulated else text


def _which(side: Side) -> str:
    return f"{_name(PurePath(side.run).name)}, {_who(side)}"


def _label(row: Compared) -> str:
    _, task, condition, variant, _ = row.place
    if condition:
        return sanitize_name(condition, _LONGEST_CONDITION)
    return sanitize_name(variant or task or "over all", _LONGEST_LABEL)


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
    pairs = f"{counts.compared:,}"
    if any(map(_is_repeated, one.rows)):
        pairs += f" pairs of {one.rows[0].questions:,}"
    pairs += " questions"
    if counts.same_words:
        pairs += f"; {counts.same_words:,} with the same prompt in both, left out"
    others = (
        f"without a pair in A {counts.first.others:,}, in B {counts.second.others:,}"
    )
    return f"paired: {pairs}; {others}; {unanswered}"


def _left_out(side: LeftOut) -> str:
    share = formatting.share(side.others, side.answered or 0)
    return f"{side.others:,} of {side.answered:,} ({share} %)"


def _is_repeated(row: Compared) -> bool:
    """Whether a question has several trials."""
    trials = [row.get("correct"), row.get("correct_beside")]
    return any(one and (one.n or 0) > row.questions for one in trials)


def _legend(found: Sequence[Comparison]) -> Iterator[str]:
    if any(one.thresholds for one in found):
        yield (
            "D50: the depth (of numbers the digits) at which half of the answers are "
            "right, B - A in depths, with 95 % intervals (Zou, Donner)."
        )
    found = [one for one in found if one.rows]
    if not found:
        return
    paired = [one for one in found if one.method == "paired"]
    shares: list[Compared] = []
    scores: list[Compared] = []
    for one in paired:
        for row in one.rows:
            (shares if row.measure == DIFFERENCE else scores).append(row)
    repeated = [_is_repeated(row) for row in shares]
    if not all(repeated):
        yield (
            "B - A: percentage points, with Newcombe's 95 % interval for pairs. "
            "Better, worse: questions "
            "that B alone, or A alone, got right. p: McNemar's exact test."
        )
    if scores:
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
    if any(map(_lacks_interval, found)):
        yield formatting.NO_INTERVAL
    yield "Intervals and p are of each row alone."
    if any(formatting.star(row.value("p_holm")) for one in found for row in one.rows):
        yield (
            "*: p is below 0.05 also after Holm's correction for all rows of its "
            "comparison."
        )


def _lacks_interval(one: Comparison) -> bool:
    return any(row.questions and row.difference.low is None for row in one.rows)


def failures(
    comparisons: Comparisons, points: Decimal, allow_unanswered: int = 0
) -> list[str]:
    """The failures of a gate, one line each.

    A gate fails for rows that are lower by more than `points` and significantly so
    after Holm's correction, for too many unanswered questions, and for questions that
    the second side did not ask.
    """
    lines = []
    for one in comparisons.comparisons:
        for why in (*_outages(one, allow_unanswered), *_losses(one, points)):
            lines.append(f"{_which(one.second)}{why}")
    return lines


def unseen(comparisons: Comparisons, points: Decimal) -> list[str]:
    """A line for each comparison whose pairs are too few to show the difference that
    its gate is to find.
    """
    lines = []
    for one in comparisons.comparisons:
        if one.method != "paired":
            continue
        smallest = one.rows[0].value("detectable")
        if smallest is None:
            shown = "no difference"
        elif smallest > points:
            shown = f"no difference below {smallest:.1f} points"
        else:
            continue
        pairs = formatting.counted(one.rows[0].questions, "pair")
        lines.append(
            f"{_which(one.second)}: passed, but {pairs} of questions show {shown} "
            f"(80 % power), and the limit is {points}"
        )
    return lines


def _outages(one: Comparison, allowed: int) -> Iterator[str]:
    counts = one.questions
    allow = f"{allowed:,} are allowed (--allow-unanswered)"
    if one.rows[0].difference.value is None:
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
    if one.first.run == one.second.run:
        than = _who(one.first)
    else:
        than = _name(PurePath(one.first.run).name)
    for row in one.rows:
        p_holm = row.value("p_holm")
        if p_holm is None or p_holm >= SIGNIFICANT:
            continue
        lower = -Decimal(str(row.difference.value))
        if lower <= points:
            continue
        name = "mean score of " if row.measure == SCORES else ""
        sure = (
            f"95 % {interval_of(row.difference)}, p {p_of(row.value('p'))}, "
            f"Holm-corrected {p_of(p_holm)}"
        )
        yield (
            f", {name}{_label(row)}: {_above(points, lower)} points lower than {than} "
            f"({sure}), {points} are allowed"
        )


def _above(limit: Decimal, value: Decimal) -> Decimal:
    """A value above the limit, rounded to as few decimals as show that it is."""
    step = Decimal("0.1")
    while value.quantize(step) <= limit:
        step /= 10
    return value.quantize(step)
