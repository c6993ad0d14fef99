"""Gates: exact, and in words that name the model, the task and what is missing."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pytest_llmarith.records import Outcomes, Result
from pytest_llmarith.reports.gates import Gate, failed_gates, parse_gate
from pytest_llmarith.values import Condition, NumberFormat
from tests.runs_on_disk import asked, summed_up


def summary_of(
    *results: tuple[str, str, int, int, int], models: tuple[str, ...] = ()
) -> tuple[list[Result], tuple[str, ...]]:
    """Results of (model, task, correct, deviate, unanswered), and the models of their run."""
    (usual,) = summed_up([asked("{}")]).results
    return [
        replace(
            usual,
            model=model,
            task=task,
            selected=None,
            measured=correct + deviate,
            outcomes=Outcomes(correct, deviate, 0, 0, unanswered),
        )
        for model, task, correct, deviate, unanswered in results
    ], models


@pytest.mark.parametrize(
    ("text", "gate"),
    [
        ("80", Gate(None, Decimal(80))),
        ("0", Gate(None, Decimal(0))),
        ("100", Gate(None, Decimal(100))),
        ("99.5 %", Gate(None, Decimal("99.5"))),
        ("arithmetic:80", Gate("arithmetic", Decimal(80))),
        (" arithmetic : 80.25% ", Gate("arithmetic", Decimal("80.25"))),
        ("a:b:1", Gate("a:b", Decimal(1))),
    ],
)
def test_good_gates(text: str, gate: Gate) -> None:
    """A gate is a percentage, alone or behind a task and a colon."""
    assert parse_gate(text) == gate


@pytest.mark.parametrize(
    "text",
    ["", "x", "arithmetic", "arithmetic:", "101", "100.1", "-1", "nan", "1e1", "80,5", "٨٠", "Infinity", "9" * 9999],
)
def test_a_gate_without_a_percentage_is_refused(text: str) -> None:
    """The message repeats the value and says what to write."""
    with pytest.raises(ValueError, match="holds no percentage from 0 to 100; write 80 or arithmetic:80") as caught:
        parse_gate(text)
    assert str(caught.value).startswith(repr(text))


def test_a_colon_without_a_task_is_refused() -> None:
    """A colon promises a task: where none stands before it, one line says what to write."""
    with pytest.raises(ValueError, match=r"':80' names no task before its colon; write 80 or arithmetic:80"):
        parse_gate(":80")


def test_too_few_correct() -> None:
    """The line names model, task, what was reached and what was asked for."""
    summary = summary_of(("o4-mini", "arithmetic", 613, 387, 0))
    assert failed_gates([parse_gate("80")], *summary) == ["o4-mini, arithmetic: 61.3 % correct is under 80 %"]
    assert failed_gates([parse_gate("61.3")], *summary) == []


def test_anything_unanswered_fails() -> None:
    """A score of what happened to be answered passes no gate."""
    summary = summary_of(("o4-mini", "arithmetic", 717, 0, 3))
    line = "o4-mini, arithmetic: 3 of 720 unanswered, 0 % is asked for"
    assert failed_gates([parse_gate("0")], *summary) == [line]


def test_nothing_measured_at_all_fails() -> None:
    """A run without a result passes no gate, not even 0."""
    line = "nothing was measured, 0 % is asked for"
    assert failed_gates([parse_gate("0")], *summary_of()) == [line]
    assert failed_gates([parse_gate("arithmetic:0")], *summary_of()) == [line]


def test_a_model_without_a_result_fails() -> None:
    """A model of the run that nothing came of is named."""
    summary = summary_of(("a", "arithmetic", 1, 0, 0), models=("a", "b"))
    assert failed_gates([parse_gate("80")], *summary) == ["b: nothing was measured, 80 % is asked for"]
    line = "b, arithmetic: nothing was measured, 80 % is asked for"
    assert failed_gates([parse_gate("arithmetic:80")], *summary) == [line]


def test_a_result_without_a_measurement_fails() -> None:
    """Where no trial says anything about the model, no gate is passed."""
    summary = summary_of(("a", "arithmetic", 0, 0, 0))
    assert failed_gates([parse_gate("0")], *summary) == ["a, arithmetic: nothing was measured, 0 % is asked for"]


def test_a_task_that_is_not_in_the_run_fails() -> None:
    """A misspelt task is said to be missing, with those that there are."""
    summary = summary_of(("a", "oeis", 1, 0, 0), ("a", "arithmetic", 1, 0, 0))
    line = "addition: no such task in this run, 80 % is asked for; there is arithmetic, oeis"
    assert failed_gates([parse_gate("addition:80")], *summary) == [line]


def test_every_model_and_task_is_looked_at() -> None:
    """One line each; a gate on a task leaves the others alone, and no line comes twice."""
    summary = summary_of(("a", "arithmetic", 1, 1, 0), ("a", "oeis", 0, 1, 0), ("b", "arithmetic", 2, 0, 0))
    both = ["a, arithmetic: 50.0 % correct is under 80 %", "a, oeis: 0.0 % correct is under 80 %"]
    assert failed_gates([parse_gate("80"), parse_gate("arithmetic:80")], *summary) == both
    assert failed_gates([parse_gate("arithmetic:80")], *summary) == both[:1]


def test_conditions_are_told_apart() -> None:
    """A line names the condition that fails, also where two fail by the same figure."""
    results, models = summary_of(*[("a", "arithmetic", 1, 1, 0)] * 2)
    results[1].condition = Condition(NumberFormat.COMMA)
    assert failed_gates([parse_gate("80")], results, models) == [
        "a, arithmetic: 50.0 % correct is under 80 %",
        "a, arithmetic, numbers_comma: 50.0 % correct is under 80 %",
    ]


def test_what_was_selected_and_not_measured_fails() -> None:
    """A task or a condition whose items were all skipped has no result, and passes no gate for that."""
    summary = summary_of(("a", "arithmetic", 1, 0, 0))
    selected = [("a", "arithmetic", ""), ("a", "arithmetic", "numbers_comma"), ("a", "oeis", "")]
    lines = ["a, arithmetic, numbers_comma", "a, oeis"]
    told = [f"{line}: nothing was measured, 80 % is asked for" for line in lines]
    assert failed_gates([parse_gate("80")], *summary, selected) == told
    assert failed_gates([parse_gate("arithmetic:80")], *summary, selected) == told[:1]


@given(st.integers(1, 10**5).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.integers(0, 10**6))
def test_gates_are_exact(counts: tuple[int, int], percent: int) -> None:
    """A gate fails exactly where the fraction is under it, and never shows a percentage that is not."""
    correct, measured = counts
    gate = Gate(None, Decimal(percent).scaleb(-4))
    lines = failed_gates([gate], *summary_of(("a", "t", correct, measured - correct, 0)))
    assert bool(lines) == (Fraction(100 * correct, measured) < Fraction(percent, 10**4))
    for line in lines:
        assert Decimal(line.split()[2]) < gate.percent
