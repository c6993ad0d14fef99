"""Foreign text made harmless for a terminal: replies and names may hold anything.

It does not know where they are shown.
"""

from __future__ import annotations

import re

_LONG_NUMBER = re.compile(r"[0-9]{41,}")
_CUT = "..."


def sanitize(text: str, limit: int) -> str:
    """One printable line of at most `limit` characters.

    What a terminal would obey (escape sequences, line breaks, changes of direction) is spelled out, long numbers lose
    their middle, and what is too long loses its end.
    """
    shortened = _LONG_NUMBER.sub(_ends, text)[: limit + 1]
    spelled = "".join(character if character.isprintable() else _spelled(character) for character in shortened)
    return spelled if len(spelled) <= limit else (spelled[: max(0, limit - len(_CUT))] + _CUT)[:limit]


def sanitize_name(name: str, limit: int) -> str:
    """A name of at most `limit` characters. It loses its middle: the end of a model's name tells most."""
    shown = sanitize(name, 10 * limit).strip() or "?"
    if len(shown) <= limit:
        return shown
    tail = (limit - len(_CUT)) * 2 // 3
    return shown[: limit - len(_CUT) - tail] + _CUT + shown[len(shown) - tail :]


def showable(text: str, encoding: str | None) -> str:
    """The text with everything escaped that a terminal's encoding lacks."""
    return text.encode(encoding or "utf-8", "backslashreplace").decode(encoding or "utf-8")


def _ends(number: re.Match[str]) -> str:
    digits = number.group()
    return f"{digits[:12]}...{digits[-12:]} ({len(digits):,} digits)"


def _spelled(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
