"""The starter set: our own definitions and programs say what the OEIS lists.

Every term that a program is said to reach is computed here, in one process per program; the real entries are compared
where they are at hand.
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

from pytest_llmarith.oeis.entryfiles import read_entry
from pytest_llmarith.values import IntegerSequence

STARTER = Path(__file__).parents[2] / "oeis_cache" / "starter"
REAL = Path(__file__).parents[3] / "shared" / "oeis"
NUMBERS = sorted(path.stem for path in STARTER.glob("*.json"))

# Patience for a loaded machine, and no measure of speed.
PATIENCE_S = 120

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
    entries: list[dict[str, Any]] = json.loads((STARTER / f"{number}.json").read_text("utf-8"))
    assert len(entries) == 1
    return entries[0]


def starter(number: str) -> IntegerSequence:
    return read_entry(STARTER / f"{number}.json")


def reached(number: str) -> dict[int, str]:
    """The terms by n, up to the first one that takes the reference program too long."""
    sequence = starter(number)
    slow_from = fields(number).get("slow_from")
    return {
        n: term for n, term in zip(sequence.inputs, sequence.terms, strict=True) if slow_from is None or n < slow_from
    }


def python(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", "-S", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=PATIENCE_S, check=False)


def test_entries_and_programs_stand_in_pairs() -> None:
    """The starter holds pairs of an entry and a program, sixty at least, and nothing else."""
    programs = sorted(path.stem for path in STARTER.glob("*.py"))
    assert programs == NUMBERS
    assert len(NUMBERS) >= 60
    assert {path.suffix for path in STARTER.iterdir() if path.is_file()} == {".json", ".py"}


def test_every_kind_is_there() -> None:
    """Easy and hard; offsets from -1 to 5; negative and long terms; short and long listings; one or two too slow."""
    sequences = [starter(number) for number in NUMBERS]
    assert {sequence.offset for sequence in sequences} >= {*range(-1, 6)}
    assert sum("easy" in sequence.keywords for sequence in sequences) >= 30
    assert sum("hard" in sequence.keywords for sequence in sequences) >= 20
    assert sum(any(term.startswith("-") for term in sequence.terms) for sequence in sequences) >= 5
    assert sum(len(max(sequence.terms, key=len)) >= 50 for sequence in sequences) >= 5
    assert min(len(sequence.terms) for sequence in sequences) < 6
    assert max(len(sequence.terms) for sequence in sequences) > 30
    assert 1 <= sum("slow_from" in fields(number) for number in NUMBERS) <= 2


@pytest.mark.parametrize("number", NUMBERS)
def test_entry(number: str) -> None:
    """It loads under its own number, says where n starts and whose words it holds, and has a text of its own."""
    sequence = starter(number)
    assert sequence.number == number
    assert ("easy" in sequence.keywords) is not ("hard" in sequence.keywords)
    assert ("sign" in sequence.keywords) == any(term.startswith("-") for term in sequence.terms)
    assert fields(number)["definition_by"] == "pytest-llmarith"
    assert re.search(
        rf"\bn starts at {sequence.offset}\b|\bn = {sequence.offset}\b|\bfrom n = {sequence.offset} on\b",
        " ".join(sequence.comments),
    )


@pytest.mark.parametrize("number", [number for number in NUMBERS if "slow_from" in fields(number)])
def test_a_slow_one_is_listed_beyond_its_reach(number: str) -> None:
    """Of each slow sequence the reference program reaches some terms, and not the last."""
    sequence = starter(number)
    assert sequence.offset < fields(number)["slow_from"] < sequence.inputs.stop


@pytest.mark.parametrize("number", NUMBERS)
def test_a_program_is_no_table(number: str) -> None:
    """It names what it computes, imports the standard library, and no term of more than three digits stands in it."""
    tree = ast.parse((STARTER / f"{number}.py").read_text("utf-8"))
    assert ast.get_docstring(tree)
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported <= sys.stdlib_module_names
    literals = {str(node.value) for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    assert not {literal for literal in literals if len(literal) > 3} & {*starter(number).terms}


@pytest.mark.parametrize("number", NUMBERS)
def test_a_program_answers_like_one_of_a_model(number: str) -> None:
    """In a process of its own it prints one term and nothing else: the first, second, middle and last one."""
    terms = reached(number)
    inputs = [*terms]
    for n in sorted({inputs[0], inputs[1], inputs[len(inputs) // 2], inputs[-1]}):
        run = python(str(STARTER / f"{number}.py"), stdin=f"{n}\n")
        assert (run.stdout, run.stderr, run.returncode) == (f"{terms[n]}\n", "", 0), f"n = {n}"


@pytest.mark.parametrize("number", NUMBERS)
def test_a_program_gives_all_terms(number: str) -> None:
    """One process for all inputs; each of them starts the program anew."""
    terms = reached(number)
    run = python("-c", ONE_BY_ONE, str(STARTER / f"{number}.py"), *map(str, terms))
    assert (run.stdout.splitlines(), run.stderr) == ([*terms.values()], "")


def real_path(number: str) -> Path | None:
    paths = (REAL / folder / f"{number}.json" for folder in ("classic_easy", "classic_hard"))
    return next((path for path in paths if path.is_file()), None)


KNOWN = [number for number in NUMBERS if real_path(number)]


def real(number: str) -> IntegerSequence:
    path = real_path(number)
    assert path is not None
    return read_entry(path)


@pytest.mark.parametrize("number", KNOWN)
def test_it_is_the_sequence_of_the_oeis(number: str) -> None:
    """The facts agree: the terms as far as they are listed here, the offset, and easy or hard."""
    ours, theirs = starter(number), real(number)
    assert ours.terms == theirs.terms[: len(ours.terms)]
    assert fields(number)["offset"] == json.loads(real_path(number).read_text("utf-8"))[0]["offset"]  # type: ignore[union-attr]
    assert {*ours.keywords} <= {*theirs.keywords}


@pytest.mark.parametrize("number", KNOWN)
def test_the_words_are_our_own(number: str) -> None:
    """No six words in a row are those of the entry in the OEIS."""
    ours, theirs = starter(number), real(number)
    assert not six_in_a_row([ours.name, *ours.comments]) & six_in_a_row([theirs.name, *theirs.comments])


def six_in_a_row(texts: Iterable[str]) -> set[tuple[str, ...]]:
    """All runs of six words; single letters and numbers are formulas and no words."""
    runs = set()
    for text in texts:
        words = re.findall(r"[^\W\d_]{2,}", text.lower())
        runs |= {tuple(words[at : at + 6]) for at in range(len(words) - 5)}
    return runs
