"""Replies with known grades: the stored transcripts in `../shared`, and invented ones
with their author's grade.
"""

from __future__ import annotations

import json
import operator
import re
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.exact import Case, read
from pytest_llmarith.results.regrade import changes
from pytest_llmarith.types import TOLERANCES, Dtype, Op, Outcome

TRANSCRIPTS = Path(__file__).parents[3] / "shared" / "transcripts"
REPLIES = Path(__file__).parent / "replies"
GRADING = Path(__file__).parents[2] / "docs" / "grading.md"


@pytest.mark.skipif(
    not TRANSCRIPTS.is_dir(), reason="the transcripts are not beside the project"
)
def test_outcomes_of_the_transcripts() -> None:
    """Each of the 9,360 trials has the outcome that is written down: a rule that
    changes one has to say so.
    """
    written = dict(
        line.split(": ")
        for line in (REPLIES / "outcomes.txt").read_text("ascii").splitlines()
    )
    assert {
        file.stem: _outcomes(file) for file in sorted(TRANSCRIPTS.glob("*.jsonl"))
    } == written


def _outcomes(file: Path) -> str:
    """The first letters of the outcomes in order, equal ones counted: `12c d 3c`."""
    letters = "".join(change.record.outcome[0] for change in changes(file, None, []))
    runs = (run[0] for run in re.finditer(r"(.)\1*", letters))
    return " ".join(f"{len(run) if len(run) > 1 else ''}{run[0]}" for run in runs)


# Ways to say a result, in place of a last line that is the bare number.
WORDINGS = (
    *("The answer is {}.", "Answer: {}", "Final answer: {}", "Result: **{}**"),
    *("So the result is {}", "#### {}", "**{}**", "`{}`", "$\\boxed{{{}}}$"),
    *("The final answer is $\\boxed{{{}}}$.", "Therefore, the answer is **{}**."),
    *("= {}", "That gives {}.", "Hence: {}", "Thus, we get {}.", "{} is the result."),
)


@pytest.mark.proof
@pytest.mark.skipif(
    not TRANSCRIPTS.is_dir(), reason="the transcripts are not beside the project"
)
def test_a_reworded_last_line_is_the_same_answer() -> None:
    """Few change, most as the line rounds an exact result above it, which four of the
    ways explain.
    """
    asked, other = 0, set()
    for file in sorted(TRANSCRIPTS.glob("*.jsonl")):
        for trial in map(json.loads, file.read_text("utf-8").splitlines()):
            *above, last = (trial["raw_response"] or "").strip().splitlines() or [""]
            if not above or not re.fullmatch(r"\s*[-−]?[\d, ]*\d(\.\d+)?\s*", last):
                continue
            asked += 1
            operands = tuple(map(str, trial["operands"]))
            dtype = Dtype(trial["variant"].partition("_")[0])
            answer = read(trial["raw_response"], operands, dtype).tolerant
            for wording in WORDINGS:
                reworded = read(
                    "\n".join([*above, wording.format(last.strip())]), operands, dtype
                ).tolerant
                if reworded != answer:
                    other.add(trial["raw_response"])
    assert (asked, len(other)) == (183, 10)


OPERATIONS = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
}


def _outcome(reply: dict[str, Any], answer: Decimal | None) -> Outcome:
    """The outcome of an answer; quotients of fixed-point numbers have four decimals."""
    lhs, rhs = Decimal(reply["lhs"]), Decimal(reply["rhs"])
    with localcontext(prec=60):
        exact = OPERATIONS[reply["op"]](lhs, rhs)
        expected = (
            exact
            if reply["dtype"] == "int"
            else exact.quantize(Decimal("1e-4"), ROUND_HALF_EVEN)
        )
    if answer is None:
        return Outcome.NAN
    operands = reply["lhs"], reply["rhs"]
    dtype = Dtype(reply["dtype"])
    case = Case.of(
        Op(reply["op"]),
        dtype,
        operands,
        format(expected, "f"),
        answer,
        TOLERANCES[dtype],
    )
    return Outcome.CORRECT if case.is_correct else Outcome.DEVIATE


@pytest.mark.parametrize(
    ("name", "replies", "most", "correct"),
    [
        ("invented", 300, 4, 0),
        ("held_out", 150, 4, 0),
        ("styles", 391, 4, 0),
        ("fresh", 69, 1, 0),
        ("decoys", 617, 32, 12),
        ("shapes", 367, 5, 0),
    ],
)
def test_replies_graded_by_their_author(
    name: str, replies: int, most: int, correct: int
) -> None:
    """Few outcomes differ from their author's; of those only decoys are correct."""
    lines = [
        json.loads(line)
        for line in (REPLIES / f"{name}.jsonl").read_text("utf-8").splitlines()
    ]
    assert len(lines) == replies
    wrong = {}
    for line in lines:
        number = line["expected_number"]
        assert (
            _outcome(line, None if number is None else Decimal(number))
            == line["expected_outcome"]
        ), line["id"]
        answer = read(
            line["reply"], (line["lhs"], line["rhs"]), Dtype(line["dtype"])
        ).tolerant
        if (outcome := _outcome(line, answer)) != line["expected_outcome"]:
            wrong[line["id"]] = str(outcome)
    assert list(wrong.values()).count("correct") <= correct
    assert len(wrong) <= most, wrong
    rows = [
        line
        for line in GRADING.read_text("utf-8").splitlines()
        if line.startswith(f"| {replies}")
    ]
    assert rows[0].endswith(f"| {len(wrong)} |")
