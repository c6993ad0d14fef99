"""The ways in which a simulated model's programs go wrong, one named function each. It runs nothing.

A blunder is a pure function of a source of chance and a remembered sequence. It gives a program, or `None` where the
one that is remembered offers no occasion. `BLUNDERS` is the table of them all with their shares: `known` where the
model remembers the sequence, `guessed` where its program is a guess. What costs seconds does so for very few n.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType

from pytest_llmarith.models.embedded.programming.anatomy import Anatomy, anatomy
from pytest_llmarith.models.embedded.programming.memory import Memory

MakeProgram = Callable[[Random, Memory], str | None]

_EXACT_DIGITS = 15  # every integer of so many digits is a float


@dataclass(frozen=True, slots=True)
class Share:
    """A way to write a program, and out of a thousand replies how many are written so."""

    make: MakeProgram
    known: float
    guessed: float


def off_by_one(draw: Random, memory: Memory) -> str | None:
    """Counts from another first n."""
    return _changed(memory, lambda body: body.reading_as(f"{body.source} + 1"))


def wrong_base_case(draw: Random, memory: Memory) -> str | None:
    """The first terms are taken for 1, or for 0 where the first one is 1."""
    first = "0" if memory.terms[:1] == ("1",) else "1"
    return _put_in(memory, f"if {{n}} < {memory.offset + 2}:", f"    print({first})", "    raise SystemExit")


def small_n_only(draw: Random, memory: Memory) -> str | None:
    """Right up to a bound, behind which nothing grows any more."""
    bound = _some_input(draw, memory)
    return _put_in(memory, f"{{n}} = min({{n}}, {bound})")


def whole_sequence(draw: Random, memory: Memory) -> str | None:
    """Prints every term up to the one that was asked for."""
    return _changed(memory, lambda body: body.for_all_from(memory.offset))


def talkative(draw: Random, memory: Memory) -> str | None:
    """Prints the term, and more."""
    call = draw.choice(
        ['print(f"a({{{n}}}) =", {value})', 'print("The answer is", {value})', 'print({value}, "is term", {n})']
    )
    return _print_as(memory, call)


def float_digits_lost(draw: Random, memory: Memory) -> str | None:
    """Goes through a float, where a term has more digits than that can hold."""
    if all(len(term.lstrip("-")) <= _EXACT_DIGITS for term in memory.terms):
        return None
    return _print_as(memory, "print(int(float({value})))")


def misspelt_name(draw: Random, memory: Memory) -> str | None:
    """Prints a variable that nobody has set."""
    return _print_as(memory, draw.choice(["print(anwser)", "print(resutl)"]))


def gives_up(draw: Random, memory: Memory) -> str | None:
    """Raises an exception from some n on."""
    bound = _some_input(draw, memory)
    return _put_in(memory, f"if {{n}} > {bound}:", "    raise ValueError({n})")


def too_deep(draw: Random, memory: Memory) -> str | None:
    """Comes to the recursion limit from some n on."""
    scale = draw.choice([50, 100, 400])
    steps = ("", "def steps(k):", "    return 0 if k <= 0 else 1 + steps(k - 1)", "")
    return _put_in(memory, *steps, f"{{n}} = steps({{n}} * {scale}) // {scale}")


def bad_exit(draw: Random, memory: Memory) -> str | None:
    """Prints the term and leaves with an exit status that says it failed."""
    return f"{memory.program.rstrip()}\nraise SystemExit(3)\n"


def hoards(draw: Random, memory: Memory) -> str | None:
    """Wants more memory than it may have, from some n on."""
    bound = _some_input(draw, memory)
    return _put_in(memory, f"if {{n}} > {bound}:", "    sieve = bytearray(1 << 40)")


def slow(draw: Random, memory: Memory) -> str | None:
    """Right, and late for one n or two. It watches the clock, so as to be as late on any machine."""
    seconds = draw.choice([0.8, 1.0, 1.5])
    late = ", ".join(str(n) for n in sorted({_some_input(draw, memory) for _ in range(2)}))
    return _put_in(
        memory,
        "from time import process_time",
        f"enough = process_time() + {seconds}",
        f"while {{n}} in [{late}] and process_time() < enough:",
        "    pass  # try all candidates",
    )


def endless(draw: Random, memory: Memory) -> str | None:
    """Right, but for one n it never ends."""
    stuck = _some_input(draw, memory)
    return _put_in(memory, f"while {{n}} == {stuck}:", "    {n} = +{n}  # try again")


def unclosed(draw: Random, memory: Memory) -> str | None:
    """Does not compile: a parenthesis is missing."""
    return _changed(memory, lambda body: body.printing_as(body.printing.removesuffix(")")))


BLUNDERS: Mapping[str, Share] = MappingProxyType(
    {
        "off_by_one": Share(off_by_one, 50, 60),
        "wrong_base_case": Share(wrong_base_case, 40, 40),
        "small_n_only": Share(small_n_only, 40, 20),
        "whole_sequence": Share(whole_sequence, 30, 20),
        "talkative": Share(talkative, 30, 20),
        "float_digits_lost": Share(float_digits_lost, 40, 0),
        "misspelt_name": Share(misspelt_name, 25, 20),
        "gives_up": Share(gives_up, 30, 20),
        "too_deep": Share(too_deep, 30, 20),
        "bad_exit": Share(bad_exit, 30, 10),
        "hoards": Share(hoards, 20, 5),
        "slow": Share(slow, 40, 10),
        "endless": Share(endless, 20, 8),
        "unclosed": Share(unclosed, 30, 20),
    }
)


def _changed(memory: Memory, change: Callable[[Anatomy], str | None]) -> str | None:
    body = anatomy(memory.program)
    return change(body) if body else None


def _put_in(memory: Memory, *lines: str) -> str | None:
    """Lines behind the one that reads n, `{n}` for the variable."""
    return _changed(memory, lambda body: body.after_reading(*(line.replace("{n}", body.n) for line in lines)))


def _print_as(memory: Memory, call: str) -> str | None:
    """Another last `print`: `{n}` for the variable, `{value}` for what it printed."""
    return _changed(memory, lambda body: body.printing_as(call.format(n=body.n, value=body.value)))


def _some_input(draw: Random, memory: Memory) -> int:
    """An n that will be asked for: of the listed ones a middle one, else one that most listings have."""
    count = len(memory.terms)
    return draw.choice(memory.inputs[count // 3 : count - count // 4] or range(6, 12))
