"""`llmarith compare`."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_llmarith.cli.parser import NO_CHANGE, add_command, add_format, add_output, print_error

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands
    from pytest_llmarith.results.compare import Comparisons

WORSE = 1
_FORMATS = ("terminal", "markdown", "latex", "json")


def add_compare(commands: Commands) -> None:
    """Declare the command."""
    purpose = "Compare runs with a baseline, question by question"
    command = add_command(commands, "compare", purpose, NO_CHANGE, _compare)
    command.add_argument(
        "runs",
        nargs="+",
        type=Path,
        metavar="RUN",
        help="A run's folder, its trials.jsonl, JSONL of llm_arithmetic, or a folder with some of them; the first run "
        "is the baseline. A single run is compared with itself, by --model=A:B or --condition=A:B",
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
        help="Compare the baseline's trials in condition A with those of the others in B, problem by problem; labels "
        "as in ids (numbers_comma-context_2k), or usual; repeatable",
    )
    command.add_argument(
        "--unpaired",
        action="store_true",
        help="Also compare runs that asked different questions, as two groups; not for runs with --llm-repeats",
    )
    command.add_argument(
        "--fail-if-worse",
        type=_points,
        metavar="POINTS",
        help="Exit with 1 if a run is worse by more than this many percentage points, in total or in a task, variant "
        "or set, and significantly after Holm's correction, or if questions are unanswered",
    )
    command.add_argument(
        "--allow-unanswered",
        type=_count,
        metavar="N",
        help="With --fail-if-worse: how many questions of a comparison may be unanswered (default 0)",
    )
    add_format(command, _FORMATS, "terminal")
    add_output(command)


def _points(text: str) -> Decimal:
    if not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,6})?", text) or Decimal(text) > 100:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of percentage points from 0 to 100; write 2 or 2.5")
    return Decimal(text)


def _count(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of questions; write 0 or more, such as 5")
    return int(text)


def _compare(request: argparse.Namespace) -> int:
    from pytest_llmarith.results.compare import compare
    from pytest_llmarith.results.compare_text import failures
    from pytest_llmarith.results.export import Destination, load_all_runs
    from pytest_llmarith.results.files import UsageError

    if request.allow_unanswered is not None and request.fail_if_worse is None:
        raise UsageError("--allow-unanswered needs --fail-if-worse; add --fail-if-worse=POINTS or remove it")
    baseline, *others = load_all_runs(request.runs)
    comparisons = compare(baseline, others, request.model, request.condition, unpaired=request.unpaired)
    text = _formatted(comparisons, request.format)
    Destination(sys.stdout, request.output, request.force).write([text], [baseline, *others])
    if request.fail_if_worse is None:
        return 0
    worse = failures(comparisons, request.fail_if_worse, request.allow_unanswered or 0)
    for line in worse:
        print_error("compare", line)
    return WORSE if worse else 0


def _formatted(comparisons: Comparisons, form: str) -> str:
    import json

    from pytest_llmarith.records import as_dict
    from pytest_llmarith.results.compare_text import as_latex, as_markdown, as_text

    if form == "json":
        return f"{json.dumps(as_dict(comparisons), indent=2)}\n"
    if form in ("markdown", "latex"):
        return as_markdown(comparisons) if form == "markdown" else as_latex(comparisons)
    return as_text(comparisons, shutil.get_terminal_size().columns)
