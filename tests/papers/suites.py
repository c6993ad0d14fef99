"""The suites of benches/papers: their modules, and runs of them."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SUITES = Path(__file__).parents[2] / "benches/papers"


def module_of(name: str) -> ModuleType:
    """The module of a suite."""
    spec = importlib.util.spec_from_file_location(
        f"suite_{name}", SUITES / f"{name}.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def copy_suites(pytester: pytest.Pytester) -> None:
    """Make the test's folder a project with the suites and one other bench."""
    shutil.copytree(SUITES, pytester.path / "benches/papers")
    starter = SUITES.parents[1] / "oeis_cache/starter"
    shutil.copytree(starter, pytester.path / "oeis_cache/starter")
    bench = SUITES.parent / "test_integer_addition.py"
    shutil.copy(bench, pytester.path / "benches")


def outcomes(pytester: pytest.Pytester, *args: str) -> Counter[str]:
    """The outcomes of a run by name."""
    run = pytester.runpytest_inprocess("-q", "-p", "no:xdist", *args)
    assert run.ret == 0, run.outlines
    return Counter(record["outcome"] for record in records_of(pytester))


def records_of(pytester: pytest.Pytester) -> list[dict[str, Any]]:
    """The records of the last run."""
    *_, run = sorted((pytester.path / "reports").iterdir())
    lines = (run / "trials.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]
