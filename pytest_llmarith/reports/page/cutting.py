"""Long texts cut in their middle: what a reply says stands at either end. It does not know whose texts they are."""

from __future__ import annotations

from typing import Any

CUT = "cut"  # the key of a text that was cut: its beginning, its end, and how long it was
_TAIL = 4  # of so many characters one is kept from the end


def shortened(value: Any, longest: int) -> Any:
    """A JSON value in which no text is longer; one that was cut before is cut anew, and keeps its length."""
    match value:
        case str():
            return value if len(value) <= longest else _cut(value, value, len(value), longest)
        case {"cut": [str(head), str(tail), int(length)]}:
            return _cut(head, tail, length, longest) if len(head) + len(tail) > longest else value
        case dict():
            return {key: shortened(item, longest) for key, item in value.items()}
        case list() | tuple():
            return [shortened(item, longest) for item in value]
        case _:
            return value


def _cut(head: str, tail: str, length: int, longest: int) -> dict[str, Any]:
    end = longest // _TAIL
    return {CUT: [head[: longest - end], tail[len(tail) - end :], length]}
