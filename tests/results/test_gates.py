"""Gates are exact, and name the model, the task and what is missing."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pytest_llmarith.figures.columns import Chosen, Columns, SeriesTable, WrittenResult
from pytest_llmarith.figures.count import count
from pytest_llmarith.figures.estimates import Result
from pytest_llmarith.results.gates import Gate, failed_gates, parse_gate
from pytest_llmarith.types import Condition, NumberFormat
from tests.results.made import scored
from tests.runs_on_disk import asked, record_of

(USUAL,) = count([record_of(asked("{}"))])


def result(
    model: str, task: str, correct: int, deviate: int, unanswered: int = 0, **facts: Any
) -> Result:
    counts = {
        "correct": correct,
        "deviate": deviate,
        "unanswered": unanswered,
        "measured": correct + deviate,
    }
    columns = [Columns(key, value=(one,)) for key, one in counts.items()]
    known = replace(USUAL.facts, model=model, task=task, selected=None, **facts)
    return WrittenResult(SeriesTable(known, columns, Chosen()), {})


def test_gates_are_parsed() -> None:
    """The message about a bad one repeats the value and says what to write."""
    good = {
        "80": (None, "80"),
        "99.5 %": (None, "99.5"),
        " t : 80.25% ": ("t", "80.25"),
        "a:b:100": ("a:b", "100"),
    }
    for text, (task, percent) in good.items():
        assert parse_gate(text) == Gate(task, Decimal(percent))
    for text in (
        "",
        "x",
        "arithmetic:",
        ":80",
        "100.1",
        "-1",
        "nan",
        "1e1",
        "80,5",
        "٨٠",
        "9" * 9999,
    ):
        with pytest.raises(ValueError, match="write 80 or arithmetic:80") as caught:
            parse_gate(text)
        assert str(caught.value).startswith(repr(text))


A, OEIS = result("a", "arithmetic", 1, 1), result("a", "oeis", 0, 1)
COMMA = result("a", "arithmetic", 1, 1, condition=Condition(NumberFormat.COMMA))
KEYS = [
    ("a", "arithmetic", ""),
    ("a", "arithmetic", "numbers_comma"),
    ("b", "oeis", ""),
]


@pytest.mark.parametrize(
    ("gates", "results", "selected", "lines"),
    [
        ("61.3", [result("m", "t", 613, 387)], [], []),
        (
            "80",
            [result("m", "t", 613, 387)],
            [],
            ["m, t: 61.3 % correct is below 80 %"],
        ),
        (
            "0",
            [result("m", "t", 717, 0, 3)],
            [],
            ["m, t: 3 of 720 unanswered, 0 % is required"],
        ),
        (
            "0",
            [result("m", "t", 0, 0)],
            [],
            ["m, t: nothing was answered, 0 % is required"],
        ),
        ("80", [], [], ["nothing was answered, 80 % is required"]),
        ("x:80", [A], [], ["x: nothing was answered"]),
        (
            "80 oeis:80",
            [A, OEIS],
            [],
            ["a, arithmetic: 50.0 %", "a, oeis: 0.0 %"],
        ),  # each line once
        (
            "80",
            [A, COMMA],
            [],
            ["a, arithmetic: 50.0 %", "a, arithmetic, numbers_comma: 50.0 %"],
        ),
        (
            "1",
            [A],
            KEYS,
            ["a, arithmetic, numbers_comma: nothing was", "b, oeis: nothing was"],
        ),  # all skipped
        ("arithmetic:1", [A], KEYS, ["a, arithmetic, numbers_comma: nothing was"]),
    ],
)
def test_failed_gates(
    gates: str,
    results: list[Result],
    selected: list[tuple[str, str, str]],
    lines: list[str],
) -> None:
    found = failed_gates([*map(parse_gate, gates.split())], results, selected)
    assert all(one.startswith(line) for one, line in zip(found, lines, strict=True)), (
        found
    )


@given(
    st.integers(1, 10**5).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
    st.integers(0, 10**6),
)
def test_gates_are_exact(counts: tuple[int, int], percent: int) -> None:
    """A gate fails exactly if the fraction is under it, and never shows a percentage
    that is not.
    """
    correct, measured = counts
    gate = Gate(None, Decimal(percent).scaleb(-4))
    lines = failed_gates([gate], [result("a", "t", correct, measured - correct)])
    assert bool(lines) == (Fraction(100 * correct, measured) < Fraction(percent, 10**4))
    for line in lines:
        assert Decimal(line.split()[2]) < gate.percent


@pytest.mark.parametrize(
    ("scores", "percent", "lines"),
    [
        ([0.9] * 40, 90, []),
        ([0.9] * 40, 91, ["m, sorting: mean score 90.0 % is below 91 %"]),
        ([0.5, 1.0], 75, []),
        ([0.0, 1.0], 51, ["m, sorting: 50.0 % correct is below 51 %"]),
    ],
)
def test_a_task_with_scores_is_gated_by_its_mean_score(
    scores: list[float], percent: int, lines: list[str]
) -> None:
    """Not by the share of problems that are right in every part."""
    results = count(scored(scores))
    assert failed_gates([Gate("sorting", Decimal(percent))], results) == lines
