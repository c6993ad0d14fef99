"""What a judged program is: data for the tests of the judges."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from pytest_llmarith.oeis.compiling import Program
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


def parsed(source: str) -> Program:
    """A program of the tests, which needs no child process to be parsed in."""
    return Program(source, ast.parse(source))
