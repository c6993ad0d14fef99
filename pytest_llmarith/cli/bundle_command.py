"""`llmarith publish` and `verify`: runs that others can check."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from pytest_llmarith.cli import parser


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
        "bundle runs."
    )
    command = parser.add_command(commands, "verify", purpose, details, _verify)
    command.add_argument("bundle", type=Path, metavar="BUNDLE", help="Its folder")
    purpose = (
        "A task of its author, whose trials are checked with your copy of its file, "
        "such as --task=test_sorting.py:sorting"
    )
    parser.add_repeatable(command, "--task", "FILE:NAME", purpose, dest="tasks")


def _verify(request: argparse.Namespace) -> int:
    from pytest_llmarith.bundles.verify import verify
    from pytest_llmarith.results.regrade import tasks_named

    found = verify(request.bundle, tasks_named(request.tasks))
    for line in found.findings:
        parser.say(parser.sanitize_line(line))
    for line in found.notes:
        parser.note(line)
    if found.findings:
        return parser.NOT_DONE
    parser.say(
        *map(parser.sanitize_line, found.asked),
        f"nothing contradicts this bundle; sha256 of the whole: {found.sha256}",
    )
    return 0
