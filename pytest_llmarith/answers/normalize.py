"""Converts a reply to plain text: unifies look-alike characters, renders LaTeX, markdown and HTML.

Bold text and boxes are marked with private-use characters. Every pattern takes linear time.
"""

from __future__ import annotations

import re

from pytest_llmarith.answers.parse import THIN, without_east_asian_magnitudes
from pytest_llmarith.types import Dtype

BOLD, BOX, END_OF_BOX = "\ue000", "\ue001", "\ue002"  # marks; these characters are removed from the reply itself


def plain(text: str, dtype: Dtype) -> str:
    """The rendered text. If it has Latin letters and is not English, the point in 1.234 groups digits of an integer."""
    shown = _RAISED.sub(lambda raised: "^" + raised[0].translate(_LOWER), text.translate(_LOOKALIKES))
    shown = without_east_asian_magnitudes(_without_markdown(_without_latex(shown)))
    shown = _NEGATIVE.sub("-", _FOOTNOTE.sub("", shown))
    if _SINGLE_NUMBER.fullmatch(shown):
        return _GROUPING_SPACES.sub("", shown)
    if dtype is Dtype.INT and _LATIN_WORD.search(shown) and not _ENGLISH.search(shown):
        shown = _GROUPED_BY_A_POINT.sub(r"\1\2", shown)
    return shown


# Numbers

_FOOTNOTE = re.compile(r"(?m)(?:(?<=\d)[ ]?|^(?=\S+[ ]))(?:\[\^?\d{1,2}\^?\]|(?<!10)\^1(?![\d.]))")
_SINGLE_NUMBER = re.compile(r"\s*+[-+]?\d[\d.,' ]*+\s*+")  # a reply that is a single number: its spaces group digits
_GROUPING_SPACES = re.compile(r"(?<=,)[ ]++(?=\d)|(?<=\d)[ ](?=\d{3}(?!\d))")
_NEGATIVE = re.compile(r"(?:负|負|マイナス|마이너스|سالب|ऋणात्मक)[ ]?(?=\d)")
_GROUPED_BY_A_POINT = re.compile(r"(?<![\d.,])([1-9]\d{0,2})\.(\d{3})(?![\dkKMBT]|[.,]\d|[ ]?[×x][ ]?10\^|[eE])")
_LATIN_WORD = re.compile(r"[A-Za-zÀ-ɏ]{3}")
_ENGLISH = re.compile(
    r"\b(?:the|and|answer|result|step|with|rounded|about|approx|approximately|check|exact|product|sum|difference|equals"
    r"|number|value|digits|places|let|which|this|that|for|from|gives|therefore|hence|thus|note|time|not"
    r"|are|was|you|remainder|exactly|over|under|nearly|roughly|hundred|thousand|lakh|crore|[a-z]{1,8}illion)\b",
    re.IGNORECASE,
)

# Characters: one minus, one times, one apostrophe, superscripts as exponents; `Decimal` reads the digits of any script

_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺"
_RAISED = re.compile(f"[{_SUPERSCRIPTS}]+")
_LOWER = str.maketrans(_SUPERSCRIPTS, "0123456789-+")
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
    ". ": "。",
    "'": "’‘ʼ′＇´",
    ":": "：",
    "\n": "\r\v\f\x85\u2028\u2029",
    " ": "$€£¥₹₩₽＄\t\u3000\u2003\u2002—―" + BOLD + BOX + END_OF_BOX,
    THIN: "\u00a0\u202f\u2007\u2006\u2005\u2004\u2008\u200a",
    "": "\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0f",
}
_LOOKALIKES = {ord(alike): known for known, family in _ALIKE.items() for alike in family}


# LaTeX

_LATEX = re.compile(
    r"\\(?P<command>[A-Za-z]+)(?:[ ]?(?P<argument>\{))?"
    r"|\\(?P<symbol>.)"
    r"|(?P<open>\{)"
    r"|(?P<close>\})",
    re.DOTALL,
)
_BOXES, _FRACTIONS = ("boxed", "fbox", "framebox"), ("frac", "dfrac", "tfrac", "cfrac")
_OPENED = {**dict.fromkeys(_BOXES, BOX), **dict.fromkeys(_FRACTIONS, " ")}  # commands with an open brace
_CLOSED = {**dict.fromkeys(_BOXES, END_OF_BOX), **dict.fromkeys(_FRACTIONS, "÷")}  # the same for the closing brace
_COMMANDS = (
    {"thinspace": THIN, "newline": "\n", "pm": "±", "div": "÷", "equiv": "="}
    | dict.fromkeys(("times", "cdot", "ast"), "×")
    | dict.fromkeys(("approx", "simeq", "sim"), "≈")
    | dict.fromkeys(_FRACTIONS, " ÷")  # without braces, as in \frac12
)
_SYMBOLS = {",": THIN, ":": THIN, ";": THIN, " ": " ", "!": "", "\\": "\n"} | dict.fromkeys("()[]", " ")


def _without_latex(text: str) -> str:
    """The text without commands, braces and math delimiters; `\\frac{A}{B}` becomes a division."""
    closers: list[str] = []  # the replacement for the closing brace of each open one

    def shown(token: re.Match[str]) -> str:
        command, symbol = token["command"], token["symbol"]
        if token["close"]:
            return closers.pop() if closers else ""
        if token["argument"] or token["open"]:
            closers.append(_CLOSED.get(command, ""))
            return _OPENED.get(command, " " if command else "")
        return _COMMANDS.get(command, " ") if command else _SYMBOLS.get(symbol, symbol)

    return _LATEX.sub(shown, text) + "".join(reversed(closers))


# Markdown and HTML

# A star multiplies if both sides hold a number at the same distance; any other star is emphasis or a list.
_MARKUP = re.compile(
    r"(?P<power>(?<=10)\*\*(?=[-+(]?\d))"
    r"|(?P<times>(?<=[\d)])\*(?=[-(\d])|(?<=[\d)][ ])\*(?=[ ][-(\d]))"
    r"|(?P<struck>~~[^~\n]{1,200}+~~)"
    r"|(?P<stars>\*+|(?<![^\W_])_+|_+(?![^\W_])|~~)"
    r"|(?P<fence>`{3,}[A-Za-z]*)"
    r"|(?P<code>`+)"
    r"|(?P<raised><sup>)"
    r"|(?P<tag></?[A-Za-z][^<>\n]{0,80}>|<\|[^|<>\n]{0,80}\|>)",
    re.IGNORECASE,
)
# A sign that touches the mark before a number belongs to the number.
_SIGN_OUTSIDE = re.compile(rf"(?<![\w)])(?<![\d)][ ])-([{BOLD}{BOX}]++)(?=[ ]?[\d.])")
_REPLACEMENTS = dict(power="^", times="×", struck=" ", stars=BOLD, fence="\n", code="", raised="^", tag=" ")


def _without_markdown(text: str) -> str:
    """The rendered text, with `BOLD` where emphasis begins or ends."""
    shown = _MARKUP.sub(lambda markup: _REPLACEMENTS[markup.lastgroup or ""], text)
    return _SIGN_OUTSIDE.sub(r"\1-", shown)
