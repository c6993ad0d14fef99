"""The door to litellm, tried on the real litellm and a real HTTP server. pytest turns warnings into errors."""

from __future__ import annotations

import ast
import asyncio
import gc
import json
import os
import subprocess
import sys
import threading
from collections.abc import Coroutine
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

import pytest

from pytest_llmarith.models.client import Client
from pytest_llmarith.models.patience.failures import Remedy, UnusableResponse, diagnose
from pytest_llmarith.values import Model, Reply
from tests.llm_server import Answer, LlmServer, usage

T = TypeVar("T")


@pytest.fixture(scope="module")
def client() -> Client:
    client = Client()
    client.prepare()
    return client


def run(client: Client, work: Coroutine[Any, Any, T]) -> T:
    async def and_close() -> T:
        try:
            return await work
        finally:
            await client.close()

    return asyncio.run(and_close())


def ask(client: Client, answer: Answer, *, target: str = "openai/some", **model: Any) -> tuple[Reply, LlmServer]:
    with LlmServer(lambda call: answer) as server:
        params = {"api_key": "sk-test", **model.pop("params", {})}
        asked = Model("m", target, params, server.base_url, **model)
        return run(client, client.complete(asked, "1 + 1", 30.0)), server


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


def test_an_unknown_price_is_none_even_of_a_known_model_without_usage(client: Client) -> None:
    """Without usage the cost of a reply is unknown, even at a known price."""
    reply, _ = ask(client, Answer(usage=None), target="openai/gpt-4o")
    assert reply.cost_usd is None


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


@pytest.mark.parametrize("finish_reason", ["length", "content_filter"])
def test_cut_and_filtered_replies_are_replies(client: Client, finish_reason: str) -> None:
    """A reply that was cut or filtered is kept with its finish reason, as it measures the model."""
    reply, _ = ask(client, Answer("4", finish_reason=finish_reason))
    assert (reply.text, reply.finish_reason) == ("4", finish_reason)


@pytest.mark.parametrize("finish_reason", ["error", "network_error", "insufficient_system_resource", "abort", "ERROR"])
def test_a_reply_that_the_provider_broke_off_is_none(client: Client, finish_reason: str) -> None:
    """It comes with status 200 and half a text, which says nothing about the model."""
    with pytest.raises(UnusableResponse, match=f"the provider broke the reply off: {finish_reason}"):
        ask(client, Answer("4", finish_reason=finish_reason))


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


def test_a_refusal_is_what_the_model_said(client: Client) -> None:
    """A refusal in a field of its own is the text of the reply."""
    reply, _ = ask(client, Answer(None, message={"refusal": "I will not."}))
    assert reply.text == "I will not."


@pytest.mark.parametrize("odd", [5, [1], {"a": 1}])
def test_what_is_no_text_is_none(client: Client, odd: object) -> None:
    """A reply whose text is a list could be stored and never be read."""
    reply, _ = ask(client, Answer(None, message={"refusal": odd}, model=odd))  # type: ignore[arg-type]
    assert (reply.text, reply.served_model) == ("", None)


@pytest.mark.parametrize("code", ["content_filter", "content_policy_violation"])
def test_a_content_filter_that_comes_as_an_error_is_a_reply(client: Client, code: str) -> None:
    """Some providers say 400 where others say finish_reason."""
    error = {"message": "The response was filtered due to the content management policy.", "code": code}
    reply, _ = ask(client, Answer(status=400, error=error))
    assert (reply.text, reply.finish_reason, reply.cost_usd) == ("", "content_filter", None)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_nothing_is_tried_twice_behind_our_back(client: Client, status: int) -> None:
    """litellm and the SDK would; trying again is the broker's."""
    with LlmServer(lambda call: Answer(status=status)) as server:
        model = Model("m", "openai/some", {"api_key": "k"}, server.base_url)
        with pytest.raises(Exception, match=f"scripted {status}"):
            run(client, client.complete(model, "1 + 1", 30.0))
        assert len(server.requests) == 1


def test_a_failure_leaves_alone_what_others_parse_meanwhile(client: Client, request: pytest.FixtureRequest) -> None:
    """The traceback that litellm makes of a failure once made a SystemError of what pytest parsed meanwhile."""

    def let_others_run(*event: object) -> None:
        sum(range(200))

    request.addfinalizer(partial(sys.setswitchinterval, sys.getswitchinterval()))
    request.addfinalizer(partial(gc.set_threshold, *gc.get_threshold()))
    request.addfinalizer(partial(gc.callbacks.remove, let_others_run))
    gc.callbacks.append(let_others_run)
    gc.set_threshold(50)
    sys.setswitchinterval(1e-6)

    def fail() -> None:
        for _ in range(5):
            with pytest.raises(Exception, match="out of order"):
                ask(client, Answer(status=500, error={"message": "out of order"}))

    asking = threading.Thread(target=fail)
    asking.start()
    while asking.is_alive():
        ast.parse("x = [" + "f(a, b)[0] + 1, " * 300 + "]")


def test_an_embedded_model_takes_the_same_way(client: Client) -> None:
    """An embedded model is asked through litellm like any other, and has no price."""
    reply = run(client, client.complete(Model("m", "llmarith/exact"), "Compute:\n   12 + 30", 30.0))
    assert (reply.text, reply.finish_reason, reply.served_model) == ("42", "stop", "llmarith/exact")
    assert reply.prompt_tokens
    assert reply.cost_usd is None


def test_the_temperature_reaches_an_embedded_model(client: Client) -> None:
    """Hot enough, it errs where it does not at 0; other parameters make no difference to it."""

    def replied(**params: object) -> str:
        return run(client, client.complete(Model("m", "llmarith/sloppy", params), "   987654 * 456789", 30.0)).text

    assert replied(temperature=0) != replied(temperature=2) == replied(temperature=2, top_p=0.5)


@pytest.mark.parametrize("temperature", ["hot", -1, 3, True])
def test_a_temperature_that_is_none_stops_the_run(client: Client, temperature: object) -> None:
    """Every question would fare the same; one line says what is taken."""
    model = Model("m", "llmarith/sloppy", {"temperature": temperature})
    with pytest.raises(Exception, match="temperature") as caught:
        run(client, client.complete(model, "   12 * 30", 30.0))
    diagnosis = diagnose(caught.value, model, 30.0)
    assert diagnosis.remedy is Remedy.STOP_RUN
    assert "the temperature is a number from 0 to 2" in diagnosis.message


def test_one_client_serves_one_loop_after_the_other(client: Client) -> None:
    """Connections belong to a loop and are closed with it."""
    for _ in range(3):
        assert ask(client, Answer("42"))[0].text == "42"


STRICT = """
import asyncio, sys
from pytest_llmarith.models.client import Client
from pytest_llmarith.models.patience.failures import Remedy, UnusableResponse, diagnose
from pytest_llmarith.values import Model

async def main(client):
    real = Model("m", "openai/some", {"api_key": "sk-test"}, sys.argv[1])
    for prompt in ["a", "b", "odd", "bad"]:
        try:
            await asyncio.gather(*[client.complete(real, prompt, 30.0) for _ in range(5)])
        except Exception as error:
            assert "scripted 500" in str(error), error
    await client.complete(Model("m", "llmarith/exact"), "1 + 1", 30.0)
    await client.close()
    assert len(asyncio.all_tasks()) == 1, asyncio.all_tasks()

client = Client()
assert "litellm" not in sys.modules
client.prepare()
asyncio.run(main(client))
"""


def test_nothing_is_printed_warned_of_or_left_behind() -> None:
    """Every warning an error, asyncio's debug mode on: not a word on stdout or stderr, no task left.

    Not even where a paid reply holds what pydantic warns of.
    """
    answers = {"bad": Answer(status=500), "odd": Answer("4", message={"refusal": {"a": 1}})}
    with LlmServer(lambda call: answers.get(call.prompt, Answer())) as server:
        environ = {**os.environ, "PYTHONASYNCIODEBUG": "1"}
        command = [sys.executable, "-W", "error", "-c", STRICT, server.base_url]
        process = subprocess.run(command, capture_output=True, text=True, env=environ, check=False)
    quiet = "\n".join(line for line in process.stderr.splitlines() if not line.startswith("Executing <"))
    assert (process.returncode, process.stdout, quiet) == (0, "", "")


@pytest.mark.parametrize(("key", "sent"), [(None, "Bearer none"), ("sk-of-the-tests", "Bearer sk-of-the-tests")])
def test_a_server_of_the_users_own_needs_no_key(
    client: Client, key: str | None, sent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key that is set is sent, as a proxy may want it."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    if key is not None:
        monkeypatch.setenv("OPENAI_API_KEY", key)
    with LlmServer() as server:
        reply = asyncio.run(client.complete(Model("m", "openai/qwen3", {}, server.base_url), "1 + 1", 30.0))
    assert reply.text == "42"
    assert [call.headers["Authorization"] for call in server.requests] == [sent]
