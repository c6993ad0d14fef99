"""What pytest's own reports, such as JUnit XML, show of a trial: a few short texts, as every report carries them.

It does not know these reports; the record is not in them.
"""

from __future__ import annotations

from decimal import Decimal

from pytest_llmarith.records import Record
from pytest_llmarith.reports.harmless import sanitize, sanitize_name

_LONGEST = 200


def properties_of(record: Record) -> list[tuple[str, str]]:
    """The properties of an item, by pytest's `user_properties`; what a record does not know has none."""
    facts = (
        ("outcome", record.outcome),
        ("reason", record.reason and sanitize(record.reason, _LONGEST)),
        ("error_class", record.grade.error_class if record.grade else None),
        ("cost_usd", _dollars(record.reply.cost_usd) if record.reply else None),
        ("model", sanitize_name(record.model, _LONGEST)),
        ("task", record.task),
    )
    return [(f"llmarith_{name}", str(text)) for name, text in facts if text is not None]


def _dollars(cost: float | None) -> str | None:
    """Without an exponent, which not everybody reads."""
    return None if cost is None else format(Decimal(repr(cost)), "f")
