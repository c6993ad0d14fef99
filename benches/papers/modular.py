"""Sums, differences and products modulo m (modular.md)."""

import operator
import random

import pytest

from pytest_llmarith import Field, Grid, Problem, View, number_task

OPERATIONS = {
    "add": ("+", operator.add),
    "sub": ("-", operator.sub),
    "mul": ("*", operator.mul),
}
FEWEST = 4 + 9 + 16 + 25 + 36 + 49 + 64 + 81  # pairs below all m from 2 to 9


def problem_at(seed, variant, depth, trial):
    """An operation on two residues of a modulus of `depth` digits; no two trials of a
    cell are the same.
    """
    sign, operate = OPERATIONS[variant]
    draw = random.Random(f"{seed}/modular/{variant}/{depth}")
    drawn = {}
    while len(drawn) < min(trial + 1, FEWEST * 10 ** (depth - 1)):
        modulus = draw.randrange(max(2, 10 ** (depth - 1)), 10**depth)
        drawn[draw.randrange(modulus), draw.randrange(modulus), modulus] = None
    lhs, rhs, modulus = list(drawn)[-1]
    return Problem(
        {"lhs": str(lhs), "sign": sign, "rhs": str(rhs), "modulus": str(modulus)},
        operate(lhs, rhs) % modulus,
        question=f"({lhs} {sign} {rhs}) mod {modulus}",
    )


def prompt(problem):
    return (
        f"Compute ({problem['lhs']} {problem['sign']} {problem['rhs']}) mod "
        f"{problem['modulus']}. The result is from 0 to {int(problem['modulus']) - 1}. "
        f"Reply with just the number."
    )


modular = number_task(
    "modular",
    Grid(problem_at, list(OPERATIONS), range(1, 11)),
    prompt,
    numbers=["lhs", "rhs", "modulus"],
    views=[
        View(
            "correct % by digits of the modulus",
            "variant",
            [Field("correct %", "correct residues", "{correct_percentage}")],
            across="depth",
        )
    ],
)


@pytest.mark.llmarith_task(modular, trials=10)
def test_modular(problem, ask):
    """The reply has the residue from 0 to m - 1."""
    ask(problem)
