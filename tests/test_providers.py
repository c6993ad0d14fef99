"""Whom litellm asks for a model, and where it looks for that provider's address: what we say of it is what it does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.providers import address_of, key_variable, provider_of

THERE = "http://there.example/v1"


@pytest.mark.parametrize(
    ("target", "provider"),
    [
        ("gpt-4o-mini", "openai"),
        ("o4-mini", "openai"),
        ("ft:gpt-4o:mine::1", "openai"),
        ("claude-sonnet-4-5", "anthropic"),
        ("gemini-2.5-flash", "vertex_ai"),
        ("anthropic.claude-99-v1:0", "bedrock"),
        ("gpt-99", "openai"),
        ("claude-99", "anthropic"),
        ("openai/claude-sonnet-4-5", "openai"),
        ("openrouter/anthropic/claude-sonnet-4-5", "openrouter"),
        ("qwen3-14b", None),
    ],
)
def test_the_provider_of_a_model(target: str, provider: str | None) -> None:
    """The word before the first slash, or else whose model it is; nobody's is nobody's."""
    assert provider_of(target, {}) == provider


def test_everything_goes_to_litellms_proxy_where_that_is_wished() -> None:
    """litellm has a switch for it, and the proxy's key is for the proxy alone."""
    environ = {"USE_LITELLM_PROXY": "True", "OPENAI_BASE_URL": THERE, "LITELLM_PROXY_API_BASE": "http://proxy:4000"}
    assert address_of("gpt-4o", environ) == ("LITELLM_PROXY_API_BASE", "http://proxy:4000")


@pytest.mark.parametrize(
    ("target", "variable"),
    [
        ("gpt-4o-mini", "OPENAI_BASE_URL"),
        ("custom_openai/mine", "OPENAI_API_BASE"),
        ("claude-sonnet-4-5", "ANTHROPIC_API_BASE"),
        ("anthropic/claude-sonnet-4-5", "ANTHROPIC_BASE_URL"),
        ("together_ai/some", "TOGETHER_AI_API_BASE"),
        ("fireworks_ai/some", "FIREWORKS_API_BASE"),
        ("huggingface/some/model", "HF_API_BASE"),
        ("nano-gpt/some", "NANO_GPT_BASE_URL"),
    ],
)
def test_the_address_of_a_provider(target: str, variable: str) -> None:
    """It stands in a variable of this provider's, under the names that litellm looks for."""
    assert address_of(target, {variable: THERE}) == (variable, THERE)


@pytest.mark.parametrize("target", ["claude-sonnet-4-5", "anthropic/claude-sonnet-4-5", "groq/some", "qwen3-14b"])
def test_the_address_of_another_provider_is_nobodys(target: str) -> None:
    """Another provider's address is not used, else a key would go to a server that it is none of."""
    assert address_of(target, {"OPENAI_BASE_URL": THERE, "OPENAI_API_BASE": THERE, "MISTRAL_API_BASE": THERE}) is None


def test_the_first_address_counts() -> None:
    """In litellm's order, which differs between providers; an empty variable says nothing."""
    openai = {"OPENAI_API_BASE": "http://second/v1", "OPENAI_BASE_URL": "http://first/v1"}
    assert address_of("gpt-4o", openai) == ("OPENAI_BASE_URL", "http://first/v1")
    assert address_of("gpt-4o", openai | {"OPENAI_BASE_URL": ""}) == ("OPENAI_API_BASE", "http://second/v1")
    anthropic = {"ANTHROPIC_BASE_URL": "http://second", "ANTHROPIC_API_BASE": "http://first"}
    assert address_of("claude-sonnet-4-5", anthropic) == ("ANTHROPIC_API_BASE", "http://first")


@pytest.mark.parametrize(
    ("target", "variable"),
    [
        ("gpt-4o", "OPENAI_API_KEY"),
        ("claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
        ("cohere_chat/command-r", "COHERE_API_KEY"),
        ("huggingface/some/model", "HF_TOKEN"),
        ("qwen3-14b", None),
    ],
)
def test_the_variable_of_a_key(target: str, variable: str | None) -> None:
    """A provider's key stands in the variable that people are told to set."""
    assert key_variable(target, {}) == variable


def test_litellm_is_not_imported() -> None:
    """Its list of names is read, which takes a hundredth of the time."""
    code = "import sys, pytest_llmarith.providers as p; print(p.provider_of('claude-sonnet-4-5', {}), *sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert said[0] == "anthropic"
    assert "litellm" not in said


@pytest.fixture(scope="module")
def litellm() -> Any:
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import litellm
    litellm.suppress_debug_info = True
    return litellm


@pytest.mark.proof
def test_litellm_asks_nobody_else(litellm: Any) -> None:
    """Of all the names in its list, it asks the provider that we name, or it refuses."""

    def asked(name: str) -> str | None:
        try:
            return str(litellm.get_llm_provider(name)[1])
        except litellm.BadRequestError:
            return None

    asked_of_names = {name: asked(name) for name in litellm.model_cost if "/" not in name}
    wrong = {
        name: (provider, ours)
        for name, provider in asked_of_names.items()
        if provider is not None and (ours := provider_of(name, {})) != provider
        and {provider, ours} != {"ai21", "ai21_chat"}  # one house under two names
    }  # fmt: skip
    assert len(asked_of_names) > 500
    assert wrong == {}


@pytest.mark.proof
def test_every_address_that_litellm_obeys_is_known(litellm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever its own code reads from a variable, for whichever provider: we know the same address."""
    root = Path(litellm.__file__).parent
    sources = [root / "litellm_core_utils" / "get_llm_provider_logic.py", *(root / "llms").rglob("*.py")]
    sources += (root / "llms").rglob("*.json")
    pattern = re.compile(r"""["']([A-Z][A-Z0-9_]*_(?:API_BASE|BASE_URL|ENDPOINT|URL|HOST))["']""")
    variables = {name for path in sources for name in pattern.findall(path.read_text(encoding="utf-8"))}
    log_in = {"github_copilot", "chatgpt"}  # asking for their address begins to log in
    unknown, obeyed = set(), 0
    for variable in sorted(variables):
        with monkeypatch.context() as local:
            local.setenv(variable, THERE)
            for provider in {str(getattr(one, "value", one)) for one in litellm.provider_list} - log_in:
                if THERE in (_base_of(litellm, f"{provider}/some") or ""):
                    obeyed += 1
                    known = address_of(f"{provider}/some", {variable: THERE})
                    unknown |= set() if known else {(provider, variable)}
    assert obeyed > 50
    assert unknown == set()


def _base_of(litellm: Any, target: str) -> str | None:
    try:
        base: str | None = litellm.get_llm_provider(target)[3]
    except Exception:  # it wants more than a name for some
        return None
    return base
