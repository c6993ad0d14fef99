"""Where models break, a line for each search. It does not know how that was found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import Any

from pytest_llmarith.reports.harmless import sanitize, sanitize_name

_LONGEST = 80
_LONGEST_NAME = 16
_INDENT = " " * (_LONGEST_NAME + 2)


def breaking_lines(points: list[Mapping[str, Any]], width: int) -> list[str]:
    """Such as `int_mul  27 * 48 -> 1286 (expected 1296), carry, wrong 3 of 3, 41 questions`.

    Where searches were repeated, each line says which of them it is.
    """
    repeated = any(point.get("repeat") for point in points)
    return [line for point in points for line in _lines(point, width, repeated)]


def _lines(point: Mapping[str, Any], width: int, repeated: bool) -> list[str]:
    name = sanitize_name(point["variant"], _LONGEST_NAME).ljust(len(_INDENT))
    which = f"repeat {point.get('repeat', 0)}: " if repeated else ""
    return wrap(which + ", ".join(_parts(point)), width, initial_indent=name, subsequent_indent=_INDENT)


def _parts(point: Mapping[str, Any]) -> Iterator[str]:
    if point["question"] is None:
        yield f"nothing found up to {sanitize(point['largest_right'] or 'its first question', _LONGEST)}"
    else:
        question, answer, expected = (
            sanitize(point[name] or "no answer", _LONGEST) for name in ("question", "answer", "expected")
        )
        yield f"{question} -> {answer} (expected {expected})"
        yield sanitize(point["error_class"] or point["reason"] or "no class", _LONGEST)
        yield f"wrong {point['wrong']} of {point['asked']}" if point["asked"] else "not asked again"
        if point["ended"] == "budget":
            yield "maybe not the simplest"
    yield f"{point['questions']:,} questions"
