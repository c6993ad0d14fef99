"""The tables of the page: overview, conditions, repeats, breaking points, and scores of integer sequences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from pytest_llmarith.records import BreakingPoint, Effect, Limit, Repeats, Result
from pytest_llmarith.records import SequenceSet as Counted
from pytest_llmarith.results import formatting
from pytest_llmarith.results.completeness import bounded, incomplete, missing_cells
from pytest_llmarith.results.differences import SIGNIFICANT
from pytest_llmarith.results.formatting import sanitize
from pytest_llmarith.results.keys import USUAL_NAME, label_of
from pytest_llmarith.results.page.charts import (
    MOST_TOGETHER,
    Axis,
    Panel,
    Share,
    overall_share,
    panel,
    score_panel,
    share,
)
from pytest_llmarith.results.series import PageRun, Results, Series, short_name
from pytest_llmarith.results.statistics import Depth, reliable_depth
from pytest_llmarith.types import Op, Outcome

_LONGEST_REASON = 60
_MOST_REASONS = 4
_MOST_TERMS = 40


# --- overview -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Figure:
    """The text of a table cell, its interval, and the number by which it is sorted, if that is known."""

    text: str
    sort: float | None
    interval: str = ""


@dataclass(frozen=True, slots=True)
class OverviewRow:
    """One result. `figures` are by column; `missing` names the cells of others that it lacks."""

    label: str
    task: str
    correct: Share | None
    figures: Mapping[str, Figure]
    notes: Sequence[str]
    simulated: bool
    missing: str


@dataclass(frozen=True, slots=True)
class Overview:
    """All results by task, the best first and those that lack cells last, and the titles of the shown columns."""

    columns: Mapping[str, str]
    rows: Sequence[OverviewRow]
    has_tasks: bool  # more than one


_COLUMNS = {
    "holds to": "Digits up to which at least 90 % are correct, by operation; ? if more trials are needed to prove it",
    "cost": "US dollars; a plus means that some replies have no known price",
    "most errors": "The most frequent class of wrong answers, and its share of them",
    "deviate %": "Another answer than the expected one",
    "nan %": "A reply without an answer",
    "cheat %": "A program that is a lookup table",
    "trials": "Trials with a reply",
    "tokens": "Tokens of prompts and replies",
    "latency": "Median seconds of a reply",
    "date": "When the run began",
}


def overview(series: Sequence[Series]) -> Overview:
    """A row per model and task. The date is a column if there are several; one date is in Provenance."""
    results = [(one, result) for one in series for result in one.results]
    missing = missing_cells([result for _, result in results])
    rows = [
        OverviewRow(
            label=one.label,
            task=short_name(result.task),
            correct=overall_share(result, Outcome.CORRECT),
            figures=_figures(result),
            notes=[note for note in (one.unfinished, lacks, *_notes(result)) if note],
            simulated=result.simulated,
            missing=lacks,
        )
        for (one, result), lacks in zip(results, missing, strict=True)
    ]
    tasks = list(dict.fromkeys(row.task for row in rows))
    rows.sort(key=lambda row: (tasks.index(row.task), bool(row.missing), -row.correct.percent if row.correct else 1))
    texts = {name: {row.figures[name].text for row in rows} - {"", "0.0", formatting.UNKNOWN} for name in _COLUMNS}
    columns = {name: title for name, title in _COLUMNS.items() if len(texts[name]) > (name == "date")}
    return Overview(columns, rows, len(tasks) > 1)


def _figures(result: Result) -> dict[str, Figure]:
    """The values of a row by column."""
    tokens, latency = formatting.prompt_and_completion(result.tokens), result.median_latency_s
    day = (result.date or "").replace("-", "")
    return {
        "holds to": Figure(_holds_to(result), None),
        "cost": Figure(formatting.dollars(result.cost_usd, result.unpriced), result.cost_usd),
        "most errors": Figure(_most_errors(result), None),
        **{f"{outcome} %": _outcome(result, outcome) for outcome in (Outcome.DEVIATE, Outcome.NAN, Outcome.CHEAT)},
        "trials": Figure(f"{result.measured:,}", result.measured),
        "tokens": Figure(formatting.thousands(tokens), tokens),
        "latency": Figure(formatting.UNKNOWN if latency is None else f"{formatting.seconds(latency)} s", latency),
        "date": Figure(result.date or formatting.UNKNOWN, float(day) if day.isascii() and day.isdigit() else None),
    }


def _outcome(result: Result, outcome: Outcome) -> Figure:
    share = overall_share(result, outcome)
    return Figure(share.text, share.percent, share.interval) if share else Figure(formatting.UNKNOWN, None)


def _holds_to(result: Result) -> str:
    """Such as `int + 10, - 10, * 3, / 3`, a line per dtype; for additions a number."""
    if result.lengths and not result.repeats:
        depth = reliable_depth(Depth(one.digits, one.correct, one.measured) for one in result.lengths)
        return formatting.holds_to(depth)
    of_dtype: dict[str, list[str]] = {}
    for one in result.variants:
        dtype, _, op = one.variant.partition("_")
        if op in set(Op):
            of_dtype.setdefault(dtype, []).append(f"{Op(op).sign} {formatting.holds_to(one.reliable_depth)}")
    return "\n".join(f"{dtype} {', '.join(each)}" for dtype, each in of_dtype.items())


def _most_errors(result: Result) -> str:
    classes = result.errors.classes if result.errors else []
    most = max(classes, key=lambda one: one.count, default=None)
    return f"{most.error_class}\n{formatting.percent_of(most.percentage)} %" if most and most.count else ""


def _notes(result: Result) -> list[str]:
    """The notes on a result; some may be empty."""
    longest = [(short_name(one.set), one.limits[-1]) for one in result.sets if one.limits]
    searches = result.breaking_points
    broken = sum(one.question is not None for one in searches)
    return [
        f"wrong in {broken} of {len(searches)} searches" if searches else "",
        *(
            f"{name}: score {formatting.one_decimal(limit.score)} % within {limit.seconds:g} s"
            for name, limit in longest
        ),
        incomplete(result),
        bounded(result),
        _reasons("nan", result.nan_reasons),
        _reasons("unanswered", result.unanswered_reasons),
        f"deviate: {result.rounded:,} only rounded" if result.rounded else "",
        f"{result.stored:,} from the store" if result.stored else "",
        formatting.unpriced(result),
    ]


def _reasons(outcome: str, reasons: Mapping[str, int]) -> str:
    shown = [f"{count:,} {sanitize(reason, _LONGEST_REASON)}" for reason, count in reasons.items()]
    more = ["..."] if len(shown) > _MOST_REASONS else []
    return f"{outcome}: {', '.join(shown[:_MOST_REASONS] + more)}" if shown else ""


# --- conditions, repeats, breaking points ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EffectRow:
    """The effect of a condition, compared with the same model in another condition."""

    condition: str
    label: str
    beside: str
    effect: Effect

    @property
    def direction(self) -> str:
        """`better` or `worse` if the difference is significant after Holm's correction, else `unclear`."""
        if self.effect.p_holm >= SIGNIFICANT:
            return "unclear"
        return "better" if self.effect.difference.points > 0 else "worse"


@dataclass(frozen=True, slots=True)
class Effects:
    """All effects, on a scale with `reach` points on either side."""

    reach: int
    axis: Axis
    rows: Sequence[EffectRow]
    significant: float = SIGNIFICANT


def effects(runs: Sequence[PageRun], series: Sequence[Series]) -> Effects | None:
    """The effects of all runs; None if there are none."""
    labels = {one.key: one.label for one in series}
    rows = [
        EffectRow(
            short_name(label_of(effect.condition) or USUAL_NAME),
            labels[number, effect.model, label_of(effect.condition)],
            labels[number, effect.model, label_of(effect.beside)],
            effect,
        )
        for number, run in enumerate(runs)
        for effect in run.summary.effects
    ]
    if not rows:
        return None
    differences = [row.effect.difference for row in rows]
    farthest = max(abs(end) for one in differences for end in (one.points, one.low, one.high) if end is not None)
    reach = max(10, 10 * ceil(farthest / 10))
    return Effects(reach, Axis(-reach, reach, 0, 100), rows)


def repeated_tasks(results: Results) -> dict[str, list[tuple[str, Repeats]]]:
    """The models with repeats, by task."""
    found: dict[str, list[tuple[str, Repeats]]] = {}
    for label, result in results:
        if result.repeats:
            found.setdefault(short_name(result.task), []).append((label, result.repeats))
    return found


def breaking_points(results: Results) -> list[tuple[str, list[BreakingPoint]]]:
    """The searches of each model with searches."""
    return [(label, result.breaking_points) for label, result in results if result.breaking_points]


# --- integer sequences ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SequenceSet:
    """One set: a row per model and limit, plots, and the sequences that no model solved."""

    name: str
    rows: Sequence[tuple[str, Counted, Limit]]
    legend: Sequence[str]
    panels: Sequence[Panel]
    unsolved: Sequence[str]


def sequence_sets(results: Results) -> list[SequenceSet]:
    """All sets, by name."""
    found: dict[str, list[tuple[str, Counted]]] = {}
    for label, result in results:
        for counted in result.sets:
            found.setdefault(counted.set, []).append((label, counted))
    return [_sequence_set(short_name(name), found[name]) for name in sorted(found)]


def _sequence_set(name: str, models: Sequence[tuple[str, Counted]]) -> SequenceSet:
    together = len(models) <= MOST_TOGETHER
    if together:
        panels = _sequence_panels(models, "")
    else:
        panels = [made for one in models for made in _sequence_panels([one], f", {one[0]}")]
    unsolved = [set(counted.unsolved) for _, counted in models if counted.measured]
    return SequenceSet(
        name=name,
        rows=[(label, counted, limit) for label, counted in models for limit in counted.limits],
        legend=[label for label, _ in models] if together and len(models) > 1 else (),
        panels=panels,
        unsolved=sorted(set.intersection(*unsolved)) if unsolved else (),
    )


def _sequence_panels(models: Sequence[tuple[str, Counted]], whose: str) -> list[Panel]:
    """Plots of scores from best to worst, and of terms by their position in the sequence."""
    panels = []
    if scores := [(label, counted.curve[-1].scores) for label, counted in models if counted.curve]:
        panels.append(score_panel(f"Scores from best to worst{whose}", scores))
    terms = [
        (
            label,
            {term["term"]: of for term in counted.by_term[:_MOST_TERMS] if (of := share(term["right"], term["run"]))},
        )
        for label, counted in models
    ]
    if any(shares for _, shares in terms):
        panels.append(panel(f"Right terms % by place in the sequence{whose}", "term", terms))
    return panels
