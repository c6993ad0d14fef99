"""Values of a user's task as records write them: JSON, or text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from pytest_llmarith.records import check_plain

_MOST = 1 << 60  # longer integers may have no text


def plain(value: Any, default: Callable[[Any], Any] | None = None) -> Any:
    """The value after a round trip through JSON; `default` converts other values, as
    for `json.dumps`.

    Raises ValueError or TypeError if it is not JSON.
    """
    if _is_simple(value):
        return value
    if type(value) is list and all(map(_is_simple, value)):
        return list(value)
    if type(value) is dict and all(map(_is_simple_field, value.items())):
        return dict(value)
    text = _as_json(value, default)
    text.encode()  # fails for lone surrogates
    return json.loads(text)


def plain_details(details: Mapping[str, Any]) -> Any:
    """The details of a grade after a round trip through JSON.

    They may quote a reply, so each lone surrogate becomes a question mark. Raises
    ValueError or TypeError if they are not JSON.
    """
    return json.loads(_as_json(dict(details)).encode("utf-8", "replace"))


def _as_json(value: Any, default: Callable[[Any], Any] | None = None) -> str:
    try:
        return json.dumps(value, allow_nan=False, ensure_ascii=False, default=default)
    except RecursionError:
        raise ValueError("nested too deep") from None


def _is_simple(value: Any) -> bool:
    """Whether JSON holds it as it is.

    The round trip takes ten times as long, for thousands of problems.
    """
    if type(value) is str:
        return value.isascii()
    return value is None or (type(value) is int and abs(value) < _MOST)


def _is_simple_field(field: tuple[Any, Any]) -> bool:
    return type(field[0]) is str and all(map(_is_simple, field))


def recorded_answer(answer: Any) -> Any:
    """The answer as JSON or text, equal for equal answers.

    It never raises, so that the trial can still be graded.
    """
    try:
        value = plain(answer, _sorted_set)
        check_plain(value, "the answer")
        return value
    except Exception:
        return _text_of(answer)


def _text_of(answer: Any) -> str:
    try:
        if isinstance(answer, int):
            return hex(answer)  # `str` is limited to 4,300 digits
        return str(answer)
    except Exception as error:
        kind, raised = type(answer).__name__, type(error).__name__
        return f"[{kind} without a text: str() raised {raised}]"


def _sorted_set(answer: Any) -> list[Any]:
    """A set as a sorted list, as its order differs between processes."""
    if not isinstance(answer, set | frozenset):
        raise TypeError(f"{type(answer).__name__} is not JSON")
    for kind in (str, int | float):
        if all(isinstance(one, kind) for one in answer):
            return sorted(answer)
    return sorted(answer, key=repr)
