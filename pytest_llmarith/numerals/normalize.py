"""A reply as plain text: look-alike characters, LaTeX, markdown and HTML become what they show.

Emphasis and boxes leave a mark. Every pattern takes linear time.
"""

from __future__ import annotations

import re

from pytest_llmarith.numerals.written import THIN, without_east_asian_magnitudes
from pytest_llmarith.values import Dtype

BOLD, BOX, END_OF_BOX = "\ue000", "\ue001", "\ue002"  # left behind by markup; foreign ones are wiped out


def plain(text: str, dtype: Dtype) -> str:
    """The text as a reader sees it."""
    shown = without_east_asian_magnitudes(_without_markdown(_without_latex(_with_one_glyph_each(text))))
    shown = _DIVIDING_COLON.sub("÷", _NEGATIVE.sub("-", _FOOTNOTE.sub("", shown)))
    if dtype is Dtype.INT and _groups_by_points(shown):
        shown = _GROUPED_BY_A_POINT.sub(r"\1\2", shown)
    return _closed_up(shown)


# Numbers

_FOOTNOTE = re.compile(r"(?m)(?:(?<=\d)[ ]?|^(?=\S+[ ]))(?:\[\^?\d{1,2}\^?\]|(?<!10)\^1(?![\d.]))")
_NEGATIVE = re.compile(r"(?:负|負|マイナス|마이너스|سالب|ऋणात्मक)[ ]?(?=\d)")
_DIVIDING_COLON = re.compile(r"(?<=\d)(?:[ ]:[ ]|:)(?=\d[\d.,']*+\s*+[=≈])")
_GROUPED_BY_A_POINT = re.compile(r"(?<![\d.,])([1-9]\d{0,2})\.(\d{3})(?![\dkKMBT]|[.,]\d)")
_LATIN_WORD = re.compile(r"[A-Za-zÀ-ɏ]{3}")
_ENGLISH = re.compile(
    r"\b(?:the|and|answer|result|step|with|rounded|about|approx|approximately|check|exact|product|sum|difference|equals"
    r"|number|value|digits|places|let|which|this|that|for|from|gives|therefore|hence|thus|note|time|not"
    r"|are|was|you|remainder|exactly|over|under|nearly|roughly|hundred|thousand|lakh|crore|[a-z]{1,8}illion)\b",
    re.IGNORECASE,
)
_LONE = re.compile(r"\s*+[-+]?\d[\d.,' ]*+\s*+")
# In prose, too, a row of threes is one number; three numbers may be a list.
_SPACED = re.compile(r"(?<![\w.,])(?<!\d[,.] )\d{1,3}(?:, \d{3}(?!\d)){3,}+(?!,? ?\d)")
_AFTER_A_COMMA = re.compile(r"(?<=,)[ ]++(?=\d)")
_BEFORE_A_GROUP = re.compile(r"(?<=\d)[ ](?=\d{3}(?!\d))")


def _groups_by_points(text: str) -> bool:
    """Whether the reply is in another language with Latin letters: an integer's lone point groups there."""
    return bool(_LATIN_WORD.search(text)) and not _ENGLISH.search(text)


def _closed_up(text: str) -> str:
    """The text, or the number that it is, without the spaces within; in prose only rows of threes close up."""
    if not _LONE.fullmatch(text):
        return _SPACED.sub(lambda groups: groups[0].replace(" ", ""), text)
    return _BEFORE_A_GROUP.sub(THIN, _AFTER_A_COMMA.sub("", text))


# Characters

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
    ". ": "。",
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


def _with_one_glyph_each(text: str) -> str:
    """One minus, one times, one apostrophe, and superscripts as exponents; `Decimal` reads the digits of any script."""
    text = _LEADING_DASH.sub("-", text)
    return _RAISED.sub(lambda raised: "^" + raised[0].translate(_LOWER), text.translate(_ONE_FOR_ALL))


# LaTeX

_LATEX = re.compile(
    r"\\(?P<command>[A-Za-z]+)(?:[ ]?(?P<argument>\{))?"
    r"|\\(?P<symbol>.)"
    r"|\{(?P<grouping>,|\\,|[ ])\}"
    r"|(?P<open>\{)"
    r"|(?P<close>\})"
    r"|(?P<dollars>-?\$+)"
    r"|(?P<tie>(?<=\d)~(?=\d))",
    re.DOTALL,
)
_BOXES, _FRACTIONS = ("boxed", "fbox", "framebox"), ("frac", "dfrac", "tfrac", "cfrac")
_OPENED = {**dict.fromkeys(_BOXES, BOX), **dict.fromkeys(_FRACTIONS, " ")}  # what commands with an open brace leave
_CLOSED = {**dict.fromkeys(_BOXES, END_OF_BOX), **dict.fromkeys(_FRACTIONS, "÷")}  # and their closing brace
_COMMANDS = (
    {"thinspace": THIN, "newline": "\n", "pm": "±", "div": "÷", "equiv": "="}
    | dict.fromkeys(("times", "cdot", "ast"), "×")
    | dict.fromkeys(("approx", "simeq", "sim"), "≈")
    | dict.fromkeys(("implies", "Rightarrow", "rightarrow", "to"), "→")
    | dict.fromkeys(_FRACTIONS, " ÷")  # without braces, as in \frac12
)
# Fonts must not part a sign from its number; what other commands do is unknown, so they part.
_FONTS = re.compile(r"(?:math|text|display)[a-z]*|left|right|underline|overline|[bB]ig[a-z]*|color|bf|rm|it")
_SYMBOLS = {",": THIN, ":": THIN, ";": THIN, " ": " ", "!": "", "\\": "\n"} | dict.fromkeys("()[]$", " ")


def _without_latex(text: str) -> str:
    """The text without commands, braces and math delimiters; `\\frac{A}{B}` becomes a division."""
    closers: list[str] = []  # what the closing brace of each open one leaves behind

    def shown(token: re.Match[str]) -> str:
        command, symbol = token["command"], token["symbol"]
        if token["close"]:
            return closers.pop() if closers else ""
        if token["argument"] or token["open"]:
            closers.append(_CLOSED.get(command, ""))
            if command in _OPENED:
                return _OPENED[command]
        if command:
            return _COMMANDS.get(command) or ("" if _FONTS.fullmatch(command) else " ")
        if symbol:
            return _SYMBOLS.get(symbol, symbol)
        if token["dollars"]:  # currency or a delimiter: parts words, but never a sign from its number
            return "-" if token[0].startswith("-") else " "
        return THIN if token["tie"] else (token["grouping"] or "").replace("\\,", THIN)

    return _LATEX.sub(shown, text) + "".join(reversed(closers))


# Markdown and HTML

# A star multiplies if both sides hold a number at the same distance; any other star is emphasis or a list.
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
    r"|&(?P<entity>nbsp|thinsp|times|divide|minus|approx|middot|comma);",
    re.MULTILINE | re.IGNORECASE,
)
# A sign that touches the mark before a number belongs to the number.
_SIGN_OUTSIDE = re.compile(rf"(?<![\w)])(?<![\d)][ ])-([{BOLD}{BOX}]++)(?=[ ]?[\d.])")
_LEFT = (
    {"power": "^", "times": "×", "struck": " ", "stars": BOLD, "fence": "\n", "code": "", "line": "", "raised": "^"}
    | {"answer": " answer: ", "tag": " ", "nbsp": THIN, "thinsp": THIN, "divide": "÷", "minus": "-", "approx": "≈"}
    | {"middot": "×", "comma": ","}
)


def _without_markdown(text: str) -> str:
    """The text as it looks when it is rendered, with `BOLD` where emphasis begins or ends."""
    shown = _MARKUP.sub(lambda markup: _LEFT[(markup["entity"] or markup.lastgroup or "").lower()], text)
    return _SIGN_OUTSIDE.sub(r"\1-", shown)
