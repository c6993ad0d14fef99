"""Step 4 of the tolerant reading: markdown and HTML become plain text; emphasis leaves a mark.

It does not know LaTeX.
"""

from __future__ import annotations

import re

from pytest_llmarith.numerals.glyphs import BOLD, BOX, THIN

# A star multiplies where both sides hold a number at the same distance; any other star is emphasis or a list.
_MARKUP = re.compile(
    r"(?P<power>(?<=10)\*\*(?=[-+(]?\d))"
    r"|(?P<times>(?<=[\d)])\*(?=[-(\d])|(?<=[\d)][ ])\*(?=[ ][-(\d]))"
    r"|(?P<struck>~~[^~\n]{1,200}+~~|<(?P<strike>s|del|strike)>[^<\n]{1,200}+</(?P=strike)>)"
    r"|(?P<stars>\*+|(?<![^\W_])_+|_+(?![^\W_])|~~)"
    r"|(?P<fence>`{3,}[A-Za-z]*)"
    r"|(?P<code>`+)"
    r"|(?P<line>^[ ]{0,8}(?:\#{1,6}|>+)[ ]?)"
    r"|(?P<raised><sup>)"
    r"|(?P<answer><answer>)"
    r"|(?P<tag></?[A-Za-z][^<>\n]{0,80}>|<\|[^|<>\n]{0,80}\|>)"
    r"|(?P<entity>&(?:nbsp|thinsp|times|divide|minus|approx|middot|comma);)",
    re.MULTILINE | re.IGNORECASE,
)
# A sign that touches the mark before a number belongs to the number.
_SIGN_OUTSIDE = re.compile(rf"(?<![\w)])(?<![\d)][ ])-([{BOLD}{BOX}]++)(?=[ ]?[\d.])")
_LEFT = {
    "power": "^",
    "times": "×",
    "struck": " ",
    "stars": BOLD,
    "fence": "\n",
    "code": "",
    "line": "",
    "raised": "^",
    "answer": " answer: ",
    "tag": " ",
}
_ENTITIES = {
    "nbsp": THIN,
    "thinsp": THIN,
    "times": "×",
    "divide": "÷",
    "minus": "-",
    "approx": "≈",
    "middot": "×",
    "comma": ",",
}


def unmarked(text: str) -> str:
    """The text as it looks when it is rendered, with `BOLD` where emphasis begins or ends."""
    return _SIGN_OUTSIDE.sub(r"\1-", _MARKUP.sub(_left_of, text))


def _left_of(markup: re.Match[str]) -> str:
    kind = markup.lastgroup or ""
    return _LEFT[kind] if kind in _LEFT else _ENTITIES[markup[0][1:-1].lower()]
