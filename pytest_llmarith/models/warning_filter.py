"""Warnings of whoever carries our requests. They are nobody's errors: a paid reply must not be lost to one.

pydantic warns of a field that holds something odd while litellm takes a reply apart. Where warnings are errors, that
ends the request. Filters belong to the whole process and pytest changes them with every item, so that neither a filter
of ours at one moment nor one for the names of today's libraries would do. It does not know litellm.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any, SupportsIndex

from pytest_llmarith.models.our_requests import in_our_request


class _OnAnErrand:
    """Stands in a filter where the pattern for the text would: what counts is in whose course the warning comes."""

    def match(self, text: str) -> bool:
        return in_our_request()


_OURS = ("ignore", _OnAnErrand(), Warning, None, 0)


class _Filters(list[Any]):
    """Filters for warnings with ours before all others, whoever puts another one in front.

    `catch_warnings` works on a slice of them, so that a slice has to be as they are.
    """

    def __init__(self, filters: Iterable[Any]) -> None:
        super().__init__([_OURS, *(one for one in filters if one is not _OURS)])

    def insert(self, index: SupportsIndex, one: Any) -> None:
        super().insert(int(index) or 1, one)

    def __getitem__(self, at: Any) -> Any:
        found = super().__getitem__(at)
        return _Filters(found) if isinstance(at, slice) else found

    def __setitem__(self, at: Any, value: Any) -> None:
        """`resetwarnings` empties them so."""
        super().__setitem__(at, _Filters(value) if isinstance(at, slice) else value)

    def __delitem__(self, at: Any) -> None:
        """Or so, from Python 3.14 on."""
        super().__delitem__(at)
        if _OURS not in self:
            super().insert(0, _OURS)


def install() -> None:
    """Put our filter in, once. Within `catch_warnings` it is gone with its end, and has to be put in again."""
    if not isinstance(warnings.filters, _Filters):
        warnings.filters = _Filters(warnings.filters)
