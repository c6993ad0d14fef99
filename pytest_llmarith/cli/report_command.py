"""`llmarith report`, `plot`, `cite`, `trials`, `export`, `merge` and `regrade`.

They are what is done with runs that have ended.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from pytest_llmarith.cli import parser
from pytest_llmarith.parsers import scheduler_address, whole
from pytest_llmarith.safe_text import sanitize
from pytest_llmarith.types import Outcome, Reading

if TYPE_CHECKING:
    from pytest_llmarith.results.load import LoadedRun
    from pytest_llmarith.results.regrade import Change, RegradedCounts

_FORMATS = ("terminal", "markdown", "latex", "csv", "json", "html")
_FOLDERS = ("inspect", "eee", "hf")
_TRIAL_FORMATS = ("csv", "parquet", *_FOLDERS)
_FIGURES = ("curves", "heatmap", "differences", "cost", "speed", "reliability")
_SHOWN = 400  # characters of the end of a reply


# --- report ---------------------------------------------------------------------------


def add_report(commands: parser.Commands) -> None:
    """Declare `llmarith report`."""
    purpose = "Show the results of runs, of one with differences to its first model"
    command = parser.add_command(commands, "report", purpose, parser.NO_CHANGE, _report)
    parser.add_runs(command)
    parser.add_format(command, _FORMATS, "terminal")
    purpose = "With csv and json, write only this measure, such as correct_percentage"
    parser.add_repeatable(command, "--measure", "KEY", purpose, dest="measures")
    command.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="Add all tables: cells, D50, error classes, cost",
    )
    parser.add_output(command)
    command.add_argument(
        "--min-depth",
        type=parser.argument(whole(1, 999_999_999)),
        metavar="N",
        help="Count only trials of this depth and more",
    )
    command.add_argument(
        "--max-depth",
        type=parser.argument(whole(1, 999_999_999)),
        metavar="N",
        help="Count only trials up to this depth",
    )
    for name in ("task", "model"):
        parser.add_repeatable(
            command,
            f"--{name}",
            "NAME",
            f"Count only trials of this {name}, * matches any text",
        )
    purpose = (
        "Order results by a column, such as correct or model; - reverses the order"
    )
    command.add_argument("--sort", metavar="[-]COLUMN", help=purpose)
    purpose = (
        "Show the tables of the suite benches/papers/NAME.py below this folder, with "
        "published rows, and count its tasks only"
    )
    command.add_argument("--suite", metavar="NAME", help=purpose)


def _report(request: argparse.Namespace) -> int:
    from pytest_llmarith.report.export import Destination
    from pytest_llmarith.report.report import report
    from pytest_llmarith.report.selection import Detail, Selection, parse_order
    from pytest_llmarith.results.loaded import load_all_runs
    from pytest_llmarith.results.run_files import UsageError
    from pytest_llmarith.tasks.restore import load_suite

    tasks = request.task
    if request.suite is not None:
        if tasks:
            raise UsageError("--suite names its tasks; remove --task")
        try:
            suite = load_suite(Path(), request.suite)
        except ValueError as error:
            raise UsageError(f"--suite: {error}") from None
        for task in suite.tasks:
            task.register()
        tasks = suite.names
    report(
        load_all_runs(request.runs, parser.note),
        request.format,
        Destination(sys.stdout, request.output, request.force, request.spreadsheet),
        shutil.get_terminal_size().columns,
        Selection(request.model, tasks, request.min_depth, request.max_depth),
        None if request.sort is None else parse_order(request.sort),
        Detail(request.verbose, request.measures, request.suite is not None),
    )
    return 0


# --- papers ---------------------------------------------------------------------------


def add_plot(commands: parser.Commands) -> None:
    """Declare `llmarith plot`."""
    command = parser.add_command(
        commands,
        "plot",
        "Draw a figure for a paper",
        "PDF and PNG need the extra plot.",
        _plot,
    )
    parser.add_runs(command)
    purpose = (
        "Correct answers by depth as curves (default) or as a heatmap, paired "
        "differences, or accuracy against cost, speed or the probability of answers"
    )
    kinds = "|".join(_FIGURES)
    command.add_argument(
        "--kind", choices=_FIGURES, default="curves", metavar=kinds, help=purpose
    )
    parser.add_output(command, "An .svg, .pdf or .png file", required=True)


def _plot(request: argparse.Namespace) -> int:
    from pytest_llmarith.report.plot import plot
    from pytest_llmarith.results.loaded import load_all_runs

    plot(
        load_all_runs(request.runs, parser.note),
        request.kind,
        request.output,
        force=request.force,
    )
    return 0


def add_cite(commands: parser.Commands) -> None:
    """Declare `llmarith cite`."""
    details = "The facts that the page of a run has, first prompts, and BibTeX."
    command = parser.add_command(
        commands, "cite", "Print what a paper has to state about runs", details, _cite
    )
    parser.add_runs(command)
    parser.add_output(command)


def _cite(request: argparse.Namespace) -> int:
    from pytest_llmarith.report.cite import cite
    from pytest_llmarith.report.export import Destination
    from pytest_llmarith.results.loaded import load_all_runs

    runs = load_all_runs(request.runs, parser.note)
    destination = Destination(sys.stdout, request.output, request.force)
    destination.write((f"{line}\n" for line in cite(runs)), runs)
    return 0


# --- trials ---------------------------------------------------------------------------


def add_trials(commands: parser.Commands) -> None:
    """Declare `llmarith trials`."""
    purpose = "Show the trials of runs, a line each, or whole with prompt and reply"
    command = parser.add_command(commands, "trials", purpose, parser.NO_CHANGE, _trials)
    parser.add_runs(command)
    outcomes = [*map(str, Outcome)]
    purpose = "Show only trials with this outcome"
    parser.add_repeatable(
        command, "--outcome", "|".join(outcomes), purpose, choices=outcomes
    )
    for name in ("task", "model", "variant"):
        purpose = f"Show only trials of this {name}, * matches any text"
        parser.add_repeatable(command, f"--{name}", "NAME", purpose)
    purpose = "Show only trials whose item has this text in its id"
    parser.add_repeatable(command, "--id", "TEXT", purpose)
    command.add_argument(
        "--whole", action="store_true", help="Show prompt, reply and grade of each"
    )


def _trials(request: argparse.Namespace) -> int:
    from pytest_llmarith.report.trial_lines import (
        TrialFilter,
        trial_line,
        whole_trial,
    )
    from pytest_llmarith.results.loaded import load_all_runs
    from pytest_llmarith.results.run_files import UsageError

    wanted = TrialFilter(
        request.outcome, request.model, request.task, request.variant, request.id
    )
    count = 0
    for run in load_all_runs(request.runs, parser.note):
        for record in run.records():
            if not wanted(record):
                continue
            if request.whole and count:
                parser.say("")
            count += 1
            parser.say(
                *(whole_trial(record) if request.whole else [trial_line(record)])
            )
    if not count:
        raise UsageError(
            "no trial of these runs is selected; llmarith report shows their models, "
            "tasks and variants"
        )
    return 0


def add_export(commands: parser.Commands) -> None:
    """Declare `llmarith export`."""
    purpose = "Write the trials of runs for other tools"
    command = parser.add_command(commands, "export", purpose, parser.NO_CHANGE, _export)
    parser.add_runs(command)
    parser.add_format(command, _TRIAL_FORMATS)
    purpose = "With --format=hf: the name that the dataset gets on the Hub"
    command.add_argument("--dataset", metavar="OWNER/NAME", help=purpose)
    purpose = "Write the estimates, as report does with csv"
    command.add_argument("--estimates", action="store_true", help=purpose)
    parser.add_output(command, "Write to this file, or new folder")


def _export(request: argparse.Namespace) -> int:
    from pytest_llmarith.report import export
    from pytest_llmarith.results.loaded import load_all_runs
    from pytest_llmarith.results.run_files import UsageError

    runs = load_all_runs(request.runs, parser.note)
    if request.format in _FOLDERS:
        _export_folder(request, runs)
        return 0
    if request.format == "parquet":
        from pytest_llmarith.report.frames import write_parquet

        if request.output is None or request.spreadsheet:
            raise UsageError(
                "--format=parquet writes a file that is no text; add --output=FILE, "
                "without --spreadsheet"
            )
        write_parquet(
            runs, request.output, force=request.force, estimates=request.estimates
        )
        return 0
    destination = export.Destination(
        sys.stdout, request.output, request.force, request.spreadsheet
    )
    rows = export.estimates_of if request.estimates else export.trial_rows
    spreadsheet = destination.for_spreadsheet
    destination.write(export.csv_lines(rows(runs), spreadsheet=spreadsheet), runs)
    return 0


def _export_folder(request: argparse.Namespace, runs: list[LoadedRun]) -> None:
    from pytest_llmarith.exports.every_eval import write_every_eval
    from pytest_llmarith.exports.hub import write_hub
    from pytest_llmarith.exports.inspect_logs import write_inspect
    from pytest_llmarith.results.run_files import UsageError

    form, folder = request.format, request.output
    if folder is None or request.force or request.spreadsheet or request.estimates:
        raise UsageError(
            f"--format={form} writes a folder of files; add --output=FOLDER, a new one, "
            f"and no other option"
        )
    if (form == "hf") != (request.dataset is not None):
        raise UsageError(
            "--dataset=OWNER/NAME goes with --format=hf: the dataset of the Hub that the "
            "folder becomes"
        )
    if form == "hf":
        write_hub(runs, folder, request.dataset, parser.note)
    elif form == "eee":
        write_every_eval(runs, folder, parser.note)
    else:
        write_inspect(runs, folder, parser.note)


def add_merge(commands: parser.Commands) -> None:
    """Declare `llmarith merge`."""
    purpose = "Merge runs into one: all shards, or a run and its --lf runs"
    command = parser.add_command(commands, "merge", purpose, parser.NO_CHANGE, _merge)
    command.add_argument(
        "runs", nargs="+", type=Path, metavar="RUN", help="A run's folder"
    )
    purpose = "Folder of the new run; it must not exist"
    command.add_argument(
        "--output", type=Path, required=True, metavar="RUN", help=purpose
    )
    purpose = (
        "A task of your own whose measures are counted, such as "
        "--task=test_sorting.py:sorting"
    )
    parser.add_repeatable(command, "--task", "FILE:NAME", purpose, dest="tasks")


def _merge(request: argparse.Namespace) -> int:
    from pytest_llmarith.report.page import write_run_page
    from pytest_llmarith.report.page.trials import MOST_TRIALS
    from pytest_llmarith.report.report import screen
    from pytest_llmarith.report.run_status import run_lines
    from pytest_llmarith.results.load import load_runs
    from pytest_llmarith.results.merge import merge
    from pytest_llmarith.results.regrade import tasks_named

    for task in tasks_named(request.tasks).values():
        task.register()
    summary = merge(request.runs, request.output)
    width = shutil.get_terminal_size().columns
    run = load_runs(request.output)[0]
    page = write_run_page(request.output, summary, run.records(MOST_TRIALS))
    parser.say(*run_lines(summary, width), *screen(summary, width))
    parser.say(
        "",
        f"written to {parser.sanitize_line(str(request.output))}",
        parser.sanitize_line(page),
    )
    left_out = summary.run.merged and summary.run.merged.left_out
    if left_out:
        keys = parser.sanitize_line(", ".join(left_out))
        parser.note(
            f"left out, as only their task counts them: {keys}; to keep them, merge "
            f"into another folder with --task=FILE:NAME"
        )
    return 0


# --- grading again --------------------------------------------------------------------


def add_regrade(commands: parser.Commands) -> None:
    """Declare `llmarith regrade`."""
    purpose = "Grade the replies of runs again, without asking a model"
    details = f"{parser.NO_CHANGE} To look at trials, llmarith trials is shorter."
    command = parser.add_command(commands, "regrade", purpose, details, _regrade)
    purpose = (
        f"{parser.A_RUN}; with --parts also Parquet of llmarith export, and folders of "
        f"such files"
    )
    command.add_argument("files", nargs="+", type=Path, metavar="FILE", help=purpose)
    purpose = "Grade this reading instead of the one in each record"
    command.add_argument(
        "--match", choices=[*map(str, Reading)], metavar="|".join(Reading), help=purpose
    )
    purpose = (
        "Print the replies of a cell of the table, such as --show='deviate->correct'"
    )
    parser.add_repeatable(command, "--show", "BEFORE->AFTER", purpose, type=_transition)
    purpose = (
        "A task of your own whose replies are graded again, such as "
        "--task=test_sorting.py:sorting"
    )
    parser.add_repeatable(command, "--task", "FILE:NAME", purpose, dest="tasks")
    parser.add_output(command, "Write the new records to this file")
    purpose = (
        "Grade in parallel, by parts: a file of this folder for each .parquet or "
        ".jsonl file, or for some lines of a long one. The same command continues"
    )
    command.add_argument("--parts", type=Path, metavar="DIR", help=purpose)
    purpose = "Processes for --parts (default: one for each processor)"
    count = parser.argument(whole(1, 1_000))
    command.add_argument("--workers", type=count, metavar="N", help=purpose)
    purpose = "Grade --parts on this Dask cluster, such as tcp://head:8786"
    address = parser.argument(scheduler_address)
    command.add_argument("--scheduler", type=address, metavar="ADDRESS", help=purpose)


def _transition(text: str) -> tuple[Outcome, Outcome]:
    before, arrow, after = (part.strip() for part in text.partition("->"))
    if not arrow or not {before, after} <= set(Outcome):
        outcomes = ", ".join(Outcome)
        why = (
            f"{text!r} is not a transition; write two of {outcomes} as in "
            f"deviate->correct"
        )
        raise argparse.ArgumentTypeError(why)
    return Outcome(before), Outcome(after)


def _regrade(request: argparse.Namespace) -> int:
    from pytest_llmarith.records import as_dict
    from pytest_llmarith.results.log import log_of
    from pytest_llmarith.results.regrade import RegradedCounts, changes, tasks_named
    from pytest_llmarith.results.run_files import UsageError, encode, new_file

    if request.parts:
        return _regrade_parts(request)
    if request.workers or request.scheduler:
        raise UsageError("--workers and --scheduler need --parts; add --parts=DIR")
    reading = request.match and Reading(request.match)
    tasks = tasks_named(request.tasks)
    counts = RegradedCounts()
    files = [log_of(file) for file in request.files]
    is_read = True
    output: AbstractContextManager[BinaryIO | None] = nullcontext()
    if request.output:
        output = new_file("--output", request.output, files, force=request.force)
    with output as written:
        for file in files:
            for change in changes(file, reading, counts.notes, tasks):
                change.count_in(counts)
                if written:
                    written.write(encode(as_dict(change.record)) + b"\n")
                if change.outcomes in request.show and is_read:
                    try:
                        parser.say(_shown(change))
                    except BrokenPipeError:  # as by `head`; the output is still written
                        is_read = False
    _say_counts(counts)
    return 0


def _regrade_parts(request: argparse.Namespace) -> int:
    from pytest_llmarith.report import parts
    from pytest_llmarith.results.regrade import RegradedCounts
    from pytest_llmarith.results.run_files import UsageError

    if request.show or request.output:
        raise UsageError("--parts writes its own files; remove --show and --output")
    if request.workers and request.scheduler:
        raise UsageError("--scheduler has its own workers; remove --workers")
    every = parts.parts_of(request.files, request.parts, request.match, request.tasks)
    counts, left = RegradedCounts(), []
    for part in every:
        done = part.done()
        if done is None:
            left.append(part)
        else:
            counts.merge(done)
    if len(left) < len(every):
        parser.note(f"{len(every) - len(left):,} of {len(every):,} parts were done")
    if request.scheduler:
        engine = parts.on_dask(left, request.scheduler)
    else:
        engine = parts.in_processes(left, request.workers)
    meter = parser.Meter()
    try:
        if left:
            for number, found in enumerate(engine, 1):
                counts.merge(found)
                meter.step("parts", number, len(left))
    except parts.EngineLostError as error:
        parser.print_error("regrade", str(error))
        return parser.STOPPED
    _say_counts(counts)
    return 0


def _say_counts(counts: RegradedCounts) -> None:
    parser.say(*_matrix(counts))
    if counts.partial:
        before, after = counts.before / counts.scored, counts.after / counts.scored
        parser.say("", f"Mean score: {before:.4f} before, {after:.4f} after")
    if counts.unchanged:
        counts.notes.append(
            f"{counts.unchanged:,} records of searches, tasks with a grader and "
            f"tasks without --task=FILE:NAME are unchanged; to grade searches and "
            f"tasks with a grader again, run them with --llm-store=only, "
            f"from stored replies"
        )
    for line in counts.notes:
        parser.note(line)


def _matrix(counts: RegradedCounts) -> list[str]:
    from pytest_llmarith.report.render.terminal import draw

    transitions = counts.transitions
    found = {outcome for both in transitions for outcome in both.split("->")}
    outcomes = [outcome for outcome in Outcome if outcome in found]
    rows = []
    for before in outcomes:
        cells = [str(transitions[f"{before}->{after}"]) for after in outcomes]
        rows.append([before, *cells])
    lines = [
        f"Transitions of {transitions.total():,} replies, from the rows to the columns:"
    ]
    lines += draw(["", *outcomes], rows)
    if counts.reasons:
        reasons = [f"{count} {why}" for why, count in counts.reasons.most_common()]
        lines += ["", f"Reasons for {Outcome.NAN}: {', '.join(reasons)}"]
    return lines


def _shown(change: Change) -> str:
    """One line: the place of a reply, the model, the question, the answer or why there
    is none, and the reply's end.
    """
    from pytest_llmarith.records import as_text
    from pytest_llmarith.results.run_files import name_of

    record = change.record
    asked, expected = record.problem.short, record.problem.expected
    where = f"{name_of(change.file)}:{change.line}  {change.before} -> {record.outcome}"
    text = record.reply.text[-_SHOWN:] if record.reply else ""
    read = f"expected {as_text(expected)}, read {record.answer_text}"
    if record.answer_text is None and record.reason:
        read = record.reason  # of a program: the first wrong term
    line = f"{where}  {record.model} asked {asked}: {read}, reply: {text}"
    return sanitize(line, 10 * _SHOWN)
