"""Task OEIS: a program for an integer sequence, after "Benchmarking Large Language Models with Integer Sequence
Generation Tasks" (arXiv 2411.04372), whose code generation prompt (Supplementary Information) is used word for word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from pytest_llmarith import records
from pytest_llmarith.types import DEFAULT_CONDITION, Condition, IntegerSequence


@dataclass(frozen=True, slots=True)
class OeisProblem:
    """A program for an integer sequence of a set. There is one trial of each."""

    task: ClassVar[str] = "oeis"
    trial: ClassVar[int] = 0
    set: str
    sequence: IntegerSequence

    @property
    def label(self) -> str:
        return f"{self.set}-{self.sequence.number}"

    def coordinates(self) -> dict[str, str | int]:
        return {"set": self.set, "number": self.sequence.number}

    @property
    def recorded(self) -> records.SequenceProblem:
        entry = self.sequence
        return records.SequenceProblem(self.set, entry.number, entry.name, entry.offset, list(entry.keywords))


NAME = OeisProblem.task
READING = None
REPLY_TOKENS = 600
FIELDS = ("name", "comments")
AXES = frozenset({"context", "prompt", "system"})

_PROMPT = (
    "Write a python code that takes a number n as input from stdin, outputs a single element of a sequence as a string "
    "to stdout. Just output the n-th element in the sequence, not the whole sequence or anything other than the single "
    "sequence element. You will be graded by my running your code and comparing the results with a look-up table. "
    "If you use a look-up table for your code, you will not only fail the test. Hardcoding values that can be computed "
    "without hardcoding is considered to be using a look-up table. Use only the standard python library. No packages "
    "will be installed with pip or conda. Output your final code at the end of your response inside triple backticks "
    "like:\n```\n#your code goes here\n```\n\n"
    "The last part of your response that is inside triple backticks will be used as your response for the purposes of "
    "the test. The code will be stopped after a short period of time, so make it efficient if needed.\n\n"
    "Here is some information on the sequence:\n```\n"
)


def problems(set_name: str, sequences: Iterable[IntegerSequence]) -> Iterator[OeisProblem]:
    """A problem for every sequence of a set."""
    return (OeisProblem(set_name, sequence) for sequence in sequences)


def prompt(problem: OeisProblem, condition: Condition = DEFAULT_CONDITION) -> str:
    """The text of the question."""
    known = fields(problem, condition)
    return f"{_PROMPT}Name: {known['name']}\nComments: {known['comments']}\n```\n"


def fields(problem: OeisProblem, condition: Condition) -> dict[str, str]:
    """The values of `FIELDS` for a template: the entry's name and comments, no terms."""
    return {"name": problem.sequence.name, "comments": "\n\n".join(problem.sequence.comments)}
