"""The trial table: the details of each trial, embedded in the page as compressed data.

It has at most `MOST_TRIALS` trials, wrong ones first, in equal parts of the runs.
"""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile
from operator import attrgetter, eq, itemgetter
from typing import Any, NamedTuple

from pytest_llmarith import records
from pytest_llmarith.records import Part, Record
from pytest_llmarith.report import formatting
from pytest_llmarith.report.series import PageRun, Series, series_key, short_name
from pytest_llmarith.results.keys import condition_name, label_of
from pytest_llmarith.types import ErrorClass, Outcome

MOST_TRIALS = 5_000
LONGEST_TEXT = 20_000  # characters
NOT_CORRECT = (
    "not correct"  # the value of the filter of outcomes for all others than correct
)

_LONGEST_COMPARED = 800  # characters of an answer and the expected one
_LONGEST_EXAMPLE = 70  # characters of its question, and of its answer
_EXAMPLES = 3  # of a class

_FILTERS = {
    "model": "Model",
    "task": "Task",
    "condition": "Condition",
    "repeat": "Repeat",
    "variant": "Variant or set",
    "depth": "Depth or digits",
    "outcome": "Outcome",
    "class": "Class of error",
    "reason": "Why no answer",
}
_ONLY_IF_SEVERAL = ("task", "condition", "repeat")

Fact = tuple[str, str]
Pieces = Sequence[
    tuple[str, bool]
]  # parts of a number, and whether they differ from the other number


class Filter(NamedTuple):
    """A filter above the table: its name in addresses, its label, and its values."""

    name: str
    label: str
    values: Sequence[str | int]


@dataclass(frozen=True, slots=True)
class TrialTable:
    """`count` trials are embedded, `left_out` are not, of which `wrong_left_out` are
    not correct.

    `data` is the base64 of compressed JSON, a list of trials. `examples` are some of
    the wrong ones, by class.
    """

    count: int
    left_out: int
    wrong_left_out: int
    filters: Sequence[Filter]
    data: str
    examples: Mapping[str, Sequence[Example]]


class Example(NamedTuple):
    """A wrong answer, digit by digit."""

    model: str
    question: str
    answer: Pieces
    expected: Pieces


class _Embedded(NamedTuple):
    """A trial with its position in the run, the values of its filters, and its details
    as JSON.
    """

    place: int
    by: Mapping[str, str | int | None]
    json: bytes
    example: Example | None


def trial_table(runs: Sequence[PageRun], series: Sequence[Series]) -> TrialTable:
    """Choose and pack trials.

    Each run gets an equal part of the space; longer runs get what shorter ones leave.
    """
    labels = {one.key: one.label for one in series}
    totals = [run.summary.answered + run.summary.unanswered for run in runs]
    wrong = sum(totals) - sum(
        result.outcomes.correct for run in runs for result in run.summary.results
    )
    chosen: dict[int, list[_Embedded]] = {}
    for number in sorted(range(len(runs)), key=totals.__getitem__):
        space = MOST_TRIALS - sum(map(len, chosen.values()))
        trials = (
            (record, labels[series_key(number, record)])
            for record in runs[number].records
        )
        chosen[number] = _choose(trials, space // (len(runs) - len(chosen)))
    embedded = [trial for number in range(len(runs)) for trial in chosen[number]]
    return TrialTable(
        count=len(embedded),
        left_out=max(0, sum(totals) - len(embedded)),
        wrong_left_out=max(
            0, wrong - sum(trial.by["outcome"] != Outcome.CORRECT for trial in embedded)
        ),
        filters=list(_filters(embedded)),
        data=b64encode(
            gzip.compress(
                b"[" + b",".join(trial.json for trial in embedded) + b"]", 6, mtime=0
            )
        ).decode(),
        examples=_examples(embedded),
    )


def _examples(trials: Iterable[_Embedded]) -> dict[str, list[Example]]:
    """The first examples of each class, of as many models as possible."""
    found: dict[str, list[tuple[int, Example]]] = {}
    before = Counter[tuple[str, str]]()
    for trial in trials:
        if (example := trial.example) is not None:
            name = str(trial.by["class"])
            found.setdefault(name, []).append((before[name, example.model], example))
            before[name, example.model] += 1
    first = {
        name: sorted(examples, key=itemgetter(0))[:_EXAMPLES]
        for name, examples in found.items()
    }
    return {
        name: [example for _, example in first[name]]
        for name in ErrorClass
        if name in first
    }


def _choose(trials: Iterable[tuple[Record, str]], most: int) -> list[_Embedded]:
    """The first wrong trials, then the first correct ones; in the order of the run."""
    wrong, right = list[_Embedded](), list[_Embedded]()
    for place, (record, model) in enumerate(trials):
        if len(wrong) == most:
            break
        kept = right if record.outcome is Outcome.CORRECT else wrong
        if len(kept) < most:
            trial = shown_trial(record, model)
            known = {
                name: value
                for name, value in records.as_dict(trial).items()
                if value not in (None, "")
            }
            text = json.dumps(truncate(known, LONGEST_TEXT), allow_nan=False)
            kept.append(
                _Embedded(place, trial.by, text.encode("ascii"), _example(trial))
            )
    return sorted((wrong + right)[:most], key=attrgetter("place"))


def _filters(trials: Sequence[_Embedded]) -> Iterator[Filter]:
    for name, label in _FILTERS.items():
        values = list(
            dict.fromkeys(
                value for trial in trials if (value := trial.by[name]) is not None
            )
        )
        if name == "outcome" and set(values) != {Outcome.CORRECT}:
            values.insert(0, NOT_CORRECT)
        if len(values) > 1 or name not in _ONLY_IF_SEVERAL:
            yield Filter(
                name, label, sorted(values) if name in ("repeat", "depth") else values
            )


def truncate(value: Any, longest: int) -> Any:
    """A JSON value with the middle of long texts left out:

    `{"cut": [beginning, end, length]}`.

    `longest` characters are kept, a quarter of them from the end.
    """
    match value:
        case str() if len(value) > longest:
            end = longest // 4
            return {
                "cut": [value[: longest - end], value[len(value) - end :], len(value)]
            }
        case dict():
            return {key: truncate(item, longest) for key, item in value.items()}
        case list() | tuple():
            return [truncate(item, longest) for item in value]
        case _:
            return value


# --- one trial ------------------------------------------------------------------------


class ShownProgram(Part):
    """A program and its results: scores by limit, facts, and all terms."""

    text: str | None
    scores: list[Fact]
    facts: list[Fact]
    terms: list[
        tuple[str, str, str, str, str, str]
    ]  # n, expected, got, status, seconds, stderr


class ShownSearch(Part):
    """Facts about a search, and each question with its outcome and, if recorded, its
    reply.
    """

    facts: list[Fact]
    steps: list[tuple[str, Outcome, str | None]]


class ShownTrial(Part, kw_only=True):
    """The values by which a trial is filtered, and its details; unknown ones are left
    out.
    """

    by: dict[str, str | int | None]
    cell: str
    facts: list[Fact]
    question: str | None = None
    expected: str | None = None
    answer: str | None = None
    compared: tuple[Pieces, Pieces] | None = (
        None  # a wrong answer, and the expected one
    )
    reason: str | None = None
    prompt: str | None = None
    reply: str | None = None
    reasoning: str | None = None
    program: ShownProgram | None = None
    search: ShownSearch | None = None


def shown_trial(record: Record, model: str) -> ShownTrial:
    """The details of a record; `model` is the label of its series.

    The question of a search is the simplest wrong one that it found.
    """
    reply, search, program = record.reply, record.search, record.program
    by = _filtered_by(record, model)
    trial = ShownTrial(
        by=by,
        cell=str(by["variant"])
        if by["depth"] is None
        else f"{by['variant']}, depth {by['depth']}",
        facts=list(_facts(record)),
        question=record.problem.short,
        expected=records.as_text(record.problem.expected),
        answer=record.answer_text,
        reason=record.reason,
        prompt=record.prompt_text,
        reply=reply.text if reply else None,
        reasoning=reply.reasoning if reply else None,
        program=_program(program, record.grade.scores)
        if program and record.grade
        else None,
    )
    if search:
        trial.search, found = _search(search), search.minimum
        trial.question = found.question if found else search.largest_right
        trial.expected, trial.answer = (
            (found.expected, found.answer) if found else (None, None)
        )
    answer, expected = trial.answer or "", trial.expected or ""
    if (
        answer
        and expected
        and record.outcome is not Outcome.CORRECT
        and len(answer + expected) <= _LONGEST_COMPARED
    ):
        trial.compared = _compared(answer, expected)
    return trial


def _compared(answer: str, expected: str) -> tuple[Pieces, Pieces]:
    """The pieces of both.

    If one is shorter it is filled up with dots, and all between the common ends
    differs.
    """
    width, as_long = max(len(answer), len(expected)), len(answer) == len(expected)
    head = _same(answer, expected)
    tail = min(
        _same(reversed(answer), reversed(expected)),
        len(answer) - head,
        len(expected) - head,
    )
    one, other = (
        text[: len(text) - tail].ljust(width - tail, "·") + text[len(text) - tail :]
        for text in (answer, expected)
    )
    differs = [
        a != b if as_long else head <= place < width - tail
        for place, (a, b) in enumerate(zip(one, other, strict=True))
    ]
    return _pieces(one, differs), _pieces(other, differs)


def _same(one: Iterable[str], other: Iterable[str]) -> int:
    """The number of characters at the beginning that are the same."""
    return sum(takewhile(bool, map(eq, one, other)))


def _pieces(text: str, differs: Sequence[bool]) -> Pieces:
    marked = groupby(zip(text, differs, strict=True), itemgetter(1))
    return [
        ("".join(character for character, _ in piece), is_marked)
        for is_marked, piece in marked
    ]


def _example(trial: ShownTrial) -> Example | None:
    """A wrong number in a class of errors; None if it is too long to be shown beside
    others.
    """
    question = trial.question or ""
    if trial.by["class"] is None or trial.search or not trial.compared:
        return None
    longest = max(
        len(question),
        *(sum(len(text) for text, _ in pieces) for pieces in trial.compared),
    )
    return (
        Example(str(trial.by["model"]), question, *trial.compared)
        if longest <= _LONGEST_EXAMPLE
        else None
    )


def _filtered_by(record: Record, model: str) -> dict[str, str | int | None]:
    """The values of `_FILTERS`."""
    problem = record.problem
    minimum = record.search and record.search.minimum
    error_class = minimum.error_class if minimum else record.error_class
    return {
        "model": model,
        "task": short_name(record.task),
        "condition": short_name(condition_name(record.condition)),
        "repeat": record.repeat,
        "variant": short_name(problem.variant or record.task),
        "depth": problem.depth,
        "outcome": record.outcome,
        "class": error_class,
        # The reasons of other outcomes all differ.
        "reason": short_name(record.reason)
        if record.reason and record.outcome is Outcome.NAN
        else None,
    }


def _facts(record: Record) -> Iterator[Fact]:
    """Facts about the item, its grade and its reply."""
    if record.nodeid:
        yield "item", record.nodeid
    if condition := label_of(record.condition):
        yield "condition", condition
    if record.repeat:
        yield "repeat", str(record.repeat)
    number, grade, reply = record.number, record.grade, record.reply
    for name, answer in record.answers.items():
        if name != record.reading and answer != record.answer:
            yield f"{name} reading", records.as_text(answer) or "no answer"
    if grade and grade.score not in (None, 0, 1):
        yield "score", f"{grade.score:g}"
    if grade and record.reading is None and not record.program:
        yield from ((name, f"{score:g}") for name, score in grade.scores.items())
    if grade and isinstance(grade.details, records.OwnDetails):
        yield from (
            (name, records.as_text(value) or "")
            for name, value in grade.details.values.items()
        )
    if number and number.relative_error is not None:
        yield "relative error", formatting.short(number.relative_error)
    if number:
        yield (
            "leading digits right",
            "- (other length)"
            if number.has_other_length
            else str(number.leading_digits),
        )
    for retry in record.retries:
        yield "retry", f"{retry.reason}, after {formatting.seconds(retry.waited_s)} s"
    if reply is None:
        return
    counts = (
        (kind, getattr(reply, f"{kind}_tokens"))
        for kind in ("prompt", "completion", "reasoning")
    )
    facts = {
        "finish reason": reply.finish_reason,
        "served by": reply.served_model,
        "asked at": reply.asked_at,
        "tokens": ", ".join(
            f"{count:,} {kind}" for kind, count in counts if count is not None
        ),
        "cost": None if reply.cost_usd is None else formatting.dollars(reply.cost_usd),
        "latency": None
        if reply.latency_s is None
        else f"{formatting.seconds(reply.latency_s)} s",
        "attempts": str(reply.attempts) if reply.attempts > 1 else None,
        "stored": "from the store" if reply.stored else None,
        "batched": "from a batch" if reply.batched else None,
    }
    yield from ((name, text) for name, text in facts.items() if text)


def _program(
    program: records.ProgramDetails, scores: Mapping[str, float]
) -> ShownProgram:
    static, llm = program.judges.static, program.judges.llm
    facts = []
    if static:
        facts.append(
            (
                "static judge",
                ": ".join(
                    filter(None, (_verdict(static.cheat), "; ".join(static.evidence)))
                ),
            )
        )
    if llm:
        facts.append((str(llm.model), _verdict(llm.cheat)))
    facts.append(("sandbox", program.isolation.level))
    if program.detail:
        facts.append(("found", program.detail))
    return ShownProgram(
        text=program.program,
        scores=[
            (f"{float(limit):g} s", f"{100 * score:.1f} %")
            for limit, score in scores.items()
        ],
        facts=facts,
        terms=[
            (
                str(term.n),
                term.expected,
                term.got,
                term.status,
                f"{term.seconds:.3f}",
                term.stderr,
            )
            for term in program.terms
        ],
    )


def _verdict(is_cheat: bool | None) -> str:
    return (
        "no verdict"
        if is_cheat is None
        else "a lookup table"
        if is_cheat
        else "no lookup table"
    )


def _search(search: records.SearchDetails) -> ShownSearch:
    steps = [
        (step.question, step.outcome, step.reply.text if step.reply else None)
        for step in search.trail
    ]
    facts: list[Fact] = [
        ("search ended", search.ended),
        ("questions", str(search.questions)),
    ]
    if search.not_reproduced:
        facts.append(("wrong, then right", str(search.not_reproduced)))
    if search.largest_right:
        facts.append(("largest right", search.largest_right))
    return ShownSearch(facts, steps)
