"""Finds the program in a reply and compiles it.

It is the last fenced block or the whole reply. A child process with limits compiles it
first: a thousand characters can take Python's compiler gigabytes or minutes, or crash
it.

Fences follow the rules of Markdown, and variants that models write: any indentation, an
opening fence at the end of a line of text, a fence that is not closed, or is closed at
the end of the last line of code or before a remark, a block on a single line.
"""

from __future__ import annotations

import ast
import os
import re
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from pytest_llmarith.exact import refuses, strip_thoughts
from pytest_llmarith.tasks.oeis.compile_child import (
    CPU_S,
    MEMORY_BYTES,
    PASSED,
    SYNTAX_ERROR,
    UNCOMPILABLE,
    parse,
)
from pytest_llmarith.types import NanReason

MAX_PROGRAM = 1 << 17  # characters
NO_PROGRAM = "no program"
_CHILD = (
    sys.executable,
    "-I",
    "-S",
    "-W",
    "ignore",
    str(Path(__file__).with_name("compile_child.py")),
)
_KEPT_VARIABLES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_CAUSED_BY_SOURCE = {
    signal.SIGXCPU,
    signal.SIGSEGV,
    signal.SIGABRT,
    signal.SIGBUS,
    signal.SIGILL,
}
_TIMEOUT_S = 120.0  # of wall time, reached on a stalled machine only


# The info string of an opening fence, such as `python` or `python title=a.py {1,2}`.
# Behind a blank it is a remark, if it does not name Python.
_INFO = re.compile(
    r"(?:[\w+#.-]*[\w+#]|[ \t]++(?i:python|py)\d?)"
    r"(?:[ \t]++(?:[^\s=]++=\S*+|\{[^}]*+\}))*+[ \t]*+",
)
_BEHIND_TEXT = re.compile(r"[^`]*+(?P<marks>`{3,}+)(?P<info>[^`]*+)")
_DOCSTRING = re.compile(r"(\"\"\"|''').*?\1", re.DOTALL)
_HIDDEN = "\ue000"  # stands for a fence in a docstring
_OPENING = re.compile(r"(?P<indent>[ \t]*+)(?P<marks>`{3,}+(?=[^`]*+$)|~{3,}+)")
_LONE_LINE = re.compile(r"[ \t]*+(?P<marks>`{3,}+)(?P<code>[^`]++)(?P=marks)[ \t]*+")


@dataclass(frozen=True, slots=True)
class NoProgram:
    """Why a text is not a program, or a reply has none; `detail` is one line."""

    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Program:
    """A program that compiles, with `\\n` as line ends, and its syntax tree."""

    source: str
    tree: ast.Module = field(compare=False, repr=False)

    @classmethod
    def parse(cls, source: str) -> Program:
        """The program of a source that is known to compile."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return cls(source, parse(source.encode()))


def find_program(reply: str) -> Program | NoProgram:
    """The program in the last fenced block that is not empty, or in the whole reply.

    The whole reply counts if there is no such block. Blocks of tildes count only in a
    reply without blocks of backticks. The question asks for this block, so no other
    block is tried. Takes time linear in the length of the reply. Raises OSError if
    programs cannot be compiled on this machine.
    """
    reply = reply.replace("\r\n", "\n").replace("\r", "\n")
    spoken = strip_thoughts(reply)
    text = spoken.text
    if len(text) < len(reply):
        with_tag = _program_with_tag(reply)
        if with_tag is not None:
            return with_tag
    is_empty = not text.strip()
    if not is_empty:
        for code in _codes_with_fences(text):
            found = _program(code)
            if isinstance(found, Program):
                return found
        block = _last_block(text)
        found = _program(text if block is None else block)
        if block is not None or isinstance(found, Program):
            return found
        if found.reason == UNCOMPILABLE:
            return found
        if refuses(text):
            return NoProgram(NanReason.REFUSAL, "the reply refuses")
    if spoken.cut:
        return NoProgram(NanReason.TRUNCATED, "the reply ends within its thoughts")
    if is_empty:
        return NoProgram(NanReason.EMPTY, "the reply is empty")
    return NoProgram(NO_PROGRAM, "the reply holds no code")


def _program_with_tag(reply: str) -> Program | None:
    """The program of the reply with its thoughts.

    None unless the tag that ends them is in a comment or string of it.
    """
    block = _last_block(reply)
    code = reply if block is None else block
    if len(strip_thoughts(code).text) == len(code):
        return None
    found = _program(code)
    return found if isinstance(found, Program) else None


def _codes_with_fences(text: str) -> Iterator[str]:
    """Codes to try first: with fences in its docstrings, and that before a fence which
    is the only one, with a first line that may announce it.
    """
    hidden = _DOCSTRING.sub(lambda found: found[0].replace("```", _HIDDEN), text)
    if hidden != text:
        block = _last_block(hidden)
        yield (hidden if block is None else block).replace(_HIDDEN, "```")
    code, fence, rest = text.partition("\n```")
    if fence and "```" not in code + rest and rest[:1] in ("", "\n"):
        yield code.removeprefix("python\n")
        yield code.partition("\n")[2]


def _last_block(text: str) -> str | None:
    """The last block that is not empty: of backticks, or else of tildes."""
    last: dict[str, str] = {}
    for mark, block in _blocks(text):
        if block.strip():
            last[mark] = block
    return last.get("`", last.get("~"))


def _program(text: str) -> Program | NoProgram:
    program = compiled(_dedent(text.removeprefix("\ufeff")))
    if isinstance(program, NoProgram):
        return program
    if not any(_does_something(statement) for statement in program.tree.body):
        return NoProgram(NO_PROGRAM, "the code does nothing")
    return program


def _does_something(statement: ast.stmt) -> bool:
    """Whether it is more than names and constants, such as `Sorry` and `42`."""
    if not isinstance(statement, ast.Expr):
        return True
    return any(isinstance(node, ast.Call) for node in ast.walk(statement))


def _dedent(text: str) -> str:
    """The text without the indentation of its first line, if its lines share it.

    Blank lines do not count.
    """
    lines = text.split("\n")
    written = [line for line in lines if line.strip()]
    if not written:
        return text
    indent = _blanks_before(written[0])
    if not indent or not all(line.startswith(indent) for line in written):
        return text
    return "\n".join(line.removeprefix(indent) for line in lines)


def _blanks_before(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


class _Fence(NamedTuple):
    """A fence: its backticks or tildes, and its indentation.

    `named` says whether the name of a language follows.
    """

    marks: str
    indent: int
    named: bool

    def is_closed_by(self, line: str) -> bool:
        """Whether the line begins with closing marks.

        A remark may follow them, as no line of Python begins so.
        """
        return line.lstrip(" \t").startswith(self.marks)

    def last_code(self, line: str) -> str | None:
        """The code of a line that ends with the closing backticks, or None."""
        bare = line.rstrip(" \t")
        code = bare.rstrip("`")
        is_closed = len(bare) - len(code) >= len(self.marks)
        return code if self.marks[0] == "`" and is_closed else None

    def is_reopened_by(self, other: _Fence) -> bool:
        return (
            other.marks[0] == self.marks[0]
            and len(other.marks) >= len(self.marks)
            and other.named
        )

    def dedent(self, line: str) -> str:
        blanks = len(_blanks_before(line))
        return line[min(blanks, self.indent) :]


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """The mark of each fenced block, a backtick or a tilde, and its content."""
    fence = None
    lines = list[str]()
    for line in text.split("\n"):
        opening = _opening(line)
        if fence is None:
            fence = opening or _opening_behind_text(line)
            if fence is None:
                lone = _LONE_LINE.fullmatch(line)
                if lone is not None:
                    yield "`", lone["code"]
            continue
        if opening is not None and fence.is_reopened_by(opening):
            # Python has no such line: the first fence was repeated, or not closed.
            fence = opening
            lines = []
            continue
        last = None
        is_closed = fence.is_closed_by(line)
        if not is_closed:
            last = fence.last_code(line)
            lines.append(fence.dedent(line if last is None else last))
        if is_closed or last is not None:
            yield fence.marks[0], "\n".join(lines)
            fence = None
            lines = []
    if fence is not None:
        yield fence.marks[0], "\n".join(lines)


def _opening(line: str) -> _Fence | None:
    line = line.removeprefix("\ufeff")
    opening = _OPENING.match(line)
    if opening is None:
        return None
    is_named = _INFO.fullmatch(line, opening.end()) is not None
    return _Fence(opening["marks"], len(opening["indent"]), is_named)


def _opening_behind_text(line: str) -> _Fence | None:
    """The fence at the end of a line of text.

    The text ends with a colon, or the name of a language follows the fence.
    """
    opening = _BEHIND_TEXT.fullmatch(line)
    if opening is None:
        return None
    text, info = line[: opening.start("marks")], opening["info"]
    is_named = _INFO.fullmatch(info) is not None
    is_announced = text.rstrip().endswith(":") and not info.strip()
    if not is_named and not is_announced:
        return None
    return _Fence(opening["marks"], 0, is_named)


def compiled(source: str) -> Program | NoProgram:
    """The program of a source, or the reason why it does not compile.

    Raises OSError if the child process fails.
    """
    if len(source) > MAX_PROGRAM:
        detail = (
            f"the program has {len(source):,} characters, more than {MAX_PROGRAM:,}"
        )
        return NoProgram(SYNTAX_ERROR, detail)
    try:
        encoded = source.encode()
    except UnicodeError:
        return NoProgram(SYNTAX_ERROR, "it contains a lone surrogate")
    return _refused_by_child(encoded) or Program.parse(source)


def _refused_by_child(source: bytes) -> NoProgram | None:
    environment = {}
    for name in _KEPT_VARIABLES:
        if name in os.environ:
            environment[name] = os.environ[name]
    try:
        done = subprocess.run(
            _CHILD,
            input=source,
            capture_output=True,
            timeout=_TIMEOUT_S,
            env=environment,
        )
    except subprocess.TimeoutExpired:
        raise TimeoutError(f"a program was not compiled in {_TIMEOUT_S:g} s") from None
    if -done.returncode in _CAUSED_BY_SOURCE:
        limits = f"{MEMORY_BYTES >> 20} MB and {CPU_S} s"
        why = (
            f"Python cannot compile it within {limits}: "
            f"{signal.Signals(-done.returncode).name}"
        )
        return NoProgram(UNCOMPILABLE, why)
    verdict, _, message = done.stdout.decode("utf-8", "replace").partition("\n")
    if done.returncode or verdict not in (PASSED, SYNTAX_ERROR, UNCOMPILABLE):
        printed = done.stderr.decode("utf-8", "replace").strip().splitlines()
        why = printed[-1] if printed else f"status {done.returncode}"
        raise OSError(f"programs cannot be compiled: {why}")
    if verdict == PASSED:
        return None
    return NoProgram(verdict, message)
