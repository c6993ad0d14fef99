"""`llmarith compare`: its options. It does not know how runs are compared, nor which trials asked the same."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_llmarith.cli.parser import WRONG_USAGE, complain
from pytest_llmarith.reports.harmless import showable

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands
    from pytest_llmarith.reports.comparing import Request
    from pytest_llmarith.reports.opening import OpenedRun

WORSE = 1
_FORMATS = ("terminal", "markdown", "json")


def add_compare(commands: Commands) -> None:
    """Declare the command."""
    told = "Compare runs with a baseline, question by question"
    command = commands.add_parser("compare", help=told, description=f"{told}. The runs are never changed.")
    command.add_argument(
        "runs",
        nargs="+",
        type=Path,
        metavar="RUN",
        help="A run's folder, its trials.jsonl, or JSONL of llm_arithmetic; the first is the baseline. "
        "One alone is compared with itself, by --model=A:B or --condition=A:B",
    )
    command.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="A[:B]",
        help="Compare this model, or model A of the baseline with model B of the others; repeatable",
    )
    command.add_argument(
        "--condition",
        action="append",
        default=[],
        metavar="A[:B]",
        help="Compare the trials that were put in condition A of the baseline with those in B of the others, the same "
        "problem with itself; labels as in ids (numbers_comma-context_2k), or usual; repeatable",
    )
    command.add_argument(
        "--unpaired",
        action="store_true",
        help="Where runs did not ask the same questions, compare them without pairing",
    )
    command.add_argument(
        "--fail-if-worse",
        metavar="POINTS",
        help="Exit with 1 where a run is lower by more percentage points, over all or in a task, variant or set, and "
        "significantly so after Holm's correction, or where questions are unanswered",
    )
    command.add_argument(
        "--allow-unanswered",
        metavar="N",
        help="With --fail-if-worse: how many questions of a comparison may be unanswered (default 0)",
    )
    command.add_argument(
        "--format", choices=_FORMATS, default=_FORMATS[0], metavar="|".join(_FORMATS), help="The layout"
    )
    command.set_defaults(run=_compare)


def _compare(request: argparse.Namespace) -> int:
    from pytest_llmarith.reports.comparing import compare, failures
    from pytest_llmarith.reports.mistake import Mistake

    try:
        gate = _gate(request)
        comparisons = compare(_wanted(request))
    except Mistake as mistake:
        complain("compare", str(mistake))
        return WRONG_USAGE
    sys.stdout.write(showable(_formatted(comparisons, request.format), sys.stdout.encoding))
    worse = [] if gate is None else failures(comparisons, *gate)
    for line in worse:
        complain("compare", line)
    return WORSE if worse else 0


def _gate(request: argparse.Namespace) -> tuple[Decimal, int] | None:
    """How many points worse a run may be, and how many questions may be unanswered; None without a gate."""
    from pytest_llmarith.reports.comparing import parse_count, parse_points
    from pytest_llmarith.reports.mistake import Mistake

    if request.fail_if_worse is None:
        if request.allow_unanswered is not None:
            raise Mistake("--allow-unanswered: it is about --fail-if-worse; add --fail-if-worse=POINTS or leave it out")
        return None
    name = "--fail-if-worse"
    try:
        points = parse_points(request.fail_if_worse)
        name = "--allow-unanswered"
        return points, parse_count("0" if request.allow_unanswered is None else request.allow_unanswered)
    except ValueError as fault:
        raise Mistake(f"{name}: {fault}") from fault


def _wanted(request: argparse.Namespace) -> Request:
    from pytest_llmarith.reports.comparing import Request
    from pytest_llmarith.reports.mistake import Mistake, name_of
    from pytest_llmarith.reports.opening import opened

    baseline = opened(request.runs[0])
    if len(baseline) > 1:
        raise Mistake(f"{name_of(request.runs[0])}: the baseline is one run, and here are {len(baseline)}; name one")
    others = [run for path in request.runs[1:] for run in _others(opened(path), baseline[0])]
    return Request(baseline[0], others, request.model, request.condition, request.unpaired)


def _others(runs: list[OpenedRun], baseline: OpenedRun) -> list[OpenedRun]:
    """A folder of runs that holds the baseline too is compared without it."""
    if len(runs) == 1:
        return runs
    return [run for run in runs if not os.path.samefile(run.path, baseline.path)]


def _formatted(comparisons: Mapping[str, Any], form: str) -> str:
    from pytest_llmarith.reports.comparing import as_json, as_markdown, as_text

    if form == "json":
        return as_json(comparisons)
    if form == "markdown":
        return as_markdown(comparisons)
    return as_text(comparisons, shutil.get_terminal_size().columns)
