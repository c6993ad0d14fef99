"""Long texts lose their middle: what a reply says is at either end."""

from __future__ import annotations

from typing import Any

CUT = "cut"  # the key of a text that was cut: its beginning, its end, and how long it was


def shortened(value: Any, longest: int) -> Any:
    """A JSON value in which no text is longer than `longest` characters, a quarter of which are from its end."""
    match value:
        case str() if len(value) > longest:
            end = longest // 4
            return {CUT: [value[: longest - end], value[len(value) - end :], len(value)]}
        case dict():
            return {key: shortened(item, longest) for key, item in value.items()}
        case list() | tuple():
            return [shortened(item, longest) for item in value]
        case _:
            return value
