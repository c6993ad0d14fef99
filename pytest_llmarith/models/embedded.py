"""Room: the embedded models behind litellm's door, so that they take the same way as any other model.

Importing this module imports litellm: only the client does it.
"""

from __future__ import annotations

from typing import Any

import litellm
from litellm.llms.custom_llm import CustomLLM

from pytest_llmarith.models import builtin
from pytest_llmarith.models.failures import UnknownModel
from pytest_llmarith.values import EMBEDDED_PROVIDER


class EmbeddedProvider(CustomLLM):
    """litellm's provider `llmarith/...`."""

    def completion(self, *args: Any, **request: Any) -> Any:
        return _respond(request["model"], request["messages"], request["model_response"])

    async def acompletion(self, *args: Any, **request: Any) -> Any:
        return _respond(request["model"], request["messages"], request["model_response"])


def register() -> None:
    """Tell litellm of the provider, once, and leave other people's providers in place."""
    others = [item for item in litellm.custom_provider_map if item["provider"] != EMBEDDED_PROVIDER]
    litellm.custom_provider_map = [*others, {"provider": EMBEDDED_PROVIDER, "custom_handler": EmbeddedProvider()}]


def _respond(model: str, messages: list[Any], response: Any) -> Any:
    try:
        reply = builtin.reply(model, messages)
    except KeyError:
        raise UnknownModel(f"there is no embedded model of this name; there are {', '.join(builtin.NAMES)}") from None
    message = litellm.Message(role="assistant", content=reply.text, reasoning_content=reply.reasoning)
    response.choices = [litellm.Choices(index=0, finish_reason=reply.finish_reason, message=message)]
    response.model = f"{EMBEDDED_PROVIDER}/{model}"
    response.usage = litellm.Usage(
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
        total_tokens=reply.prompt_tokens + reply.completion_tokens,
        reasoning_tokens=reply.reasoning_tokens,
    )
    return response
