"""No key gets out, and what is no key stays; where litellm looks for a provider's key
and address.
"""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.models.providers import address_of, key_variable, provider_of
from pytest_llmarith.models.redact import (
    header_values,
    hide_keys,
    is_secret,
    leaked_variable,
    one_line,
    refused_secrets,
    texts_in,
    with_headers_hidden,
    without_known_keys,
)

THERE = "http://there.example/v1"


def test_names_of_secrets() -> None:
    secrets = "api_key OPENAI_API_KEY Authorization token aws_secret X-Api-Key X-Auth apiKey accessKey key idtoken"
    secrets += " Ocp-Apim-Subscription-Key azure_ad_token vertex_credentials DB_PASSWORD Set-Cookie"
    others = "max_tokens max_completion_tokens keyboard monkey author reasoning_effort top_k prompt_cache_key"
    assert [name for name in secrets.split() if not is_secret(name)] == []
    assert [name for name in others.split() if is_secret(name)] == []


def test_secrets_in_parameters_are_refused_at_every_depth() -> None:
    params = {
        "tools": [{"headers": {"X-Auth": "a"}}, [{"token": "b"}], 1],
        "extra_body": {"top_k": 1, "key": ["a"]},
    }
    assert {*refused_secrets(params)} == {"X-Auth", "token", "key"}
    assert [
        *refused_secrets({"extra_headers": {"X-Title": "t"}, "temperature": 0})
    ] == []


def test_headers_are_hidden_with_their_names_shown() -> None:
    params = {
        "extra_headers": {"X-Proxy": "a"},
        "tools": [{"headers": {"n": ["b", 1]}}],
        "user": "me",
    }
    assert with_headers_hidden(params) == {
        "extra_headers": {"X-Proxy": "[hidden]"},
        "tools": [{"headers": {"n": "[hidden]"}}],
        "user": "me",
    }
    assert [*header_values(params)] == ["a", "b"]
    assert [*texts_in({"a": ["b", {"c": "d", "e": 1}], "f": "g"})] == ["b", "d", "g"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "Incorrect API key provided: sk-abc123def.",
            "Incorrect API key provided: [hidden]",
        ),
        ("key sk-proj-ab***********xyz is wrong", "key [hidden] is wrong"),
        (
            "Authorization: Bearer abc.def-123, next",
            "Authorization: Bearer [hidden], next",
        ),
        (
            "GET https://h/v1?key=AIzaSyA1234567890&alt=sse",
            "GET https://h/v1?key=[hidden]&alt=sse",
        ),
        ("at http://user:pass@host:1/v1", "at http://[hidden]@host:1/v1"),
        (
            "{'api_key': 'abcdef'} X-Api-Key: 12345",
            "{'api_key': '[hidden]'} X-Api-Key: [hidden]",
        ),
        (
            "gsk_abcd1234 and xai-abcd1234 and hf_abcd1234",
            "[hidden] and [hidden] and [hidden]",
        ),
        ("plain words, tok123456 at /home/me", "[hidden], [hidden] at /home/me"),
        (
            "the task-force asked for risk-free sk, max_tokens: 5",
            "the task-force asked for risk-free sk, max_tokens: 5",
        ),
    ],
)
def test_keys_in_messages_are_hidden(text: str, shown: str) -> None:
    environ = {
        "MY_API_KEY": "plain words",
        "HF_TOKEN": "tok123456",
        "HOME": "/home/me",
        "SOME_KEY": "a",
    }
    assert hide_keys(text, environ) == shown


def test_a_message_is_one_bounded_line() -> None:
    line = one_line("bad\n\tthing \x1b[31mred\x07\u202e " + "x " * 100_000, {})
    assert line.startswith("bad thing [31mred x x x")
    assert (len(line), line.isprintable()) == (300, True)
    key = "plain0key0that0is0not0known"
    for spaces in range(19_950, 20_010, 7):
        line = one_line(f"no: {' ' * spaces}{key} and more", {"MY_API_KEY": key})
        assert line in (
            "no:",
            "no: [hidden] and more",
            "no: [hidden]",
            "no: [hidden] and",
        )


@given(st.text(), st.integers(0, 500))
def test_a_key_is_hidden_wherever_it_stands(around: str, before: int) -> None:
    assert "q7w8e9" not in one_line(
        "x" * before + "q7w8e9r1t2y3" + around, {"A_KEY": "q7w8e9r1t2y3"}
    )


@pytest.mark.parametrize(
    ("name", "secret", "is_hidden"),
    [
        *(
            ("PASSWORD", text, False)
            for text in ("1234567890" * 4, "postgres", "a1" * 7 + "a", "two words " * 9)
        ),
        *(
            ("PASSWORD", text, True)
            for text in ("sk-proj-0123456789", "a1" * 8, "0" * 15 + "f", "a\n1" * 8)
        ),
        *(
            ("OPENAI_API_KEY", text, True)
            for text in ("abcdefghijklmnop", "sk-correct-horse-battery")
        ),
        *(
            ("proxy_token", text, False)
            for text in ("1234567890" * 4, "abcdefghijklmno", "1,234,567,890,123,456")
        ),
    ],
)
def test_what_is_taken_out_of_a_reply(name: str, secret: str, is_hidden: bool) -> None:
    """A reply is graded: of what a variable calls a secret, only what can be no answer
    is taken out of it.
    """
    shown = "[hidden]" if is_hidden else secret
    assert (
        without_known_keys(f"It is {secret}.", {f"SOME_{name}": secret})
        == f"It is {shown}."
    )


def test_the_variable_of_a_key_is_known() -> None:
    environ = {
        "SOME_API_KEY": "hunter2hunter2",
        "A_TOKEN": "short",
        "B_KEY": "1234567890",
        "SHELL": "word",
    }
    assert leaked_variable("it is hunter2hunter2!", environ) == "SOME_API_KEY"
    assert [
        leaked_variable(text, environ)
        for text in ("hunter2", "short", "1234567890", "a word")
    ] == [None] * 4


# --- providers ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "provider", "key", "address"),
    [
        ("gpt-4o-mini", "openai", "OPENAI_API_KEY", "OPENAI_BASE_URL"),
        ("ft:gpt-4o:mine::1", "openai", "OPENAI_API_KEY", "OPENAI_API_BASE"),
        ("claude-sonnet-4-5", "anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_API_BASE"),
        ("claude-99", "anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
        (
            "gemini-2.5-flash",
            "vertex_ai",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "VERTEX_API_BASE",
        ),
        (
            "anthropic.claude-99-v1:0",
            "bedrock",
            "AWS_BEARER_TOKEN_BEDROCK",
            "AWS_BEDROCK_RUNTIME_ENDPOINT",
        ),
        (
            "openrouter/anthropic/claude-sonnet-4-5",
            "openrouter",
            "OPENROUTER_API_KEY",
            "OPENROUTER_API_BASE",
        ),
        ("cohere_chat/command-r", "cohere_chat", "COHERE_API_KEY", "COHERE_API_BASE"),
        ("huggingface/some/model", "huggingface", "HF_TOKEN", "HF_API_BASE"),
        ("nano-gpt/some", "nano-gpt", "NANO_GPT_API_KEY", "NANO_GPT_BASE_URL"),
        ("qwen3-14b", None, None, None),
    ],
)
def test_the_provider_of_a_model(
    target: str, provider: str | None, key: str | None, address: str | None
) -> None:
    """The word before the first slash, or else by litellm's list; another provider's
    address is not used.
    """
    assert provider_of(target, {}) == provider
    assert key_variable(target, {}) == key
    assert (
        address_of(target, {"GROQ_API_BASE": THERE, "MISTRAL_API_BASE": THERE}) is None
    )
    if address is not None:
        assert address_of(target, {address: THERE, "GROQ_API_BASE": "other"}) == (
            address,
            THERE,
        )


def test_the_first_address_counts() -> None:
    """In litellm's order, which differs between providers; an empty variable says
    nothing; its proxy gets all.
    """
    openai = {
        "OPENAI_API_BASE": "http://second/v1",
        "OPENAI_BASE_URL": "http://first/v1",
    }
    assert address_of("gpt-4o", openai) == ("OPENAI_BASE_URL", "http://first/v1")
    assert address_of("gpt-4o", openai | {"OPENAI_BASE_URL": ""}) == (
        "OPENAI_API_BASE",
        "http://second/v1",
    )
    anthropic = {
        "ANTHROPIC_BASE_URL": "http://second",
        "ANTHROPIC_API_BASE": "http://first",
    }
    assert address_of("claude-sonnet-4-5", anthropic) == (
        "ANTHROPIC_API_BASE",
        "http://first",
    )
    proxy = {
        "USE_LITELLM_PROXY": "True",
        "OPENAI_BASE_URL": THERE,
        "LITELLM_PROXY_API_BASE": "http://proxy:4000",
    }
    assert address_of("gpt-4o", proxy) == (
        "LITELLM_PROXY_API_BASE",
        "http://proxy:4000",
    )


@pytest.mark.proof
def test_litellm_asks_no_other_provider_and_obeys_no_other_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of all names in its list, and of all variables that its own code names."""
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import litellm
    litellm.suppress_debug_info = True

    def asked(target: str) -> tuple[str, str] | None:
        """The provider and the address that litellm asks; None if it refuses."""
        try:
            _, provider, _, address = litellm.get_llm_provider(target)
        except Exception:  # it wants more than a name for some
            return None
        return str(provider), address or ""

    found = {
        name: one[0]
        for name in litellm.model_cost
        if "/" not in name and (one := asked(name))
    }
    wrong = {
        name
        for name, provider in found.items()
        if provider != provider_of(name, {}) and "ai21" not in provider
    }
    assert (len(found) > 500, wrong) == (True, set())
    root = Path(litellm.__file__).parent
    sources = [
        root / "litellm_core_utils" / "get_llm_provider_logic.py",
        *(root / "llms").rglob("*.py"),
    ]
    sources += (root / "llms").rglob("*.json")
    pattern = re.compile(
        r"""["']([A-Z][A-Z0-9_]*_(?:API_BASE|BASE_URL|ENDPOINT|URL|HOST))["']"""
    )
    log_in = {"github_copilot", "chatgpt"}  # asking for their address begins to log in
    targets = [
        f"{one}/some"
        for one in {str(getattr(one, "value", one)) for one in litellm.provider_list}
        - log_in
    ]
    obeyed, unknown = 0, set()
    for variable in {
        name
        for path in sources
        for name in pattern.findall(path.read_text(encoding="utf-8"))
    }:
        with monkeypatch.context() as local:
            local.setenv(variable, THERE)
            for target in targets:
                if (one := asked(target)) and THERE in one[1]:
                    obeyed += 1
                    unknown |= (
                        set()
                        if address_of(target, {variable: THERE})
                        else {(target, variable)}
                    )
    assert (obeyed > 50, unknown) == (True, set())


def test_a_key_that_is_a_part_of_another_one_leaves_nothing_of_it() -> None:
    environ = {"A_TOKEN": "correct-horse", "B_TOKEN": "correct-horse-battery-staple"}
    text = "It is correct-horse-battery-staple."
    assert hide_keys(text, environ) == "It is [hidden]."
    assert without_known_keys(text, environ) == "It is [hidden]."


def test_the_list_of_models_comes_before_the_family_of_a_name() -> None:
    assert provider_of("gpt-3.5-turbo-instruct", {}) == "text-completion-openai"
