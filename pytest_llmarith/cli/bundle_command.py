"""`llmarith publish`, `verify` and `site`: runs that others can check."""

from __future__ import annotations

import argparse
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_llmarith.cli import parser

if TYPE_CHECKING:
    from pytest_llmarith.summaries import SummaryFile
    from pytest_llmarith.tasks.task import Tasks


def add_publish(commands: parser.Commands) -> None:
    """Declare `llmarith publish`."""
    purpose = "Write a run as a bundle that others can check with llmarith verify"
    details = (
        "What could identify an account, a person or a key is refused. "
        f"{parser.NO_CHANGE}"
    )
    command = parser.add_command(commands, "publish", purpose, details, _publish)
    command.add_argument("run_path", type=Path, metavar="RUN", help="A run's folder")
    command.add_argument(
        "--output",
        type=Path,
        required=True,
        metavar="DIR",
        help="Folder of the bundle; it must not exist",
    )
    purpose = "Publish this text, though it looks like an address, a path or an id"
    parser.add_repeatable(command, "--allow", "TEXT", purpose)


def _publish(request: argparse.Namespace) -> int:
    from pytest_llmarith.bundles.publish import publish

    made = publish(
        request.run_path,
        request.output,
        allowed=request.allow,
        environ=os.environ,
    )
    parser.say(
        f"published in {parser.sanitize_line(str(request.output))}: "
        f"{', '.join(made.files)}",
        f"sha256 of the whole: {made.sha256}",
    )
    return 0


def add_verify(commands: parser.Commands) -> None:
    """Declare `llmarith verify`."""
    purpose = "Check a bundle without a network and without trust in its sender"
    details = (
        "One line per finding, with exit status 1. Nothing is written, and nothing of the "
        "bundle runs without --run-programs."
    )
    command = parser.add_command(commands, "verify", purpose, details, _verify)
    command.add_argument("bundle", type=Path, metavar="BUNDLE", help="Its folder")
    _add_checks(command)


def _add_checks(command: argparse.ArgumentParser) -> None:
    """Add the arguments that say what is checked."""
    purpose = (
        "A task of its author, whose trials are checked with your copy of its file, "
        "such as --task=test_sorting.py:sorting"
    )
    parser.add_repeatable(command, "--task", "FILE:NAME", purpose, dest="tasks")
    purpose = "Run programs for OEIS sequences again in the sandbox; this takes minutes"
    command.add_argument("--run-programs", action="store_true", help=purpose)
    purpose = "Your entries of the OEIS (default: oeis_cache of the project)"
    command.add_argument("--cache", type=Path, metavar="DIR", help=purpose)


def _verify(request: argparse.Namespace) -> int:
    from pytest_llmarith.bundles.verify import verify

    found = verify(request.bundle, partial(_tasks_of, request))
    for line in found.findings:
        parser.say(parser.sanitize_line(line))
    for line in found.notes:
        parser.note(line)
    if found.findings:
        return parser.NOT_DONE
    what = "what was checked of this bundle" if found.unchecked else "this bundle"
    parser.say(
        *map(parser.sanitize_line, found.asked),
        f"nothing contradicts {what}; sha256 of the whole: {found.sha256}",
    )
    return 0


def add_site(commands: parser.Commands) -> None:
    """Declare `llmarith site`."""
    command = parser.add_command(
        commands,
        "site",
        "Write a static site that ranks the models of verified bundles",
        "A bundle with findings is left out, with exit status 1. The site has a copy of "
        "each other one.",
        _site,
    )
    command.add_argument(
        "bundles", nargs="+", type=Path, metavar="BUNDLE", help="Folder of a bundle"
    )
    command.add_argument(
        "--output",
        type=Path,
        required=True,
        metavar="DIR",
        help="Folder of the site; it must not exist",
    )
    _add_checks(command)


def _site(request: argparse.Namespace) -> int:
    from pytest_llmarith.bundles.leaderboard import write_site

    left_out = write_site(request.bundles, request.output, partial(_tasks_of, request))
    for line in left_out:
        parser.print_error("site", line)
    page = request.output / "index.html"
    if page.exists():
        parser.say(f"written to {parser.sanitize_line(str(page))}")
    return parser.NOT_DONE if left_out else 0


def _tasks_of(request: argparse.Namespace, written: SummaryFile) -> Tasks:
    """The user's tasks, and the sequences whose entries are here."""
    from pytest_llmarith.results.regrade import tasks_named
    from pytest_llmarith.results.run_files import UsageError
    from pytest_llmarith.tasks.oeis.cache import default_cache
    from pytest_llmarith.tasks.oeis.grades_anew import task_anew
    from pytest_llmarith.tasks.task import OEIS

    tasks = tasks_named(request.tasks)
    facts = (written.run.tasks or {}).get(OEIS)
    sets = {
        variant
        for one in written.series
        if one.facts.task == OEIS
        for variant in one.facts.variants
    }
    if not facts or not sets:
        return tasks
    folder = request.cache or default_cache(Path.cwd())
    try:
        task = task_anew(facts, sorted(sets), folder, is_run=request.run_programs)
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"the rules of its programs: {error!r}") from None
    if task is not None:
        return {**tasks, OEIS: task}
    if request.run_programs or request.cache:
        raise UsageError(
            f"{folder}: no entries of {', '.join(sorted(sets))}; name the oeis_cache of "
            f"a project with --cache"
        )
    return tasks
