"""The embedded models by their names, and which part of a model replies to what. They see a prompt as any would.

`exact` is always right, or says that it cannot be. `sloppy` makes the slips and blunders, uses the wordings and fails
to answer in the ways that language models do; what it replies depends on the messages, the temperature and the seed
alone, and on what it remembers of integer sequences. Neither says anything about a language model: they are there to
see the benches run offline.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from types import MappingProxyType

from pytest_llmarith.models.embedded import calculation, reckoning
from pytest_llmarith.models.embedded.programming import Memory, Remembered, authorship, nothing, prompts, verdicts
from pytest_llmarith.models.embedded.said import Said, tokens

_PUZZLED = (
    "I only do single sums, differences, products and quotients, and programs for integer sequences; "
    "I cannot find one in this prompt."
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
class _Model:
    """What one model says to each kind of question."""

    reckon: Callable[[calculation.Calculation, Random, float], Said]
    program: Callable[[str, Memory | None, Random], Said]
    judge: Callable[[str, Random], Said]


_MODELS: Mapping[str, _Model] = MappingProxyType(
    {
        "exact": _Model(reckoning.exact, authorship.exact, verdicts.exact),
        "sloppy": _Model(reckoning.sloppy, authorship.sloppy, verdicts.sloppy),
    }
)
NAMES = tuple(_MODELS)
TEMPERATURE = 1.0
HOTTEST = 2.0


def reply(
    target: str,
    messages: Sequence[Mapping[str, str]],
    remembered: Remembered = nothing,
    temperature: float = TEMPERATURE,
    seed: int = 0,
) -> BuiltinReply:
    """What the model `target` replies; raises KeyError where there is none of this name.

    `remembered` is called when a program for an integer sequence is asked for, and not before. The `temperature`, from
    0 to `HOTTEST`, is how prone a calculation is to go wrong; another `seed` is another chance.
    """
    said = _answer(_MODELS[target], _question(messages), _chance(target, messages, seed), remembered, temperature)
    reasoning_tokens = said.unseen + tokens(said.reasoning or "")
    return BuiltinReply(
        said.text,
        said.reasoning,
        said.finish_reason,
        prompt_tokens=sum(tokens(message["content"]) for message in messages),
        completion_tokens=tokens(said.text) + reasoning_tokens,
        reasoning_tokens=reasoning_tokens or None,
    )


def _answer(model: _Model, prompt: str, draw: Random, remembered: Remembered, temperature: float) -> Said:
    if (name := prompts.sequence_named(prompt)) is not None:
        return model.program(name, remembered().get(name), draw)
    if (program := prompts.program_on_trial(prompt)) is not None:
        return model.judge(program, draw)
    if prompts.wants_program(prompt) and (name := prompts.sequence_among(remembered(), prompt)) is not None:
        return model.program(name, remembered()[name], draw)
    if asked := calculation.read(prompt):
        return model.reckon(asked, draw, temperature)
    return Said(_PUZZLED)


def _question(messages: Sequence[Mapping[str, str]]) -> str:
    prompts = [message["content"] for message in messages if message["role"] == "user"]
    return prompts[-1] if prompts else ""


def _chance(target: str, messages: Sequence[Mapping[str, str]], seed: int) -> Random:
    """Chance that depends on what was said to the model, its seed, and on nothing else: a hotter model errs where a
    cooler one did, and elsewhere too.
    """
    said = f"{target}/{[(message['role'], message['content']) for message in messages]}"
    return Random(f"{said}/{seed}" if seed else said)
