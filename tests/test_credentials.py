"""How keys are named, and where in a request they stand."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_llmarith.credentials import (
    header_values,
    is_secret,
    secrets_among,
    secrets_refused,
    texts_in,
    with_headers_hidden,
    without_secrets,
)

SCHEMA = {"type": "object", "properties": {"key": {"type": "string", "const": "a"}, "token": {"default": "b"}}}


@pytest.mark.parametrize(
    "name",
    [
        *("api_key", "OPENAI_API_KEY", "Authorization", "token", "aws_secret", "X-Api-Key", "X-Auth", "apiKey"),
        *("Ocp-Apim-Subscription-Key", "accessKey", "azure_ad_token", "aws_secret_access_key", "idtoken", "key"),
        *("vertex_credentials", "DB_PASSWORD", "Set-Cookie", "Proxy-Authorization"),
    ],
)
def test_names_of_secrets(name: str) -> None:
    """Parameters, headers and variables."""
    assert is_secret(name)


@pytest.mark.parametrize(
    "name", ["max_tokens", "max_completion_tokens", "keyboard", "monkey", "author", "reasoning_effort", "top_k"]
)
def test_names_of_other_things(name: str) -> None:
    """Hiding these would lose what was sent."""
    assert not is_secret(name)


@pytest.mark.parametrize(
    ("params", "left"),
    [
        ({"api_key": "a", "temperature": 0}, {"temperature": 0}),
        ({"vertex_credentials": {"type": "service_account"}}, {}),
        ({"extra_headers": {"Authorization": "a", "X-Title": "t"}}, {"extra_headers": {"X-Title": "t"}}),
        ({"extra_query": {"key": 1, "version": 2}}, {"extra_query": {"version": 2}}),
        ({"extra_body": {"token": ["a"], "top_k": 1}}, {"extra_body": {"top_k": 1}}),
        ({"tools": [{"headers": {"X-Auth": "a"}}, [{"token": "b"}], 1]}, {"tools": [{"headers": {}}, [{}], 1]}),
        ({"tools": [{"type": "mcp", "authorization": ["Bearer a"]}]}, {"tools": [{"type": "mcp"}]}),
        ({"extra_body": {"parameters": {"api_key": "a"}}}, {"extra_body": {"parameters": {}}}),
        ({"extra_body": {"provider": {"credentials": {"user": "a"}}}}, {"extra_body": {"provider": {}}}),
        ({"mock": {"credentials": {"user": "a"}, "n": 1}}, {"mock": {"n": 1}}),
        ({"response_format": {"schema": {"api_key": "a"}}}, {"response_format": {"schema": {}}}),
        ({"extra_body": {"properties": {"token": "a", "key": ["b"]}}}, {"extra_body": {"properties": {}}}),
        ({"properties": {"x": {"default": {"token": "a"}}}}, {"properties": {"x": {"default": {}}}}),
        ({"properties": {"properties": {"token": {"a": 1}}}}, {"properties": {"properties": {}}}),
        ({"properties": [{"token": {"a": 1}}]}, {"properties": [{}]}),
    ],
)  # fmt: skip
def test_secrets_are_left_out(params: dict[str, Any], left: dict[str, Any]) -> None:
    """At every depth, whatever they are; only what is directly below `properties`, and a schema, is a word."""
    assert without_secrets(params) == left
    assert bool([*secrets_among(params)]) is (left != params)


@pytest.mark.parametrize(
    "params",
    [
        {"response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": SCHEMA}}},
        {"tools": [{"type": "function", "function": {"name": "f", "parameters": SCHEMA}}]},
        {"tools": [{"name": "f", "input_schema": SCHEMA}]},
        {"extra_body": {"guided_json": SCHEMA}},
        {"extra_body": {"properties": {"key": True, "properties": SCHEMA}}},
    ],
)
def test_a_word_of_a_schema_is_no_secret(params: dict[str, Any]) -> None:
    """What a model may write is the user's to name; without it two requests would look the same."""
    assert without_secrets(params) == params
    assert [*secrets_among(params)] == []


def test_the_name_of_a_cache_is_no_secret() -> None:
    """Nobody is kept from sending it; it changes no reply, and so is left out."""
    assert [*secrets_among({"prompt_cache_key": "a"})] == []
    assert [*secrets_refused({"prompt_cache_key": "a"})] == []
    assert without_secrets({"prompt_cache_key": "a"}) == {}


def test_the_key_of_a_data_source_is_sent() -> None:
    """No variable could hold it. It is a secret like any other; its neighbours are not taken at all."""
    params = {"extra_body": {"data_sources": [{"parameters": {"authentication": {"type": "api_key", "key": "a"}}}]}}
    assert [*secrets_refused(params)] == []
    assert [*secrets_among(params)] == [("key", "a")]
    assert [*secrets_refused({"authentication": {"access_token": "a"}, "key": "b"})] == ["access_token", "key"]


def test_headers_are_hidden_with_their_names_shown() -> None:
    """They are where keys are, under whatever name."""
    params = {"extra_headers": {"X-Proxy": "a", "X-Auth": "b"}, "tools": [{"headers": {"n": [1]}}], "user": "me"}
    assert with_headers_hidden(params) == {
        "extra_headers": {"X-Proxy": "[hidden]"},
        "tools": [{"headers": {"n": "[hidden]"}}],
        "user": "me",
    }
    assert [*header_values(params)] == ["a", "b"]


def test_all_texts_of_a_value() -> None:
    """All texts within a value are found, whichever lists and objects hold them."""
    assert [*texts_in({"a": ["b", {"c": "d", "e": 1}], "f": "g"})] == ["b", "d", "g"]
