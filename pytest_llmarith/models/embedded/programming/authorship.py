"""What the embedded models reply when they are asked for a program. It does not judge what they write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from types import MappingProxyType

from pytest_llmarith.models.embedded.programming import fences, guesses
from pytest_llmarith.models.embedded.programming.blunders import BLUNDERS, Share
from pytest_llmarith.models.embedded.programming.cribs import CRIBS
from pytest_llmarith.models.embedded.programming.memory import Memory
from pytest_llmarith.models.embedded.said import LIMIT, Said, cut_at_limit

_UNKNOWN = "I do not remember this sequence, and I would rather not guess: this reply holds no program."
_PROSE = (
    "Each term follows from the ones before it, so a loop that keeps the last few of them is all that one needs.",
    "One could sieve all candidates up to a bound and take the n-th that is left; the bound grows with `n`.",
    "This is a well-known sequence. To get a term, read n, apply the definition, and print the result as a string.",
)
_REFUSALS = (
    "I'm sorry, but I can't help with that.",
    "I cannot write this program without knowing more about the sequence.",
)


def as_remembered(draw: Random, memory: Memory) -> str:
    """The program that the model remembers, or the one that it guessed."""
    return memory.program


WRITINGS: Mapping[str, Share] = MappingProxyType(
    {"as_remembered": Share(as_remembered, 320, 600), **BLUNDERS, **CRIBS},
)


def exact(name: str, memory: Memory | None, draw: Random) -> Said:
    """The reference program, or the plain word that there is none."""
    if memory is None:
        return Said(_UNKNOWN)
    return Said(f"This program follows the definition of the sequence.\n\n```python\n{_ended(memory.program)}```")


def sloppy(name: str, memory: Memory | None, draw: Random) -> Said:
    """A program that is right, wrong, slow, stuck, broken or no computation at all, or none."""
    recalled = memory or guesses.guess(draw, name)
    mood = draw.choices(list(_MOODS), list(_MOODS.values()))[0]
    return mood(draw, _ended(write(draw, recalled, known=memory is not None)))


def write(draw: Random, memory: Memory, *, known: bool) -> str:
    """A program in one of the ways of `WRITINGS`; as it is remembered where the way that comes up is none for it."""
    shares = [share.known if known else share.guessed for share in WRITINGS.values()]
    way = draw.choices(list(WRITINGS.values()), shares)[0]
    return way.make(draw, memory) or memory.program


def _show(draw: Random, program: str) -> Said:
    reasoning = "Let me recall how this sequence is defined." if draw.random() < 0.1 else None
    return Said(fences.show(draw, program), reasoning)


def _describe(draw: Random, program: str) -> Said:
    return Said(draw.choice(_PROSE))


def _refuse(draw: Random, program: str) -> Said:
    return Said(draw.choice(_REFUSALS))


def _say_nothing(draw: Random, program: str) -> Said:
    return Said("", unseen=draw.randint(LIMIT // 4, LIMIT))


def _run_out(draw: Random, program: str) -> Said:
    """The program is cut within its last call of `print`, so that it cannot be mistaken for a whole one."""
    before, call, _ = program.rpartition("print(")
    return cut_at_limit(f"Let me write this down carefully.\n\n```python\n{before}{call}")


def _be_filtered(draw: Random, program: str) -> Said:
    return Said("", finish_reason="content_filter")


_Mood = Callable[[Random, str], Said]
_MOODS: Mapping[_Mood, float] = MappingProxyType(
    {_show: 890, _describe: 35, _refuse: 25, _say_nothing: 20, _run_out: 25, _be_filtered: 5}
)


def _ended(program: str) -> str:
    """Fences stand on lines of their own."""
    return f"{program.rstrip()}\n"
