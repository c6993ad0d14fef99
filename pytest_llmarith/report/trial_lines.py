"""Trials of runs as text: a line each, or whole with prompt, reply and grade."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_llmarith.records import Record, as_text
from pytest_llmarith.report.page.trial_details import trial_parts
from pytest_llmarith.report.run_status import why_wrong
from pytest_llmarith.report.selection import matches
from pytest_llmarith.results.keys import label_of
from pytest_llmarith.safe_text import sanitize
from pytest_llmarith.types import Outcome

_LONGEST_LINE = 300
_LONGEST_TEXT = 100_000
_MOST_ROWS = 5


@dataclass(frozen=True, slots=True)
class TrialFilter:
    """Which trials are shown; an empty part selects all, and * matches any text."""

    outcomes: Sequence[str] = ()
    models: Sequence[str] = ()
    tasks: Sequence[str] = ()
    variants: Sequence[str] = ()
    ids: Sequence[str] = ()  # parts of pytest's ids

    def __call__(self, record: Record) -> bool:
        """Whether a trial is shown."""
        item = record.nodeid or record.problem.label
        return (
            matches(record.outcome, self.outcomes)
            and matches(record.model, self.models)
            and matches(record.task, self.tasks)
            and matches(record.problem.variant or record.task, self.variants)
            and (not self.ids or any(one in item for one in self.ids))
        )


def trial_line(record: Record) -> str:
    """Such as `deviate m arithmetic int_add-depth_2-trial_0  12 + 5: expected 17, got
    18 (one digit)`.
    """
    question = sanitize(record.problem.short, _LONGEST_LINE)
    whose = f"{record.outcome} {record.model} {record.task}"
    line = f"{whose} {_place(record)}  {question}"
    answer = record.answer_text or "right"
    if record.outcome is not Outcome.CORRECT:
        answer = why_wrong(record)
    return sanitize(f"{line}: {answer}", 2 * _LONGEST_LINE)


def _place(record: Record) -> str:
    label = record.problem.label
    condition = label_of(record.condition)
    if condition:
        label += f" {condition}"
    return f"{label} repeat {record.repeat}" if record.repeat else label


def whole_trial(record: Record) -> Iterator[str]:
    """Prompt, reply and grade of a trial in lines, safe to print."""
    yield trial_line(record)
    if record.nodeid:
        yield f"  item: {sanitize(record.nodeid, _LONGEST_TEXT)}"
    expected = as_text(record.problem.expected)
    if expected is not None:
        yield f"  expected: {sanitize(expected, _LONGEST_TEXT)}"
    for message in record.prompt or ():
        yield f"  {message.role}:"
        yield from _indented(message.content)
    if record.reply is not None:
        if record.reply.reasoning:
            yield "  reasoning:"
            yield from _indented(record.reply.reasoning)
        yield "  reply:"
        yield from _indented(record.reply.text)
    for part in trial_parts(record):
        for name, value in part.facts:
            yield sanitize(f"  {name}: {value}", 2 * _LONGEST_LINE)
        for row in part.wrong[:_MOST_ROWS]:
            cells = zip(part.heads, row, strict=True)
            named = [f"{head} {cell}" for head, cell in cells if cell]
            yield sanitize(f"  {', '.join(named)}", 2 * _LONGEST_LINE)
        if len(part.wrong) > _MOST_ROWS:
            yield f"  and {len(part.wrong) - _MOST_ROWS:,} more"


def _indented(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        yield f"    {sanitize(line, _LONGEST_TEXT)}".rstrip()
