"""How long a provider asks to wait, as an error's headers or its words say it. It decides nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pytest_llmarith.dates import seconds_until

# Google's, which sends no header.
_RETRY_INFO = re.compile(r'"retryDelay":\s*"(\d{1,9}(?:\.\d+)?)s"')


def retry_after_s(errors: Iterable[BaseException]) -> float | None:
    """Seconds, by the first of these errors that says so."""
    for error in errors:
        for headers in _headers(error):
            if (seconds := _seconds(headers)) is not None:
                return seconds
        if (told := _RETRY_INFO.search(str(error))) is not None:
            return float(told[1])
    return None


def _headers(error: BaseException) -> Iterator[Mapping[str, Any]]:
    holders = (
        getattr(error, "litellm_response_headers", None),
        getattr(getattr(error, "response", None), "headers", None),
        getattr(error, "headers", None),
    )
    return (holder for holder in holders if isinstance(holder, Mapping))


def _seconds(headers: Mapping[str, Any]) -> float | None:
    """`Retry-After` as seconds or as a date, and the milliseconds that some providers send."""
    lowered = {str(name).lower(): str(value) for name, value in headers.items()}
    if (milliseconds := _number(lowered.get("retry-after-ms"))) is not None:
        return milliseconds / 1000
    after = lowered.get("retry-after", "")
    seconds = _number(after)
    return seconds_until(after) if seconds is None else seconds


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None
