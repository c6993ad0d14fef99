"""The starter set: its definitions and programs, written for this project, give what
the OEIS lists.

Every term that a program reaches is computed here; entries of the OEIS are compared if
they are there.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.tasks.oeis.cache import read_entry
from pytest_llmarith.tasks.oeis.details import IntegerSequence

STARTER = Path(__file__).parents[2] / "oeis_cache" / "starter"
REAL = Path(__file__).parents[3] / "shared" / "oeis"
NUMBERS = sorted(path.stem for path in STARTER.glob("*.json"))
TIMEOUT_S = 120  # for a loaded machine
ONE_BY_ONE = """
import io, sys
path, *inputs = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    program = compile(file.read(), path, "exec")
for n in inputs:
    sys.stdin = io.StringIO(n + "\\n")
    exec(program, {"__name__": "__main__"})
"""


@cache
def fields(number: str) -> dict[str, Any]:
    [entry] = json.loads((STARTER / f"{number}.json").read_text("utf-8"))
    assert isinstance(entry, dict)
    return entry


def starter(number: str) -> IntegerSequence:
    return read_entry(STARTER / f"{number}.json")


def test_the_starter_has_every_kind() -> None:
    assert sorted(path.stem for path in STARTER.glob("*.py")) == NUMBERS
    assert {path.suffix for path in STARTER.iterdir() if path.is_file()} == {
        ".json",
        ".py",
    }
    sequences = [starter(number) for number in NUMBERS]
    assert {sequence.offset for sequence in sequences} >= {*range(-1, 6)}
    assert sum("easy" in sequence.keywords for sequence in sequences) >= 30
    assert sum("hard" in sequence.keywords for sequence in sequences) >= 20
    assert (
        sum(
            any(term.startswith("-") for term in sequence.terms)
            for sequence in sequences
        )
        >= 5
    )
    assert 1 <= sum("slow_from" in fields(number) for number in NUMBERS) <= 2


@pytest.mark.parametrize("number", NUMBERS)
def test_an_entry(number: str) -> None:
    sequence = starter(number)
    assert ("easy" in sequence.keywords) is not ("hard" in sequence.keywords)
    assert ("sign" in sequence.keywords) == any(
        term.startswith("-") for term in sequence.terms
    )
    assert fields(number)["definition_by"] == "pytest-llmarith"
    start = rf"\bn starts at {sequence.offset}\b|\bn = {sequence.offset}\b|\bfrom n = {sequence.offset} on\b"
    assert re.search(start, " ".join(sequence.comments))
    for path in REAL.glob(f"classic_*/{number}.json"):
        real = read_entry(path)
        assert sequence.terms == real.terms[: len(sequence.terms)]
        assert (
            fields(number)["offset"] == json.loads(path.read_text("utf-8"))[0]["offset"]
        )
        assert {*sequence.keywords} <= {*real.keywords}
        assert not six_in_a_row([sequence.name, *sequence.comments]) & six_in_a_row(
            [real.name, *real.comments]
        )


def six_in_a_row(texts: Iterable[str]) -> set[tuple[str, ...]]:
    """All runs of six words; single letters and numbers belong to formulas."""
    words = [re.findall(r"[^\W\d_]{2,}", text.lower()) for text in texts]
    return {tuple(one[at : at + 6]) for one in words for at in range(len(one) - 5)}


@pytest.mark.parametrize("number", NUMBERS)
def test_a_program(number: str) -> None:
    sequence, path = starter(number), STARTER / f"{number}.py"
    slow_from = fields(number).get("slow_from", sequence.inputs.stop)
    assert sequence.offset < slow_from <= sequence.inputs.stop
    terms = {
        n: term
        for n, term in zip(sequence.inputs, sequence.terms, strict=True)
        if n < slow_from
    }
    command = [
        sys.executable,
        "-I",
        "-S",
        "-c",
        ONE_BY_ONE,
        str(path),
        *map(str, terms),
    ]
    run = subprocess.run(
        command, capture_output=True, text=True, timeout=TIMEOUT_S, check=True
    )
    assert (run.stdout.splitlines(), run.stderr) == ([*terms.values()], "")

    tree = ast.parse(path.read_text("utf-8"))
    assert ast.get_docstring(tree)
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    imported |= {
        str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)
    }
    assert imported <= sys.stdlib_module_names
    literals = {
        str(node.value) for node in ast.walk(tree) if isinstance(node, ast.Constant)
    }
    assert not {literal for literal in literals if len(literal) > 3} & {*sequence.terms}
