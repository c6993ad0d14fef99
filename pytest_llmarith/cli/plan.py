"""`llmarith plan`."""

from __future__ import annotations

import argparse
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_llmarith.cli.parser import add_command, say

if TYPE_CHECKING:
    from pytest_llmarith.cli.parser import Commands
    from pytest_llmarith.results.load import LoadedRun
    from pytest_llmarith.results.plan import Cost


def add_plan(commands: Commands) -> None:
    """Declare the command."""
    purpose = "Print how many questions show a difference between two models, and what they cost"
    command = add_command(commands, "plan", purpose, "Nothing is asked.", _plan)
    command.add_argument(
        "--detect", type=_points, required=True, metavar="POINTS", help="The difference in percentage points, such as 3"
    )
    command.add_argument(
        "--from",
        dest="runs",
        action="append",
        default=[],
        type=Path,
        metavar="RUN",
        help="A run, or a folder with some, that tells how often only one of two models is right, and how many tokens "
        "a question takes; repeatable",
    )
    command.add_argument(
        "--model", dest="models", action="append", default=[], metavar="MODEL", help="Also price this model; repeatable"
    )


def _points(text: str) -> float:
    if not re.fullmatch(r"[0-9]{1,2}(\.[0-9]{1,2})?", text) or not 0.1 <= float(text) <= 50:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of percentage points from 0.1 to 50; write 3")
    return float(text)


def _plan(request: argparse.Namespace) -> int:
    from pytest_llmarith.results.export import load_all_runs
    from pytest_llmarith.results.plan import needs, tables
    from pytest_llmarith.results.tables import as_text

    runs = load_all_runs(request.runs) if request.runs else []
    found = needs(request.detect, runs)
    for table in tables(request.detect, found, _costs(runs, request.models)):
        say(*as_text(table, shutil.get_terminal_size().columns), "")
    return 0


def _costs(runs: list[LoadedRun], models: list[str]) -> list[Cost]:
    from pytest_llmarith.models.client import Client
    from pytest_llmarith.results.plan import Cost, Tokens, mean_tokens
    from pytest_llmarith.tasks import arithmetic
    from pytest_llmarith.types import Model, ModelTerms, Price

    client = Client()
    tokens = mean_tokens(runs)
    targets = {one.name: one.target or one.name for run in runs if run.facts for one in run.facts.models}
    longest = arithmetic.prompt(next(iter(arithmetic.problems(0, [10], 1))))
    found = []
    for name in dict.fromkeys([*tokens, *models]):
        model = Model(name, targets.get(name, name))
        short = Tokens(model.about_tokens(longest), arithmetic.REPLY_TOKENS)
        free = Price(0.0, 0.0)
        terms = ModelTerms(free, batch_price=free) if model.simulated else client.terms(model)
        without_reasoning = terms.reasons and name not in tokens
        found.append(Cost(name, tokens.get(name, short), terms.price, terms.batch_price, without_reasoning))
    return found
