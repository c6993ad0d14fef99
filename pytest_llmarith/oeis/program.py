"""The program in a reply. It runs nothing."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_llmarith.answers import refuses, said
from pytest_llmarith.oeis.compiling import NotPythonError, Program, compiled, does_something
from pytest_llmarith.oeis.fences import blocks
from pytest_llmarith.values import NanReason


@dataclass(frozen=True, slots=True)
class NoProgram:
    """Why a reply holds no program; `detail` is one line for people."""

    reason: NanReason
    detail: str


def find_program(reply: str) -> Program | NoProgram:
    """The last fenced block that holds anything, or the whole reply where there is none; thoughts do not count.

    The last block counts even where it is no program: that is what the question says. Linear in the reply's length.
    Raises OSError if programs cannot be compiled on this machine.
    """
    speech = said(reply)
    text = speech.text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        reason = NanReason.TRUNCATED if speech.cut else NanReason.EMPTY
        return NoProgram(reason, "the reply ends within its thoughts" if speech.cut else "the reply is empty")
    block = _last_block(text)
    if block is not None:
        return _program(block)
    whole = _program(text)
    if isinstance(whole, Program) or whole.reason is NanReason.UNCOMPILABLE:
        return whole
    return _prose(text, cut=speech.cut)


def _last_block(text: str) -> str | None:
    last = None
    for block in blocks(text):
        if block.strip():
            last = block
    return last


def _program(text: str) -> Program | NoProgram:
    source = _flush(text.removeprefix("\ufeff"))
    try:
        program = compiled(source)
    except NotPythonError as error:
        return NoProgram(error.reason, str(error))
    if not does_something(program.tree):
        return NoProgram(NanReason.NO_PROGRAM, "the code does nothing")
    return program


def _flush(text: str) -> str:
    """The text without the indentation of its first line, where all lines that hold something share it."""
    lines = text.split("\n")
    first = next((line for line in lines if line.strip()), "")
    indent = first[: len(first) - len(first.lstrip(" \t"))]
    if not indent or not all(line.startswith(indent) for line in lines if line.strip()):
        return text
    return "\n".join(line.removeprefix(indent) for line in lines)


def _prose(text: str, *, cut: bool) -> NoProgram:
    if refuses(text):
        return NoProgram(NanReason.REFUSAL, "the reply refuses")
    if cut:
        return NoProgram(NanReason.TRUNCATED, "the reply ends within its thoughts")
    return NoProgram(NanReason.NO_PROGRAM, "the reply holds no code")
