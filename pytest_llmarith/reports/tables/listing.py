"""The list of trials that did not come out right, one line each, in the manner of pytest's `-rA`.

It does not know pytest, nor who keeps the records.
"""

from __future__ import annotations

from collections.abc import Iterable

from pytest_llmarith.records import Record, as_text
from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.values import Outcome
from pytest_llmarith.values.asking import OVER_BUDGET, RUN_STOPPED

_LISTED = (Outcome.UNANSWERED, Outcome.CHEAT, Outcome.NAN, Outcome.DEVIATE)
_LONGEST_NODEID = 300
_LONGEST_REASON = 200
_LONGEST_ANSWER = 60
_LONGEST_SHARED = 1000
_SHARED = (OVER_BUDGET, RUN_STOPPED)


def outcome_section(records: Iterable[Record], most: int = 100) -> list[str]:
    """Lines for all but correct trials, at most `most` of each outcome; the others are counted."""
    listed: dict[Outcome, list[str]] = {outcome: [] for outcome in _LISTED}
    left_out = dict.fromkeys(listed, 0)
    together: dict[str, list[str]] = {}
    for record in records:
        outcome = record.outcome
        if outcome not in listed:
            continue
        if shared := _shared_reason(record):
            together.setdefault(shared, []).append(record.reason or "")
        elif len(listed[outcome]) < most:
            listed[outcome].append(_line(record))
        else:
            left_out[outcome] += 1
    lines = [_together(reasons) for reasons in together.values()]
    return lines + [line for outcome in _LISTED for line in (*listed[outcome], *_more(outcome, left_out[outcome]))]


def _shared_reason(record: Record) -> str | None:
    """What was never asked for a reason that is not its own needs no line of its own."""
    if record.outcome is not Outcome.UNANSWERED:
        return None
    return next((shared for shared in _SHARED if (record.reason or "").startswith(shared)), None)


def _together(reasons: list[str]) -> str:
    trials = f"{len(reasons):,} trial{'s' * (len(reasons) > 1)}"
    return f"{str(Outcome.UNANSWERED).upper()} {trials} - {sanitize(reasons[-1], _LONGEST_SHARED)}"


def _line(record: Record) -> str:
    return f"{record.outcome.upper()} {sanitize(record.nodeid or '', _LONGEST_NODEID)} - {_why(record)}"


def _why(record: Record) -> str:
    if record.outcome is not Outcome.DEVIATE or record.reason:  # a program's reason names the term
        return sanitize(record.reason or "no reason given", _LONGEST_REASON)
    expected = sanitize(as_text(getattr(record.problem, "expected", None)) or "", _LONGEST_ANSWER)
    return f"expected {expected}, got {sanitize(record.answer_text or 'no answer', _LONGEST_ANSWER)}"


def _more(outcome: Outcome, count: int) -> list[str]:
    return [f"{outcome.upper()} ... and {count:,} more"] if count else []
