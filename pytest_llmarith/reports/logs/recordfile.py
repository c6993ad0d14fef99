"""The records in a run log, one at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from pytest_llmarith.records import Record, decode_record
from pytest_llmarith.reports.harmless import sanitize
from pytest_llmarith.reports.jsonfiles import TORN
from pytest_llmarith.reports.logs.lines import LONGEST_LINE
from pytest_llmarith.reports.mistake import Mistake, name_of

_LONGEST_CAUSE = 200


def records_in(log: Path, *, named: bool = True) -> Iterator[tuple[bytes, Record]]:
    """The records of a log and their lines, without lines that a kill tore.

    Raises Mistake if another line is no record that a summary could count, or if one is not `named`.
    """
    try:
        with log.open("rb") as file:
            line_number = 0
            while line := file.readline(LONGEST_LINE + 1):
                line_number += 1
                if (record := _record(line, log, f"line {line_number}", named)) is not None:
                    yield line, record
    except OSError as fault:
        raise Mistake(f"{name_of(log)}: cannot be read ({fault.strerror})") from fault


def _record(line: bytes, log: Path, place: str, named: bool) -> Record | None:
    """What a line holds; None where it is empty or a kill tore it."""
    if not line.strip() or line.endswith(TORN + b"\n"):
        return None
    try:
        if len(line) > LONGEST_LINE:
            raise ValueError(f"longer than {LONGEST_LINE:,} bytes")
        record = decode_record(line)
        if named and record.nodeid is None:
            raise ValueError("nodeid is null, so it is no record of a test")
    except json.JSONDecodeError as fault:
        if not line.endswith(b"\n"):
            return None
        raise _no_record(log, place, f"not JSON ({fault.msg})") from fault
    except ValueError as fault:  # no UTF-8, a number of thousands of digits, no record
        raise _no_record(log, place, sanitize(str(fault), _LONGEST_CAUSE)) from fault
    return record


def _no_record(log: Path, place: str, cause: str) -> Mistake:
    return Mistake(f"{name_of(log)}, {place}: {cause}; expected a record of a run")


def later_counts(earlier_is_answered: bool, later_is_answered: bool) -> bool:
    """Whether of two records of a trial the later one counts: an answer beats none, a later one an earlier one."""
    return later_is_answered or not earlier_is_answered
