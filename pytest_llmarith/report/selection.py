"""What `llmarith report` counts and shows, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal, NamedTuple

from pytest_llmarith.records import Record
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.results.run_files import UsageError
from pytest_llmarith.safe_text import sanitize, sanitize_name
from pytest_llmarith.views.places import Here
from pytest_llmarith.views.table import Level

Format = Literal["terminal", "markdown", "latex", "csv", "json", "html"]

_LONGEST_NAME = 60
_LONGEST_RUN = 100


@dataclass(frozen=True, slots=True)
class Selection:
    """Which trials are counted.

    Names may contain `*`; a limit on depth excludes trials without a depth.
    """

    models: Sequence[str] = ()
    tasks: Sequence[str] = ()
    min_depth: int | None = None
    max_depth: int | None = None

    def __bool__(self) -> bool:
        """Whether trials may be excluded."""
        return bool(str(self))

    def __call__(self, record: Record) -> bool:
        """Whether a trial is counted."""
        if not matches(record.model, self.models):
            return False
        if not matches(record.task, self.tasks):
            return False
        if not self.min_depth and not self.max_depth:
            return True
        depth = record.problem.depth
        if depth is None or depth < (self.min_depth or 0):
            return False
        return not self.max_depth or depth <= self.max_depth

    def __str__(self) -> str:
        """What is counted, such as `tasks words; depths 5 and more`; empty if no trial
        is excluded.
        """
        lowest, highest = self.min_depth, self.max_depth
        parts = []
        if self.models:
            parts.append(f"models {sanitize(', '.join(self.models), _LONGEST_RUN)}")
        if self.tasks:
            parts.append(f"tasks {sanitize(', '.join(self.tasks), _LONGEST_RUN)}")
        if lowest and highest:
            parts.append(f"depths {lowest} to {highest}")
        elif lowest:
            parts.append(f"depths {lowest} and more")
        elif highest:
            parts.append(f"depths up to {highest}")
        return "; ".join(parts)

    def check(self, runs: Sequence[LoadedRun]) -> None:
        """Raises UsageError, which lists the models and tasks, if no trial is
        counted.
        """
        if not self:
            return
        models = set()
        tasks = set()
        for run in runs:
            if run.summary().results:
                return
            for model, task in run.seen:
                models.add(sanitize_name(model, _LONGEST_NAME))
                tasks.add(sanitize_name(task, _LONGEST_NAME))
        raise UsageError(
            f"no trial of {self}; the runs have models {', '.join(sorted(models))} "
            f"and tasks {', '.join(sorted(tasks))}"
        )


def matches(name: str, patterns: Sequence[str]) -> bool:
    """Whether a name is one of these, in which * matches any text; no pattern matches
    all.
    """
    if not patterns or name in patterns:
        return True
    return any(fnmatchcase(name, one) for one in patterns)


# --- order ----------------------------------------------------------------------------

_WORDS = ("run", "model", "task", "date")
_COLUMNS: dict[str, Callable[[Here], Any]] = {
    "run": lambda row: row.run.casefold(),
    "model": lambda row: row.model.casefold(),
    "task": lambda row: row.task.casefold(),
    "date": lambda row: row.result.facts.date,
    "trials": lambda row: row.measured,
    "correct": lambda row: row.value("correct_percentage"),
    "cost": lambda row: row.value("cost_usd", "sum"),
    "tokens": lambda row: row.tokens,
    "latency": lambda row: row.value("latency_s", "median"),
}


class Order(NamedTuple):
    """Sorts results by a column: words from a to z, figures from the largest, both
    reversed if `reverse`.

    The sort is stable, and unknown values come last. By correct answers, results that
    lack cells of others come after those that have all of them.
    """

    column: str
    reverse: bool

    def of(self, rows: Sequence[Here]) -> list[Here]:
        """The results in this order."""
        key = _COLUMNS[self.column]
        from_largest = self.column not in _WORDS
        ordered = [row for row in rows if key(row) is not None]
        ordered.sort(key=key, reverse=self.reverse != from_largest)
        ordered += [row for row in rows if key(row) is None]
        if self.column == "correct":
            ordered.sort(key=lambda row: bool(row.missing))
        return ordered


def parse_order(text: str) -> Order:
    """Parse `[-]COLUMN`. Raises UsageError if there is no such column."""
    column = text.strip().removeprefix("-")
    if column not in _COLUMNS:
        named = sanitize(text, _LONGEST_NAME)
        columns = ", ".join(_COLUMNS)
        raise UsageError(
            f"--sort={named}: not a column; write one of {columns}, or -run to "
            f"reverse it"
        )
    return Order(column, text.strip().startswith("-"))


# --- detail ---------------------------------------------------------------------------


class Detail(NamedTuple):
    """What is shown beside the head of a report; CSV and JSON have the estimates of all
    measures, or of these. `only_own`: the own tables of tasks, and no others
    """

    all_tables: bool = False
    measures: Sequence[str] = ()
    only_own: bool = False

    @property
    def level(self) -> Level:
        return Level.FULL if self.all_tables else Level.BRIEF

    def check(self, form: Format) -> None:
        """Raises UsageError if this format cannot show it."""
        is_data = form in ("csv", "json")
        if self.all_tables and (is_data or form == "html"):
            raise UsageError(f"-v: --format={form} has all tables; remove -v")
        if self.measures and not is_data:
            raise UsageError(
                f"--measure: not with --format={form}; write --format=csv or json"
            )
