"""The door to litellm, tried on the real litellm and a real HTTP server. pytest turns warnings into errors."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from pytest_llmarith.models.client import Client
from pytest_llmarith.models.provider_errors import UnusableResponse
from pytest_llmarith.values import Model, Reply
from tests.llm_server import Answer, LlmServer, usage
from tests.models.scripted import on_loop

pytestmark = pytest.mark.filterwarnings("ignore")  # as in the broker's process


@pytest.fixture(scope="module")
def client() -> Client:
    return Client()


def ask(client: Client, answer: Answer, *, target: str = "openai/some", **model: Any) -> tuple[Reply, LlmServer]:
    with LlmServer(lambda call: answer) as server:
        params = {"api_key": "sk-test", **model.pop("params", {})}
        asked = Model("m", target, params, server.base_url, **model)
        return on_loop(client.complete(asked, "1 + 1", 30.0)), server


def test_a_reply_holds_every_fact_that_the_provider_gave(client: Client) -> None:
    """Text, reasoning, finish reason, served model, tokens, latency and date."""
    answer = Answer("42", reasoning="hm", finish_reason="stop", model="some-2025", usage=usage(7, 30, 20))
    reply, _ = ask(client, answer)
    assert (reply.text, reply.reasoning, reply.finish_reason, reply.served_model) == ("42", "hm", "stop", "some-2025")
    assert (reply.prompt_tokens, reply.completion_tokens, reply.reasoning_tokens) == (7, 30, 20)
    assert reply.latency_s is not None
    assert reply.latency_s > 0
    assert reply.asked_at is not None
    assert datetime.fromisoformat(reply.asked_at).utcoffset() is not None
    assert (reply.attempts, reply.stored) == (1, False)


def test_what_nobody_said_is_none(client: Client) -> None:
    """Usage, price and thoughts that a reply does not tell are None, and never 0."""
    reply, _ = ask(client, Answer(None, usage=None))
    assert reply.text == ""
    assert (reply.reasoning, reply.prompt_tokens, reply.completion_tokens, reply.cost_usd) == (None,) * 4


def test_a_known_price_becomes_the_cost(client: Client) -> None:
    """A reply is priced from litellm's own list, without a look at the internet."""
    reply, _ = ask(client, Answer(usage=usage(1_000_000, 0)), target="openai/gpt-4o")
    assert reply.cost_usd == pytest.approx(2.5)


@pytest.mark.parametrize("counts", [usage(-5, 3), usage(7, -5), usage(7, 3, -5), usage(10**400, 3), usage(7, 10**9)])
def test_a_count_that_is_none_is_not_believed(client: Client, counts: dict[str, Any]) -> None:
    """Nor are those beside it, nor the price: a reply must neither raise a cap nor hold the pace up for days."""
    reply, _ = ask(client, Answer("42", usage=counts), target="openai/gpt-4o")
    assert reply.text == "42"
    assert (reply.prompt_tokens, reply.completion_tokens, reply.reasoning_tokens, reply.cost_usd) == (None,) * 4


def test_only_what_was_asked_for_is_sent(client: Client) -> None:
    """What is sent is what was asked for, with no sampling parameter of anybody's own."""
    _, server = ask(client, Answer(), params={"reasoning_effort": "high"}, system_prompt="Be brief.")
    (call,) = server.requests
    assert call.body == {
        "model": "some",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "1 + 1"}],
        "reasoning_effort": "high",
    }
    assert call.headers["Authorization"] == "Bearer sk-test"


def test_what_was_sent_is_noted_without_the_key(client: Client) -> None:
    """What was sent is noted without its key, so that the record can be published."""
    reply, server = ask(client, Answer(), params={"temperature": 1})
    assert reply.sent == {
        "model": "openai/some",
        "api_base": server.base_url,
        "messages": [{"role": "user", "content": "1 + 1"}],
        "params": {"temperature": 1},
    }


def test_a_choice_that_holds_an_error_is_no_reply(client: Client) -> None:
    """OpenRouter says there what became of the provider behind it."""
    choice = {"index": 0, "message": {"role": "assistant", "content": ""}, "finish_reason": "error"}
    choice |= {"error": {"code": 502, "message": "upstream died"}}
    body = json.dumps({"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]})
    with pytest.raises(UnusableResponse, match="the provider broke the reply off: upstream died"):
        ask(client, Answer(body=body.encode()))


@pytest.mark.parametrize(
    ("said", "known"),
    [("model_length", "length"), ("LENGTH", "length"), ("max_output_tokens", "length"), ("eos", "stop")],
)
def test_a_cut_reply_is_one_by_whatever_name(client: Client, said: str, known: str) -> None:
    """What litellm does not know it calls `stop`, and half a number would be graded."""
    reply, _ = ask(client, Answer("4", finish_reason=said))
    assert (reply.text, reply.finish_reason) == ("4", known)


@pytest.mark.parametrize("odd", [5, [1], {"a": 1}])
def test_what_is_no_text_is_none(client: Client, odd: object) -> None:
    """A reply whose text is a list could be stored and never be read."""
    reply, _ = ask(client, Answer(None, message={"refusal": odd}, model=odd))  # type: ignore[arg-type]
    assert (reply.text, reply.served_model) == ("", None)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_nothing_is_tried_twice_behind_our_back(client: Client, status: int) -> None:
    """litellm and the SDK would; trying again is the broker's."""
    with LlmServer(lambda call: Answer(status=status)) as server:
        model = Model("m", "openai/some", {"api_key": "k"}, server.base_url)
        with pytest.raises(Exception, match=f"scripted {status}"):
            on_loop(client.complete(model, "1 + 1", 30.0))
        assert len(server.requests) == 1


@pytest.mark.parametrize(("key", "sent"), [(None, "Bearer none"), ("sk-of-the-tests", "Bearer sk-of-the-tests")])
def test_a_server_of_the_users_own_needs_no_key(
    client: Client, key: str | None, sent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key that is set is sent, as a proxy may want it."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    if key is not None:
        monkeypatch.setenv("OPENAI_API_KEY", key)
    with LlmServer() as server:
        reply = on_loop(client.complete(Model("m", "openai/qwen3", {}, server.base_url), "1 + 1", 30.0))
    assert reply.text == "42"
    assert [call.headers["Authorization"] for call in server.requests] == [sent]
