"""Copying, reversing, counting, comparing, base conversion by length (controls.md)."""

import random
import re

import pytest

from pytest_llmarith import Field, Grid, Problem, Task, View


def text_of(draw, length):
    return "".join(draw.choices("0123456789", k=length))


def copying(draw, length):
    text = text_of(draw, length)
    return f"Copy these digits: {text}", text


def reversing(draw, length):
    text = text_of(draw, length)
    return f"Write these digits in reverse order: {text}", text[::-1]


def counting(draw, length):
    text, digit = text_of(draw, length), draw.choice("0123456789")
    return f"How often does the digit {digit} occur in {text}?", str(text.count(digit))


def comparing(draw, length):
    """Such as 9.11 and 9.9: the larger number has fewer digits."""
    whole, least = draw.randint(1, 9), draw.randint(0, 8)
    longer = f"{whole}.{least}{text_of(draw, length - 1)}"
    digits = text_of(draw, length - 2) if length > 2 else ""
    larger = f"{whole}.{draw.randint(least + 1, 9)}{digits}"
    first, second = draw.sample([longer, larger], 2)
    return f"Which number is larger, {first} or {second}?", larger


def converting(draw, length):
    number = draw.randrange(10 ** (length - 1), 10**length)
    return f"Write {number} in base 16.", format(number, "x")


CONTROLS = {
    "copy": copying,
    "reverse": reversing,
    "count": counting,
    "compare": comparing,
    "base16": converting,
}


def problem_at(seed, variant, depth, trial):
    """A question of this length; no two trials of a cell are the same."""
    draw = random.Random(f"{seed}/controls/{variant}/{depth}")
    drawn = {}
    for _ in range(100 * (trial + 1)):
        question, expected = CONTROLS[variant](draw, depth)
        drawn[question] = expected
        if len(drawn) > trial:
            break
    return Problem({"question": question}, expected, question=question)


def prompt(problem):
    return f"{problem['question']} Reply with just the answer."


def read(text, problem):
    """The last word or number of the reply, without grouping and the sign of a base."""
    words = re.findall(r"[0-9a-z]+(?:\.[0-9]+)?", text.lower().replace(",", ""))
    return words[-1].removeprefix("0x") if words else None


controls = Task(
    "controls",
    Grid(problem_at, list(CONTROLS), [2, 3, 5, 10, 20, 30]),
    prompt,
    read,
    views=[
        View(
            "correct % by length",
            "variant",
            [Field("correct %", "correct answers", "{correct_percentage}")],
            across="depth",
        )
    ],
)


@pytest.mark.llmarith_task(controls, trials=10)
def test_controls(problem, ask):
    """The last word of the reply is the answer."""
    ask(problem)
