"""Requests: messages, their recorded form, token estimates, and the provider of a model.

Providers are looked up in litellm's list as a file, because importing litellm takes seconds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from pytest_llmarith.models.redact import HIDDEN, header_values, with_headers_hidden, without_secrets
from pytest_llmarith.types import Model, ModelTerms, Question, Reply

_SEEDS = 1_000_000  # more than repeats times questions of a search
_REPEATS = 1_000  # the maximum of --llm-repeats

_CHARACTERS_PER_TOKEN = 4  # measured for the benches' prompts with the tokenizers of gpt-4o and Claude: 4.0 to 4.5
_REPLY_LIMITS = ("max_completion_tokens", "max_tokens")
_TOKENS_PER_MESSAGE = 16  # tokens that name the role of a message
_TOKENS_PER_REQUEST = 128  # tokens of the lines that a server's chat template adds

# The prefix of a provider's variables, if it is not the provider's name.
_WORDS = {
    "ai21_chat": "AI21",
    "aiohttp_openai": "OPENAI",
    "anthropic_text": "ANTHROPIC",
    "azure_text": "AZURE",
    "cohere_chat": "COHERE",
    "custom_openai": "OPENAI",
    "lambda_ai": "LAMBDA",
    "meta_llama": "LLAMA",
    "ollama_chat": "OLLAMA",
    "scx-ai": "SCX",
    "text-completion-codestral": "CODESTRAL",
    "text-completion-inception": "INCEPTION",
    "text-completion-openai": "OPENAI",
    "vertex_ai_beta": "VERTEX_AI",
    "watsonx_text": "WATSONX",
}
# Variables that litellm reads before or instead of the usual ones.
_ADDRESSES = {
    "BEDROCK": ("AWS_BEDROCK_RUNTIME_ENDPOINT",),
    "DATAROBOT": ("DATAROBOT_ENDPOINT",),
    "FEATHERLESS_AI": ("FEATHERLESS_API_BASE", "FEATHERLESS_AI_API_BASE"),
    "FIREWORKS_AI": ("FIREWORKS_API_BASE",),
    "FRIENDLIAI": ("FRIENDLI_API_BASE",),
    "GRADIENT_AI": ("GRADIENT_AI_AGENT_ENDPOINT",),
    "HUGGINGFACE": ("HF_API_BASE",),
    "MISTRAL": ("MISTRAL_AZURE_API_BASE",),
    "OPENAI": ("OPENAI_BASE_URL",),
    "TENSORMESH": ("TENSORMESH_SERVERLESS_BASE_URL",),
    "VERTEX_AI": ("VERTEXAI_API_BASE", "VERTEX_API_BASE"),
    "WATSONX": ("WATSONX_API_BASE", "WATSONX_URL", "WX_URL", "WML_URL"),
}
_KEYS = {
    "BEDROCK": "AWS_BEARER_TOKEN_BEDROCK",
    "HUGGINGFACE": "HF_TOKEN",
    "SCALEWAY": "SCW_SECRET_KEY",
    "VERTEX_AI": "GOOGLE_APPLICATION_CREDENTIALS",
}
_PROXY = "litellm_proxy"

_PRICES = "model_prices_and_context_window_backup.json"
# An entry may add the kind of API: `bedrock_converse`, `vertex_ai-language-models`.
_LISTED_AS = re.compile(r"(?P<provider>bedrock|vertex_ai)[_-].*")
# For names that are newer than the list.
_FAMILIES = {
    "openai": re.compile(r"(?:ft:)?(?:gpt-|chatgpt-|o\d)"),
    "anthropic": re.compile(r"claude"),
    "bedrock": re.compile(r"(?:\w+\.)?anthropic\."),
}


class Client(Protocol):
    """The interface of `models.client.Client`."""

    def prepare(self) -> None: ...
    def terms(self, model: Model) -> ModelTerms: ...
    async def complete(self, model: Model, prompt: str, timeout_s: float) -> Reply: ...
    async def close(self) -> None: ...


def messages_of(model: Model, prompt: str) -> list[dict[str, str]]:
    """The messages of a request."""
    question = {"role": "user", "content": prompt}
    if model.system_prompt is None:
        return [question]
    return [{"role": "system", "content": model.system_prompt}, question]


def sent_of(model: Model, prompt: str) -> dict[str, Any]:
    """The request as it is recorded: without keys, passwords and the values of headers."""
    return {
        "model": model.target,
        "api_base": model.api_base,
        "messages": messages_of(model, prompt),
        "params": with_headers_hidden(model.params),
    }


def holds_secrets(sent: Mapping[str, Any]) -> bool:
    """Whether a recorded request holds a key or a password, which no run records."""
    return without_secrets(sent["params"]) != sent["params"] or "@" in (sent["api_base"] or "")


def hides_headers(sent: Mapping[str, Any]) -> bool:
    """Whether header values were hidden. They may change a reply, so the key of the reply is unknown."""
    return HIDDEN in header_values(sent["params"])


def asked_model(models: Mapping[str, Model], question: Question) -> Model | None:
    """The model with the question's system prompt, and for a fake model its seed; None if the run has no such model.

    A fake model needs a different seed for each repeat and each repeated question of a search.
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
    """The estimated number of tokens sent."""
    characters = sum(len(message["content"]) for message in messages_of(model, prompt))
    return -(-characters // _CHARACTERS_PER_TOKEN)


def max_tokens_sent(model: Model, prompt: str) -> int:
    """The maximum number of tokens sent: one per byte of the messages and parameters.

    Reply limits are not counted, so that the limit that a forecast suggests does not change its own result.
    """
    messages = sum(len(message["content"].encode()) + _TOKENS_PER_MESSAGE for message in messages_of(model, prompt))
    params = {name: value for name, value in model.params.items() if name not in _REPLY_LIMITS}
    return messages + len(json.dumps(params).encode()) + _TOKENS_PER_REQUEST


def reply_limit(model: Model) -> int | None:
    """The reply limit that the request sets in tokens, or None.

    Some servers support only one of the two parameters, so the larger one counts.
    """
    limits = [limit for name in _REPLY_LIMITS if type(limit := model.params.get(name)) is int and limit > 0]
    return max(limits, default=None)


# --- providers ------------------------------------------------------------------------------------------------------


def provider_of(target: str, environ: Mapping[str, str]) -> str | None:
    """The provider that litellm chooses for a model string, or None if it is unknown."""
    if environ.get("USE_LITELLM_PROXY", "").strip().lower() == "true":
        return _PROXY
    prefix, slash, _ = target.partition("/")
    return prefix if slash else _provider_of_name(target)


def address_of(target: str, environ: Mapping[str, str]) -> tuple[str, str] | None:
    """The variable that sets the base URL of a model's provider, and the URL; None if no variable does."""
    if not any(map(_may_be_address, list(environ))):
        return None
    provider = provider_of(target, environ)
    names = () if provider is None else _address_variables(_word(provider))
    return next(((name, address) for name in names if (address := environ.get(name))), None)


def key_variable(target: str, environ: Mapping[str, str]) -> str | None:
    """The variable of the provider's key; None if the provider is unknown."""
    provider = provider_of(target, environ)
    if provider is None:
        return None
    word = _word(provider)
    return _KEYS.get(word, f"{word}_API_KEY")


def _word(provider: str) -> str:
    return _WORDS.get(provider) or re.sub(r"\W", "_", provider).upper()


def _address_variables(word: str) -> Iterator[str]:
    """In litellm's order; *_BASE_URL is read by the providers' clients."""
    yield from _ADDRESSES.get(word, ())
    yield f"{word}_API_BASE"
    yield f"{word}_BASE_URL"


def _may_be_address(name: str) -> bool:
    return name.endswith(("_API_BASE", "_BASE_URL")) or any(name in names for names in _ADDRESSES.values())


def _provider_of_name(name: str) -> str | None:
    found = _listed().get(name)
    if found is not None:
        return found
    return next((provider for provider, family in _FAMILIES.items() if family.match(name)), None)


@cache
def _listed() -> Mapping[str, str]:
    """The provider of each model name in litellm's list."""
    entries = json.loads(path.read_text(encoding="utf-8")) if (path := _list_path()) else {}
    named = ((name, entry.get("litellm_provider")) for name, entry in entries.items() if "/" not in name)
    return {name: _LISTED_AS.sub(r"\g<provider>", provider) for name, provider in named if provider}


def _list_path() -> Path | None:
    """The path of litellm's list; None if this version of litellm has none."""
    spec = find_spec("litellm")
    folders = spec.submodule_search_locations if spec is not None else None
    paths = [Path(folder) / _PRICES for folder in folders or ()]
    return next((path for path in paths if path.is_file()), None)
