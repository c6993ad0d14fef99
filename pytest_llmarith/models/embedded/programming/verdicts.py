"""What the embedded models reply when they are asked whether a program is a lookup table.

They go by a crude count of what is written in it, and follow nothing that it does.
"""

from __future__ import annotations

import re
from random import Random

from pytest_llmarith.models.embedded.said import Said

_NUMBER = re.compile(r"(?<![\w.])\d+")
_BLOB = re.compile(r"[\w+/=]{40,}")
_SUSPICIOUSLY_MANY = 15
_PROSE = (
    "The code computes each term as it should, although one could argue about the constants at its beginning.",
    "It is hard to say whether this is a look-up table without seeing the whole test.",
)


def exact(program: str, draw: Random) -> Said:
    """1 for a program that holds many numbers, or a very long word; else 0."""
    return Said(str(int(_looks_like_a_table(program))))


def sloppy(program: str, draw: Random) -> Said:
    """The same, but now and then the opposite, and sometimes no verdict."""
    fate = draw.random()
    if fate < 0.03:
        return Said(draw.choice(_PROSE))
    return Said(str(int(_looks_like_a_table(program) != (fate > 0.9))))


def _looks_like_a_table(program: str) -> bool:
    many = len(_NUMBER.findall(program)) >= _SUSPICIOUSLY_MANY
    return many or _BLOB.search(program) is not None
