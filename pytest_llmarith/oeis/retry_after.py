"""How long a server asks to be left alone. It does not know who waits."""

from __future__ import annotations

import re

from pytest_llmarith.dates import seconds_until

_SECONDS = re.compile(r"[0-9]{1,9}")


def retry_after_s(header: str | None) -> float | None:
    """Seconds from `Retry-After`, which holds seconds or a date; None where it is absent or says neither."""
    text = (header or "").strip()
    return float(text) if _SECONDS.fullmatch(text) else seconds_until(text)
