"""What a record says of a search for the breaking point. It does not know how that is counted or shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_llmarith.values import Outcome

# What is said of the simplest wrong answer that a search found.
OF_MINIMUM = ("question", "expected", "answer", "reason", "error_class")


def breaking_point(record: Mapping[str, Any]) -> dict[str, Any] | None:
    """What a search came to; None of what was no search, or was not answered to its end."""
    search = record.get("search")
    if not search or record["outcome"] == Outcome.UNANSWERED:
        return None
    minimum = search["minimum"] or dict.fromkeys(OF_MINIMUM)
    return {
        "variant": record["problem"]["variant"],
        "repeat": record.get("repeat") or 0,
        "outcome": record["outcome"],
        **{name: minimum[name] for name in OF_MINIMUM},
        **{name: search[name] for name in ("not_reproduced", "questions", "ended", "largest_right")},
        "budget": record["problem"]["budget"],
    }


def replies_of(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Every reply that a trial took, or its usage where it was not kept: one, but for a search."""
    trail = [_reply_or_usage(step) for step in (record.get("search") or {}).get("trail", ())]
    yield from filter(None, trail or [record["reply"]])


def asked_of(record: Mapping[str, Any]) -> int:
    """How many of the replies that a trial has read came from the model itself, and not from the store."""
    if search := record.get("search"):  # also one that was broken off: it has read what its trail holds
        return sum(not (_reply_or_usage(step) or {}).get("stored") for step in search["trail"])
    reply = record["reply"]
    return int(record["outcome"] != Outcome.UNANSWERED and reply is not None and not reply["stored"])


def _reply_or_usage(step: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What is known of the reply to a question; nothing of a long one in older records."""
    known: Mapping[str, Any] | None = step["reply"] or step.get("usage")
    return known
