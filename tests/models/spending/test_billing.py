"""Which failures may have cost something, through the real litellm."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest

from pytest_llmarith.models.client import Client
from pytest_llmarith.models.spending.billing import may_be_billed
from pytest_llmarith.values import Model
from tests.llm_server import Answer, Gate, LlmServer

KEY = {"api_key": "sk-test"}


@pytest.fixture(scope="module")
def client() -> Client:
    client = Client()
    client.prepare()
    return client


def failure_of(client: Client, model: Model, timeout_s: float = 30.0) -> BaseException:
    async def ask() -> BaseException:
        try:
            await client.complete(model, "1 + 1", timeout_s)
        except Exception as error:
            return error
        finally:
            await client.close()
        raise AssertionError("there was a reply")

    return asyncio.run(ask())


@pytest.mark.parametrize("provider", ["openai", "hosted_vllm"])
@pytest.mark.parametrize(
    ("answer", "billed"),
    [
        *((Answer(status=status), False) for status in (400, 401, 404, 408, 429, 500, 503)),
        (Answer(choices=0), True),
        (Answer(body=b"<html>hello"), True),
        (Answer(reset_after=0), True),
        (Answer("x" * 1000, reset_after=100), True),
        (Answer(gate=Gate()), True),
    ],
)
def test_what_a_server_answers(client: Client, provider: str, answer: Answer, billed: bool) -> None:
    """A status says that nothing was done; whatever breaks off later may have been done."""
    with LlmServer(lambda call: answer) as server:
        timeout_s = 0.2 if answer.gate else 30.0
        error = failure_of(client, Model("m", f"{provider}/some", KEY, server.base_url), timeout_s)
    assert may_be_billed(error) is billed


def test_who_was_not_reached_bills_nothing(client: Client) -> None:
    """A provider that was not reached bills nothing, and neither does litellm for what it refuses itself."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, but nobody listens
        base = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        assert not may_be_billed(failure_of(client, Model("m", "openai/some", KEY, base)))
    assert not may_be_billed(failure_of(client, Model("m", "openai/gpt-4o", {**KEY, "reasoning_effort": "high"})))


@pytest.mark.parametrize(
    "model",
    [
        Model("m", "openai/some"),
        Model("m", "gpt-4o"),
        Model("m", "anthropic/claude-sonnet-4-5"),
        Model("m", "gemini/gemini-2.5-flash"),
        Model("m", "nonsense"),
        Model("m", "nonsense/some"),
        Model("m", "llmarith/clever"),
        Model("m", "openai/some", KEY, "http://nowhere.invalid/v1"),
        Model("m", "openai/some", {"api_key": "sk-\N{EURO SIGN}"}, "http://127.0.0.1:9/v1"),
    ],
    ids=lambda model: model.target,
)
def test_what_never_left_bills_nothing(client: Client, monkeypatch: pytest.MonkeyPatch, model: Model) -> None:
    """Without a key, a provider, a model, a host or a header that can be written, there is nothing to bill."""

    def resolve(*args: Any, **kwargs: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "no such host")

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    assert not may_be_billed(failure_of(client, model))


def test_a_request_that_was_cut_off_may_be_billed() -> None:
    """A request that was cancelled may be billed, as our own time limit comes as a cancellation."""
    assert may_be_billed(asyncio.CancelledError())
