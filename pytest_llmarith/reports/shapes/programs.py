"""The shapes of what became of a program: a part of the records of the OEIS task."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from pytest_llmarith.oeis.scoring import Rules, TermStatus
from pytest_llmarith.reports.shapes.replies import Reply
from pytest_llmarith.values import Level


class Term(TypedDict):
    """One term of a sequence, as the program printed it; long texts are cut."""

    n: int
    expected: str
    got: str
    status: TermStatus
    seconds: float
    stderr: NotRequired[str]


class StaticVerdict(TypedDict):
    """What the static judge says of a program."""

    cheat: bool
    evidence: list[str]


class ModelVerdict(TypedDict):
    """What a language model says of a program."""

    cheat: bool | None
    """Null where it said neither."""
    model: str | None
    replies: list[Reply]


class Judges(TypedDict):
    """Who judged whether the program is a lookup table; null is who did not."""

    static: StaticVerdict | None
    llm: ModelVerdict | None


class Isolation(TypedDict):
    """How the program was locked in."""

    level: Level
    enforced: list[str]
    """The attacks that were seen to fail against it."""
    remarks: list[str]
    """Why no stricter level is there."""


class Machine(TypedDict):
    """Where the program ran: its seconds mean nothing without it."""

    host: str
    interpreter: str
    machine: str
    processor: str | None
    kernel: str
    cores: int
    slots: int
    """Programs that run at once."""
    worker: str | None
    """pytest-xdist's name for the process."""
    calibration_s: float
    """Seconds of a fixed program."""


class Program(TypedDict):
    """What was found in a reply that is to hold a program, and what it came to."""

    program: str | None
    detail: str | None
    """What was found instead of a program."""
    rules: Rules
    limits: list[float]
    """Seconds per term."""
    memory_bytes: int
    scores: dict[str, float] | None
    """By limit the share of right terms, 0 for a lookup table; null where the trial is unanswered."""
    terms: list[Term]
    judges: Judges
    addresses_judge: list[str]
    """Where the program talks to a judge."""
    isolation: Isolation
    machine: Machine | None
