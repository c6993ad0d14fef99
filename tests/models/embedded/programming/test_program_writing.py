"""The programs of the embedded models: what goes wrong in them, how they look terms up, and how they are shown."""

from __future__ import annotations

import re
from random import Random

import pytest

from pytest_llmarith.models.embedded.programming import Memory
from pytest_llmarith.models.embedded.programming.anatomy import anatomy
from pytest_llmarith.models.embedded.programming.authorship import WRITINGS
from pytest_llmarith.models.embedded.programming.blunders import BLUNDERS
from pytest_llmarith.models.embedded.programming.cribs import CRIBS
from pytest_llmarith.models.embedded.programming.fences import FENCES
from pytest_llmarith.models.embedded.programming.guesses import GUESSES, guess
from tests.models.embedded.programming.specimens import DESCENDING, FACTORIALS, MEMORIES, PELL, outcome, output

SEEDS = range(5)
LONG = Memory("print(1)\n", ("-" + "123456789" * 14, "7" * 130), offset=5)
QUIRKY = "import sys\nprint(sum(map(int, sys.stdin)))\n"


def written(way: str, memory: Memory, seed: int = 0) -> str:
    program = WRITINGS[way].make(Random(seed), memory)
    assert program is not None, way
    return program


def results(program: str, memory: Memory) -> list[str]:
    return [outcome(program, n) for n in memory.inputs]


@pytest.mark.parametrize("memory", MEMORIES.values(), ids=MEMORIES)
@pytest.mark.parametrize("way", ["as_remembered", *CRIBS])
def test_right_terms(way: str, memory: Memory) -> None:
    """What is remembered is right, and so is what is looked up: for every listed n."""
    program = WRITINGS[way].make(Random(0), memory)
    if program is None:
        assert way == "as_integer"
    else:
        assert results(program, memory) == list(memory.terms)


@pytest.mark.parametrize("memory", [LONG, *MEMORIES.values()], ids=["long", *MEMORIES])
@pytest.mark.parametrize("way", CRIBS)
def test_a_table_ends(way: str, memory: Memory) -> None:
    """One step beyond the listing there is nothing to look up, and all of the table's terms are of any length."""
    program = WRITINGS[way].make(Random(0), memory)
    if program is not None:
        assert outcome(program, memory.inputs.stop) in {"IndexError", "KeyError", "", "0"}
        assert results(program, memory) == list(memory.terms)


def test_terms_as_one_integer() -> None:
    """Negative or long terms do not fit into one integer."""
    make = CRIBS["as_integer"].make
    assert [make(Random(0), memory) is None for memory in (PELL, DESCENDING, FACTORIALS, LONG)] == [
        False,
        True,
        True,
        True,
    ]


@pytest.mark.parametrize("memory", MEMORIES.values(), ids=MEMORIES)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    "way", ["off_by_one", "wrong_base_case", "small_n_only", "talkative", "misspelt_name", "gives_up"]
)
def test_some_terms_are_wrong(way: str, seed: int, memory: Memory) -> None:
    """Such a program compiles and is wrong for some listed n."""
    assert results(written(way, memory, seed), memory) != list(memory.terms)


@pytest.mark.parametrize(
    ("way", "memory", "expected"),
    [
        ("off_by_one", PELL, [*PELL.terms[1:], "1136689"]),
        ("wrong_base_case", PELL, ["SystemExit", "SystemExit", *PELL.terms[2:]]),
        ("bad_exit", PELL, ["SystemExit"] * len(PELL.terms)),
        ("misspelt_name", FACTORIALS, ["NameError"] * len(FACTORIALS.terms)),
        ("whole_sequence", PELL, ["\n".join(PELL.terms[: count + 1]) for count in range(len(PELL.terms))]),
        ("unclosed", PELL, ["SyntaxError"] * len(PELL.terms)),
        ("unclosed", FACTORIALS, ["SyntaxError"] * len(FACTORIALS.terms)),
    ],
)
def test_blunders(way: str, memory: Memory, expected: list[str]) -> None:
    """Each way of blundering prints, term by term, what it is meant to."""
    assert results(written(way, memory), memory) == expected


@pytest.mark.parametrize(("way", "error"), [("gives_up", "ValueError"), ("too_deep", "RecursionError")])
def test_crashes_begin_with_some_n(way: str, error: str) -> None:
    """The first terms are right, the last ones crash."""
    got = results(written(way, FACTORIALS), FACTORIALS)
    assert got[0] == "1"
    assert got[-1] == error


def test_lost_digits() -> None:
    """A float holds the short terms and not the long ones; short terms alone offer no occasion."""
    got = results(written("float_digits_lost", FACTORIALS), FACTORIALS)
    assert got[:18] == list(FACTORIALS.terms[:18])
    assert got[-1] != FACTORIALS.terms[-1]
    assert len(got[-1]) == len(FACTORIALS.terms[-1])
    assert BLUNDERS["float_digits_lost"].make(Random(0), PELL) is None


@pytest.mark.parametrize("memory", MEMORIES.values(), ids=MEMORIES)
@pytest.mark.parametrize("seed", SEEDS)
def test_endless_for_a_single_n(seed: int, memory: Memory) -> None:
    """One listed n never ends, all others are right."""
    program = written("endless", memory, seed)
    (stuck,) = (int(n) for n in re.findall(r"while n == (-?\d+):", program))
    assert stuck in memory.inputs
    others = [n for n in memory.inputs if n != stuck]
    assert [output(program, n) for n in others] == [memory.terms[n - memory.offset] for n in others]


@pytest.mark.parametrize("memory", MEMORIES.values(), ids=MEMORIES)
@pytest.mark.parametrize("seed", SEEDS)
def test_late_for_few_n(seed: int, memory: Memory) -> None:
    """One listed n or two are late, between the usual limits; all others are right, and at once."""
    program = written("slow", memory, seed)
    late = [int(n) for n in re.findall(r"while n in \[(.*?)\]", program)[0].split(", ")]
    assert 1 <= len(late) <= 2
    assert {*late} <= {*memory.inputs}
    assert 0.6 < float(re.findall(r"process_time\(\) \+ ([\d.]+)", program)[0]) < 3.2
    others = [n for n in memory.inputs if n not in late]
    assert [output(program, n) for n in others] == [memory.terms[n - memory.offset] for n in others]


@pytest.mark.parametrize("way", WRITINGS)
def test_programs_of_another_build(way: str) -> None:
    """A program that is read or printed in unusual ways offers no occasion, or one that does not need to know it."""
    program = WRITINGS[way].make(Random(0), Memory(QUIRKY, ("1", "2"), 1))
    assert program is None or way in {"as_remembered", "bad_exit", *CRIBS}


@pytest.mark.parametrize(
    ("program", "found"),
    [
        ("n = int(input())\nprint(n)\n", ("n", 0, 0, "n")),
        ("number = int(input().strip())  # n\nprint(str(number))", ("number", 0, 0, "str(number)")),
        ("def f():\n    k = int(open(0).read())\n    print(k)\n", None),
        ("import sys\ndef f():\n    k = int(sys.stdin.read())\n    print(f(k)[0])\nf()", ("k", 2, 4, "f(k)[0]")),
        ("n = int(input())\nif n:\n    print(0)\nelse:\n    print(n)", ("n", 0, 0, "n")),
        ("n = int(input())\nm = int(input())\nprint(n)", None),
        ("n = m = int(input())\nprint(n)", None),
        ("n = int(input())\nprint(*[n])", None),
        ("n = int(input())\nprint(n, end='')", None),
        ("print(int(input()))", ("n", 0, 0, "n")),
        ("def f(n):\n    return n\n\nprint(f(int(input()) - 1))", ("n", 3, 0, "f(n - 1)")),
        ("a = 1\nfor _ in range(int(input())):\n    a += 2\nprint(a)", ("n", 1, 0, "a")),
        ("n = 3\nprint(int(input()) * n)", None),
        ("print(int(input()) + int(input()))", None),
        ("print(int(input('n? ')))", None),
        ("this is prose", None),
        ("", None),
    ],
)
def test_anatomy(program: str, found: tuple[str, int, int, str] | None) -> None:
    """The anatomy of a program says where n is read, how deep that stands, and what is printed."""
    body = anatomy(program)
    assert (body and (body.n, body.reading, body.depth, body.value)) == found


@pytest.mark.parametrize("program", GUESSES.values(), ids=GUESSES)
def test_guesses_are_programs(program: str) -> None:
    """Every guess prints one integer for every small n."""
    assert all(re.fullmatch(r"-?\d+", output(program, n)) for n in range(1, 30))
    assert anatomy(program)


def test_a_guess_listens_to_the_name() -> None:
    """Most guesses are about something that the name says; without a word that is known they vary."""
    heard = [guess(Random(seed), "Numbers that are PRIME or not").program for seed in range(100)]
    assert heard.count(GUESSES["prime"]) > 60
    assert len({guess(Random(seed), "A sequence").program for seed in range(100)}) > 10


@pytest.mark.parametrize("way", FENCES)
def test_the_program_is_the_last_block(way: str) -> None:
    """However a program is shown, it is the last fenced block, closed or not, or the whole reply."""
    show, _ = FENCES[way]
    reply = show(Random(0), PELL.program).replace("\r\n", "\n")
    blocks = re.findall(r"^(```|~~~)[^`\n]*\n(.*?)(?:^\1|\Z)", reply, re.DOTALL | re.MULTILINE)
    assert (blocks[-1][1] if blocks else reply) == PELL.program
