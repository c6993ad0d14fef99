"""What a labelled program is, and its runs and judgement."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pytest_llmarith.sandbox.program_runs import (
    Ending,
    Isolation,
    IsolationLevel,
    ProgramLimits,
    ProgramRun,
)
from pytest_llmarith.tasks.oeis.details import IntegerSequence, StaticVerdict
from pytest_llmarith.tasks.oeis.lookup_table.detector import analyze, conclude, judge
from pytest_llmarith.tasks.oeis.lookup_table.self_tests import without_self_tests
from pytest_llmarith.tasks.oeis.program import Program


@dataclass(frozen=True)
class Case:
    """A program for a sequence, and whether people call it a lookup table."""

    name: str
    sequence: IntegerSequence
    program: str
    cheat: bool


def numbers(sequence: IntegerSequence) -> list[int]:
    return [int(term) for term in sequence.terms]


class _Late(Exception):
    """The other runs of a program are left out."""


def run(program: str, *inputs: int) -> list[ProgramRun]:
    """Runs of a trusted program, without isolation; those that follow a late one count
    as late, too.
    """
    from pytest_llmarith.sandbox.runner import Sandbox, Slots

    runs = list[ProgramRun]()

    def keep(one: ProgramRun) -> None:
        runs.append(one)
        if one.ending is Ending.LATE:
            raise _Late

    with TemporaryDirectory() as folder, suppress(_Late):
        Sandbox(
            Isolation(IsolationLevel.NONE, ()),
            ProgramLimits(seconds=(4.0,)),
            Slots(Path(folder), 1),
        ).run(program, inputs, keep)
    return runs + [replace(runs[-1], input=n) for n in inputs[len(runs) :]]


def judged(case: Case) -> StaticVerdict:
    """The detector's judgement, with the runs that it needs."""
    program = Program.parse(case.program)
    analysis = analyze(program, case.sequence)
    is_light = analysis.literal_share < Fraction(1, 2) and analysis.literal_bits < 32
    if is_light or (analysis.is_table and without_self_tests(program) is None):
        return conclude(analysis, [])  # the same for any runs
    listed = run(case.program, *case.sequence.inputs)
    return judge(
        program,
        case.sequence,
        listed,
        lambda source, inputs: run(source, *inputs) if inputs else [],
    )


def steps(call: Callable[[], object]) -> int:
    """How many steps of Python a call takes: a measure of work without a clock."""
    count = 0

    def trace(*event: object) -> Any:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return count
