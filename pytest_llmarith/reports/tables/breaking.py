"""Where models break, a line for each search. It does not know how that was found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from pytest_llmarith.records import BreakingPoint
from pytest_llmarith.reports.harmless import sanitize, sanitize_name
from pytest_llmarith.values import SearchEnd

_LONGEST = 80
_LONGEST_NAME = 16
_INDENT = " " * (_LONGEST_NAME + 2)


def breaking_lines(points: Sequence[BreakingPoint], width: int) -> list[str]:
    """Such as `int_mul  27 * 48 -> 1286 (expected 1296), one digit, 41 questions`.

    Where searches were repeated, each line says which of them it is.
    """
    repeated = any(point.repeat for point in points)
    return [line for point in points for line in _lines(point, width, repeated)]


def _lines(point: BreakingPoint, width: int, repeated: bool) -> list[str]:
    name = sanitize_name(point.variant, _LONGEST_NAME).ljust(len(_INDENT))
    which = f"repeat {point.repeat}: " if repeated else ""
    return wrap(which + ", ".join(_parts(point)), width, initial_indent=name, subsequent_indent=_INDENT)


def _parts(point: BreakingPoint) -> Iterator[str]:
    if point.ended == SearchEnd.NOT_REPRODUCED:
        yield not_reproduced(point)
    if point.question is None:
        yield f"nothing found up to {sanitize(point.largest_right or 'its first question', _LONGEST)}"
    else:
        question, answer, expected = (
            sanitize(text or "no answer", _LONGEST) for text in (point.question, point.answer, point.expected)
        )
        yield f"{question} -> {answer} (expected {expected})"
        yield sanitize(point.error_class or point.reason or "no class", _LONGEST)
        if point.ended == SearchEnd.BUDGET:
            yield "maybe not the simplest"
    yield f"{point.questions:,} questions"


def not_reproduced(point: BreakingPoint) -> str:
    """What is said of a search in which no wrong answer came again."""
    count = point.not_reproduced
    return f"not reproduced: {count:,} question{'s' * (count > 1)} answered wrongly, then rightly"
