"""How a simulated model shows a program in its reply. It does not know whether the program is right.

Whatever else a reply holds, its last fenced block is the program, or the reply is nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from types import MappingProxyType

ShowProgram = Callable[[Random, str], str]

_OPENINGS = (
    "Here is a program that computes the n-th term:",
    "The terms can be computed directly from the definition.",
    "Sure! We read n, work out the term and print it.",
    "**Approach.** Follow the definition in the name; Python's integers are exact.",
)
_CLOSINGS = (
    "It reads n from stdin and prints a single term.",
    "Let me know if you would like me to explain any step!",
    "**Note:** this may take longer for large `n`.",
)
_DRAFT = "n = int(input())\nprint(n)  # just to try the reading\n"


def plain(draw: Random, program: str) -> str:
    return f"{draw.choice(_OPENINGS)}\n\n```python\n{program}```"


def unnamed(draw: Random, program: str) -> str:
    return f"```\n{program}```\n"


def otherwise_named(draw: Random, program: str) -> str:
    return f"{draw.choice(_OPENINGS)}\n\n```{draw.choice(['py', 'Python', 'python3', 'Python 3.11'])}\n{program}```\n"


def explained(draw: Random, program: str) -> str:
    return f"{plain(draw, program)}\n\n{draw.choice(_CLOSINGS)}"


def tildes(draw: Random, program: str) -> str:
    return f"{draw.choice(_OPENINGS)}\n\n~~~python\n{program}~~~\n"


def carriage_returns(draw: Random, program: str) -> str:
    return explained(draw, program).replace("\n", "\r\n")


def unclosed(draw: Random, program: str) -> str:
    return f"{draw.choice(_OPENINGS)}\n\n```python\n{program}"


def second_try(draw: Random, program: str) -> str:
    return (
        f"A first draft:\n\n```python\n{_DRAFT}```\n\nThat is not yet it. The final code:\n\n```python\n{program}```\n"
    )


def thought(draw: Random, program: str) -> str:
    return f"<think>\nLet me begin with something simple.\n```\n{_DRAFT}```\n</think>\n\n{plain(draw, program)}"


def nothing_else(draw: Random, program: str) -> str:
    return program


FENCES: Mapping[str, tuple[ShowProgram, float]] = MappingProxyType(
    {
        "plain": (plain, 40),
        "unnamed": (unnamed, 10),
        "otherwise_named": (otherwise_named, 8),
        "explained": (explained, 12),
        "tildes": (tildes, 5),
        "carriage_returns": (carriage_returns, 5),
        "unclosed": (unclosed, 5),
        "second_try": (second_try, 6),
        "thought": (thought, 4),
        "nothing_else": (nothing_else, 5),
    }
)


def show(draw: Random, program: str) -> str:
    """The reply with a program, in one of the ways above."""
    ways, weights = zip(*FENCES.values(), strict=True)
    way: ShowProgram = draw.choices(ways, weights)[0]
    return way(draw, program)
