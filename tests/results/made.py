"""Records and runs in memory, a letter for each outcome."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith import records
from pytest_llmarith.records import AdditionProblem, ArithmeticProblem, Record, Run, convert
from pytest_llmarith.results.compare import Comparison, Comparisons, compare
from pytest_llmarith.results.compare_rows import Row
from pytest_llmarith.results.files import UsageError
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.types import Condition, Dtype, Message, Op, Outcome, Reading, SearchEnd
from tests.runs_on_disk import programmed, run_facts

OUTCOMES = dict(zip("cdnhu", ("correct", "deviate", "nan", "cheat", "unanswered"), strict=True))


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

    def records(self) -> Iterator[Record]:
        return iter(self._trials)


def run(*trials: Sequence[Record], name: str = "one", **facts: Any) -> Opened:
    """A run of these trials. Without a summary if `facts` is None."""
    known = None if facts.get("facts", 0) is None else convert(run_facts(**facts), Run)
    return Opened(Path(name), [record for some in trials for record in some], known)


def record(outcome: str, task: str, problem: Any, **named: Any) -> Record:
    """A record without a reply of interest; what is named replaces what it usually has."""
    usual: dict[str, Any] = dict.fromkeys(Record.__struct_fields__)
    reply: dict[str, Any] = dict.fromkeys(records.Reply.__struct_fields__)
    reply |= {"text": "", "attempts": 1, "own_price": False, "stored": False, "batched": False}
    reply["served_model"] = "m-2026"
    usual |= {"format": 1, "task": task, "model": "m", "simulated": False, "problem": problem, "retries": []}
    usual |= {
        "condition": Condition(),
        "repeat": 0,
        "prompt": said(str(problem)),
        "outcome": Outcome(OUTCOMES[outcome]),
    }
    usual |= {"reply": None if outcome == "u" else records.Reply(**reply)}
    return Record(**usual | named)


def sums(outcomes: str, op: str = "add", first: int = 0, seed: int = 0, depth: int = 2, **named: Any) -> list[Record]:
    """Sums, a letter each; the same number is the same sum."""
    return [
        record(
            letter,
            "arithmetic",
            ArithmeticProblem(seed, f"int_{op}", Op(op), Dtype.INT, depth, number, str(number), "1", f"{op} {number}"),
            nodeid=f"test_bench.py::test[m-int_{op}-depth_{depth}-trial_{number}]",
            **{"prompt": said(f"{op} {number} {depth}"), "reading": Reading.TOLERANT} | named,
        )
        for number, letter in enumerate(outcomes, first)
    ]


def additions(outcomes: str, **named: Any) -> list[Record]:
    """Integer additions, a letter each."""
    problems = (AdditionProblem(0, trial, str(trial), "1", str(trial + 1)) for trial in range(len(outcomes)))
    return [record(*one, **named) for one in zip(outcomes, ["integer_addition"] * len(outcomes), problems, strict=True)]


def searches(outcomes: str) -> list[Record]:
    """Searches for a breaking point, a variant each; one that is not correct found a wrong answer."""
    wrong = records.Minimum("27 * 48", "1296", Outcome.DEVIATE, None, "1", None)
    found = {"c": records.Search(SearchEnd.BUDGET, 3, None, 0, None, []), "u": None}
    problem = [records.SearchProblem(0, "arithmetic", f"int_{op}", Op(op), Dtype.INT, 80) for op in Op]
    return [
        record(
            letter,
            "breaking_point",
            of,
            search=found.get(letter, records.Search(SearchEnd.BUDGET, 3, wrong, 0, None, [])),
        )
        for letter, of in zip(outcomes, problem, strict=False)
    ]


def measured(**digits: int) -> list[Record]:
    """Adaptive items, a variant each, with six answers at each depth from 2 to 10: right up to so many digits."""
    made = []
    for op, right in digits.items():
        trail = [
            records.SearchStep(
                "1 + 1", trial, Outcome.CORRECT if depth <= right else Outcome.DEVIATE, None, None, depth
            )
            for depth in range(2, 11)
            for trial in range(6)
        ]
        problem = records.ThresholdProblem(
            0, "arithmetic", f"int_{op}", Op(op), Dtype.INT, 100, depths=list(range(2, 11)), half_width=1
        )
        search = records.Search(SearchEnd.REACHED, len(trail), None, 0, None, trail)
        made.append(record("c", "threshold", problem, search=search))
    return made


def programs(scores: Sequence[float | None], first: int = 0, name: str = "starter", **named: Any) -> list[Record]:
    """Programs by their score in 4 s; in 0.5 s it is half of that. None is unanswered."""
    made = []
    for number, score in enumerate(scores, first):
        oeis = programmed("A1", scores=None if score is None else {"0.5": score / 2, "4": score})["oeis"]
        letter = "u" if score is None else "c" if score == 1 else "d"
        problem = records.SequenceProblem(name, f"A{number:06}", "x", 1, ["easy"])
        made.append(
            record(letter, "oeis", problem, prompt=said(f"{number}"), oeis=convert(oeis, records.Program), **named)
        )
    return made


def changed(trials: Sequence[Record], **named: Any) -> list[Record]:
    """The same trials with other fields."""
    fields = Record.__struct_fields__
    return [Record(**{name: getattr(one, name) for name in fields} | named) for one in trials]


def in_condition(trials: Sequence[Record], condition: Condition) -> list[Record]:
    """The same problems in another condition, which changes their prompts."""
    return [changed([one], condition=condition, prompt=said(f"{one.prompt} {condition.label}"))[0] for one in trials]


def repeated(*outcomes: str, **named: Any) -> list[Record]:
    """The same sums several times, a text for each repeat."""
    return [one for repeat, text in enumerate(outcomes) for one in sums(text, repeat=repeat, **named)]


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


def row_of(comparison: Comparison, name: str | None = None) -> Row:
    """The row of a variant, a set, a condition or a task; over all without a name."""
    return next(row for row in comparison.rows if (row.name or row.task) == name)


def models_of(comparisons: Comparisons) -> list[tuple[str, str]]:
    return [(one.first.model, one.second.model) for one in comparisons.comparisons]
