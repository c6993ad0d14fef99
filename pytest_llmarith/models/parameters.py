"""Finds request parameters that a provider lacks, such as a misspelled `temprature`.

Some providers ignore such a parameter, so it would not be noticed. This module reads
litellm's lists, which cover the parameters of a few providers; servers of one's own,
proxies and aggregators may have any others.
"""

from __future__ import annotations

import inspect
from difflib import get_close_matches
from typing import Any

from pytest_llmarith.types import Model

_LISTED = ("openai", "anthropic", "gemini", "mistral", "xai", "deepseek", "groq")
_AS_THEY_ARE = ("extra_body", "extra_headers", "extra_query")


def unknown_parameter(litellm: Any, model: Model) -> str | None:
    """Why a model cannot be asked, or None.

    It names the first parameter that its provider does not have, and the nearest one
    it has.
    """
    try:
        name, provider, *_ = litellm.get_llm_provider(model.target)
        if provider not in _LISTED:
            return None
        own = _parameters_of(litellm, name, provider)
    # litellm raises bare Exceptions for an unknown model, which the first question
    # reports
    except Exception:
        return None
    general = {
        *inspect.signature(litellm.completion).parameters,
        *litellm.types.utils.all_litellm_params,
    }
    for parameter in model.params:
        if parameter in own or parameter in general or parameter in _AS_THEY_ARE:
            continue
        advice = "remove it, or send it in extra_body"
        nearest = get_close_matches(parameter, sorted(own), n=1)
        if nearest:
            advice = f"write {nearest[0]}"
        return (
            f"{model.target}: {provider} has no parameter {parameter!r} that "
            f"litellm knows; {advice}"
        )
    return None


def _parameters_of(litellm: Any, name: str, provider: str) -> set[str]:
    """The names of OpenAI that litellm translates, and the provider's own names."""
    config = litellm.utils.ProviderConfigManager.get_provider_chat_config(
        name, litellm.types.utils.LlmProviders(provider)
    )
    parameters = {
        *litellm.get_supported_openai_params(name, provider),
        *litellm.constants.DEFAULT_CHAT_COMPLETION_PARAM_VALUES,
        *inspect.signature(type(config).__init__).parameters,
    }
    if provider == "anthropic":
        parameters.update(
            litellm.types.llms.anthropic.AnthropicMessagesRequestOptionalParams.__annotations__
        )
    return parameters - {"self"}
