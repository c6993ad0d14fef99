"""How many tokens a request takes, as far as it shows before it is sent. It knows neither prices nor limits."""

from __future__ import annotations

import json

from pytest_llmarith.models.request import messages_of
from pytest_llmarith.values import Model

_CHARACTERS_PER_TOKEN = 4  # of the prompts of the benches, with the tokenizers of gpt-4o and Claude: 4.0 to 4.5
_BOUNDS = ("max_completion_tokens", "max_tokens")
_AROUND_A_MESSAGE = 16  # tokens that say whose message it is
_AROUND_A_REQUEST = 128  # tokens of the lines that a server's chat template adds


def about_tokens(model: Model, prompt: str) -> int:
    """How many tokens are sent, about; counting them would cost more than the difference is worth."""
    characters = sum(len(message["content"]) for message in messages_of(model, prompt))
    return -(-characters // _CHARACTERS_PER_TOKEN)


def most_tokens_sent(model: Model, prompt: str) -> int:
    """How many tokens are sent at most: one for each byte of the messages and of the parameters, such as tools.

    The limits of a reply are left out, so that the limit which a forecast names lets as many requests fit as it says.
    """
    messages = sum(len(message["content"].encode()) + _AROUND_A_MESSAGE for message in messages_of(model, prompt))
    params = {name: value for name, value in model.params.items() if name not in _BOUNDS}
    return messages + len(json.dumps(params).encode()) + _AROUND_A_REQUEST


def sent_bound(model: Model) -> int | None:
    """How many tokens of a reply the request itself allows; None if it does not say.

    Some servers know only one of the two parameters, so the larger one counts.
    """
    bounds = [bound for name in _BOUNDS if type(bound := model.params.get(name)) is int and bound > 0]
    return max(bounds, default=None)
