"""What a connection may bring, on the real litellm: no key goes to another host, no body fills the memory."""

from __future__ import annotations

import asyncio
import gzip
import json
import tracemalloc

import httpx
import pytest

from pytest_llmarith.models.client import Client
from pytest_llmarith.models.patience.causes import caused_by
from pytest_llmarith.models.patience.failures import EndlessResponse, Redirected
from pytest_llmarith.models.spending.billing import may_be_billed
from pytest_llmarith.values import Model, Reply
from tests.llm_server import Answer, Call, LlmServer

TARGETS = ["openai/some", "anthropic/claude-3-5-haiku-latest", "gemini/gemini-1.5-flash"]
KEY = "sk-planted"


@pytest.fixture(scope="module")
def client() -> Client:
    client = Client()
    client.prepare()
    return client


def ask(client: Client, server: LlmServer, target: str = "openai/some") -> Reply | Exception:
    async def asked() -> Reply:
        try:
            return await client.complete(Model("m", target, {"api_key": KEY}, server.base_url), "1 + 1", 30.0)
        finally:
            await client.close()

    try:
        return asyncio.run(asked())
    except Exception as error:
        return error


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("target", TARGETS)
def test_no_other_host_is_asked(client: Client, target: str, status: int) -> None:
    """httpx would take its key there, in every header but one; what was not asked is not billed."""
    with LlmServer() as other:
        there = f"http://localhost:{other.port}/v1"
        with LlmServer(lambda call: Answer(status=status, headers={"Location": there})) as server:
            error = ask(client, server, target)
    assert isinstance(error, Exception)
    assert str(caused_by(error, Redirected)).startswith(f"redirected to http://localhost:{other.port}, where no key")
    assert (len(server.requests), len(other.requests)) == (1, 0)
    assert not may_be_billed(error)


def test_the_same_host_may_redirect(client: Client) -> None:
    """Redirects on the same host are followed with the key, as some send them while a model works."""

    def answer(call: Call) -> Answer:
        return Answer(status=307, headers={"Location": f"/v1/{call.nth}"}) if call.nth < 4 else Answer("42")

    with LlmServer(answer) as server:
        reply = ask(client, server)
    assert isinstance(reply, Reply)
    assert reply.text == "42"
    assert [call.headers["Authorization"] for call in server.requests] == [f"Bearer {KEY}"] * 4


BODY = Answer("7" * 300_000).payload(Call("", 1, {}, {}))


@pytest.mark.parametrize(
    ("body", "encoding"), [(gzip.compress(BODY), "gzip"), (gzip.compress(BODY), "X-GZip"), (BODY, "utf-8")]
)
def test_a_packed_reply_is_a_reply(client: Client, body: bytes, encoding: str) -> None:
    """A compressed reply is read, also where a server names a way that nobody knows."""
    with LlmServer(lambda call: Answer(body=body, headers={"Content-Encoding": encoding})) as server:
        reply = ask(client, server)
    assert isinstance(reply, Reply)
    assert reply.text == "7" * 300_000
    assert server.requests[0].headers["Accept-Encoding"] == "gzip"


@pytest.mark.parametrize("target", TARGETS)
def test_a_small_body_that_holds_much_takes_no_room(client: Client, target: str) -> None:
    """A hundred kilobytes that become as many megabytes: no more than what is allowed is ever held, in few copies."""
    bomb = gzip.compress(bytes(2**27))
    with LlmServer(lambda call: Answer(body=bomb, headers={"Content-Encoding": "gzip"})) as server:
        tracemalloc.start()
        error = ask(client, server, target)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert isinstance(error, Exception)
    assert caused_by(error, EndlessResponse)
    assert most < 2**27


def test_somebody_elses_requests_are_as_they_were(client: Client) -> None:
    """A test-suite beside the benches may use httpx as it likes."""

    async def asked(url: str) -> httpx.Response:
        async with httpx.AsyncClient(follow_redirects=True) as other:
            return await other.post(url, json={"messages": []})

    with LlmServer() as elsewhere:
        there = f"http://localhost:{elsewhere.port}/v1"
        with LlmServer(lambda call: Answer(status=307, headers={"Location": there})) as server:
            response = asyncio.run(asked(server.base_url))
    assert json.loads(response.content)["choices"]
    assert len(elsewhere.requests) == 1
