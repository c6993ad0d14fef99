"""House rules for tests: each states its fact, and helpers stand where they can be found."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
SHORTEST = 25  # characters: less is the tail of a name
LATE_PARTS = """
import sys
import tests.conftest
from pytest_llmarith.reports.schemas import schema_of
early = set(sys.modules)
schema_of("record")
print(*(name for name in set(sys.modules) - early if name.startswith("pydantic")))
"""
TAILS = ("And ", "Or ", "But ")
FROM_A_CONFTEST = re.compile(r"^\s*from \S*conftest import", re.MULTILINE)


def every_test_of(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The test functions of a module, those in classes and in other functions, too."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield node


def states_a_fact(docstring: str | None) -> bool:
    """Whether it may be a sentence that stands by itself; that it is true is up to who reads it."""
    said = docstring or ""
    return len(said) >= SHORTEST and not said.startswith(TAILS) and said.endswith((".", ".)"))


def test_every_test_states_its_fact() -> None:
    """Every test has a docstring that is a whole sentence, and does not go on from the name of its function."""
    assert [
        f"{path.relative_to(HERE)}:{test.lineno} {test.name}"
        for path in sorted(HERE.rglob("test_*.py"))
        for test in every_test_of(path)
        if not states_a_fact(ast.get_docstring(test))
    ] == []


def test_a_conftest_is_no_library() -> None:
    """Nobody imports from a conftest: it holds fixtures, and helpers stand in modules of their own."""
    modules = sorted(HERE.rglob("*.py"))
    assert [str(path) for path in modules if FROM_A_CONFTEST.search(path.read_text("utf-8"))] == []


def test_no_part_of_pydantic_is_loaded_late() -> None:
    """Whatever a test asks of it, pytester has no part to unload that would be loaded beside the others again."""
    command = [sys.executable, "-c", LATE_PARTS]
    assert subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True, check=True).stdout.strip() == ""
