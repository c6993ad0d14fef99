"""Converts a reply to plain text: unifies look-alike characters, renders LaTeX, markdown and HTML.

Bold text and boxes are marked with private-use characters. Every pattern takes linear time.
"""

from __future__ import annotations

import re
from decimal import Decimal

from pytest_llmarith.decimals import decimal_from, shifted
from pytest_llmarith.types import Dtype

THIN = "\u2009"  # stands for all spaces that may group digits but do not separate words
# Marks; these characters are removed from the reply itself.
BOLD, BOX, END_OF_BOX = "\ue000", "\ue001", "\ue002"


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
_SINGLE_NUMBER = re.compile(r"\s*+[-+]?\d[\d.,' ]*+\s*+")  # the whole reply: its spaces group digits
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
_CLOSED = {**dict.fromkeys(_BOXES, END_OF_BOX), **dict.fromkeys(_FRACTIONS, "÷")}  # at the closing brace
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


# One written number: signs, points, commas, groups, powers of ten and words of magnitude

_PLACES = (
    {"hundred": 2, "thousand": 3, "lakh": 5, "million": 6, "crore": 7, "billion": 9, "trillion": 12}
    | {"quadrillion": 15, "quintillion": 18, "sextillion": 21, "septillion": 24, "octillion": 27, "nonillion": 30}
    | {"decillion": 33, "k": 3, "m": 6, "mn": 6, "b": 9, "bn": 9, "t": 12, "tn": 12}
)
_WORD = "|".join(word for word in _PLACES if len(word) > 2)
# "3 hundred million", "2 lakh crore". A plural ("6 thousands") and a hyphen ("6 thousand-digit") mean digit positions.
MAGNITUDES = rf"(?i:(?:{_WORD})(?:[ -](?:{_WORD})){{0,2}})(?![\w-])"
LETTERS = r"(?:[kKMBT]|[mbt]n)(?!\w)"  # 7M, 7bn

_EAST_ASIAN_PLACES = {**dict.fromkeys("万萬만", 4), **dict.fromkeys("亿億억", 8), **dict.fromkeys("兆조", 12)}
_MARKS = "".join(_EAST_ASIAN_PLACES)
_EAST_ASIAN = re.compile(rf"(?:\d[\d,.]{{0,30}}[ ]?[{_MARKS}][ ]?){{1,4}}(?:\d{{1,4}})?")
_PART = re.compile(rf"(\d[\d,.]*)[ ]?([{_MARKS}]?)")

_GROUPING = str.maketrans("", "", f" '_{THIN}")


def value_of(digits: str, exponent: str | None = None, magnitude: str | None = None) -> Decimal | None:
    """The value of digits, a power of ten and words of magnitude; None if the digits are not a number."""
    plain, power = _pointed(digits), (exponent or "").lstrip("+-").lstrip("0")
    if plain is None or len(power) > 4:
        return None
    number = decimal_from(f"{plain}E{'-' * (exponent or '').startswith('-')}{power or 0}")
    return shifted(number, sum(_PLACES[word] for word in re.findall("[a-z]+", (magnitude or "").lower())))


def without_east_asian_magnitudes(text: str) -> str:
    """The text with `15万5736` replaced by 155736."""
    return _EAST_ASIAN.sub(_spelled_out, text)


def _spelled_out(number: re.Match[str]) -> str:
    parts = [(value_of(digits), _EAST_ASIAN_PLACES.get(mark, 0)) for digits, mark in _PART.findall(number[0])]
    values = [shifted(value, places) for value, places in parts if value is not None]
    return format(sum(values, Decimal(0)), "f") if len(values) == len(parts) else number[0]


def _pointed(digits: str) -> str | None:
    """The digits with at most one decimal point and no grouping; None if they are not a number."""
    plain = digits.translate(_GROUPING)
    commas, points = plain.count(","), plain.count(".")
    if commas + points <= 1:  # a comma groups three digits, unless another mark groups or a zero leads
        whole, _, decimals = plain.lstrip("+-").partition(",")
        groups = len(decimals) == 3 and len(plain) == len(digits) and whole != "0"
        return plain.replace(",", "" if groups else ".")
    if not points or (points == 1 and plain.rindex(",") < plain.index(".")):
        return plain.replace(",", "")  # commas group, even if a group has lost a digit
    parts = re.split("[.,]", plain.lstrip("+-"))
    if len(parts[0]) > 3 or any(len(part) != 3 for part in parts[1:-1]):
        return None
    is_decimal = len(parts[-1]) != 3 or (commas and points)  # after groups of three, only another mark is
    return f"{'-' * plain.startswith('-')}{''.join(parts[:-1])}{'.' if is_decimal else ''}{parts[-1]}"
