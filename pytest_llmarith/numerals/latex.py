"""Step 3 of the tolerant reading: LaTeX becomes plain text; only boxes leave their marks. It does not know markdown."""

from __future__ import annotations

import re

from pytest_llmarith.numerals.glyphs import BOX, END_OF_BOX, THIN

_TOKEN = re.compile(
    r"\\(?P<command>[A-Za-z]+)(?:[ ]?(?P<argument>\{))?"
    r"|\\(?P<symbol>.)"
    r"|\{(?P<grouping>,|\\,|[ ])\}"
    r"|(?P<open>\{)"
    r"|(?P<close>\})"
    r"|(?P<dollars>-?\$+)"
    r"|(?P<tie>(?<=\d)~(?=\d))",
    re.DOTALL,
)
_BOXES = frozenset({"boxed", "fbox", "framebox"})
_FRACTIONS = frozenset({"frac", "dfrac", "tfrac", "cfrac"})
_SIGNS = {
    "times": "×",
    "cdot": "×",
    "ast": "×",
    "div": "÷",
    "approx": "≈",
    "simeq": "≈",
    "sim": "≈",
    "equiv": "=",
    "implies": "→",
    "Rightarrow": "→",
    "rightarrow": "→",
    "to": "→",
    "pm": "±",
    "thinspace": THIN,
    "newline": "\n",
    "ldots": "…",
    "dots": "…",
    "cdots": "…",
}
# Fonts must not part a sign from its number; what other commands do is unknown, so they part.
_FONTS = re.compile(r"(?:math|text|display)[a-z]*|left|right|underline|overline|[bB]ig[a-z]*|color|bf|rm|it")
_SPACES = {",": THIN, ":": THIN, ";": THIN, " ": " ", "!": "", "\\": "\n"}
_BRACKETS = frozenset("()[]$")


def unwrapped(text: str) -> str:
    """The text without commands, braces and math delimiters; `\\frac{A}{B}` becomes a division."""
    if "\\" not in text and "{" not in text and "$" not in text and "~" not in text:
        return text
    return "".join(_pieces(text))


def _pieces(text: str) -> list[str]:
    pieces: list[str] = []
    closers: list[str] = []  # what the closing brace of each open one leaves behind
    done = 0
    for token in _TOKEN.finditer(text):
        pieces.append(text[done : token.start()])
        pieces.append(_opening(token, closers) or _closing(token, closers) or _plain(token))
        done = token.end()
    return [*pieces, text[done:], *reversed(closers)]


def _opening(token: re.Match[str], closers: list[str]) -> str:
    """Note what the brace will have to close; boxes and fractions are the only ones that show."""
    command = token["command"]
    if not (token["argument"] or token["open"]):
        return ""
    if command in _BOXES:
        closers.append(END_OF_BOX)
        return BOX
    closers.append("÷" if command in _FRACTIONS else "")
    return " " if command in _FRACTIONS else ""


def _closing(token: re.Match[str], closers: list[str]) -> str:
    return closers.pop() if token["close"] and closers else ""


def _plain(token: re.Match[str]) -> str:
    match token.lastgroup:
        case "command" | "argument":
            return _command(token["command"])
        case "symbol":
            return _symbol(token["symbol"])
        case "grouping":
            return token["grouping"].replace("\\,", THIN)
        case "dollars":  # currency or a delimiter: parts words, but never a sign from its number
            return "-" if token[0].startswith("-") else " "
        case "tie":
            return THIN
        case _:
            return ""


def _command(name: str) -> str:
    if name in _FRACTIONS:  # without braces, as in \frac12
        return " ÷"
    return _SIGNS.get(name) or ("" if _FONTS.fullmatch(name) else " ")


def _symbol(character: str) -> str:
    return " " if character in _BRACKETS else _SPACES.get(character, character)
