"""Checks that another process makes the same problems of the user's tasks.

Each shard of a run, and each worker, is a process of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from pytest_llmarith.session.collection import digest_of
from pytest_llmarith.session.items import problem_of
from pytest_llmarith.session.selection import selected
from pytest_llmarith.tasks.task import RESERVED, TaskProblem

HOW_TO_DRAW = (
    "perhaps from a set, whose order differs between processes; sort it, and draw from "
    "random.Random(f'{seed}/{trial}')"
)
# The file into which a process writes the digests of its problems.
_FILE = "LLMARITH_DIGESTS"
_LONGEST_S = 600.0


def digests_of(items: Iterable[pytest.Item]) -> dict[str, str]:
    """A digest of the selected problems of each task."""
    problems = defaultdict[str, list[TaskProblem]](list)
    for item in selected(items):
        problem = problem_of(item)
        problems[problem.task].append(problem)
    return {task: digest_of(each) for task, each in problems.items()}


def write_digests(items: Iterable[pytest.Item]) -> None:
    """Write the digests, if this is the other process."""
    file = os.environ.get(_FILE)
    if file:
        Path(file).write_text(json.dumps(digests_of(items)), "utf-8")


def refuse_other_problems(config: pytest.Config, items: Iterable[pytest.Item]) -> None:
    """Raise pytest.UsageError if another process collects other problems."""
    mine = digests_of(items)
    if mine.keys() <= set(RESERVED) or os.environ.get(_FILE):
        return
    others = _collected_elsewhere(config)
    for task, digest in mine.items():
        if task in others and others[task] != digest:
            raise pytest.UsageError(
                f"task {task}: another process makes different problems, so the "
                f"shards would not fit together; they are made {HOW_TO_DRAW}"
            )


def _collected_elsewhere(config: pytest.Config) -> Mapping[str, str]:
    """The digests of another process, none if it cannot collect."""
    asked = config.invocation_params
    with TemporaryDirectory() as folder:
        file = Path(folder, "digests.json")
        # Hashes of texts, and so the order of sets, depend on it.
        seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
        command = [sys.executable, "-m", "pytest", *asked.args, "--collect-only", "-q"]
        try:
            subprocess.run(
                command,
                cwd=asked.dir,
                env={**os.environ, "PYTHONHASHSEED": seed, _FILE: str(file)},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_LONGEST_S,
                check=False,
            )
            found: Mapping[str, str] = json.loads(file.read_text("utf-8"))
        except (OSError, ValueError, subprocess.TimeoutExpired):
            return {}
    return found
