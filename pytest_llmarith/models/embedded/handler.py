"""The embedded models behind litellm's door, so that they take the same way as any other model.

Importing this module imports litellm: only the client does it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import litellm
from litellm.exceptions import UnsupportedParamsError
from litellm.llms.custom_llm import CustomLLM

from pytest_llmarith.models.embedded import builtin
from pytest_llmarith.models.embedded.programming import Remembered
from pytest_llmarith.models.patience.failures import UnknownModel
from pytest_llmarith.values import EMBEDDED_PROVIDER


class EmbeddedProvider(CustomLLM):
    """litellm's provider `llmarith/...`; what its models remember of integer sequences is looked up once, if asked."""

    def __init__(self, remembered: Remembered) -> None:
        super().__init__()
        self._remembered: Remembered = cache(remembered)

    def completion(self, *args: Any, **request: Any) -> Any:
        return self._respond(request)

    async def acompletion(self, *args: Any, **request: Any) -> Any:
        return self._respond(request)

    def _respond(self, request: Mapping[str, Any]) -> Any:
        model = request["model"]
        if model not in builtin.NAMES:
            known = ", ".join(builtin.NAMES)
            raise UnknownModel(f"there is no embedded model of this name; there are {known}")
        params = request.get("optional_params") or {}
        temperature, seed = _temperature(model, params), _seed(model, params)
        reply = builtin.reply(model, request["messages"], self._remembered, temperature, seed)
        return _filled(request["model_response"], model, reply)


def register(remembered: Remembered) -> None:
    """Tell litellm of the provider, once, and leave other people's providers in place."""
    others = [item for item in litellm.custom_provider_map if item["provider"] != EMBEDDED_PROVIDER]
    handler = EmbeddedProvider(remembered)
    litellm.custom_provider_map = [*others, {"provider": EMBEDDED_PROVIDER, "custom_handler": handler}]


def _temperature(model: str, params: Mapping[str, Any]) -> float:
    """It and the seed make a difference to an embedded model; it takes other parameters as real ones do."""
    temperature = params.get("temperature", builtin.TEMPERATURE)
    if type(temperature) not in (int, float) or not 0 <= temperature <= builtin.HOTTEST:
        raise UnsupportedParamsError(
            f"the temperature is a number from 0 to {builtin.HOTTEST:g}", EMBEDDED_PROVIDER, model
        )
    return float(temperature)


def _seed(model: str, params: Mapping[str, Any]) -> int:
    seed = params.get("seed", 0)
    if type(seed) is not int:
        raise UnsupportedParamsError("the seed is a whole number", EMBEDDED_PROVIDER, model)
    return seed


def _filled(response: Any, model: str, reply: builtin.BuiltinReply) -> Any:
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
