"""The provider that litellm chooses for a model, the variables that it reads, and its
list of models and prices.

The variables are those of `.env`, and those of the provider's key and base URL. The
list is read as a file, because importing litellm takes seconds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, MutableMapping
from difflib import get_close_matches
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pytest_llmarith.models.addresses import SERVERS
from pytest_llmarith.models.asking import ModelTerms
from pytest_llmarith.models.redact import header_values
from pytest_llmarith.types import Model, Price

_WITH_BATCHES = ("openai", "azure", "mistral", "xai", "hosted_vllm", "anthropic")
# The prefix of a provider's variables, if it is not the provider's name without the
# kind of API.
_PREFIXES = {
    "aiohttp_openai": "OPENAI",
    "custom_openai": "OPENAI",
    "lambda_ai": "LAMBDA",
    "meta_llama": "LLAMA",
    "scx-ai": "SCX",
}
_KIND_OF_API = re.compile(r"^text-completion-|_(?:chat|text|beta)$")
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
# Without a variable that begins so, these providers have neither key nor other address.
_NEED_A_KEY = {
    "openai": ("OPENAI_",),
    "anthropic": ("ANTHROPIC_",),
    "gemini": ("GEMINI_", "GOOGLE_"),
    "mistral": ("MISTRAL_",),
    "deepseek": ("DEEPSEEK_",),
    "groq": ("GROQ_",),
}

# An entry may add the kind of API: `bedrock_converse`, `vertex_ai-language-models`.
_LISTED_AS = re.compile(r"(?P<provider>bedrock|vertex_ai)[_-].*")
# For names that are newer than the list.
_FAMILIES = {
    "openai": re.compile(r"(?:ft:)?(?:gpt-|chatgpt-|o\d)"),
    "anthropic": re.compile(r"claude"),
    "bedrock": re.compile(r"(?:\w+\.)?anthropic\."),
}
_FILE = "model_prices_and_context_window_backup.json"
_USUAL_TIERS = (
    *("", "auto", "default", "standard", "standard_only", "on_demand"),
    *("regular", "batch"),  # a batch has a price of its own
)
# A longer prompt has another price with some models.
_LONG_PROMPT = 100_000


def dotenv_variables(path: Path) -> Mapping[str, str]:
    """The variables of a `.env` file with a value.

    Raises ValueError in one line if it cannot be read.
    """
    if not path.is_file():
        return {}
    import dotenv

    try:
        values = dotenv.dotenv_values(path)
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError:  # its message would quote a value
        raise ValueError(f"{path} cannot be read: it is not UTF-8 text") from None
    return {
        name: value for name, value in values.items() if value and "\0" not in value
    }


def with_dotenv(
    environ: Mapping[str, str], dotenv: Mapping[str, str]
) -> dict[str, str]:
    """The environment, which wins, and the variables of `.env`; an empty variable
    hides none.
    """
    return {
        **environ,
        **{
            name: value
            for name, value in dotenv.items()
            if not environ.get(name, "").strip()
        },
    }


def provider_of(target: str, environ: Mapping[str, str]) -> str | None:
    """The provider that litellm chooses for a model string, or None if unknown."""
    if environ.get("USE_LITELLM_PROXY", "").strip().lower() == "true":
        return "litellm_proxy"
    prefix, slash, _ = target.partition("/")
    if slash:
        return prefix
    if target in _providers():
        return _providers()[target]
    for provider, names in _FAMILIES.items():
        if names.match(target):
            return provider
    return None


def unknown_model(model: Model, environ: Mapping[str, str]) -> str | None:
    """Why litellm has no provider for a model, as far as its list shows; else None."""
    target = model.target
    if "/" in target or "custom_llm_provider" in model.params:
        return None
    if provider_of(target, environ):
        return None
    return f"{target}: {no_such_model(target)}"


def no_such_model(target: str) -> str:
    """That litellm knows no model of this name, and which one may be meant."""
    meant = similar_model(target)
    advice = f"did you mean {meant}? Else " if meant else ""
    return (
        f"litellm knows no such model; {advice}write PROVIDER/MODEL, or openai/MODEL "
        f"with --llm-api-base=URL"
    )


def similar_model(target: str) -> str | None:
    """The most similar name in litellm's list, in the form of the given one: of the
    same provider, or of a similar one.
    """
    prefix, slash, name = target.rpartition("/")
    names = list(listed())
    if slash:
        known = {one.partition("/")[0] for one in names if "/" in one}
        known.update(_providers().values())
        for provider in get_close_matches(prefix, known, n=1, cutoff=0.8):
            if provider != prefix:
                return f"{provider}/{name}"
        names = [
            f"{prefix}/{one}" for one, of in _providers().items() if of == prefix
        ] + [one for one in names if one.startswith(f"{prefix}/")]
    for meant in get_close_matches(target, names, n=1, cutoff=0.8):
        return meant
    return None


def address_of(target: str, environ: Mapping[str, str]) -> tuple[str, str] | None:
    """The variable that sets the base URL of a model's provider, and the URL.

    None if no variable does.
    """
    own = {name for names in _ADDRESSES.values() for name in names}
    ends = ("_API_BASE", "_BASE_URL")
    if not any(name.endswith(ends) or name in own for name in list(environ)):
        return None  # before litellm's list is read
    prefix = _prefix(target, environ)
    if prefix is None:
        return None
    # In litellm's order; *_BASE_URL is read by the providers' clients.
    names = (*_ADDRESSES.get(prefix, ()), f"{prefix}_API_BASE", f"{prefix}_BASE_URL")
    for name in names:
        address = environ.get(name)
        if address:
            return name, address
    return None


def key_variable(target: str, environ: Mapping[str, str]) -> str | None:
    """The variable of the provider's key; None if the provider is unknown."""
    prefix = _prefix(target, environ)
    return None if prefix is None else _KEYS.get(prefix, f"{prefix}_API_KEY")


def missing_key(model: Model, environ: Mapping[str, str]) -> str | None:
    """That a model's provider has no key, as far as this is certain without litellm;
    else None.
    """
    own = model.is_local or model.api_base is not None
    provider = provider_of(model.target, environ)
    if own or provider not in _NEED_A_KEY or "custom_llm_provider" in model.params:
        return None
    if any(environ[name] for name in environ if name.startswith(_NEED_A_KEY[provider])):
        return None
    variable = key_variable(model.target, environ)
    return f"{model.target}: no key; set {variable} in the environment or in .env"


def unusable_key(target: str, environ: MutableMapping[str, str]) -> str | None:
    """Why the key of a model's provider cannot be sent, or None.

    Space around it is removed, such as the line break at the end of a file.
    """
    variable = key_variable(target, environ)
    key = environ.get(variable, "") if variable else ""
    if not variable or not key:
        return None
    if key != key.strip():
        key = environ[variable] = key.strip()
    if key.isascii() and key.isprintable():
        return None
    return (
        f"the key in {variable} holds a line break or another character that cannot be "
        f"sent; set {variable} anew in the environment or in .env"
    )


def without_batches(model: Model, environ: Mapping[str, str]) -> str | None:
    """Why questions to this model cannot go into batches, or None."""
    if provider_of(model.target, environ) not in _WITH_BATCHES:
        return (
            f"{model.target} has no batches; OpenAI, Azure, Mistral, xAI, vLLM "
            f"(hosted_vllm/) and Anthropic have"
        )
    if list(header_values(model.params)):
        return (
            f"{model.target}: the requests of a batch have no headers of their "
            f"own; remove them"
        )
    if model.api_base == SERVERS:
        return f"{model.target}: a batch is sent to one server; name it alone"
    if "service_tier" in model.params:
        return f"{model.target}: a batch has a price of its own; remove service_tier"
    return None


def _prefix(target: str, environ: Mapping[str, str]) -> str | None:
    """The prefix of the provider's variables."""
    provider = provider_of(target, environ)
    if provider is None:
        return None
    if provider in _PREFIXES:
        return _PREFIXES[provider]
    name = _KIND_OF_API.sub("", provider)
    return re.sub(r"\W", "_", name).upper()


@cache
def _providers() -> Mapping[str, str]:
    """The provider of each model name in litellm's list.

    It is empty if this version of litellm has none.
    """
    found = {}
    for name, entry in listed().items():
        provider = entry.get("litellm_provider")
        if "/" not in name and provider:
            found[name] = _LISTED_AS.sub(r"\g<provider>", provider)
    return found


# --- models and prices ----------------------------------------------------------------


@cache
def listed() -> Mapping[str, Mapping[str, Any]]:
    """The entries of the list by model; empty if this version of litellm has none."""
    spec = find_spec("litellm")
    for folder in (spec and spec.submodule_search_locations) or ():
        path = Path(folder) / _FILE
        if path.is_file():
            entries: dict[str, dict[str, Any]] = json.loads(path.read_bytes())
            return entries
    return {}


def of_openai(name: str) -> Mapping[str, Any]:
    """The entry of a model of OpenAI, by its name without the provider; empty if it is
    not listed.
    """
    for key in (f"openai/{name}", name):
        entry = listed().get(key, {})
        if entry.get("litellm_provider") == "openai":
            return entry
    return {}


def tier_of(params: Mapping[str, Any]) -> str | None:
    """The separately priced service tier that a request asks for; None means the
    default price.
    """
    return _named_tier(params.get("service_tier"))


def tiers_of(params: Mapping[str, Any], served: str | None) -> set[str | None]:
    """The tiers that a request asked for and that was served, if the server says it."""
    asked = tier_of(params)
    return {asked} if served is None else {asked, _named_tier(served)}


def _named_tier(tier: Any) -> str | None:
    """The separately priced tier of this name; None means the default price."""
    if not isinstance(tier, str) or tier.lower() in _USUAL_TIERS:
        return None
    return tier.lower()


def terms_in(entry: Mapping[str, Any], tier: str | None) -> ModelTerms:
    """The terms in an entry. litellm's functions return 0 for a missing price, so the
    entry itself is read.
    """
    most = entry.get("max_output_tokens") or entry.get("max_tokens")
    batch_price = None
    if tier is None:
        batch_price = _price(entry, "batches")
    return ModelTerms(
        price=_price(entry, tier),
        batch_price=batch_price,
        usual_price=_price(entry, None),
        max_reply_tokens=most if isinstance(most, int) else None,
        reasons=bool(entry.get("supports_reasoning")),
    )


def cost_in(
    entry: Mapping[str, Any],
    tiers: Collection[str | None],
    prompt_tokens: int,
    cached_tokens: int,
    to_cache: int,
    completion_tokens: int,
) -> float | None:
    """The cost of a reply in US dollars by an entry, at the dearest of some
    tiers; None if it is unknown.
    """
    if prompt_tokens > _LONG_PROMPT and any("_above_" in name for name in entry):
        return None
    most = 0.0
    for tier in tiers:
        prompt_usd, completion_usd = _rates(entry, tier)
        if prompt_usd is None or completion_usd is None:
            return None
        cached_usd = _rate(entry, "cache_read_input_token_cost", tier)
        if cached_usd is None:
            cached_usd = prompt_usd
        to_cache_usd = _rate(entry, "cache_creation_input_token_cost", tier) or 0.0
        sent_usd = (prompt_tokens - cached_tokens) * prompt_usd
        sent_usd += cached_tokens * cached_usd
        sent_usd += to_cache * max(0.0, to_cache_usd - prompt_usd)
        cost_usd = sent_usd + completion_tokens * completion_usd
        if not cost_usd:
            return None  # a price of 0 means that there is none
        most = max(most, cost_usd)
    return most


def _price(entry: Mapping[str, Any], tier: str | None) -> Price | None:
    prompt_usd, completion_usd = _rates(entry, tier)
    if prompt_usd is None or completion_usd is None:
        return None
    # Of a few models, reasoning costs more.
    reasoning_usd = _rate(entry, "output_cost_per_reasoning_token", None)
    if reasoning_usd is not None:
        completion_usd = max(completion_usd, reasoning_usd)
    return Price(prompt_usd * 1e6, completion_usd * 1e6)


def _rates(
    entry: Mapping[str, Any], tier: str | None
) -> tuple[float | None, float | None]:
    prompt_usd = _rate(entry, "input_cost_per_token", tier)
    completion_usd = _rate(entry, "output_cost_per_token", tier)
    return prompt_usd, completion_usd


def _rate(entry: Mapping[str, Any], name: str, tier: str | None) -> float | None:
    """US dollars per token."""
    usd = entry.get(f"{name}_{tier}" if tier else name)
    return usd if isinstance(usd, int | float) else None
