"""How many tokens a request takes, as far as it shows before it is sent. It knows neither prices nor limits."""

from __future__ import annotations

from pytest_llmarith.models.request import messages_of
from pytest_llmarith.values import Model

_CHARACTERS_PER_TOKEN = 4  # of the prompts of the benches, with the tokenizers of gpt-4o and Claude: 4.0 to 4.5
_BOUNDS = ("max_completion_tokens", "max_tokens")


def about_tokens(model: Model, prompt: str) -> int:
    """How many tokens are sent, about; counting them would cost more than the difference is worth."""
    characters = sum(len(message["content"]) for message in messages_of(model, prompt))
    return -(-characters // _CHARACTERS_PER_TOKEN)


def sent_bound(model: Model) -> int | None:
    """How many tokens of a reply the request itself allows; None where it does not say."""
    bounds = [bound for name in _BOUNDS if isinstance(bound := model.params.get(name), int) and bound > 0]
    return min(bounds, default=None)
