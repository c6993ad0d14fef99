"""Fenced blocks in a reply: where they open, where they close, what they hold. It does not know Python.

Markdown's rules, and what models make of them: any indentation, a fence that nothing closes, a closing fence at the end
of the last line of code, a block on a line of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_OPENING = re.compile(r"(?P<indent>[ \t]*+)(?P<marks>`{3,}+(?=[^`]*+$)|~{3,}+)")
_LONE_LINE = re.compile(r"[ \t]*+(?P<marks>`{3,}+)(?P<code>[^`]++)(?P=marks)[ \t]*+")


class _Open(NamedTuple):
    """A fence that is open, and the indentation that its lines share with it."""

    marks: str
    indent: int
    named: bool

    def is_closed_by(self, line: str) -> bool:
        bare = line.strip(" \t")
        return len(bare) >= len(self.marks) and not bare.strip(self.marks[0])

    def end_of_code(self, line: str) -> str | None:
        """The code on a line whose end closes a fence of backticks."""
        bare = line.rstrip(" \t")
        code = bare.rstrip("`")
        return code if self.marks[0] == "`" and len(bare) - len(code) >= len(self.marks) else None

    def is_opened_anew_by(self, other: _Open) -> bool:
        return other.marks[0] == self.marks[0] and len(other.marks) >= len(self.marks) and other.named

    def without_indent(self, line: str) -> str:
        blanks = len(line) - len(line.lstrip(" \t"))
        return line[min(blanks, self.indent) :]


def blocks(text: str) -> Iterator[str]:
    """What each fenced block of a text with newlines alone holds, in order; linear in the text's length."""
    fence, lines = None, list[str]()
    for line in text.split("\n"):
        opening = _opened_by(line)
        if fence is None:
            fence = opening
            if fence is None and (lone := _LONE_LINE.fullmatch(line)):
                yield lone["code"]
        elif opening and fence.is_opened_anew_by(opening):
            fence, lines = opening, []  # no line of Python: the first fence was opened twice, or left open
        elif fence.is_closed_by(line):
            yield "\n".join(lines)
            fence, lines = None, []
        elif (code := fence.end_of_code(line)) is not None:
            yield "\n".join([*lines, fence.without_indent(code)])
            fence, lines = None, []
        else:
            lines.append(fence.without_indent(line))
    if fence is not None:
        yield "\n".join(lines)


def _opened_by(line: str) -> _Open | None:
    opening = _OPENING.match(line)
    if opening is None:
        return None
    return _Open(opening["marks"], len(opening["indent"]), named=bool(line[opening.end() :].strip()))
