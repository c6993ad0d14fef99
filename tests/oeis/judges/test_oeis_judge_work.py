"""How much work hostile programs make for the judges, in executed lines: no more than in proportion to its size."""

from __future__ import annotations

import base64
import random
import sys
import zlib
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from pytest_llmarith.oeis.compiling import Program
from pytest_llmarith.oeis.judges.address import addresses
from pytest_llmarith.oeis.judges.constants import MOST_NODES
from pytest_llmarith.oeis.judges.static import suspicion
from tests.oeis.judges.judged import sequences as of
from tests.oeis.judges.judged.cases import parsed

Shape = Callable[[int], str]


def packed(size: int) -> str:
    """Texts that are encoded twice."""
    noise = random.Random(1)
    layers = [noise.randbytes(size) for _ in range(8)]
    for _ in range(2):
        layers = [base64.b64encode(zlib.compress(layer, 0)) for layer in layers]
    return "".join(f"x = '{layer.decode()}'\n" for layer in layers)


WIDE: dict[str, Shape] = {
    "an f-string": lambda size: 'x = f"' + "{a}1 " * size + '"',
    "targets": lambda size: f"{'x=' * size}1",
    "cases": lambda size: f"match x:\n case {'1|' * size}1:\n  pass",
    "calls": lambda size: "x = [" + "int('1')," * size + "]",
    "a list": lambda size: f"x = [{'1,' * size}]",
    "packed texts": packed,
}
DEEP: dict[str, Shape] = {
    "pairs": lambda depth: f"x = {'(' * depth}[{'a,' * 200}]{',a)' * depth}",
    "lists": lambda depth: f"x = {'[' * depth}{'1,' * 200}{']' * depth}",
    "keys": lambda depth: "x = " + "{" * depth + f"f({'a,' * 200})" + ":a}" * depth,
}


def lines(judge: Callable[[Program], object], source: str) -> int:
    """How many lines of Python are executed. What C does is not seen."""
    many, program = 0, parsed(source)

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal many
        many += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        judge(program)
    finally:
        sys.settrace(before)
    return many


def suspect(program: Program) -> object:
    return suspicion(program, of.PRIMES)


JUDGES = pytest.mark.parametrize("judge", [suspect, addresses], ids=["static", "address"])


@JUDGES
@pytest.mark.parametrize("shape", WIDE.values(), ids=WIDE.keys())
def test_twice_the_size_is_twice_the_work(shape: Shape, judge: Callable[[Program], object]) -> None:
    """A program twice as long takes twice the work: nothing is read again for each of its neighbours."""
    assert lines(judge, shape(400)) <= 2.5 * lines(judge, shape(200))


@JUDGES
@pytest.mark.parametrize("shape", DEEP.values(), ids=DEEP.keys())
def test_twice_the_depth_is_twice_the_work_at_most(shape: Shape, judge: Callable[[Program], object]) -> None:
    """Brackets twice as deep take twice the work at most."""
    assert lines(judge, shape(80)) <= 2.5 * lines(judge, shape(40))


@pytest.mark.parametrize("shape", DEEP.values(), ids=DEEP.keys())
def test_depth_does_not_multiply_size(shape: Shape) -> None:
    """What stands in 80 brackets is read a few times, and not 80 times."""
    plain = lines(suspect, f"x = [{'a,' * 200}]")
    assert lines(suspect, shape(80)) < 80 * plain / 4


def test_what_is_too_large_is_weighed() -> None:
    """A table behind so many nodes is not seen, but it has its weight."""
    first = suspicion(parsed(f"x = [{'a,' * MOST_NODES}]\np = {of.PRIMES.terms}"), of.PRIMES)
    assert not first.is_certain
    assert first.carried > 400
