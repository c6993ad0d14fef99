"""Sums of 2 to 11 operands by the length of the carry chain, and the law (1 - p)^n of
close carries (carries.md).
"""

import random

import pytest

from pytest_llmarith import Field, Grid, Problem, View, number_task

COLUMNS = 10
OPERANDS = {f"k{number:02}": number for number in range(2, 12)}


def digits_of(draw, total, number):
    """As many digits, which add up to the total."""
    digits = [0] * number
    for _ in range(total):
        free = [place for place, digit in enumerate(digits) if digit < 9]
        digits[draw.choice(free)] += 1
    return digits


def problem_at(seed, variant, depth, trial):
    """A sum in which `depth` neighbouring columns carry, and no others."""
    number = OPERANDS[variant]
    draw = random.Random(f"{seed}/carries/{variant}/{depth}/{trial}")
    first = draw.randint(0, COLUMNS - depth)
    operands = [0] * number
    carry = 0
    for column in range(COLUMNS):
        if first <= column < first + depth:
            # A carry is 8 at most, so that the column behind the chain need not carry.
            total = draw.randint(10 - carry, min(9 * number, 89 - carry))
        else:
            least = 1 if column == COLUMNS - 1 else 0
            total = draw.randint(least, 9 - carry)
        for place, digit in enumerate(digits_of(draw, total, number)):
            operands[place] += digit * 10**column
        carry = (total + carry) // 10
    text = " + ".join(map(str, operands))
    return Problem({"sum": text}, sum(operands), question=text)


def prompt(problem):
    return f"Compute the sum, and reply with just the number: {problem['sum']}"


carries = number_task(
    "carries",
    Grid(problem_at, list(OPERANDS), range(9)),
    prompt,
    views=[
        View(
            "correct % by carry chain",
            "variant",
            [Field("correct %", "correct sums", "{correct_percentage}")],
            across="depth",
        )
    ],
)


@pytest.mark.llmarith_task(carries, trials=5)
def test_carries(problem, ask):
    """The reply has the sum."""
    ask(problem)


@pytest.mark.integer_addition(trials=300)
def test_close_carries(problem, ask):
    """The reply is the sum; the tables have p and the test of fit of (1 - p)^n."""
    ask(problem)
