"""Between steps 5 and 6 of the tolerant reading: the words behind a number that say how large it is.

It does not know numbers. A word belongs to its number, in whatever the number does; letters may as well be a unit.
"""

from __future__ import annotations

import re

_PLACES = {
    "hundred": 2,
    "thousand": 3,
    "lakh": 5,
    "million": 6,
    "crore": 7,
    "billion": 9,
    "trillion": 12,
    "quadrillion": 15,
    "quintillion": 18,
    "sextillion": 21,
    "septillion": 24,
    "octillion": 27,
    "nonillion": 30,
    "decillion": 33,
}
_PLACES_OF_LETTERS = {"k": 3, "m": 6, "mn": 6, "b": 9, "bn": 9, "t": 12, "tn": 12}
_WORD = "|".join(_PLACES)
_LETTERS = re.compile(r"(?:[kKMBT]|[mbt]n)(?!\w)")

# "3 hundred million", "2 lakh crore". The plural counts places ("6 thousands"), as "the 6 thousand-digit" does.
WORDS = rf"(?i:(?:{_WORD})(?:[ -](?:{_WORD})){{0,2}})(?![\w-])"


def places_of(magnitude: str) -> int:
    """How many places the words, or the letters, move the point."""
    words = re.split("[ -]", magnitude.lower())
    return sum(_PLACES.get(word, 0) or _PLACES_OF_LETTERS[word] for word in words)


def letters_at(text: str, at: int) -> str | None:
    """The letters there that may stand for such a word, as in `7M` and `7bn`."""
    letters = _LETTERS.match(text, at)
    return letters[0] if letters else None
