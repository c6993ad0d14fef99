"""Step 2 of the tolerant reading: look-alike characters become the one that the later steps know.

It does not know markup; digits of other scripts stay, `Decimal` reads them.
"""

from __future__ import annotations

import re

THIN = "\u2009"  # stands for every space that may group digits but does not part words
BOLD, BOX, END_OF_BOX = "\ue000", "\ue001", "\ue002"  # left behind by markup; foreign ones are wiped out here

_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺"
_RAISED = re.compile(f"[{_SUPERSCRIPTS}]+")
_LOWER = str.maketrans(_SUPERSCRIPTS, "0123456789-+")

# A long dash parts words; before a number that is the whole reply there is nothing to part.
_LEADING_DASH = re.compile(r"\A\s*+[—―](?=[ ]?\d[\d.,' ]*+\s*+\Z)")

_ALIKE = {
    "-": "−－﹣‐‑‒–",
    "+": "＋﹢",
    "×": "✕✖⨯⋅·∙∗＊",
    "÷": "∕⁄／➗",
    "=": "＝≡",
    "≈": "≅≃∼≒",
    "→": "⇒⟹⟶➜",
    ".": "．٫",
    ",": "，٬",
    "'": "’‘ʼ′＇´",
    "$": "€£¥₹₩₽＄",
    ":": "：",
    "(": "（",
    ")": "）",
    "^": "＾",
    "\n": "\r\v\f\x85\u2028\u2029",
    " ": "\t\u3000\u2003\u2002—―" + BOLD + BOX + END_OF_BOX,
    THIN: "\u00a0\u202f\u2007\u2006\u2005\u2004\u2008\u200a",
    "": "\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0f",
}
_ONE_FOR_ALL = {ord(alike): known for known, family in _ALIKE.items() for alike in family}


def unified(text: str) -> str:
    """The text with one minus, one times, one apostrophe, and superscripts as exponents."""
    if text.isascii():
        return text.translate(_ONE_FOR_ALL) if "\t" in text or "\r" in text else text
    text = _LEADING_DASH.sub("-", text)
    return _RAISED.sub(lambda raised: "^" + raised[0].translate(_LOWER), text.translate(_ONE_FOR_ALL))
