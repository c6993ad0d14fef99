"""What runs say of themselves, opened, chosen, ordered and laid out. It does not know the command line."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from pytest_llmarith.records import RunSummary
from pytest_llmarith.reports.formats.layouts import Account, Format, laid_out
from pytest_llmarith.reports.harmless import sanitize, sanitize_name, showable
from pytest_llmarith.reports.logs.lines import LOG, without_files_beside
from pytest_llmarith.reports.missing import missing_cells
from pytest_llmarith.reports.mistake import Mistake
from pytest_llmarith.reports.opening import OpenedRun, opened
from pytest_llmarith.reports.output_file import check_target, new_file, unwritable
from pytest_llmarith.reports.parameters import differing, parameters_of
from pytest_llmarith.reports.reporting.choice import Choice
from pytest_llmarith.reports.reporting.one_sequence import lines_about
from pytest_llmarith.reports.reporting.ordering import Order
from pytest_llmarith.reports.tables.overview import ResultOfRun
from pytest_llmarith.reports.tables.terminal import run_lines

_LONGEST_NAME = 100
_LONGEST_LINE = 1_000
_RECORDED = (LOG, "summary.json", "report.json")


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked on the command line."""

    runs: Sequence[Path]
    layout: Format = Format.TERMINAL
    output: Path | None = None
    force: bool = False
    choice: Choice = field(default_factory=Choice)
    order: Order | None = None
    sequence: str | None = None
    width: int = 80
    spreadsheet: bool = False


def report(request: Request, out: TextIO = sys.stdout) -> None:
    """Write down what the runs say. Raises Mistake where one cannot be read, or where nothing is left to be told."""
    if request.spreadsheet and request.layout is not Format.CSV:
        raise Mistake(f"--spreadsheet: --format={request.layout} is no CSV; leave it out, or write --format=csv")
    runs = [run.only(request.choice) if request.choice else run for run in all_opened(request.runs)]
    if request.sequence is not None and request.layout is not Format.TERMINAL:
        raise Mistake(f"--format={request.layout}: a sequence is shown as text; leave it out, or --sequence")
    if request.layout is Format.HTML:
        _write_page(runs, request)
        return
    lines = _lines(runs, request, defused=request.spreadsheet or (request.output is None and out.isatty()))
    if request.output is None:
        out.writelines(showable(line, out.encoding) for line in lines)
        return
    with new_file("--output", request.output, files_of(runs), force=request.force) as file:
        file.writelines(line.encode("utf-8", "backslashreplace") for line in lines)


def _write_page(runs: Sequence[OpenedRun], request: Request) -> None:
    from pytest_llmarith.results.page import PageRun, write_page  # with its templates, which nothing else needs

    if request.output is None:
        raise Mistake("--format=html: a page is a file; name it with --output=report.html")
    check_target("--output", request.output, files_of(runs), force=request.force)
    _check_choice(runs, request.choice)
    try:
        shown = [PageRun(run.name, run.summary(), run.records(), run.unfinished) for run in runs]
        write_page(shown, request.output)
    except OSError as fault:
        raise unwritable("--output", request.output, fault) from fault


def _lines(runs: Sequence[OpenedRun], request: Request, *, defused: bool) -> Iterable[str]:
    if request.sequence is None:
        _check_choice(runs, request.choice)
        return laid_out(_account(runs, request, defused=defused), request.layout)
    return (f"{line}\n" for line in lines_about(request.sequence, runs, request.width))


def _check_choice(runs: Sequence[OpenedRun], choice: Choice) -> None:
    """Raises Mistake if no run has a trial that was chosen."""
    if choice and not any([run.summary().results for run in runs]):
        raise choice.nothing({met for run in runs for met in run.met})


def all_opened(paths: Sequence[Path]) -> list[OpenedRun]:
    """The runs that these paths stand for; one that is named twice is one."""
    runs = (run for path in without_files_beside(paths) for run in opened(path))
    return list({os.path.realpath(run.path): run for run in runs}.values())


def files_of(runs: Iterable[OpenedRun]) -> list[Path]:
    """What runs have recorded, and nobody may write over: other than a page, nobody could make it again."""
    return [
        file for run in runs for file in ([run.path / name for name in _RECORDED] if run.path.is_dir() else [run.path])
    ]


def _account(runs: Sequence[OpenedRun], request: Request, *, defused: bool) -> Account:
    summaries = [run.summary() for run in runs]
    results = _results(runs, summaries)
    title = runs[0].name if len(runs) == 1 else f"{len(runs):,} runs"
    head = [sanitize(line, _LONGEST_LINE) for line in _first_lines(runs, summaries, request)]
    ordered = request.order.of(results) if request.order else results
    records = runs[0].records() if len(runs) == 1 else ()
    return Account(title, head, summaries, ordered, request.width, records, defused)


def _results(runs: Sequence[OpenedRun], summaries: Sequence[RunSummary]) -> list[ResultOfRun]:
    """All results, each with the name of its run, how that differs from others, and which cells it lacks."""
    pairs = [(run, summary, result) for run, summary in zip(runs, summaries, strict=True) for result in summary.results]
    parameters_of_each = differing(
        [(result.model, parameters_of(summary.run, result.model)) for _, summary, result in pairs]
    )
    missing = missing_cells([result for _, _, result in pairs])
    return [
        ResultOfRun(result, run.name, parameters, run.unfinished, lacks)
        for (run, _, result), parameters, lacks in zip(pairs, parameters_of_each, missing, strict=True)
    ]


def _first_lines(runs: Sequence[OpenedRun], summaries: Sequence[RunSummary], request: Request) -> list[str]:
    """What is said first: of a whole run what it said itself at its end, of anything else how much of it there is."""
    if len(runs) == 1 and runs[0].facts and not request.choice:
        return run_lines(summaries[0], request.width)
    answered, unanswered = (sum(getattr(summary, name) for summary in summaries) for name in ("answered", "unanswered"))
    whose = sanitize_name(runs[0].name, _LONGEST_NAME) if len(runs) == 1 else f"{len(runs):,} runs"
    missing = f", {unanswered:,} unanswered" if unanswered else ""
    unfinished = runs[0].unfinished if len(runs) == 1 else ""
    only = f"only {request.choice}" if request.choice else ""
    return [f"{whose}: {answered:,} answered{missing}", *filter(None, (unfinished, only))]
