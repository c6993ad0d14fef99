"""Products of m by n digits up to 20 by 20, after Y. Deng (multiplication.md)."""

import random

import pytest

from pytest_llmarith import Field, Grid, Problem, View, number_task

LONGEST = 20
LENGTHS = {f"m{digits:02}": digits for digits in range(1, LONGEST + 1)}


def problem_at(seed, variant, depth, trial):
    """A product of a number of as many digits as the variant says, and one of `depth`
    digits; no two trials of a cell are the same.
    """
    digits = LENGTHS[variant], depth
    draw = random.Random(f"{seed}/multiplication/{variant}/{depth}")
    pairs = {}
    number = min(trial + 1, 9**2 * 10 ** (sum(digits) - 2))  # all that there are
    while len(pairs) < number:
        pair = tuple(draw.randrange(10 ** (one - 1), 10**one) for one in digits)
        pairs[pair] = None
    lhs, rhs = list(pairs)[-1]
    return Problem(
        {"lhs": str(lhs), "rhs": str(rhs)}, lhs * rhs, question=f"{lhs} * {rhs}"
    )


def prompt(problem):
    return (
        f"Calculate the product of {problem['lhs']} and {problem['rhs']}. Please "
        f"provide the final answer in the format: Final Answer: [result]"
    )


SOURCE = "Y. Deng, posts of 17 September 2024"
ACCURACY = (
    f'published: o1 "solves up to 9x9 multiplication with decent accuracy", gpt-4o '
    f'"struggles beyond 4x4", a GPT-2 small trained for it is right in 99.5 % up to '
    f"20x20 ({SOURCE})"
)
TOKENS = f"published: o1 uses about 3,600 for 20x20 ({SOURCE})"


def by_length(title, measure, meaning, cited=""):
    """A table with a row for each m and a column for each n."""
    field = Field(title, meaning, measure)
    return View(title, "variant", [field], across="depth", cited=cited)


multiplication = number_task(
    "multiplication",
    Grid(problem_at, list(LENGTHS), range(1, LONGEST + 1)),
    prompt,
    numbers=["lhs", "rhs"],
    reply_tokens=400,
    views=[
        by_length(
            "correct %",
            "{correct_percentage}",
            "correct products, by n digits",
            ACCURACY,
        ),
        by_length(
            "tokens of a reply",
            "{completion_tokens:median}",
            "median tokens of a reply, with those of reasoning, by n digits",
        ),
        by_length(
            "reasoning tokens",
            "{reasoning_tokens:median}",
            "median tokens of reasoning, by n digits",
            TOKENS,
        ),
    ],
)


@pytest.mark.llmarith_task(multiplication, trials=5)
def test_multiplication(problem, ask):
    """The last number of the reply is the product."""
    ask(problem)
