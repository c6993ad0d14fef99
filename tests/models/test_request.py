"""What is sent, and what makes two requests one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pytest_llmarith.models.request import asked_model, hides_headers, messages_of, sent_of
from pytest_llmarith.models.store import key_of, key_of_sent
from pytest_llmarith.values import Model, Question

MODEL = Model("m", "openai/x", {"temperature": 0, "thinking": {"a": 1, "b": 2}}, "http://h/v1", "Be brief.")
QUESTION = Question("m", "1 + 1", 0)


def test_the_system_prompt_goes_first_where_there_is_one() -> None:
    """The messages are the model's system prompt, where it has one, and the prompt; nothing is added."""
    assert messages_of(MODEL, "1 + 1") == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "1 + 1"},
    ]
    assert messages_of(Model("m", "t"), "1 + 1") == [{"role": "user", "content": "1 + 1"}]


@pytest.mark.parametrize(
    "other",
    [
        Model("m", "openai/y", MODEL.params, MODEL.api_base, MODEL.system_prompt),
        Model("m", MODEL.target, {"temperature": 1}, MODEL.api_base, MODEL.system_prompt),
        Model("m", MODEL.target, {}, MODEL.api_base, MODEL.system_prompt),
        Model("m", MODEL.target, MODEL.params, "http://other/v1", MODEL.system_prompt),
        Model("m", MODEL.target, MODEL.params, None, MODEL.system_prompt),
        Model("m", MODEL.target, MODEL.params, MODEL.api_base, None),
    ],
)
def test_everything_that_can_change_a_reply_changes_the_key(other: Model) -> None:
    """Another model, parameter, base URL or system prompt makes another key."""
    assert key_of(other, QUESTION) != key_of(MODEL, QUESTION)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            {"schema": {"properties": {"key": {"type": "string"}}}},
            {"schema": {"properties": {"key": {"type": "integer"}}}},
        ),
        (
            {"response_format": {"json_schema": {"schema": {"properties": {"key": {"const": "a"}}}}}},
            {"response_format": {"json_schema": {"schema": {"properties": {"key": {"const": "b"}}}}}},
        ),
        ({"extra_headers": {"anthropic-beta": "a"}}, {"extra_headers": {"anthropic-beta": "b"}}),
    ],
)
def test_what_only_looks_like_a_secret_changes_the_key(one: dict[str, Any], other: dict[str, Any]) -> None:
    """A property `key` of a schema, and a header whose value is written down nowhere."""
    assert key_of(Model("m", "openai/x", one), QUESTION) != key_of(Model("m", "openai/x", other), QUESTION)


@pytest.mark.parametrize(
    "question", [replace(QUESTION, prompt="1 + 2"), replace(QUESTION, trial=1), replace(QUESTION, repeat=1)]
)
def test_another_prompt_trial_or_repeat_is_another_key(question: Question) -> None:
    """Another prompt, or another trial or repeat of the same prompt, has another key."""
    assert key_of(MODEL, question) != key_of(MODEL, QUESTION)


@pytest.mark.parametrize(
    "same",
    [
        Model("another name", MODEL.target, MODEL.params, MODEL.api_base, MODEL.system_prompt),
        Model("m", MODEL.target, {"thinking": {"b": 2, "a": 1}, "temperature": 0}, MODEL.api_base, "Be brief."),
        Model("m", MODEL.target, {**MODEL.params, "api_key": "sk-1234567"}, MODEL.api_base, "Be brief."),
        Model("m", MODEL.target, MODEL.params, "http://user:password@h/v1/", MODEL.system_prompt),
    ],
)
def test_what_cannot_change_a_reply_leaves_the_key(same: Model) -> None:
    """The name of the model in this run, the order of parameters, keys, credentials and a final slash."""
    assert key_of(same, QUESTION) == key_of(MODEL, QUESTION)


def test_a_simulated_model_gets_another_seed_for_every_repeat() -> None:
    """Else it would say the same again, whatever seed somebody gave; the first time has that one. Others get none."""
    given: dict[str, Any] = {"m": None, "own": 7, "next": 8, "mistaken": "x"}
    models = {name: Model(name, "llmarith/exact", {"seed": seed} if seed else {}) for name, seed in given.items()}
    models["other"] = MODEL
    asked = {
        name: [asked_model(models, Question(name, "1 + 1", 0, repeat=repeat)) for repeat in range(3)] for name in models
    }
    assert {name: [model and model.params.get("seed") for model in each] for name, each in asked.items()} == {
        "m": [None, 1, 2],
        "own": [7, 7_000_001, 7_000_002],
        "next": [8, 8_000_001, 8_000_002],
        "mistaken": ["x", "x", "x"],  # to be refused
        "other": [None, None, None],
    }
    assert asked["m"][0] == models["m"]


def test_asked_again_is_another_question() -> None:
    """Each time that a search asks has its own reply in the store."""
    again = replace(QUESTION, before=2)
    assert key_of(MODEL, again) == key_of(MODEL, replace(QUESTION, trial=QUESTION.trial + 2)) != key_of(MODEL, QUESTION)


def test_the_key_of_a_question_never_changes() -> None:
    """With another key, no reply that is in a store would be found again."""
    assert key_of(MODEL, QUESTION) == "82efde769d6d3edf767abfbd4283c50f2b0bbb3cb40a793b0aa885726710b546"


def test_the_values_of_headers_count_and_are_not_written_down() -> None:
    """A header may change a reply, so its value is part of the key; it may be a key of its own, so it is hidden."""
    model = Model("m", "openai/x", {"extra_headers": {"X-Title": "t", "Authorization": "a"}})
    sent = {**sent_of(model, "1 + 1"), "params": {"extra_headers": {"X-Title": "t"}}}
    assert key_of(model, QUESTION) == key_of_sent(sent, 0, 0)
    assert hides_headers(sent_of(model, "1 + 1"))
    assert not hides_headers(sent)


def test_the_key_of_a_data_source_is_no_part_of_the_key() -> None:
    """However deep it stands; nor is it written down."""

    def model(**authentication: str) -> Model:
        source = {"type": "azure_search", "parameters": {"authentication": authentication}}
        return Model("m", "openai/x", {"extra_body": {"data_sources": [source]}})

    secret = model(type="api_key", key="SECRETKEY0123456789abcd")
    assert key_of(secret, QUESTION) == key_of(model(type="api_key"), QUESTION)
    assert "SECRET" not in str(sent_of(secret, "1 + 1"))


def test_what_was_sent_is_written_down_without_keys() -> None:
    """Keys, authorizing headers and passwords are left out of what is noted as sent, at any depth; headers hidden."""
    params = {"api_key": "k", "max_tokens": 5, "extra_headers": {"Authorization": "Bearer x", "X-Title": "t"}}
    params["tools"] = [{"type": "mcp", "headers": {"Authorization": "Bearer x"}}]
    assert sent_of(Model("m", "openai/x", params, "https://me:secret@h:8/v1"), "p") == {
        "model": "openai/x",
        "api_base": "https://h:8/v1",
        "messages": [{"role": "user", "content": "p"}],
        "params": {
            "max_tokens": 5,
            "extra_headers": {"X-Title": "[hidden]"},
            "tools": [{"type": "mcp", "headers": {}}],
        },
    }
