"""The trial table: the details of each trial, embedded in the page as compressed data.

It has at most `MOST_TRIALS` trials, wrong ones first, in equal parts of the runs.
"""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_llmarith.records import (
    AdditionProblem,
    Answer,
    ArithmeticProblem,
    CustomProblem,
    Part,
    Problem,
    Program,
    Record,
    Reply,
    Search,
    SearchProblem,
    SequenceProblem,
    as_dict,
    as_text,
)
from pytest_llmarith.results import formatting
from pytest_llmarith.results.keys import USUAL_NAME, label_of
from pytest_llmarith.results.page.runs import PageRun, Series, SeriesKey, series_key, short_name
from pytest_llmarith.types import Op, Outcome, Reading, SearchEnd, Symbols

MOST_TRIALS = 5_000
MOST_BYTES = 60_000_000  # of all trials as JSON, before compression
LONGEST_TEXT = 20_000  # characters
_BLOCK = 400  # trials, which a browser unpacks in a few milliseconds
_UNKNOWN = -1  # in a column of numbers

_UNICODE_SIGNS = {Op.ADD: "+", Op.SUB: "-", Op.MUL: "×", Op.DIV: "÷"}
_ASCII_SIGNS = {Op.ADD: "+", Op.SUB: "-", Op.MUL: "*", Op.DIV: "/"}
_SEARCH_ENDS = {
    SearchEnd.SHRUNK: "all simpler questions that it tried were answered rightly",
    SearchEnd.BUDGET: "its questions were used up; a simpler one may be wrong too",
    SearchEnd.NOTHING_FOUND: "all of its questions were answered rightly",
    SearchEnd.NOT_REPRODUCED: "no question was wrong each time that it was asked",
    SearchEnd.UNANSWERED: "a question had no reply",
}
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
_NUMBERS = ("repeat", "depth")
_ONLY_IF_SEVERAL = ("task", "condition", "repeat")

Fact = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter above the table: its name in addresses, its label, and its values."""

    name: str
    label: str
    words: Sequence[str | int]


@dataclass(frozen=True, slots=True)
class TrialTable:
    """`count` trials are embedded, `left_out` are not, of which `wrong_left_out` are not correct.

    `index` has the values by which trials are filtered, `blocks` everything else; both are base64 of compressed JSON.
    """

    count: int
    left_out: int
    wrong_left_out: int
    filters: Sequence[Filter]
    index: str
    blocks: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Trial:
    """A trial that is embedded: its position in the run, the values of its filters, and the rest as JSON."""

    place: int
    is_correct: bool
    key: SeriesKey
    filtered_by: Mapping[str, str | int | None]
    json: bytes


def trial_table(runs: Sequence[PageRun], series: Sequence[Series]) -> TrialTable:
    """Choose and pack trials. Each run gets an equal part of the space; longer runs get what shorter ones leave."""
    outcomes = [[result.outcomes for result in run.summary.results] for run in runs]
    totals = [sum(one.answered + one.unanswered for one in of) for of in outcomes]
    wrong = sum(totals) - sum(one.correct for of in outcomes for one in of)
    chosen: dict[int, list[_Trial]] = {}
    most, space = MOST_TRIALS, MOST_BYTES
    for number in sorted(range(len(runs)), key=lambda number: totals[number]):
        waiting = len(runs) - len(chosen)
        chosen[number] = _choose(number, runs[number].records, most // waiting, space // waiting)
        most -= len(chosen[number])
        space -= sum(len(trial.json) for trial in chosen[number])
    trials = [trial for number in range(len(runs)) for trial in chosen[number]]
    words, columns = _columns(trials, series)
    filters = []
    for name, label in _FILTERS.items():
        values = sorted(set(columns[name]) - {_UNKNOWN}) if name in _NUMBERS else words[name]
        if len(values) > 1 or name not in _ONLY_IF_SEVERAL:
            filters.append(Filter(name, label, values))
    blocks = (trials[start : start + _BLOCK] for start in range(0, len(trials), _BLOCK))
    return TrialTable(
        count=len(trials),
        left_out=max(0, sum(totals) - len(trials)),
        wrong_left_out=max(0, wrong - sum(not trial.is_correct for trial in trials)),
        filters=filters,
        index=_packed(json.dumps({"block": _BLOCK, "words": words, "columns": columns}).encode("ascii")),
        blocks=[_packed(b"[" + b",".join(trial.json for trial in block) + b"]") for block in blocks],
    )


def _choose(run: int, records: Iterable[Record], most: int, space: int) -> list[_Trial]:
    """The first wrong trials, then the first correct ones, as far as there is space; in the order of the run."""
    kept, free = {False: list[_Trial](), True: list[_Trial]()}, {False: space, True: space}
    for place, record in enumerate(records):
        is_correct = record.outcome is Outcome.CORRECT
        if len(kept[is_correct]) < most and free[is_correct] > 0:
            trial = _trial(run, place, record)
            free[is_correct] -= len(trial.json)
            kept[is_correct].append(trial)
        elif not is_correct:
            break  # wrong ones use all the space
    chosen = list[_Trial]()
    for trial in kept[False] + kept[True]:
        space -= len(trial.json)
        if len(chosen) < most and space >= 0:
            chosen.append(trial)
    return sorted(chosen, key=lambda trial: trial.place)


def _trial(run: int, place: int, record: Record) -> _Trial:
    problem = record.problem
    graded = record.search.minimum if record.search and record.search.minimum else record.grade
    shown = {name: value for name, value in as_dict(shown_trial(record)).items() if value != ""}
    text = json.dumps(truncate(shown, LONGEST_TEXT), allow_nan=False)
    filtered_by: dict[str, str | int | None] = {
        "task": record.task,
        "condition": label_of(record.condition) or USUAL_NAME,
        "variant": problem.set if isinstance(problem, SequenceProblem) else getattr(problem, "variant", record.task),
        "outcome": record.outcome,
        "class": graded.error_class if graded else None,
        "reason": record.reason if record.outcome is Outcome.NAN else None,  # the reasons of other outcomes all differ
        "repeat": record.repeat,
        "depth": problem.digits if isinstance(problem, AdditionProblem) else getattr(problem, "depth", None),
    }
    is_correct = record.outcome is Outcome.CORRECT
    return _Trial(place, is_correct, series_key(run, record), filtered_by, text.encode("ascii"))


def _columns(trials: Sequence[_Trial], series: Sequence[Series]) -> tuple[dict[str, list[str]], dict[str, list[int]]]:
    """The words of each filter, and for each trial the index of its word, or its number."""
    models = {one.key: number for number, one in enumerate(series)}
    numbers: dict[str, dict[str, int]] = {name: {} for name in _FILTERS if name not in _NUMBERS}
    numbers["outcome"] = {outcome: number for number, outcome in enumerate(Outcome)}
    columns: dict[str, list[int]] = {name: [] for name in _FILTERS}
    for trial in trials:
        columns["model"].append(models[trial.key])
        for name, value in trial.filtered_by.items():
            if isinstance(value, str):
                value = numbers[name].setdefault(short_name(value), len(numbers[name]))
            columns[name].append(_UNKNOWN if value is None else value)
    words = {name: list(known) for name, known in numbers.items()}
    return words | {"model": [one.label for one in series]}, columns


def _packed(text: bytes) -> str:
    """The text compressed, in base64; deterministic."""
    return b64encode(gzip.compress(text, 6, mtime=0)).decode("ascii")


def truncate(value: Any, longest: int) -> Any:
    """A JSON value with the middle of long texts left out: `{"cut": [beginning, end, length]}`.

    `longest` characters are kept, a quarter of them from the end.
    """
    match value:
        case str() if len(value) > longest:
            end = longest // 4
            return {"cut": [value[: longest - end], value[len(value) - end :], len(value)]}
        case dict():
            return {key: truncate(item, longest) for key, item in value.items()}
        case list() | tuple():
            return [truncate(item, longest) for item in value]
        case _:
            return value


# --- one trial ------------------------------------------------------------------------------------------------------


class ShownProgram(Part):
    """A program and its results: scores by limit, facts, and all terms."""

    text: str | None
    scores: list[Fact]
    facts: list[Fact]
    terms: list[tuple[str, str, str, str, str, str]]  # n, expected, got, status, seconds, stderr


class ShownSearch(Part):
    """Facts about a search, and each question with its outcome and, if recorded, its reply."""

    facts: list[Fact]
    steps: list[tuple[str, Outcome, str | None]]


class ShownTrial(Part, kw_only=True):
    """The details of a trial; unknown ones are left out."""

    cell: str
    facts: list[Fact]
    question: str | None = None
    expected: str | None = None
    answer: str | None = None
    reason: str | None = None
    prompt: str | None = None
    reply: str | None = None
    reasoning: str | None = None
    program: ShownProgram | None = None
    search: ShownSearch | None = None


def shown_trial(record: Record) -> ShownTrial:
    """The details of a record. The question of a search is the simplest wrong one that it found."""
    problem, reply, search = record.problem, record.reply, record.search
    trial = ShownTrial(
        cell=_cell(record.task, problem),
        facts=[*_facts(record), *(_reply_facts(reply) if reply else ())],
        question=_question(problem, record.condition.symbols),
        expected=as_text(getattr(problem, "expected", None)),
        answer=record.answer_text,
        reason=record.reason,
        prompt=record.prompt,
        reply=reply.text if reply else None,
        reasoning=reply.reasoning if reply else None,
        program=_program(record.oeis) if record.oeis else None,
    )
    if search:
        steps = [(step.question, step.outcome, step.reply.text if step.reply else None) for step in search.trail]
        trial.search = ShownSearch(list(_search_facts(search)), steps)
        found = search.minimum
        trial.question = found.question if found else search.largest_right
        trial.expected, trial.answer = (found.expected, found.answer) if found else (None, None)
    return trial


def _cell(task: str, problem: Problem) -> str:
    match problem:
        case ArithmeticProblem(variant=variant, depth=depth):
            return f"{variant}, depth {depth}"
        case SearchProblem(variant=variant):
            return f"{variant}, {task}"
        case SequenceProblem(set=name):
            return name
    return task


def _question(problem: Problem, symbols: Symbols) -> str:
    match problem:
        case ArithmeticProblem(lhs=lhs, op=op, rhs=rhs):
            signs = _ASCII_SIGNS if symbols is Symbols.ASCII else _UNICODE_SIGNS
            return f"{lhs} {signs[op]} {rhs}"
        case AdditionProblem(int1=int1, int2=int2):
            return f"{int1} + {int2}"
        case CustomProblem(inputs=inputs):
            return ", ".join(f"{name}: {as_text(value)}" for name, value in inputs.items())
        case SequenceProblem(number=number, name=name):
            return f"{number} {name}".strip()
    return ""


def _facts(record: Record) -> Iterator[Fact]:
    """Facts about the item and its grade."""
    if record.nodeid:
        yield "item", record.nodeid
    if condition := label_of(record.condition):
        yield "condition", condition
    if record.repeat:
        yield "repeat", str(record.repeat)
    answer, grade = record.answer, record.grade
    if record.reading and isinstance(answer, Answer) and answer.strict != answer.tolerant:
        other = Reading.STRICT if record.reading is Reading.TOLERANT else Reading.TOLERANT
        yield f"{other} reading", answer.by(other) or "no answer"
    if grade and grade.relative_error is not None:
        yield "relative error", formatting.short(grade.relative_error)
    if grade:
        other_length = grade.dlength and not grade.leading_digits  # digits in other places cannot be compared
        yield "leading digits right", "- (other length)" if other_length else str(grade.leading_digits)
    for retry in record.retries:
        yield "retry", f"{retry.reason}, after {formatting.seconds(retry.waited_s)} s"


def _reply_facts(reply: Reply) -> Iterator[Fact]:
    """Facts about the reply."""
    named = (("finish reason", reply.finish_reason), ("served by", reply.served_model), ("asked at", reply.asked_at))
    yield from ((name, value) for name, value in named if value)
    tokens = (
        ("prompt", reply.prompt_tokens),
        ("completion", reply.completion_tokens),
        ("reasoning", reply.reasoning_tokens),
    )
    if told := ", ".join(f"{count:,} {kind}" for kind, count in tokens if count is not None):
        yield "tokens", told
    if reply.cost_usd is not None:
        yield "cost", formatting.dollars(reply.cost_usd)
    if reply.latency_s is not None:
        yield "latency", f"{formatting.seconds(reply.latency_s)} s"
    if reply.attempts > 1:
        yield "attempts", str(reply.attempts)
    if reply.stored:
        yield "stored", "from the store"


def _program(program: Program) -> ShownProgram:
    static, llm = program.judges.static, program.judges.llm
    facts = []
    if static:
        facts.append(("static judge", ": ".join(filter(None, (_verdict(static.cheat), "; ".join(static.evidence))))))
    if llm:
        facts.append((str(llm.model), _verdict(llm.cheat)))
    facts.append(("sandbox", program.isolation.level))
    if program.detail:
        facts.append(("found", program.detail))
    return ShownProgram(
        text=program.program,
        scores=[(f"{float(limit):g} s", f"{100 * score:.1f} %") for limit, score in (program.scores or {}).items()],
        facts=facts,
        terms=[
            (str(term.n), term.expected, term.got, term.status, f"{term.seconds:.3f}", term.stderr)
            for term in program.terms
        ],
    )


def _verdict(is_cheat: bool | None) -> str:
    return "no verdict" if is_cheat is None else "a lookup table" if is_cheat else "no lookup table"


def _search_facts(search: Search) -> Iterator[Fact]:
    yield "search ended", _SEARCH_ENDS[search.ended]
    yield "questions", str(search.questions)
    if search.not_reproduced:
        yield "wrong, then right", str(search.not_reproduced)
    if search.largest_right:
        yield "largest right", search.largest_right
