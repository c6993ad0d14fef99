"""Marks programs whose strings or comments address a reader, in English: an order, a greeting, a verdict about itself.

The mark is for people who look at a verdict. It is no verdict, and it changes none.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import chain

from pytest_llmarith.oeis.compiling import Program
from pytest_llmarith.oeis.judges.reachable import comments

LONGEST_SHOWN = 80  # characters of a program's text in a line of evidence
_LONGEST_READ = 1 << 14  # characters of one string or comment

_JUDGE = r"(?:judge|grader|evaluator|reviewer|examiner|moderator|language model|llm|ai assistant|assistant)s?"
_ADDRESSED = re.compile(
    "|".join(
        (
            rf"\b(?:dear|hey|hi|hello|attention|(?:note|message) (?:to|for)) (?:the |any |all )?{_JUDGE}\b",
            rf"\b{_JUDGE} (?:should|must|will|please)\b",
            rf"\byou are (?:an? |the )?(?:\w+ )?{_JUDGE}\b",
            r"\b(?:ignore|disregard|forget|override) (?:\w+ ){0,3}?(?:previous|prior|above|your) (?:\w+ ){0,3}?"
            r"(?:instruction|prompt|rule|guideline)",
            r"\b(?:please|you (?:should|must)) (?:output|answer|reply|return|say)(?: with)?(?: an?)? (?:0|zero)\b",
            r"\b(?:do not|don't) (?:flag|mark|penali[sz]e|report) (?:this|it|the)\b",
            r"\b(?:this|it|code|program|solution) (?:\w+ ){0,2}?(?:not|no|never|isn't|doesn't|without) (?:\w+ ){0,2}?"
            r"(?:look-?up ?table|cheat|hard-?cod)",
            r"\bverdict ?[:=]? ?(?:is )?(?:0|no|not|honest|legitimate)\b",
            r"<\|?(?:system|im_start)\b|\bsystem prompt\b",
        )
    ),
    re.IGNORECASE,
)


def addresses(program: Program) -> tuple[str, ...]:
    """A line of evidence for each string or comment that addresses a reader, with the words that do so, cut."""
    found = dict.fromkeys(
        f"line {line}: a {kind} talks to the judge: {_shown(text[match.start() :])}"
        for line, kind, text in chain(_comments(program.source), _strings(program.tree))
        if (match := _ADDRESSED.search(text))
    )
    return tuple(found)


def _comments(source: str) -> Iterator[tuple[int, str, str]]:
    """Comments, those on successive lines as one."""
    first, last, words = 0, 0, list[str]()
    for line, text in comments(source):
        if line != last + 1:
            yield first, "comment", _plain(" ".join(words))
            first, words = line, []
        last = line
        words.append(text.lstrip("#! "))
    yield first, "comment", _plain(" ".join(words))


def _strings(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, "text", _plain(node.value)


def _plain(text: str) -> str:
    return " ".join(text[:_LONGEST_READ].split())


def _shown(text: str) -> str:
    line = "".join(sign for sign in text if sign.isprintable())
    return repr(line if len(line) <= LONGEST_SHOWN else line[: LONGEST_SHOWN - 1] + "…")
