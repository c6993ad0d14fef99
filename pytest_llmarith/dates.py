"""Room: dates as HTTP writes them. It does not know who waits for what.

`Retry-After` may hold one (RFC 9110, section 10.2.3).
"""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def seconds_until(date: str) -> float | None:
    """Seconds until that moment, none of which are left once it has passed; None where the text is no date."""
    try:
        moment = parsedate_to_datetime(date)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)  # "-0000" has no zone
        return max(0.0, (moment - datetime.now(UTC)).total_seconds())
    except (ValueError, OverflowError):  # the year may have any number of digits
        return None
