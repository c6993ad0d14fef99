"""Room: the embedded, simulated models. They see a prompt as any model would: no problem, no expected answer.

`exact` is always right and answers with the bare number. `sloppy` makes the slips, uses the wordings and fails to
answer in the ways that language models do, more often the longer the numbers are; what it replies depends on the
messages alone. Neither says anything about a language model: they are there to see the benches run offline.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from types import MappingProxyType

from pytest_llmarith.models import slips, wording
from pytest_llmarith.models.calculation import Calculation, read

_TOKEN = re.compile(r"\d{1,3}|[^\W\d_]{1,6}|[^\w\s]|_")
_LIMIT = 4096
_PUZZLED = "I only do single sums, differences, products and quotients, and I cannot find one in this prompt."
_REFUSALS = (
    "I'm sorry, but I can't help with that.",
    "I cannot assist with this request.",
    "I'm unable to perform calculations with numbers of this size. Please use a calculator.",
)
_RAMBLES = (
    "Sure! Here is the result of the calculation you asked for:",
    "Let me work through this step by step, column by column, and then give the final result.",
)


@dataclass(frozen=True, slots=True)
class BuiltinReply:
    """What an embedded model replies, counted the way providers bill it."""

    text: str
    reasoning: str | None
    finish_reason: str
    prompt_tokens: int
    completion_tokens: int
    reasoning_tokens: int | None


@dataclass(frozen=True, slots=True)
class _Said:
    """What came out of a model; `unseen` counts tokens that it thought without showing them."""

    text: str
    reasoning: str | None = None
    finish_reason: str = "stop"
    unseen: int = 0


def reply(target: str, messages: Sequence[Mapping[str, str]]) -> BuiltinReply:
    """What the model `target` replies; raises KeyError where there is none of this name."""
    model = _MODELS[target]
    calculation = read(_question(messages))
    said = model(calculation, _chance(target, messages)) if calculation else _Said(_PUZZLED)
    reasoning_tokens = said.unseen + _tokens(said.reasoning or "")
    return BuiltinReply(
        said.text,
        said.reasoning,
        said.finish_reason,
        prompt_tokens=sum(_tokens(message["content"]) for message in messages),
        completion_tokens=_tokens(said.text) + reasoning_tokens,
        reasoning_tokens=reasoning_tokens or None,
    )


def _exact(calculation: Calculation, draw: Random) -> _Said:
    return _Said(calculation.truth)


def _sloppy(calculation: Calculation, draw: Random) -> _Said:
    moods = list(_MOODS)
    weights = [base + per_digit * calculation.length for base, per_digit in _MOODS.values()]
    return draw.choices(moods, weights)[0](calculation, draw)


def _answer(calculation: Calculation, draw: Random) -> _Said:
    wrong = draw.random() < slips.likelihood(calculation)
    number = slips.slip(draw, calculation)[1] if wrong else calculation.truth
    reasoning = wording.musing(calculation) if draw.random() < 0.1 else None
    return _Said(wording.phrase(draw, calculation, number), reasoning)


def _say_nothing(calculation: Calculation, draw: Random) -> _Said:
    """The whole allowance went into thoughts, and the reply is empty all the same."""
    return _Said(draw.choice(["", "\n"]), unseen=draw.randint(_LIMIT // 4, _LIMIT))


def _run_out(calculation: Calculation, draw: Random) -> _Said:
    """The reply is cut at the limit: a thought without an end, or lines of working without a result."""
    opening = draw.choice(["<think>\n", ""])
    text = f"{opening}{wording.musing(calculation)}\n\n{wording.expression(calculation)}\n= {calculation.truth[:2]}"
    return _Said(text, finish_reason="length", unseen=_LIMIT - _tokens(text))


def _refuse(calculation: Calculation, draw: Random) -> _Said:
    return _Said(draw.choice(_REFUSALS))


def _ramble(calculation: Calculation, draw: Random) -> _Said:
    return _Said(draw.choice(_RAMBLES))


def _be_filtered(calculation: Calculation, draw: Random) -> _Said:
    return _Said("", finish_reason="content_filter")


_Model = Callable[[Calculation, Random], _Said]

_MODELS: Mapping[str, _Model] = MappingProxyType({"exact": _exact, "sloppy": _sloppy})
NAMES = tuple(_MODELS)

# Out of a thousand replies, at any length and besides for every digit: whoever thinks longer runs out sooner.
_MOODS: Mapping[_Model, tuple[float, float]] = MappingProxyType(
    {
        _answer: (1000, 0),
        _say_nothing: (0, 1.0),
        _run_out: (0, 1.0),
        _refuse: (5, 0),
        _ramble: (5, 0),
        _be_filtered: (5, 0),
    }
)


def _question(messages: Sequence[Mapping[str, str]]) -> str:
    prompts = [message["content"] for message in messages if message["role"] == "user"]
    return prompts[-1] if prompts else ""


def _chance(target: str, messages: Sequence[Mapping[str, str]]) -> Random:
    """Chance that depends on what was said to the model and on nothing else."""
    return Random(f"{target}/{[(message['role'], message['content']) for message in messages]}")


def _tokens(text: str) -> int:
    """Roughly a tokenizer: three digits, a short word or a sign each."""
    return sum(1 for _ in _TOKEN.finditer(text))
