"""What models did on one sequence, as text, wherever it stands in runs. It does not know how a record is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pytest_llmarith.records import SequenceProblem
from pytest_llmarith.reports.harmless import sanitize, sanitize_name
from pytest_llmarith.reports.mistake import Mistake
from pytest_llmarith.reports.opening import OpenedRun
from pytest_llmarith.reports.tables.sequence_view import sequence_lines

_LONGEST_NAME = 100
_MOST_NAMED = 20


def lines_about(number: str, runs: Iterable[OpenedRun], width: int) -> Iterator[str]:
    """The lines of every trial of a sequence, such as A000045, below the name of its run.

    Raises Mistake in the end where no run has one.
    """
    others: set[str] = set()
    found = False
    for run in runs:
        for record in run.records():
            problem = record.problem
            if not isinstance(problem, SequenceProblem):
                continue
            if problem.number.upper() != number.upper():
                others.add(problem.number)
                continue
            yield from ([""] if found else [])
            found = True
            yield sanitize_name(run.name, _LONGEST_NAME)
            yield from sequence_lines(record, problem, width)
    if not found:
        raise Mistake(f"--sequence={sanitize(number, _LONGEST_NAME)}: {_named(sorted(others))}")


def _named(others: Sequence[str]) -> str:
    if not others:
        return "there are no sequences in these runs"
    shown = ", ".join(sanitize_name(other, _LONGEST_NAME) for other in others[:_MOST_NAMED])
    return f"no such sequence in these runs; there are {shown}{', ...' if len(others) > _MOST_NAMED else ''}"
