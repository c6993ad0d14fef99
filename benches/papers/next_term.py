"""The next term of integer sequences, and beside it the program for them
(next_term.md).
"""

import json
from pathlib import Path

import pytest

from pytest_llmarith import Field, Problem, View, number_task

ENTRIES = Path(__file__).parents[2] / "oeis_cache/starter"
SHOWN = (5, 10, 20)  # terms; the depths


def sequences():
    """The terms of each sequence of the starter set, by its number."""
    found = {}
    for path in sorted(ENTRIES.glob("A*.json")):
        (entry,) = json.loads(path.read_text("utf-8"))
        found[path.stem] = [int(term) for term in entry["data"].split(",")]
    if not found:
        raise FileNotFoundError(f"{ENTRIES}: no sequences; llmarith init copies them")
    return found


def problems(seed, trials):
    """Every sequence at every depth, unless another one begins with the terms shown:
    then there is no single next term.
    """
    terms_of = sequences()
    for shown in SHOWN:
        begin = [terms[:shown] for terms in terms_of.values()]
        for number, terms in terms_of.items():
            if len(terms) > shown and begin.count(terms[:shown]) == 1:
                text = ", ".join(map(str, terms[:shown]))
                yield Problem(
                    {"sequence": number, "terms": text},
                    terms[shown],
                    f"{number}-{shown}_terms",
                    depth=shown,
                    question=f"{text}, ...",
                )


def prompt(problem):
    return (
        f"An integer sequence begins with {problem['terms']}. What is its next term? "
        f"Reply with just the number."
    )


next_term = number_task(
    "next_term",
    problems,
    prompt,
    views=[
        View(
            "next terms by the number of terms shown",
            "depth",
            [Field("correct %", "correct next terms", "{correct_percentage}")],
        )
    ],
)


@pytest.mark.llmarith_task(next_term)
def test_next_term(problem, ask):
    """The reply has the next term."""
    ask(problem)


@pytest.mark.oeis
def test_program(problem, ask):
    """The program prints every listed term in time, and is no lookup table."""
    ask(problem)
