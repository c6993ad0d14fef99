"""Every way to fail, through the real litellm: what it is called, and what is done about it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from email.utils import formatdate
from typing import Any

import pytest

from pytest_llmarith.models.client import Client
from pytest_llmarith.models.failures import Diagnosis, Remedy, UnknownModel, diagnose, is_filtered
from pytest_llmarith.values import Model, Reply
from tests.llm_server import Answer, Gate, LlmServer

TRY_AGAIN, GIVE_UP, STOP_RUN = Remedy.TRY_AGAIN, Remedy.GIVE_UP, Remedy.STOP_RUN
KEY = {"api_key": "sk-planted-key"}


@pytest.fixture(scope="module")
def client() -> Client:
    client = Client()
    client.prepare()
    return client


def failing(client: Client, model: Model, timeout_s: float = 30.0) -> Diagnosis:
    """Ask, and say what went wrong."""

    async def ask() -> Reply:
        try:
            return await client.complete(model, "1 + 1", timeout_s)
        finally:
            await client.close()

    try:
        reply = asyncio.run(ask())
    except Exception as error:
        return diagnose(error, model, timeout_s)
    raise AssertionError(reply)


def failing_on(client: Client, answer: Answer, timeout_s: float = 30.0) -> Diagnosis:
    with LlmServer(lambda call: answer) as server:
        return failing(client, Model("m", "openai/some", KEY, server.base_url), timeout_s)


@pytest.mark.parametrize(
    ("answer", "remedy", "message"),
    [
        (Answer(status=408), TRY_AGAIN, "408 Timeout: scripted 408"),
        (Answer(status=409), TRY_AGAIN, "409 APIError: scripted 409"),
        (Answer(status=429), TRY_AGAIN, "429 RateLimitError: scripted 429"),
        (Answer(status=500), TRY_AGAIN, "500 InternalServerError: scripted 500"),
        (Answer(status=502), TRY_AGAIN, "502 BadGatewayError: scripted 502"),
        (Answer(status=503), TRY_AGAIN, "503 ServiceUnavailableError: scripted 503"),
        (Answer(status=529), TRY_AGAIN, "529 APIError: scripted 529"),
        (Answer(choices=0), TRY_AGAIN, "the response holds no choices"),
        (Answer(body=b"<html>Bad gateway"), TRY_AGAIN, "the response is no JSON"),
        (Answer(body=b""), TRY_AGAIN, "the response is no JSON"),
        (Answer(body=b'{"error": {"message": "upstream", "code": 502}}'), TRY_AGAIN, "502 BadGatewayError: upstream"),
        (Answer(reset_after=0), TRY_AGAIN, "connection failed: Server disconnected"),
        (Answer(status=400, error={"message": "bad stop"}), GIVE_UP, "400 BadRequestError: bad stop"),
        (Answer(status=413), GIVE_UP, "413 APIError: scripted 413"),
        (Answer(status=422), GIVE_UP, "422 BadRequestError: scripted 422"),
        (Answer(status=401), STOP_RUN, "401 AuthenticationError: scripted 401"),
        (Answer(status=402), STOP_RUN, "402 APIError: scripted 402"),
        (Answer(status=403), STOP_RUN, "403 APIError: scripted 403"),
        (
            Answer(status=404, error={"message": "The model `some` does not exist"}),
            STOP_RUN,
            "404 NotFoundError: The model `some` does not exist",
        ),
    ],
)
def test_what_a_server_answers(client: Client, answer: Answer, remedy: Remedy, message: str) -> None:
    """The table of the module, row by row."""
    assert failing_on(client, answer) == Diagnosis(remedy, f"openai/some: {message}")


def test_a_prompt_that_is_too_long_is_this_questions_own_fault(client: Client) -> None:
    """The provider's words say by how much."""
    error = {"message": "This model's maximum context length is 10 tokens.", "code": "context_length_exceeded"}
    diagnosis = failing_on(client, Answer(status=400, error=error))
    assert diagnosis.remedy is GIVE_UP
    assert diagnosis.message.endswith("This model's maximum context length is 10 tokens.")


def test_a_quota_that_is_used_up_stops_the_run(client: Client) -> None:
    """It is a 429 that no waiting cures."""
    error = {"message": "You exceeded your current quota", "code": "insufficient_quota"}
    assert failing_on(client, Answer(status=429, error=error)).remedy is STOP_RUN


def test_a_reset_in_the_middle_of_a_body_is_tried_again(client: Client) -> None:
    """Half a reply is no reply."""
    diagnosis = failing_on(client, Answer("x" * 1000, reset_after=100))
    assert diagnosis.remedy is TRY_AGAIN
    assert diagnosis.message.startswith("openai/some: connection failed: Response payload is not completed")


def test_silence_is_a_timeout(client: Client) -> None:
    """The message names the limit that was passed."""
    diagnosis = failing_on(client, Answer(gate=Gate()), timeout_s=0.2)
    assert diagnosis == Diagnosis(TRY_AGAIN, "openai/some: no reply within 0.2 s")


def test_nobody_at_the_port_is_tried_again(client: Client) -> None:
    """A server may be starting."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, but nobody listens
        diagnosis = failing(client, Model("m", "openai/some", KEY, f"http://127.0.0.1:{taken.getsockname()[1]}/v1"))
    assert diagnosis.remedy is TRY_AGAIN
    assert diagnosis.message.startswith("openai/some: connection failed: Cannot connect to host 127.0.0.1:")


@pytest.mark.parametrize(("code", "remedy"), [(socket.EAI_NONAME, STOP_RUN), (socket.EAI_AGAIN, TRY_AGAIN)])
def test_an_unknown_host_stops_the_run(
    client: Client, code: int, remedy: Remedy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But a resolver that is away for a moment does not."""

    def resolve(*args: Any, **kwargs: Any) -> Any:
        raise socket.gaierror(code, "cannot resolve")

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    diagnosis = failing(client, Model("m", "openai/some", KEY, "http://nowhere.invalid/v1"))
    assert diagnosis.remedy is remedy
    assert "nowhere.invalid" in diagnosis.message


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (Model("m", "openai/some"), "no key; set OPENAI_API_KEY in the environment or in .env"),
        (
            Model("m", "anthropic/claude-3-5-haiku-20241022"),
            "no key; set ANTHROPIC_API_KEY in the environment or in .env",
        ),
        (Model("m", "nonsense"), "LLM Provider NOT provided"),
        (Model("m", "nonsense/some"), "LLM Provider NOT provided"),
        (Model("m", "openai/gpt-4o", {**KEY, "reasoning_effort": "high"}), "does not support parameters"),
        (Model("m", "llmarith/clever"), "there is no embedded model of this name; there are exact, sloppy"),
    ],
)
def test_what_litellm_refuses_by_itself_stops_the_run(client: Client, model: Model, words: str) -> None:
    """No key, no such provider, a parameter that the model does not take: every question would fare the same."""
    diagnosis = failing(client, model)
    assert diagnosis.remedy is STOP_RUN
    assert diagnosis.message.startswith(f"{model.target}: ")
    assert words in diagnosis.message


@pytest.mark.parametrize(
    ("headers", "check"),
    [
        ({"Retry-After": "7"}, lambda seconds: seconds == 7),
        ({"retry-after-ms": "1500"}, lambda seconds: seconds == 1.5),
        ({"Retry-After": formatdate(4_000_000_000)}, lambda seconds: seconds > 86400),
        ({"Retry-After": formatdate(0)}, lambda seconds: seconds == 0),
        ({"Retry-After": "soon"}, lambda seconds: seconds is None),
        ({"Retry-After": "-1"}, lambda seconds: seconds is None),
        ({}, lambda seconds: seconds is None),
    ],
)
def test_how_long_the_provider_asks_to_wait(
    client: Client, headers: dict[str, str], check: Callable[[float | None], bool]
) -> None:
    """Seconds, milliseconds or a date."""
    diagnosis = failing_on(client, Answer(status=429, headers=headers))
    assert check(diagnosis.retry_after_s), diagnosis


def test_no_key_is_in_a_message(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the one that was sent, not one of the environment, not one that only looks like it."""
    monkeypatch.setenv("OTHER_API_KEY", "environmental")
    error = {"message": "wrong: sk-planted-key, environmental, sk-1234***89\x1b[2J\nBearer abc"}
    diagnosis = failing_on(client, Answer(status=401, error=error))
    assert diagnosis.message == (
        "openai/some: 401 AuthenticationError: wrong: [hidden], [hidden], [hidden] [2J Bearer [hidden]"
    )


def test_a_password_in_the_base_url_is_in_no_message() -> None:
    """Whatever quotes it."""
    model = Model("m", "openai/x", {}, "http://me:hunter22@h/v1")
    assert "hunter22" not in diagnose(RuntimeError("cannot reach hunter22"), model, 1.0, {}).message


def test_what_nobody_foresaw_costs_one_question() -> None:
    """A mistake is not an outage: trying again would fail again."""
    diagnosis = diagnose(RuntimeError("surprise"), Model("m", "openai/x"), 1.0, {})
    assert diagnosis == Diagnosis(GIVE_UP, "openai/x: RuntimeError: surprise")


def test_a_cause_that_is_wrapped_and_in_a_ring_is_found() -> None:
    """litellm wraps what an embedded model raises."""
    inner, outer = UnknownModel("there is none"), RuntimeError("wrapped")
    outer.__cause__, inner.__context__ = inner, outer
    assert diagnose(outer, Model("m", "llmarith/x"), 1.0, {}) == Diagnosis(STOP_RUN, "llmarith/x: there is none")


def test_only_a_filter_is_a_filter() -> None:
    """Another bad request stays a failure."""
    error = RuntimeError("content_filter is an unknown parameter")
    assert not is_filtered(error)
