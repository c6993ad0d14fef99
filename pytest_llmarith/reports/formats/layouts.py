"""One account of runs, laid out in every format. It does not know how it comes about, nor where it goes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import Any

from pytest_llmarith.reports.formats import results
from pytest_llmarith.reports.formats.items import incorrect_items
from pytest_llmarith.reports.formats.markdown import listed, markdown
from pytest_llmarith.reports.formats.spreadsheet import csv_lines
from pytest_llmarith.reports.jsonfiles import encode
from pytest_llmarith.reports.tables.overview import overview
from pytest_llmarith.reports.tables.terminal import result_tables


class Format(StrEnum):
    """How runs are laid out."""

    TERMINAL = "terminal"
    MARKDOWN = "markdown"
    JSON = "json"
    CSV = "csv"
    HTML = "html"


# What results say of their runs, beside those of other runs.
_OF_RUN = ("run", "parameters", "unfinished")


@dataclass(frozen=True, slots=True)
class Account:
    """What is to be laid out: what to say first, the summary of every run, and all their results in order.

    `records` are those of a single run, read when a layout lists them. `spreadsheet` defuses the formulas of CSV.
    """

    title: str
    told: Sequence[str]
    summaries: Sequence[Mapping[str, Any]]
    results: Sequence[Mapping[str, Any]]
    width: int
    records: Iterable[Mapping[str, Any]] = ()
    spreadsheet: bool = False

    @property
    def is_of_one_run(self) -> bool:
        return len(self.summaries) == 1

    @property
    def shown(self) -> Sequence[Mapping[str, Any]]:
        """The results as people are shown them: of one run none has to say that it is of that."""
        if not self.is_of_one_run:
            return self.results
        return [{name: value for name, value in result.items() if name not in _OF_RUN} for result in self.results]

    @property
    def conditions(self) -> Mapping[str, Any]:
        """What conditions do in a single run; an older one does not say."""
        summary = self.summaries[0] if self.is_of_one_run else {}
        return {name: summary[name] for name in ("effects", "same_words") if name in summary}


def laid_out(account: Account, layout: Format) -> Iterator[str]:
    """The lines of the account, ends and all; a page has no lines."""
    return _LAYOUTS[layout](account)


def _terminal(account: Account) -> Iterator[str]:
    """One run as it showed itself at its end, several in one table."""
    summary = {"results": account.shown, **account.conditions}
    if account.is_of_one_run:
        lines = result_tables(summary, account.width)
    else:
        lines = ["", *overview(summary, account.width)] if account.results else []
    return (f"{line}\n" for line in (*account.told, *lines))


def _markdown(account: Account) -> Iterator[str]:
    lines = markdown(account.title, account.told, account.shown, account.conditions, detailed=account.is_of_one_run)
    return (f"{line}\n" for line in chain(lines, listed(incorrect_items(account.records))))


def _json(account: Account) -> Iterator[str]:
    """A list, also of one summary."""
    yield f"{encode(account.summaries, indent=2).decode('ascii')}\n"


def _csv(account: Account) -> Iterator[str]:
    return csv_lines(results.HEADERS, results.rows_of(account.results), spreadsheet=account.spreadsheet)


_LAYOUTS: Mapping[Format, Callable[[Account], Iterator[str]]] = {
    Format.TERMINAL: _terminal,
    Format.MARKDOWN: _markdown,
    Format.JSON: _json,
    Format.CSV: _csv,
}
