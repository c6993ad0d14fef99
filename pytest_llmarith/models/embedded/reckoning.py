"""What the embedded models reply to a calculation. It knows neither how prompts are read nor what is right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from types import MappingProxyType

from pytest_llmarith.models.embedded import slips, wording
from pytest_llmarith.models.embedded.calculation import Calculation
from pytest_llmarith.models.embedded.said import LIMIT, Said, cut_at_limit

_REFUSALS = (
    "I'm sorry, but I can't help with that.",
    "I cannot assist with this request.",
    "I'm unable to perform calculations with numbers of this size. Please use a calculator.",
)
_RAMBLES = (
    "Sure! Here is the result of the calculation you asked for:",
    "Let me work through this step by step, column by column, and then give the final result.",
)


def exact(calculation: Calculation, draw: Random, temperature: float) -> Said:
    """The bare result, at any temperature."""
    return Said(calculation.truth)


def sloppy(calculation: Calculation, draw: Random, temperature: float) -> Said:
    """An answer, right or wrong, or one of the ways to give none."""
    moods = list(_MOODS)
    weights = [base + per_digit * calculation.length for base, per_digit in _MOODS.values()]
    return draw.choices(moods, weights)[0](calculation, draw, temperature)


def _answer(calculation: Calculation, draw: Random, temperature: float) -> Said:
    wrong = draw.random() < slips.likelihood(calculation, temperature)
    number = slips.slip(draw, calculation)[1] if wrong else calculation.truth
    reasoning = wording.musing(calculation) if draw.random() < 0.1 else None
    return Said(wording.phrase(draw, calculation, number), reasoning)


def _say_nothing(calculation: Calculation, draw: Random, temperature: float) -> Said:
    """The whole allowance went into thoughts, and the reply is empty all the same."""
    return Said(draw.choice(["", "\n"]), unseen=draw.randint(LIMIT // 4, LIMIT))


def _run_out(calculation: Calculation, draw: Random, temperature: float) -> Said:
    """The reply is cut at the limit: a thought without an end, or lines of working without a result."""
    opening = draw.choice(["<think>\n", ""])
    text = f"{opening}{wording.musing(calculation)}\n\n{wording.expression(calculation)}\n= {calculation.truth[:2]}"
    return cut_at_limit(text)


def _refuse(calculation: Calculation, draw: Random, temperature: float) -> Said:
    return Said(draw.choice(_REFUSALS))


def _ramble(calculation: Calculation, draw: Random, temperature: float) -> Said:
    return Said(draw.choice(_RAMBLES))


def _be_filtered(calculation: Calculation, draw: Random, temperature: float) -> Said:
    return Said("", finish_reason="content_filter")


_Mood = Callable[[Calculation, Random, float], Said]

# Out of a thousand replies, at any length and besides for every digit: whoever thinks longer runs out sooner.
_MOODS: Mapping[_Mood, tuple[float, float]] = MappingProxyType(
    {
        _answer: (1000, 0),
        _say_nothing: (0, 1.0),
        _run_out: (0, 1.0),
        _refuse: (5, 0),
        _ramble: (5, 0),
        _be_filtered: (5, 0),
    }
)
