"""Real replies whose last line is a bare number, with that line reworded: the grade stays that of the number.

The replies are read from `../shared`, and the reworded ones are made here. The expected verdict comes from the number
in the last line, without the reader.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pytest_llmarith.answers import read
from pytest_llmarith.grading import grade
from pytest_llmarith.results.regrade import changes
from pytest_llmarith.values import Dtype, Outcome

TRANSCRIPTS = Path(__file__).parents[3] / "shared" / "transcripts"
OUTCOMES = Path(__file__).parent / "replies" / "outcomes.txt"

pytestmark = pytest.mark.skipif(not TRANSCRIPTS.is_dir(), reason="the transcripts are not beside the project")

SIGNS = {"add": "+", "sub": "-", "mul": "×", "div": "÷"}
NOUNS = {"add": "sum", "sub": "difference", "mul": "product", "div": "quotient"}

# Emphasis, a box, math delimiters and a fence may stand around the number.
_NUMBER = r"[-−]?\d[\d,]*(?:\.\d+)?"
_BARE_END = re.compile(rf"(?:\A|\n)[\s*$`\\\[\]()]*?(?:\\boxed\{{)?(?P<number>{_NUMBER})\}}?[\s*$`\\\[\]()]*\Z")


class Bare(NamedTuple):
    """A reply that ends in a bare number: what stands before it, the number, and its question."""

    before: str
    number: str
    calculation: str
    noun: str
    operands: tuple[str, str]
    expected: str
    dtype: Dtype

    @property
    def verdict(self) -> Outcome:
        return grade(_value(self.number), self.expected).outcome


REWORDINGS: dict[str, Callable[[Bare], str]] = {
    "therefore": lambda bare: f"Therefore, {bare.calculation} = {bare.number}.",
    "result": lambda bare: f"The result is {bare.number}.",
    "offer": lambda bare: f"{bare.number}\n\nLet me know if you need anything else!",
    "bold answer": lambda bare: f"**Answer: {bare.number}**",
    "so the answer": lambda bare: f"So the answer is {bare.number}.",
    "box": lambda bare: f"\\boxed{{{bare.number}}}",
    "hence": lambda bare: f"Hence {bare.number}.",
    "German": lambda bare: f"Das Ergebnis ist {bare.number}.",
    "French": lambda bare: f"Donc, {bare.calculation} = {bare.number}.",
    "Spanish": lambda bare: f"La respuesta es **{bare.number}**.",
    "Chinese": lambda bare: f"因此，结果是{bare.number}。",
    "Japanese": lambda bare: f"答えは{bare.number}です。",
    "heading": lambda bare: f"### Final result\n\n`{bare.number}`\n\nI hope this helps!",
    "noun": lambda bare: f"So the {bare.noun} of {bare.operands[0]} and {bare.operands[1]} is **{bare.number}**.",
    "number first": lambda bare: f"{bare.number} is the {bare.noun}.",
    "equation": lambda bare: f"$${bare.calculation} = {bare.number}$$",
}


def _value(number: str) -> Decimal:
    return Decimal(number.replace("−", "-").replace(",", ""))


@pytest.fixture(scope="module")
def replies() -> list[Bare]:
    return list(_bare_replies())


def _bare_replies() -> Iterator[Bare]:
    for file in sorted(TRANSCRIPTS.glob("*.jsonl")):
        for change in changes(file, None, []):
            record = change.record
            text = record.reply.text if record.reply else ""
            if end := _BARE_END.search(text):
                problem: Any = record.problem
                lhs, rhs, op = problem.lhs, problem.rhs, problem.op
                yield Bare(
                    text[: end.start()],
                    end["number"],
                    f"{lhs} {SIGNS[op]} {rhs}",
                    NOUNS[op],
                    (lhs, rhs),
                    problem.expected,
                    problem.dtype,
                )


SEVERAL_LINES, ONE_LINE = 957, 7_412  # replies


def _flips(bare: Bare, text: str) -> bool:
    answer = read(text, bare.operands, bare.dtype).tolerant
    return answer is None or grade(answer, bare.expected).outcome is not bare.verdict


def _shown(flips: list[Bare]) -> list[str]:
    return [f"{bare.calculation} = {bare.number} after {bare.before[-80:]!r}" for bare in flips]


@pytest.mark.parametrize("wording", REWORDINGS)
def test_a_reworded_last_line_keeps_its_grade(replies: list[Bare], wording: str) -> None:
    """Every reply of several lines, in each wording."""
    reworded = REWORDINGS[wording]
    several = [bare for bare in replies if bare.before.strip()]
    assert len(several) == SEVERAL_LINES
    assert _shown([bare for bare in several if _flips(bare, f"{bare.before}\n{reworded(bare)}")]) == []


def test_a_reworded_only_line_keeps_its_grade(replies: list[Bare]) -> None:
    """Every reply of one line, in one wording each: the wordings take turns."""
    only = [bare for bare in replies if not bare.before.strip()]
    assert len(only) == ONE_LINE
    turns = zip(only, cycle(REWORDINGS.values()), strict=False)
    assert _shown([bare for bare, reworded in turns if _flips(bare, reworded(bare))]) == []


def test_outcomes_of_the_transcripts() -> None:
    """Each of the 9,360 trials has the outcome that is written down: a rule that changes one has to say so."""
    written = dict(line.split(": ") for line in OUTCOMES.read_text("ascii").splitlines())
    assert {file.stem: _outcomes(file) for file in sorted(TRANSCRIPTS.glob("*.jsonl"))} == written


def _outcomes(file: Path) -> str:
    """The first letters of the outcomes in order, equal ones counted: `12c d 3c`."""
    letters = "".join(change.record.outcome[0] for change in changes(file, None, []))
    runs = (run[0] for run in re.finditer(r"(.)\1*", letters))
    return " ".join(f"{len(run) if len(run) > 1 else ''}{run[0]}" for run in runs)
