"""One account of runs, laid out in every format. It does not know how it comes about, nor where it goes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain

from pytest_llmarith.records import Effect, Record, RunSummary, SameWords, as_dict
from pytest_llmarith.reports.formats import results
from pytest_llmarith.reports.formats.items import incorrect_items
from pytest_llmarith.reports.formats.markdown import details, listed, markdown
from pytest_llmarith.reports.formats.spreadsheet import csv_lines
from pytest_llmarith.reports.jsonfiles import encode
from pytest_llmarith.reports.tables.overview import ResultOfRun, overview
from pytest_llmarith.reports.tables.terminal import result_tables


class Format(StrEnum):
    """How runs are laid out."""

    TERMINAL = "terminal"
    MARKDOWN = "markdown"
    JSON = "json"
    CSV = "csv"
    HTML = "html"


@dataclass(frozen=True, slots=True)
class Account:
    """What is to be laid out: what to say first, the summary of every run, and all their results in order.

    `records` are those of a single run, read when a layout lists them. `spreadsheet` defuses the formulas of CSV.
    """

    title: str
    told: Sequence[str]
    summaries: Sequence[RunSummary]
    results: Sequence[ResultOfRun]
    width: int
    records: Iterable[Record] = ()
    spreadsheet: bool = False

    @property
    def is_of_one_run(self) -> bool:
        return len(self.summaries) == 1

    @property
    def shown(self) -> Sequence[ResultOfRun]:
        """The results as people are shown them: of one run none has to say that it is of that."""
        if not self.is_of_one_run:
            return self.results
        return [ResultOfRun(row.result, missing=row.missing) for row in self.results]

    @property
    def effects(self) -> Sequence[Effect]:
        """What conditions do in a single run."""
        return self.summaries[0].effects if self.is_of_one_run else ()

    @property
    def same_words(self) -> Sequence[SameWords]:
        return self.summaries[0].same_words if self.is_of_one_run else ()


def laid_out(account: Account, layout: Format) -> Iterator[str]:
    """The lines of the account, ends and all; a page has no lines."""
    return _LAYOUTS[layout](account)


def _terminal(account: Account) -> Iterator[str]:
    """One run as it showed itself at its end, several in one table."""
    if account.is_of_one_run:
        lines = result_tables(account.shown, account.effects, account.same_words, account.width)
    else:
        lines = ["", *overview(account.shown, account.width)] if account.results else []
    return (f"{line}\n" for line in (*account.told, *lines))


def _markdown(account: Account) -> Iterator[str]:
    lines = markdown(account.title, account.told, account.shown)
    if account.is_of_one_run:
        lines = chain(lines, details(account.shown, account.effects, account.same_words))
    return (f"{line}\n" for line in chain(lines, listed(incorrect_items(account.records))))


def _json(account: Account) -> Iterator[str]:
    """A list, also of one summary."""
    yield f"{encode([as_dict(summary) for summary in account.summaries], indent=2).decode('ascii')}\n"


def _csv(account: Account) -> Iterator[str]:
    return csv_lines(results.HEADERS, results.rows_of(account.results), spreadsheet=account.spreadsheet)


_LAYOUTS: Mapping[Format, Callable[[Account], Iterator[str]]] = {
    Format.TERMINAL: _terminal,
    Format.MARKDOWN: _markdown,
    Format.JSON: _json,
    Format.CSV: _csv,
}
