"""Records and runs in memory, a letter for each outcome."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith import records
from pytest_llmarith.figures.contrasts import Compared
from pytest_llmarith.records import (
    Record,
    RecordedProblem,
    convert,
)
from pytest_llmarith.results.compare import Comparison, Comparisons, compare
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.results.run_files import UsageError
from pytest_llmarith.summaries import Run
from pytest_llmarith.types import Condition, Message, Op, Outcome, Reading, SearchEnd
from tests.runs_on_disk import programmed, run_facts

OUTCOMES = dict(
    zip("cdnhu", ("correct", "deviate", "nan", "cheat", "unanswered"), strict=True)
)


def said(text: str) -> list[Message]:
    """A prompt of one message."""
    return [Message("user", text)]


class Opened(LoadedRun):
    """A run in memory."""

    def __init__(self, path: Path, trials: Sequence[Record], facts: Run | None) -> None:
        super().__init__(path, has_rows=False)
        self._trials, self._told = trials, facts

    @property
    def facts(self) -> Run | None:
        return self._told

    def records(self, most_right: int | None = None) -> Iterator[Record]:
        return iter(self._trials)


def run(*trials: Sequence[Record], name: str = "one", **facts: Any) -> Opened:
    """A run of these trials. Without a summary if `facts` is None."""
    known = None if facts.get("facts", 0) is None else convert(run_facts(**facts), Run)
    return Opened(Path(name), [record for some in trials for record in some], known)


def problem(
    label: str, inputs: dict[str, Any], expected: Any = None, **named: Any
) -> RecordedProblem:
    """A problem; what is named replaces that it has no place."""
    place: dict[str, Any] = {"seed": 0, "variant": None, "depth": None, "trial": 0}
    return RecordedProblem(
        label=label, inputs=inputs, expected=expected, **place | named
    )


def record(outcome: str, task: str, problem: RecordedProblem, **named: Any) -> Record:
    """A record without a reply of interest; what is named replaces what it usually
    has.
    """
    usual: dict[str, Any] = dict.fromkeys(Record.__struct_fields__)
    reply = records.Reply("", served_model="m-2026")
    usual |= {
        "format": 1,
        "task": task,
        "model": "m",
        "simulated": False,
        "problem": problem,
        "retries": [],
    }
    usual |= {
        "condition": Condition(),
        "repeat": 0,
        "prompt": said(str(problem)),
        "outcome": Outcome(OUTCOMES[outcome]),
    }
    usual |= {
        "reply": None if outcome == "u" else reply,
        "answers": {},
    }
    usual |= {
        "grade": None
        if outcome == "u"
        else records.RecordedGrade(float(outcome == "c"))
    }
    return Record(**usual | named)


def sums(
    outcomes: str,
    op: str = "add",
    first: int = 0,
    seed: int = 0,
    depth: int = 2,
    **named: Any,
) -> list[Record]:
    """Sums, a letter each; the same number is the same sum."""
    return [
        record(
            letter,
            "arithmetic",
            problem(
                f"int_{op}-depth_{depth}-trial_{number}",
                {"lhs": str(number), "sign": Op(op).sign, "rhs": "1"},
                f"{op} {number}",
                seed=seed,
                variant=f"int_{op}",
                variant_place=list(Op).index(Op(op)),
                depth=depth,
                trial=number,
                question=f"{number} {Op(op).sign} 1",
            ),
            nodeid=f"test_bench.py::test[m-int_{op}-depth_{depth}-trial_{number}]",
            **{"prompt": said(f"{op} {number} {depth}"), "reading": Reading.TOLERANT}
            | named,
        )
        for number, letter in enumerate(outcomes, first)
    ]


def additions(outcomes: str, **named: Any) -> list[Record]:
    """Integer additions, a letter each."""
    problems = (
        problem(
            f"trial_{trial}",
            {"int1": str(trial), "int2": "1"},
            str(trial + 1),
            depth=len(str(trial)),
            trial=trial,
            question=f"{trial} + 1",
        )
        for trial in range(len(outcomes))
    )
    return [
        record(*one, **named)
        for one in zip(
            outcomes, ["integer_addition"] * len(outcomes), problems, strict=True
        )
    ]


def searches(outcomes: str) -> list[Record]:
    """Searches for a breaking point, a variant each; one that is not correct found a
    wrong answer.
    """
    wrong = records.Minimum("27 * 48", "1296", Outcome.DEVIATE, None, "1", None)
    nothing = records.SearchDetails(SearchEnd.BUDGET, 80, 3, None, 0, None, [])
    something = records.SearchDetails(SearchEnd.BUDGET, 80, 3, wrong, 0, None, [])
    found = {
        "c": nothing,
        "u": records.SearchDetails(SearchEnd.UNANSWERED, 80, 0, None, 0, None, []),
    }
    problems = [
        problem(f"int_{op}", {"of": "arithmetic"}, variant=f"int_{op}") for op in Op
    ]
    return [
        record(
            letter,
            "breaking_point",
            of,
            grade=records.RecordedGrade(None, details=found.get(letter, something)),
        )
        for letter, of in zip(outcomes, problems, strict=False)
    ]


def measured(**digits: int) -> list[Record]:
    """Adaptive items, a variant each, with six answers at each depth from 2 to 10:
    right up to so many digits.
    """
    made = []
    for op, right in digits.items():
        trail = [
            records.SearchStep(
                "1 + 1",
                trial,
                Outcome.CORRECT if depth <= right else Outcome.DEVIATE,
                None,
                None,
                depth,
            )
            for depth in range(2, 11)
            for trial in range(6)
        ]
        of = problem(
            f"int_{op}",
            {"of": "arithmetic"},
            variant=f"int_{op}",
            variant_place=list(Op).index(Op(op)),
        )
        ended = SearchEnd.REACHED
        depths = list(range(2, 11))
        search = records.SearchDetails(
            ended, 100, len(trail), None, 0, None, trail, depths, half_width=1
        )
        made.append(
            record(
                "c", "threshold", of, grade=records.RecordedGrade(None, details=search)
            )
        )
    return made


def programs(
    scores: Sequence[float | None], first: int = 0, name: str = "starter", **named: Any
) -> list[Record]:
    """Programs by their score in 4 s; in 0.5 s it is half of that.

    None is unanswered.
    """
    made = []
    for number, score in enumerate(scores, first):
        grade = programmed("A1")["grade"]
        if score is None:
            grade |= {"score": None, "scores": {}}
        else:
            grade |= {"score": score, "scores": {"0.5": score / 2, "4": score}}
        letter = "u" if score is None else "c" if score == 1 else "d"
        inputs = {"number": f"A{number:06}", "name": "x", "comments": ""}
        of = problem(
            f"{name}-A{number:06}", inputs, variant=name, question=f"A{number:06} x"
        )
        graded = convert(grade, records.RecordedGrade)
        made.append(
            record(
                letter,
                "oeis",
                of,
                **{"prompt": said(f"{number}"), "grade": graded} | named,
            )
        )
    return made


def changed(trials: Sequence[Record], **named: Any) -> list[Record]:
    """The same trials with other fields."""
    fields = Record.__struct_fields__
    return [
        Record(**{name: getattr(one, name) for name in fields} | named)
        for one in trials
    ]


def in_condition(trials: Sequence[Record], condition: Condition) -> list[Record]:
    """The same problems in another condition, which changes their prompts."""
    return [
        changed(
            [one], condition=condition, prompt=said(f"{one.prompt} {condition.label}")
        )[0]
        for one in trials
    ]


def repeated(*outcomes: str, **named: Any) -> list[Record]:
    """The same sums several times, a text for each repeat."""
    return [
        one
        for repeat, text in enumerate(outcomes)
        for one in sums(text, repeat=repeat, **named)
    ]


def compare_two(first: Opened, second: Opened, **wanted: Any) -> Comparison:
    """The only comparison of two runs."""
    (comparison,) = compare(first, [second], **wanted).comparisons
    return comparison


def refusal(first: Opened, *others: Opened, **wanted: Any) -> str:
    """Why these runs are not compared, which is one line."""
    with pytest.raises(UsageError) as caught:
        compare(first, others, **wanted)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def row_of(comparison: Comparison, name: str | None = None) -> Compared:
    """The row of a variant, a set or a task; over all without a name."""
    places = ((row, row.place) for row in comparison.rows)
    return next(row for row, at in places if (at.variant or at.task) == name)


def models_of(comparisons: Comparisons) -> list[tuple[str, str]]:
    return [(one.first.model, one.second.model) for one in comparisons.comparisons]


def scored(scores: Sequence[float], **named: Any) -> list[Record]:
    """Trials of a task with scores, a score each."""
    made = []
    for number, score in enumerate(scores):
        of = problem(f"trial_{number}", {"words": f"{number}"}, "b", trial=number)
        letter = "c" if score == 1 else "d"
        usual: dict[str, Any] = {
            "prompt": said(f"{number}"),
            "grade": records.RecordedGrade(score),
            "nodeid": f"test_bench.py::test[m-trial_{number}]",
        }
        made.append(record(letter, "sorting", of, **usual | named))
    return made
