"""What a judged program is: data for the tests of the judges."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_llmarith.values import IntegerSequence


@dataclass(frozen=True)
class Case:
    """A program for a sequence, and whether it is a lookup table in the eyes of people."""

    name: str
    sequence: IntegerSequence
    program: str
    cheat: bool


def numbers(sequence: IntegerSequence) -> list[int]:
    """The listed terms as integers."""
    return [int(term) for term in sequence.terms]
