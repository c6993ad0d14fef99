"""Makes untrusted text safe to print: replies and names may contain anything."""

from __future__ import annotations

import re
from contextlib import suppress

_LONG_NUMBER = re.compile(r"[0-9]{41,}")

_CUT = "..."


def text_of_error(error: BaseException) -> str:
    """The type and the text of an exception of the user's code."""
    name = type(error).__name__
    with suppress(Exception):  # of its own `__str__`
        return f"{name}: {error}"
    return name


def sanitize(text: str, limit: int) -> str:
    """One printable line of at most `limit` characters.

    Characters that are not printable (escape sequences, line breaks, bidirectional
    marks) are escaped, the middle of long numbers is left out, and a text that is too
    long is truncated.
    """
    shortened = _LONG_NUMBER.sub(_ends, text)[: limit + 1]
    spelled = escape(shortened)
    if len(spelled) <= limit:
        return spelled
    return (spelled[: max(0, limit - len(_CUT))] + _CUT)[:limit]


def escape(text: str) -> str:
    """The text with all characters escaped that are not printable."""
    if text.isprintable():
        return text
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode("ascii")
        for one in text
    )


def sanitize_name(name: str, limit: int) -> str:
    """A name of at most `limit` characters; the middle is left out, as the end of a
    model's name says most.
    """
    shown = sanitize(name, 10 * limit).strip() or "?"
    if len(shown) <= limit:
        return shown
    tail = (limit - len(_CUT)) * 2 // 3
    return shown[: limit - len(_CUT) - tail] + _CUT + shown[len(shown) - tail :]


def showable(text: str, encoding: str | None) -> str:
    """The text with all characters escaped that the terminal's encoding lacks."""
    encoding = encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _ends(number: re.Match[str]) -> str:
    digits = number.group()
    return f"{digits[:12]}...{digits[-12:]} ({len(digits):,} digits)"
