"""Whom litellm asks for a model, and the variables in which it looks for that provider's address and key.

It asks nobody and does not import litellm, which costs seconds: what litellm knows of models' names stands in a file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path

# One provider under several names, and providers whose variables begin with another word than their name.
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
# What litellm looks at before (OpenAI: in another order than usual), or under a name that nobody could guess.
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
# An entry may say for what it is used: `bedrock_converse`, `vertex_ai-language-models`.
_LISTED_AS = re.compile(r"(?P<provider>bedrock|vertex_ai)[_-].*")
# Names that are newer than the list.
_FAMILIES = {
    "openai": re.compile(r"(?:ft:)?(?:gpt-|chatgpt-|o\d)"),
    "anthropic": re.compile(r"claude"),
    "bedrock": re.compile(r"(?:\w+\.)?anthropic\."),
}


def provider_of(target: str, environ: Mapping[str, str]) -> str | None:
    """Whom litellm asks for a model string; None where it would not know either, and so asks nobody."""
    if environ.get("USE_LITELLM_PROXY", "").strip().lower() == "true":
        return _PROXY
    prefix, slash, _ = target.partition("/")
    return prefix if slash else _provider_of_name(target)


def address_of(target: str, environ: Mapping[str, str]) -> tuple[str, str] | None:
    """The variable that says where the provider of a model is to be found, and what it says."""
    if not any(map(_may_be_address, list(environ))):
        return None  # nobody has to be looked up
    provider = provider_of(target, environ)
    names = () if provider is None else _address_variables(_word(provider))
    return next(((name, address) for name in names if (address := environ.get(name))), None)


def key_variable(target: str, environ: Mapping[str, str]) -> str | None:
    """The variable in which the provider's key is looked for; None where nobody knows the provider."""
    provider = provider_of(target, environ)
    if provider is None:
        return None
    word = _word(provider)
    return _KEYS.get(word, f"{word}_API_KEY")


def _word(provider: str) -> str:
    return _WORDS.get(provider) or re.sub(r"\W", "_", provider).upper()


def _address_variables(word: str) -> Iterator[str]:
    """In litellm's order. It does not know every BASE_URL; but providers' own clients do, and so whoever sets one."""
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
    """The providers of the names that litellm's list has."""
    entries = json.loads(path.read_text(encoding="utf-8")) if (path := _list_path()) else {}
    named = ((name, entry.get("litellm_provider")) for name, entry in entries.items() if "/" not in name)
    return {name: _LISTED_AS.sub(r"\g<provider>", provider) for name, provider in named if provider}


def _list_path() -> Path | None:
    """None where litellm keeps no such file any more: then families have to do."""
    spec = find_spec("litellm")
    folders = spec.submodule_search_locations if spec is not None else None
    paths = [Path(folder) / _PRICES for folder in folders or ()]
    return next((path for path in paths if path.is_file()), None)
