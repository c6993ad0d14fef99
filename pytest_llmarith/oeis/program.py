"""The program in a reply: the last fenced block, or the whole reply.

Fences follow the rules of Markdown and the habits of models: any indentation, a fence that is never closed or closed at
the end of the last line of code, a block on a single line.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from pytest_llmarith.answers import refuses, strip_thoughts
from pytest_llmarith.oeis.compiling import NoProgram, Program, compiled
from pytest_llmarith.values import NanReason

_OPENING = re.compile(r"(?P<indent>[ \t]*+)(?P<marks>`{3,}+(?=[^`]*+$)|~{3,}+)")
_LONE_LINE = re.compile(r"[ \t]*+(?P<marks>`{3,}+)(?P<code>[^`]++)(?P=marks)[ \t]*+")


def find_program(reply: str) -> Program | NoProgram:
    """The program in the last fenced block that is not empty, or in the whole reply if no block is.

    The last block counts even if it is no program, as the question asks. Takes time linear in the reply's length.
    Raises OSError if programs cannot be compiled on this machine.
    """
    spoken = strip_thoughts(reply)
    text = spoken.text.replace("\r\n", "\n").replace("\r", "\n")
    cut = NoProgram(NanReason.TRUNCATED, "the reply ends within its thoughts")
    if not text.strip():
        return cut if spoken.cut else NoProgram(NanReason.EMPTY, "the reply is empty")
    blocks = [block for block in _blocks(text) if block.strip()]
    found = _program(blocks[-1] if blocks else text)
    if blocks or isinstance(found, Program) or found.reason is NanReason.UNCOMPILABLE:
        return found
    if refuses(text):
        return NoProgram(NanReason.REFUSAL, "the reply refuses")
    return cut if spoken.cut else NoProgram(NanReason.NO_PROGRAM, "the reply holds no code")


def _program(text: str) -> Program | NoProgram:
    program = compiled(_dedent(text.removeprefix("\ufeff")))
    if isinstance(program, NoProgram):
        return program
    if not any(_does_something(statement) for statement in program.tree.body):
        return NoProgram(NanReason.NO_PROGRAM, "the code does nothing")
    return program


def _does_something(statement: ast.stmt) -> bool:
    """Whether it is more than names and constants, such as the texts `Sorry` and `42`."""
    return not isinstance(statement, ast.Expr) or any(isinstance(node, ast.Call) for node in ast.walk(statement))


def _dedent(text: str) -> str:
    """The text without the indentation of its first line, if all lines that are not blank share it."""
    lines = text.split("\n")
    first = next((line for line in lines if line.strip()), "")
    indent = first[: len(first) - len(first.lstrip(" \t"))]
    if not indent or not all(line.startswith(indent) for line in lines if line.strip()):
        return text
    return "\n".join(line.removeprefix(indent) for line in lines)


class _Fence(NamedTuple):
    """An opening fence: its backticks or tildes, its indentation, and whether an info string follows."""

    marks: str
    indent: int
    named: bool

    def is_closed_by(self, line: str) -> bool:
        bare = line.strip(" \t")
        return len(bare) >= len(self.marks) and not bare.strip(self.marks[0])

    def last_code(self, line: str) -> str | None:
        """The code on a line whose end closes a fence of backticks."""
        bare = line.rstrip(" \t")
        code = bare.rstrip("`")
        return code if self.marks[0] == "`" and len(bare) - len(code) >= len(self.marks) else None

    def is_reopened_by(self, other: _Fence) -> bool:
        return other.marks[0] == self.marks[0] and len(other.marks) >= len(self.marks) and other.named

    def dedent(self, line: str) -> str:
        blanks = len(line) - len(line.lstrip(" \t"))
        return line[min(blanks, self.indent) :]


def _blocks(text: str) -> Iterator[str]:
    """The content of each fenced block, in order."""
    fence, lines = None, list[str]()
    for line in text.split("\n"):
        opening = _opening(line)
        if fence is None:
            fence = opening
            if fence is None and (lone := _LONE_LINE.fullmatch(line)):
                yield lone["code"]
        elif opening and fence.is_reopened_by(opening):
            fence, lines = opening, []  # Python has no such line: the first fence was doubled, or left open
        elif fence.is_closed_by(line):
            yield "\n".join(lines)
            fence, lines = None, []
        elif (code := fence.last_code(line)) is not None:
            yield "\n".join([*lines, fence.dedent(code)])
            fence, lines = None, []
        else:
            lines.append(fence.dedent(line))
    if fence is not None:
        yield "\n".join(lines)


def _opening(line: str) -> _Fence | None:
    opening = _OPENING.match(line)
    if opening is None:
        return None
    return _Fence(opening["marks"], len(opening["indent"]), named=bool(line[opening.end() :].strip()))
