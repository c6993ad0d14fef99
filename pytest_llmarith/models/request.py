"""What is sent to a model and to whom, how it may be written down, and about how many tokens it has.

litellm, which takes seconds to import, is not needed: what it knows of models' names is in a file.
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

_SEEDS = 1_000_000  # more than there are repeats and times
_REPEATS = 1_000  # as many as there may be

_CHARACTERS_PER_TOKEN = 4  # of the prompts of the benches, with the tokenizers of gpt-4o and Claude: 4.0 to 4.5
_REPLY_LIMITS = ("max_completion_tokens", "max_tokens")
_TOKENS_PER_MESSAGE = 16  # tokens that name the role of a message
_TOKENS_PER_REQUEST = 128  # tokens of the lines that a server's chat template adds

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
# What litellm looks at before (OpenAI: in another order than usual), or under another name.
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


class Client(Protocol):
    """What models are asked through; `models.client.Client` in a run."""

    def prepare(self) -> None: ...
    def terms(self, model: Model) -> ModelTerms: ...
    async def complete(self, model: Model, prompt: str, timeout_s: float) -> Reply: ...
    async def close(self) -> None: ...


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
        "api_base": model.api_base,
        "messages": messages_of(model, prompt),
        "params": with_headers_hidden(model.params),
    }


def holds_secrets(sent: Mapping[str, Any]) -> bool:
    """Whether a request that was written down holds a key or a password, which no run writes down."""
    return without_secrets(sent["params"]) != sent["params"] or "@" in (sent["api_base"] or "")


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


# --- providers ------------------------------------------------------------------------------------------------------


def provider_of(target: str, environ: Mapping[str, str]) -> str | None:
    """The provider that litellm asks for a model string; None if litellm would not know it either."""
    if environ.get("USE_LITELLM_PROXY", "").strip().lower() == "true":
        return _PROXY
    prefix, slash, _ = target.partition("/")
    return prefix if slash else _provider_of_name(target)


def address_of(target: str, environ: Mapping[str, str]) -> tuple[str, str] | None:
    """The variable with the base URL of a model's provider, and the URL."""
    if not any(map(_may_be_address, list(environ))):
        return None
    provider = provider_of(target, environ)
    names = () if provider is None else _address_variables(_word(provider))
    return next(((name, address) for name in names if (address := environ.get(name))), None)


def key_variable(target: str, environ: Mapping[str, str]) -> str | None:
    """The variable in which the provider's key is looked for; None if the provider is not known."""
    provider = provider_of(target, environ)
    if provider is None:
        return None
    word = _word(provider)
    return _KEYS.get(word, f"{word}_API_KEY")


def _word(provider: str) -> str:
    return _WORDS.get(provider) or re.sub(r"\W", "_", provider).upper()


def _address_variables(word: str) -> Iterator[str]:
    """In litellm's order. It does not know every BASE_URL, but the providers' own clients do."""
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
    """None if litellm has no such file any more: then only families of names are known."""
    spec = find_spec("litellm")
    folders = spec.submodule_search_locations if spec is not None else None
    paths = [Path(folder) / _PRICES for folder in folders or ()]
    return next((path for path in paths if path.is_file()), None)
