"""Batches of each provider, on the real litellm and a real HTTP server."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from msgspec import structs

from pytest_llmarith.models.asking import Transport
from pytest_llmarith.models.batch_providers import (
    BatchProvider,
    BatchState,
    Unclear,
    Undecided,
    batch_provider,
    row_of,
)
from pytest_llmarith.models.client import Client
from pytest_llmarith.models.litellm_client import LitellmClient
from pytest_llmarith.models.provider_errors import Action, diagnose, may_be_done
from pytest_llmarith.models.reservations import Batch
from pytest_llmarith.types import Model
from tests.batch_server import MISREAD, BatchServer, Made, message, times
from tests.llm_server import Answer, Call, LlmServer, usage

pytestmark = pytest.mark.filterwarnings("ignore")  # as in the broker's process

PROMPT = 'Say "1 + 1", \\n and Ω.'


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as opened:
        yield opened


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI", "ANTHROPIC", "MISTRAL", "XAI", "AZURE"):
        monkeypatch.setenv(f"{name}_API_KEY", f"sk-{name}-of-the-tests")


def answer(call: Call) -> Answer:
    said = Answer(
        "2", reasoning="thoughts", usage=usage(70, 30, 20), model="served-2026"
    )
    return (
        said
        if "claude" not in call.body["model"]
        else Answer(body=json.dumps(message(said, call)).encode())
    )


@pytest.mark.proof
@pytest.mark.parametrize(
    ("target", "params"),
    [
        (
            "openai/gpt-4o-mini",
            {"temperature": 0, "seed": 7, "extra_body": {"top_k": 3}},
        ),
        ("openai/o4-mini", {"reasoning_effort": "high", "max_tokens": 2000}),
        ("azure/my-deployment", {"max_tokens": 20, "api_version": "2025-01-01"}),
        (
            "hosted_vllm/Qwen/Qwen3-8B",
            {"extra_body": {"chat_template_kwargs": {"enable_thinking": False}}},
        ),
        ("mistral/mistral-small-latest", {"temperature": 0.5}),
        ("xai/grok-4", {"max_tokens": 100}),
        (
            "anthropic/claude-haiku-4-5",
            {"reasoning_effort": "high", "max_tokens": 9000},
        ),
        ("claude-opus-4-5", {"reasoning_effort": "medium"}),
    ],
)
@pytest.mark.parametrize("system", [None, "Be brief."])
def test_a_row_is_a_single_request(
    runner: asyncio.Runner, target: str, params: dict[str, Any], system: str | None
) -> None:
    """The body of a row is that of the single request, and the same body of a response
    gives the same reply.
    """
    client = Client(transport=Transport.LITELLM)
    with BatchServer(answer) as server:
        model = Model("m", target, params, server.base_url, system)
        single = runner.run(client.complete(model, PROMPT, 30.0))
        (sent,) = server.requests
        for _ in range(2):  # the second is made of the first
            path, body = client.body(model, PROMPT)
            assert json.loads(body) == sent.body
            assert ("messages" in path) == ("claude" in target)
        assert client.body(model, f" {PROMPT}")[1] != body
    row = client.read(model, json.loads(answer(sent).payload(sent)))
    assert structs.replace(row, cost_usd=None) == structs.replace(
        single, cost_usd=None, latency_s=None, in_flight=None, asked_at=None, sent=None
    )


LIKE_OPENAI = [
    "openai/gpt-4o-mini",
    "azure/mine",
    "hosted_vllm/Qwen/Qwen3-8B",
    "xai/grok-4",
    "mistral/mistral-small",
]
TARGETS = [*LIKE_OPENAI, "anthropic/claude-haiku-4-5"]


def opened(target: str, server: LlmServer) -> tuple[BatchProvider, Model]:
    params = {"max_tokens": 9} | (
        {"api_version": "2025-01-01"} if "azure" in target else {}
    )
    model = Model(target, target, params, server.base_url)
    return batch_provider(LitellmClient(), model), model


def batch_of(model: Model, made: Made, intent: str = "1" * 32) -> Batch:
    return Batch(intent, model, "2026-11-23", 0.0, None, len(made.calls))


async def created(
    provider: BatchProvider, model: Model, intent: str = "1" * 32, key: str = "k1"
) -> BatchState:
    _, body = Client().body(model, "1 + 1")
    uploaded = await provider.upload(model, [provider.line(key, body)])
    return await provider.create(model, intent, uploaded)


@pytest.mark.proof
@pytest.mark.parametrize("target", TARGETS)
def test_the_life_of_a_batch(runner: asyncio.Runner, target: str) -> None:
    """From its upload to its rows, and back to it without its id, unless litellm cannot
    list a provider's batches.
    """
    with BatchServer(answer) as server:
        provider, model = opened(target, server)
        state = runner.run(created(provider, model))
        (made,) = server.made
        assert (state.id, state.ended) == (made.id, False)
        state = runner.run(provider.state(model, made.id))
        assert (state.ended, state.done) == (True, 1)
        content = runner.run(provider.result(model, state, state.results[0]))
        row = row_of(content)
        assert row is not None
        assert (row.key, row.error) == ("k1", None)
        if "mistral" in target:
            with pytest.raises(Unclear):
                runner.run(provider.find(batch_of(model, made), ["k1"], []))
        else:
            assert (
                runner.run(provider.find(batch_of(model, made), ["k1"], [])) == made.id
            )
        if "mistral" not in target:
            runner.run(provider.cancel(model, made.id))
            assert made.end == "cancelled"
            state = runner.run(provider.state(model, made.id))
            assert runner.run(provider.result(model, state, state.results[0])) != b""


@pytest.mark.parametrize(
    "target", ["hosted_vllm/Qwen/Qwen3-8B", "anthropic/claude-haiku-4-5"]
)
def test_a_batch_without_metadata_is_found_by_its_questions(
    runner: asyncio.Runner, target: str
) -> None:
    """Batches that have not ended are waited for; those of other questions and sizes,
    and known ones are not.
    """
    with BatchServer(answer) as server:
        provider, model = opened(target, server)
        for key in ("k1", "k2", "k3"):
            runner.run(created(provider, model, key=key))
        first, second, third = server.made
        for made in server.made:
            made.metadata, made.polls = {}, 9
        batch = batch_of(model, second)
        with pytest.raises(Undecided, match=r"^3 batches"):
            runner.run(provider.find(batch, ["k2"], []))
        first.polls = third.polls = 0
        with pytest.raises(Undecided, match=r"^1 batches"):
            runner.run(provider.find(batch, ["k2"], []))
        assert runner.run(provider.find(batch, ["k2"], [second.id])) is None
        second.polls = 0
        with pytest.raises(Unclear, match=r"^2 batches"):
            runner.run(provider.find(batch, ["k2", "k3"], []))
        assert runner.run(provider.find(batch, ["k2"], [])) == second.id
        assert runner.run(provider.find(batch, ["k4"], [])) is None
        second.created_at -= 14 * 86_400  # by a wrong clock
        assert runner.run(provider.find(batch, ["k2"], [])) == second.id


@pytest.mark.parametrize("target", ["openai/gpt-4o-mini", "xai/grok-4"])
def test_a_batch_is_found_among_the_batches_of_others(
    runner: asyncio.Runner, target: str
) -> None:
    """The server lists two on a page."""
    with BatchServer(answer) as server:
        provider, model = opened(target, server)
        for number in range(5):
            runner.run(created(provider, model, f"{number}" * 32))
        for number, made in enumerate(server.made):
            assert (
                runner.run(
                    provider.find(batch_of(model, made, f"{number}" * 32), ["k1"], [])
                )
                == made.id
            )
        assert (
            runner.run(provider.find(batch_of(model, made, "9" * 32), ["k1"], []))
            is None
        )


@pytest.mark.parametrize(
    "target",
    ["openai/gpt-4o-mini", "azure/mine", "xai/grok-4", "anthropic/claude-haiku-4-5"],
)
def test_a_batch_may_exist_if_the_list_has_no_second_page(
    runner: asyncio.Runner, target: str
) -> None:
    """As Azure's through litellm.

    A list without the batch is then no proof that it was not created.
    """
    with BatchServer(answer) as server:
        server.ignores_after = target != "azure/mine"
        provider, model = opened(target, server)
        for number in range(3):
            runner.run(created(provider, model, f"{number}" * 32))
        if "claude" not in target:
            assert (
                runner.run(
                    provider.find(batch_of(model, server.made[2], "2" * 32), ["k1"], [])
                )
                == server.made[2].id
            )
        with pytest.raises(Unclear, match="repeat"):
            runner.run(
                provider.find(batch_of(model, server.made[0], "0" * 32), ["k1"], [])
            )


@pytest.mark.parametrize("target", TARGETS)
def test_an_id_is_no_path(runner: asyncio.Runner, target: str) -> None:
    with BatchServer(answer) as server:
        provider, model = opened(target, server)
        with pytest.raises(Exception, match="no such batch"):
            runner.run(provider.state(model, "../batches?x=1#y"))


@pytest.mark.proof
@pytest.mark.parametrize("target", TARGETS)
def test_an_answer_that_cannot_be_read(runner: asyncio.Runner, target: str) -> None:
    """All calls are retried after all answers; only the content of results is judged by
    what it lacks.
    """
    with BatchServer(answer) as server:
        provider, model = opened(target, server)
        made = runner.run(created(provider, model))
        uploaded = (
            b'{"requests": []}' if "claude" in target else next(iter(server._files))
        )
        results = "results" if "claude" in target else f"output-{made.id}"
        calls: dict[str, Callable[[], Any]] = {
            "upload": lambda: provider.upload(model, [b"{}"]),
            "create": lambda: provider.create(model, "2" * 32, uploaded),
            "list": lambda: provider.listed(model, None),
            "poll": lambda: provider.state(model, made.id),
            "download": lambda: provider.result(model, made, results),
        }
        if "claude" in target:
            del calls["upload"]  # it sends nothing
        if "mistral" in target:
            del calls["list"]
        if "xai" in target:
            del calls["download"]  # its pages are read by litellm
        for event, call in calls.items():
            for name, fault in MISREAD.items():
                if event == "download" and name != "bad gzip":
                    continue
                if (
                    "xai" in target
                    and event == "list"
                    and name in ("no fields", "an error")
                ):
                    continue  # litellm reads them as an empty list
                server.alter = times(math.inf, event, fault)
                try:
                    runner.run(call())
                    found = None
                except Exception as error:
                    found = diagnose(error, model, 30.0).action
                assert (event, name, found) == (event, name, Action.RETRY)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "fault",
    [
        Answer(reset_after=0),
        *(Answer(status=code) for code in (500, 400, 409, 422, 429)),
        Answer(body=b"{}"),
    ],
)
def test_a_creation_is_sent_once(
    runner: asyncio.Runner, target: str, fault: Answer
) -> None:
    """Whatever its fate, as the batch may exist. litellm and its SDKs would send it
    again.
    """
    with LlmServer(lambda call: fault) as server:
        provider, model = opened(target, server)
        uploaded = b"{}" if "claude" in target else "file-1"
        with pytest.raises(Exception) as caught:  # noqa: PT011
            runner.run(provider.create(model, "1" * 32, uploaded))
        assert len(server.requests) == 1
        assert may_be_done(caught.value)


@pytest.mark.parametrize("other_transport", [False, True])
@pytest.mark.parametrize("target", TARGETS)
def test_a_connection_that_is_closed_without_an_answer(
    runner: asyncio.Runner,
    target: str,
    other_transport: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With httpx as its transport, litellm would send the request again to xAI and
    Mistral.
    """
    monkeypatch.setenv("DISABLE_AIOHTTP_TRANSPORT", str(other_transport))
    count = 0

    async def close(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal count
        count += b"POST" in await reader.readuntil(b"\r\n\r\n")
        writer.close()

    async def run() -> None:
        async with await asyncio.start_server(close, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            model = Model(
                target,
                target,
                {"api_version": "2025-01-01"},
                f"http://127.0.0.1:{port}/v1",
            )
            with pytest.raises(Exception) as caught:  # noqa: PT011, PT012
                provider = batch_provider(LitellmClient(), model)
                await provider.create(
                    model, "1" * 32, b"{}" if "claude" in target else "file-1"
                )
            assert may_be_done(caught.value)

    runner.run(run())
    assert count == 1


@pytest.mark.parametrize(
    ("completed", "said", "lacking"),
    [(True, 5, 4), (False, 5, 2), (False, 2, 0), (False, None, 1)],
)
def test_how_many_rows_results_lack(
    completed: bool, said: int | None, lacking: int
) -> None:
    """By the number of replies that the provider counts, if it counts any.

    A damaged line is none of them.
    """
    state = BatchState("b", True, 9, completed=completed, replies=said)
    assert state.lacking(without=4, replies=3, damaged=1) == lacking
