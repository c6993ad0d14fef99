"""How long a server asks to be left alone. It does not know who waits."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_SECONDS = re.compile(r"[0-9]{1,9}")


def retry_after_s(header: str | None) -> float | None:
    """Seconds from `Retry-After`, which holds seconds or a date; None where it is absent or says neither."""
    text = (header or "").strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, OverflowError):  # the year may have any number of digits
        return None
    moment = date if date.tzinfo else date.replace(tzinfo=UTC)  # "-0000" has no zone
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
