"""The fake models, for runs without a key or network access.

A question to them holds what its task would reply. `oracle` gives the right reply,
`junk` a wrong one of the same form, `parrot` says the question again. `sloppy` is often
wrong, says it in other words, or gives no answer. A reply is a function of the
messages, the temperature and the seed.
"""

from __future__ import annotations

import math
import re
import string
from random import Random

from pytest_llmarith.models.provider_errors import NotSent
from pytest_llmarith.records import Reply
from pytest_llmarith.types import Model, Prompt

NAMES = ("oracle", "sloppy", "parrot", "junk")

UNKNOWN = "I do not know the answer to this question."
_SHARE_WITHOUT_ANSWER = 0.04
_DIGITS = 20  # of an answer that is wrong with a probability of 63 %
_TOKEN_LIMIT = 4096
_IN_GROUPS = re.compile(r"\d,\d{3}")  # harder to read
_WORDINGS = {
    "{}": 90,
    "**{}**": 3,
    "The answer is {}.": 4,
    "<think>\nDigit by digit.\n</think>\n\n{}": 3,
}
# Answers of which other letters would be no answers.
_OPPOSITES = {"yes": "no", "no": "yes", "true": "false", "false": "true"}


def reply(model: Model, prompt: Prompt) -> Reply:
    """The reply of a fake model, with its parameters temperature and seed.

    Raises NotSent.
    """
    name = model.target.partition("/")[2]
    if name not in NAMES:
        raise NotSent(
            f"unknown fake model; write llmarith/{' or llmarith/'.join(NAMES)}"
        )
    temperature, seed = model.params.get("temperature", 1), model.params.get("seed", 0)
    is_number = type(temperature) in (int, float)
    if not is_number or not 0 <= temperature <= 2 or type(seed) is not int:
        raise NotSent("temperature must be a number from 0 to 2, and seed an integer")
    said = [(one.role, one.content) for one in model.said(prompt)]
    question = said[-1][1]
    right, *wrong = model.known or (UNKNOWN,)
    draw = Random(f"{said} {seed}")
    answer = Reply(right, None, "stop")
    if name == "parrot":
        answer.text = question
    elif name == "junk" and model.known:
        answer.text = draw.choice(wrong or [_unlike(draw, right)])
    elif name == "sloppy" and model.known:
        digits = sum(map(str.isdecimal, right))
        hazard = temperature * (digits / _DIGITS) ** 2
        if _IN_GROUPS.search(question):
            hazard *= 2
        answer = _sloppy(draw, right, wrong, hazard)
    answer.served_model = model.target
    answer.prompt_tokens = sum(_tokens_of(content) for _, content in said)
    answer.completion_tokens = _tokens_of(answer.text) + (answer.reasoning_tokens or 0)
    return answer


def _sloppy(draw: Random, right: str, wrong: list[str], hazard: float) -> Reply:
    """A reply that is wrong with a probability of 1 - exp(-hazard)."""
    if draw.random() < _SHARE_WITHOUT_ANSWER:
        return _no_answer(draw, right)
    if draw.random() < 1 - math.exp(-hazard):
        right = draw.choice(wrong or [_mistaken(draw, right)])
    if "\n" not in right:
        (wording,) = draw.choices([*_WORDINGS], [*_WORDINGS.values()])
        right = wording.format(right)
    return Reply(right, None, "stop")


def _unlike(draw: Random, right: str) -> str:
    """A wrong answer of the same form: with other digits, or other letters if it has no
    digits.
    """
    opposite = _OPPOSITES.get(right.lower())
    if opposite is not None:
        return opposite.title() if right.istitle() else opposite
    changed = _with_others(draw, right, "[0-9]", "123456789")
    if changed == right:
        changed = _with_others(draw, right, "[a-z]", string.ascii_lowercase)
        changed = _with_others(draw, changed, "[A-Z]", string.ascii_uppercase)
    return f"not {right}" if changed == right else changed


def _with_others(draw: Random, text: str, signs: str, others: str) -> str:
    """The text with another of these in the place of each such sign."""
    return re.sub(signs, lambda one: draw.choice(others.replace(one[0], "")), text)


def _tokens_of(text: str) -> int:
    return -(-len(text) // 4)


def _no_answer(draw: Random, right: str) -> Reply:
    """A reply without an answer: empty, refused, filtered, unfinished."""
    thought = draw.randint(1, _TOKEN_LIMIT)
    return draw.choice(
        (
            Reply("", None, "stop", reasoning_tokens=thought),
            Reply("I'm sorry, but I can't help with that.", None, "stop"),
            Reply("", None, "content_filter"),
            Reply("Let me go through it step by step:", None, "stop"),
            Reply(
                f"Let me begin.\n{right[: len(right) // 2]}",
                None,
                "length",
                reasoning_tokens=thought,
            ),
        )
    )


def _mistaken(draw: Random, right: str) -> str:
    """A wrong answer: a digit is another one, left out, written twice, or the sign or
    the size is wrong.
    """
    places = [place for place, sign in enumerate(right) if sign.isdecimal()]
    if not places:
        return f"not {right}"
    at = draw.choice(places)
    before, digit, after = right[:at], right[at], right[at + 1 :]
    other = f"{before}{(int(digit) + draw.randint(1, 9)) % 10}{after}"
    return draw.choice(
        (
            other,
            other,
            other,
            before + after or "0",
            before + digit + digit + after,
            right.removeprefix("-") if "-" in right else f"-{right}",
            f"{right.partition('.')[0]}00",
        )
    )
