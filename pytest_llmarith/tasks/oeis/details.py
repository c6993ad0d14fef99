"""Sequences, and the details of a grade: a program, its terms and verdicts on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pytest_llmarith.records import Amount, Count, Part, Reply, Whole, convert
from pytest_llmarith.sandbox.program_runs import Isolation


@dataclass(frozen=True, slots=True)
class IntegerSequence:
    """An entry of the OEIS.

    `number` is its A-number, such as `A000045`; `terms` are decimal text, beginning
    with the term for n = `offset`.
    """

    number: str
    name: str
    comments: tuple[str, ...]
    terms: tuple[str, ...]
    offset: int
    keywords: tuple[str, ...]

    @property
    def inputs(self) -> range:
        """The n of every listed term."""
        return range(self.offset, self.offset + len(self.terms))


class Rules(StrEnum):
    """When a term counts as right.

    `DEFAULT`: exit status 0 and the right stdout. `PAPER`, as in arXiv 2411.04372: the
    right stdout and an empty stderr, with any exit status.
    """

    DEFAULT = "default"
    PAPER = "paper"


class TermStatus(StrEnum):
    """The result of one term at the largest time limit.

    `WRONG`: different output. `CRASHED`: exit status other than 0. `KILLED`: ended by a
    signal or a resource limit. `INCONCLUSIVE`: the machine was too busy to measure the
    time; this does not count as a measurement.
    """

    OK = "ok"
    WRONG = "wrong"
    LATE = "late"
    CRASHED = "crashed"
    KILLED = "killed"
    INCONCLUSIVE = "inconclusive"


class Term(Part):
    """One term of a sequence, as the program printed it; long texts are truncated."""

    n: Whole
    expected: str
    got: str
    status: TermStatus
    seconds: Amount
    stderr: str = ""


class StaticVerdict(Part):
    """The verdict of the lookup-table detector."""

    cheat: bool
    evidence: list[str]


class ModelVerdict(Part):
    """The verdict of a model as judge.

    `cheat`: null if it gave no verdict
    """

    cheat: bool | None
    model: str | None
    replies: list[Reply]


class Judges(Part):
    """The judges' verdicts on whether the program is a lookup table; null if a judge
    was not used.
    """

    static: StaticVerdict | None
    llm: ModelVerdict | None


class ProgramDetails(Part):
    """The program in a reply, and its terms.

    `grade.scores` has the share of right terms by limit in seconds.

    `detail`: what the reply holds instead of a program
    `limits`: seconds per term
    `addresses_judge`: texts in the program that address a judge
    `machine`: the machine it ran on, and its speed
    """

    program: str | None
    detail: str | None
    rules: Rules
    limits: list[Amount]
    memory_bytes: Count
    terms: list[Term]
    judges: Judges
    addresses_judge: list[str]
    isolation: Isolation
    machine: dict[str, str | int | float | None] | None


def read_details(values: Mapping[str, Any]) -> ProgramDetails:
    """The details as a record has them. Raises ValueError if they are none."""
    return convert(values, ProgramDetails)
