"""An answer that the user's own task has read, as it stands in a record. It does not know whether it is right."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from pytest_llmarith.records import check_plain
from pytest_llmarith.tasks.custom import plain

# Python neither writes nor reads integers of more than 4,300 digits, as JSON or otherwise; these have 4,214 at most.
_JSON_BITS = 14_000
# Some 50,000 digits, a tenth of a second: what Decimal takes grows with their square, what `hex` takes does not.
_DECIMAL_BITS = 166_000


def written(answer: Any) -> Any:
    """The answer as JSON has it, else as text, which is the same for the same answer; else what keeps it from that.

    It raises nothing: a trial that can be graded is not lost for want of a text.
    """
    try:
        return _as_json_or_text(answer)
    except Exception as error:
        return f"[{type(answer).__name__} without a text: str() raised {type(error).__name__}]"


def _as_json_or_text(answer: Any) -> Any:
    try:
        value = plain(_fit(answer))
        check_plain(value, "the answer")
        return value
    except (TypeError, ValueError, RecursionError):
        return str(answer)


def _fit(answer: Any) -> Any:
    """Sets as lists in one order, as they are walked in another by every process; long integers as their digits."""
    if isinstance(answer, set | frozenset):
        return sorted(map(_fit, answer), key=repr)
    if isinstance(answer, list | tuple):
        return [_fit(part) for part in answer]
    if isinstance(answer, dict):
        return {name: _fit(part) for name, part in answer.items()}
    return _digits(answer) if isinstance(answer, int) and answer.bit_length() > _JSON_BITS else answer


def _digits(number: int) -> str:
    return str(Decimal(number)) if number.bit_length() <= _DECIMAL_BITS else hex(number)
