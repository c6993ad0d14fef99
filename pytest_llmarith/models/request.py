"""What is sent to a model, and how it may be written down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pytest_llmarith.credentials import HIDDEN, header_values, with_headers_hidden, without_secrets
from pytest_llmarith.models.scrubbing import without_userinfo
from pytest_llmarith.values import Model, Question

_SEEDS = 1_000_000  # more than there are repeats and times
_REPEATS = 1_000  # as many as there may be


def messages_of(model: Model, prompt: str) -> list[dict[str, str]]:
    """The conversation as the model sees it."""
    question = {"role": "user", "content": prompt}
    if model.system_prompt is None:
        return [question]
    return [{"role": "system", "content": model.system_prompt}, question]


def sent_of(model: Model, prompt: str) -> dict[str, Any]:
    """The request as it may be written down: everything but keys, passwords and the values of headers."""
    return {
        "model": model.target,
        "api_base": model.api_base and without_userinfo(model.api_base),
        "messages": messages_of(model, prompt),
        "params": with_headers_hidden(model.params),
    }


def holds_secrets(sent: Mapping[str, Any]) -> bool:
    """Whether a request that was written down holds what `sent_of` leaves out."""
    api_base = sent["api_base"]
    return without_secrets(sent["params"]) != sent["params"] or bool(
        api_base and without_userinfo(api_base) != api_base
    )


def hides_headers(sent: Mapping[str, Any]) -> bool:
    """Whether nobody could tell any more which request was written down: a header may change a reply."""
    return HIDDEN in header_values(sent["params"])


def asked_model(models: Mapping[str, Model], question: Question) -> Model | None:
    """The model as the question wants it; None where the run does not know it.

    A language model has its own chance when it is asked again. An embedded one gets its from a seed, which each repeat
    has for itself, and so has each time that a search asks again.
    """
    model = models.get(question.model)
    if model is None:
        return None
    if model.simulated and (again := question.before * _REPEATS + question.repeat):
        model = replace(model, params={**model.params, "seed": _seed(model.params.get("seed", 0), again)})
    return model if question.system_prompt is None else replace(model, system_prompt=question.system_prompt)


def _seed(given: Any, again: int) -> Any:
    """The seed of another time, which is nobody else's up to a million; what is no number is left to be refused."""
    return given * _SEEDS + again if type(given) is int else given
