"""What is sent to a model, how it may be written down, and about how many tokens it has."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pytest_llmarith.credentials import HIDDEN, header_values, with_headers_hidden, without_secrets
from pytest_llmarith.models.redact import without_userinfo
from pytest_llmarith.values import Model, Question

_SEEDS = 1_000_000  # more than there are repeats and times
_REPEATS = 1_000  # as many as there may be

_CHARACTERS_PER_TOKEN = 4  # of the prompts of the benches, with the tokenizers of gpt-4o and Claude: 4.0 to 4.5
_REPLY_LIMITS = ("max_completion_tokens", "max_tokens")
_TOKENS_PER_MESSAGE = 16  # tokens that name the role of a message
_TOKENS_PER_REQUEST = 128  # tokens of the lines that a server's chat template adds


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
    """Whether headers of the request were hidden: they may change a reply, so its key is unknown."""
    return HIDDEN in header_values(sent["params"])


def asked_model(models: Mapping[str, Model], question: Question) -> Model | None:
    """The model with the question's system prompt, and for a fake model its seed; None if the run has no such model.

    A language model replies anew each time. A fake model needs another seed for each repeat and each further question
    of a search.
    """
    model = models.get(question.model)
    if model is None:
        return None
    if model.simulated and (again := question.before * _REPEATS + question.repeat):
        seed = model.params.get("seed", 0)
        if type(seed) is int:
            model = replace(model, params={**model.params, "seed": seed * _SEEDS + again})
    return model if question.system_prompt is None else replace(model, system_prompt=question.system_prompt)


def about_tokens(model: Model, prompt: str) -> int:
    """About how many tokens are sent."""
    characters = sum(len(message["content"]) for message in messages_of(model, prompt))
    return -(-characters // _CHARACTERS_PER_TOKEN)


def most_tokens_sent(model: Model, prompt: str) -> int:
    """How many tokens are sent at most: one for each byte of the messages and of the parameters, such as tools.

    The limits of a reply are left out, so that the limit which a forecast names lets as many requests fit as it says.
    """
    messages = sum(len(message["content"].encode()) + _TOKENS_PER_MESSAGE for message in messages_of(model, prompt))
    params = {name: value for name, value in model.params.items() if name not in _REPLY_LIMITS}
    return messages + len(json.dumps(params).encode()) + _TOKENS_PER_REQUEST


def reply_limit(model: Model) -> int | None:
    """How many tokens of a reply the request allows; None if it sets no limit.

    Some servers know only one of the two parameters, so the larger one counts.
    """
    limits = [limit for name in _REPLY_LIMITS if type(limit := model.params.get(name)) is int and limit > 0]
    return max(limits, default=None)
