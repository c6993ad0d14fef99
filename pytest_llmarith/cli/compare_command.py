"""`llmarith compare` and `plan`: how models differ, and what shows a difference."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_llmarith.cli import parser
from pytest_llmarith.parsers import whole

if TYPE_CHECKING:
    from pytest_llmarith.results.load import LoadedRun
    from pytest_llmarith.results.plan import ModelCost

_FORMATS = ("terminal", "markdown", "latex", "csv", "json")


def add_compare(commands: parser.Commands) -> None:
    """Declare `llmarith compare`."""
    purpose = "Compare runs with a baseline, question by question"
    command = parser.add_command(
        commands, "compare", purpose, parser.NO_CHANGE, _compare
    )
    command.add_argument(
        "runs",
        nargs="+",
        type=Path,
        metavar="RUN",
        help=f"{parser.A_RUN}, or a folder with some of them; the first run is the "
        "baseline. A single run is compared with itself, by --model=A:B or "
        "--condition=A:B",
    )
    purpose = (
        "Compare this model, or model A of the baseline with model B of the others"
    )
    parser.add_repeatable(command, "--model", "A[:B]", purpose)
    purpose = (
        "Compare the baseline's trials in condition A with those of the others in B, "
        "problem by problem; labels as in ids (numbers_comma-context_2k), or usual"
    )
    parser.add_repeatable(command, "--condition", "A[:B]", purpose)
    purpose = (
        "Also compare runs that asked different questions, as two groups; not "
        "with --llm-repeats"
    )
    command.add_argument("--unpaired", action="store_true", help=purpose)
    command.add_argument(
        "--fail-if-worse",
        type=_points,
        metavar="POINTS",
        help="Exit with 1 if a run is worse by more than this many percentage points, "
        "in total, in a task, variant or set or in the mean score of a task, and "
        "significantly after Holm's correction, or if questions are unanswered",
    )
    purpose = (
        "With --fail-if-worse: how many questions of a comparison may be "
        "unanswered or never asked (default 0)"
    )
    command.add_argument(
        "--allow-unanswered",
        type=parser.argument(whole(0, 999_999_999)),
        metavar="N",
        help=purpose,
    )
    parser.add_format(command, _FORMATS, "terminal")
    parser.add_output(command)


def _points(text: str) -> Decimal:
    if not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,6})?", text) or Decimal(text) > 100:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number of percentage points from 0 to 100; write 2 or "
            f"2.5"
        )
    return Decimal(text)


def _compare(request: argparse.Namespace) -> int:
    import json
    from itertools import chain

    from pytest_llmarith.report.compare_text import (
        as_data,
        as_latex,
        as_lines,
        as_markdown,
        failures,
        rows_of,
        unseen,
    )
    from pytest_llmarith.report.export import Destination, csv_lines
    from pytest_llmarith.report.render.terminal import coloured
    from pytest_llmarith.results.compare import compare
    from pytest_llmarith.results.loaded import load_all_runs
    from pytest_llmarith.results.run_files import UsageError

    gate: Decimal | None = request.fail_if_worse
    if request.allow_unanswered is not None and gate is None:
        raise UsageError(
            "--allow-unanswered needs --fail-if-worse; add --fail-if-worse=POINTS or "
            "remove it"
        )
    runs = load_all_runs(request.runs, parser.note)
    comparisons = compare(
        runs[0], runs[1:], request.model, request.condition, unpaired=request.unpaired
    )
    has_rows = all(one.rows for one in comparisons.comparisons)
    if gate is not None and not has_rows:
        raise UsageError(
            "--fail-if-worse: there is no gate for searches and D50, all that these "
            "runs share; remove it"
        )
    destination = Destination(sys.stdout, request.output, request.force)
    if request.format == "csv":
        rows = chain.from_iterable(map(rows_of, comparisons.comparisons))
        text = list(csv_lines(rows, spreadsheet=destination.for_spreadsheet))
    elif request.format == "terminal":
        lines = as_lines(comparisons, shutil.get_terminal_size().columns)
        if destination.has_colour:
            lines = coloured(lines)
        text = [f"{line}\n" for line in lines]
    elif request.format == "json":
        text = [json.dumps(as_data(comparisons), indent=2), "\n"]
    elif request.format == "latex":
        text = [as_latex(comparisons)]
    else:
        text = [as_markdown(comparisons)]
    destination.write(text, runs)
    if gate is None:
        return 0
    worse = failures(comparisons, gate, request.allow_unanswered or 0)
    for line in worse or unseen(comparisons, gate):
        parser.print_error("compare", line)
    return parser.NOT_DONE if worse else 0


# --- plan -----------------------------------------------------------------------------


def add_plan(commands: parser.Commands) -> None:
    """Declare `llmarith plan`."""
    purpose = (
        "Print how many questions show a difference between two models, and "
        "what they cost"
    )
    command = parser.add_command(commands, "plan", purpose, "Nothing is asked.", _plan)
    help_ = "The difference in percentage points, such as 3"
    command.add_argument(
        "--detect", type=_difference, required=True, metavar="POINTS", help=help_
    )
    purpose = (
        "A run, or a folder with some, with the accuracies and the tokens from "
        "which to plan"
    )
    parser.add_repeatable(command, "--from", "RUN", purpose, dest="runs", type=Path)
    parser.add_repeatable(
        command, "--model", "MODEL", "Also price this model", dest="models"
    )
    parser.add_format(command, ("terminal", "markdown", "latex"), "terminal")


def _difference(text: str) -> float:
    is_number = re.fullmatch(r"[0-9]{1,2}(\.[0-9]{1,2})?", text)
    if not is_number or not 0.1 <= float(text) <= 50:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number of percentage points from 0.1 to 50; write 3"
        )
    return float(text)


def _plan(request: argparse.Namespace) -> int:
    from pytest_llmarith.report.definitions.plan_fields import plan_tables
    from pytest_llmarith.report.render.documents import as_latex, as_markdown
    from pytest_llmarith.report.render.terminal import coloured, has_colour, one_table
    from pytest_llmarith.results.loaded import load_all_runs
    from pytest_llmarith.results.plan import PlannedGrid
    from pytest_llmarith.tasks import arithmetic

    runs = load_all_runs(request.runs, parser.note) if request.runs else []
    variants, depths = arithmetic.VARIANTS, arithmetic.DEPTHS
    grid = PlannedGrid(arithmetic.NAME, len(variants), len(variants) * len(depths))
    costs = _costs(runs, request.models)
    found = list(plan_tables(request.detect, runs, costs, grid))
    if request.format == "latex":
        parser.say(*as_latex(found))
    for table in found:
        if request.format == "terminal":
            lines = one_table(table, shutil.get_terminal_size().columns)
            if has_colour(sys.stdout):
                lines = coloured(lines)
            parser.say(*lines, "")
        elif request.format == "markdown":
            parser.say(f"## {table.title}", "", *as_markdown(table))
    return 0


def _costs(runs: list[LoadedRun], models: list[str]) -> list[ModelCost]:
    from pytest_llmarith.models.asking import ModelTerms
    from pytest_llmarith.models.client import Client
    from pytest_llmarith.results.plan import ModelCost, Tokens, mean_tokens, names_of
    from pytest_llmarith.tasks import arithmetic
    from pytest_llmarith.tasks.checks import problems_of
    from pytest_llmarith.types import Model, Price

    client = Client()
    free = ModelTerms(Price(0.0, 0.0), batch_price=Price(0.0, 0.0))
    tokens = mean_tokens(runs)
    targets: dict[str, str] = {}
    for run, names in zip(runs, names_of(runs), strict=True):
        if run.facts is None:
            continue
        for one in run.facts.models:
            targets[names.get(one.name, one.name)] = one.target or one.name
    task = arithmetic.task([max(arithmetic.DEPTHS)])
    longest = problems_of(task, 0, 1)[0].prompt
    found = []
    for name in dict.fromkeys([*targets, *tokens, *models]):
        model = Model(name, targets.get(name, name))
        terms = free if model.simulated else client.terms(model)
        guessed = Tokens(model.about_tokens(longest), task.reply_tokens)
        found.append(
            ModelCost(
                name,
                tokens.get(name, guessed),
                terms.price,
                terms.batch_price,
                without_reasoning=terms.reasons and name not in tokens,
            )
        )
    return found
