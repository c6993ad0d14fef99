"""Every way to fail, through the real litellm: what it is called, and what is done about it."""

from __future__ import annotations

import asyncio
import gzip
import socket
from collections.abc import Callable
from email.utils import formatdate
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.models.client import Client
from pytest_llmarith.models.provider_errors import Diagnosis, Remedy, UnknownModel, diagnose
from pytest_llmarith.values import Model, Reply
from tests.llm_server import Answer, Gate, LlmServer
from tests.models.scripted import on_loop

pytestmark = pytest.mark.filterwarnings("ignore")  # as in the broker's process

TRY_AGAIN, GIVE_UP, STOP_RUN = Remedy.TRY_AGAIN, Remedy.GIVE_UP, Remedy.STOP_RUN
KEY = {"api_key": "sk-planted-key"}
DOCUMENT = Path(__file__).parents[2] / "docs" / "models.md"
# What is done, and whether it is done for a provider that only asks for patience.
WORDS: dict[str, tuple[Remedy | None, bool]] = {
    "try again": (TRY_AGAIN, False),
    "try again, four times as often": (TRY_AGAIN, True),
    "give up this question": (GIVE_UP, False),
    "stop the run": (STOP_RUN, False),
    "a reply": (None, False),
}
NEVER = Gate()


def documented() -> dict[str, tuple[Remedy | None, bool]]:
    """The table in docs/models.md: what comes back, what is done about it, and whether that is a throttled provider."""
    table = DOCUMENT.read_text("utf-8").partition("| what comes back | what is done |")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    return {what: WORDS[done] for what, done in rows}


@pytest.fixture(scope="module")
def client() -> Client:
    return Client()


def asking(client: Client, model: Model, timeout_s: float = 30.0) -> Reply | Diagnosis:
    """Ask, and say what came of it."""

    async def ask() -> Reply:
        async with asyncio.timeout(timeout_s):
            return await client.complete(model, "1 + 1", timeout_s)

    try:
        return on_loop(ask())
    except Exception as error:
        return diagnose(error, model, timeout_s)


def failing(client: Client, model: Model, timeout_s: float = 30.0) -> Diagnosis:
    """Ask, and say what went wrong."""
    outcome = asking(client, model, timeout_s)
    assert isinstance(outcome, Diagnosis), outcome
    return outcome


def failing_on(client: Client, answer: Answer, timeout_s: float = 30.0, target: str = "openai/some") -> Diagnosis:
    with LlmServer(lambda call: answer) as server:
        return failing(client, Model("m", target, KEY, server.base_url), timeout_s)


Case = tuple[str, Answer, str, str]


def cases(row: str, *answers: tuple[Answer, str, str]) -> list[Case]:
    """Answers that a row of the table is about, with the message and the short word for each."""
    return [(row, *answer) for answer in answers]


def scripted(status: int, symptom: str, **named: Any) -> tuple[Answer, str, str]:
    """An error of that status, which says no more than that."""
    return Answer(status=status), f"{status} {symptom}: scripted {status}", f"{status} from"


UNUSABLE = "unusable response from"
GZIP = {"Content-Encoding": "gzip"}
BOMB = gzip.compress(bytes(34_000_000))
SERVER_CASES = [
    *cases(
        "429",
        scripted(429, "RateLimitError"),
        (Answer(status=429, body=b"<html>busy"), "429 RateLimitError: <html>busy", "429 from"),
    ),
    *cases(
        "408, 409, 425",
        scripted(408, "Timeout"),
        scripted(409, "APIError"),
        scripted(425, "APIError"),
    ),
    *cases(
        "500 and above",
        scripted(500, "InternalServerError"),
        scripted(502, "BadGatewayError"),
        scripted(503, "ServiceUnavailableError"),
        scripted(524, "APIError"),
        scripted(529, "APIError"),
        (Answer(body=b'{"error": {"message": "up", "code": 502}}'), "502 BadGatewayError: up", "502 from"),
        (Answer(status=502, body=b"<html>Bad gateway"), "502 BadGatewayError: <html>Bad gateway", "502 from"),
    ),
    *cases(
        "no reply within `--llm-timeout`: silence, or a byte now and then",
        (Answer(gate=NEVER), "no reply within 1 s", "no reply from"),
        (Answer(drip_s=0.05), "no reply within 1 s", "no reply from"),
        (Answer(headers={"Content-Length": "100000"}), "no reply within 1 s", "no reply from"),
    ),
    *cases(
        "no connection, or one that breaks, even in the middle of a reply",
        (Answer(reset_after=0), "connection failed: Server disconnected", "no connection to"),
        (Answer("x" * 1000, reset_after=100), "connection failed: Response payload is not comp*", "no connection to"),
    ),
    *cases(
        "a body that is no JSON, or holds no `choices`",
        (Answer(body=b"<html>Welcome"), "the response is no JSON", UNUSABLE),
        (Answer(body=b""), "the response is no JSON", UNUSABLE),
        (Answer(status=204, body=b""), "the response is no JSON", UNUSABLE),
        (Answer(body=b"\xff\xfe\x00garbage\x80"), "the response is no JSON", UNUSABLE),
        (Answer(body=b"<" * 30_000_000), "the response is no JSON", UNUSABLE),
        (Answer(headers=GZIP), "the response cannot be inflated: *", UNUSABLE),
        (Answer(choices=0), "the response holds no choices", UNUSABLE),
        (Answer(body=b"null"), "the response cannot be read: Empty or invalid *", UNUSABLE),
        (Answer(body=b"{}"), "the response cannot be read: *'choices'*", UNUSABLE),
        (Answer(body=b'{"error": "busy"}'), "the response cannot be read: Error in response object", UNUSABLE),
    ),
    *cases(
        "redirects without end",
        (Answer(status=307, headers={"Location": "/v1"}), "connection failed: redirected 20 times", "no connection to"),
    ),
    *cases(
        "a reply that the provider broke off, as its `finish_reason` says (`error` and the like)",
        (Answer("4", finish_reason="error"), "the provider broke the reply off: error", UNUSABLE),
    ),
    *cases(
        "any other 4xx, such as a context that is too long",
        (Answer(status=400, error={"message": "bad stop"}), "400 BadRequestError: bad stop", "400 from"),
        (Answer(status=400, body=b"<html>"), "400 BadRequestError: <html>", "400 from"),
        scripted(413, "APIError"),
        scripted(422, "BadRequestError"),
    ),
    *cases(
        "a body of more than 32 MB, inflated",
        (Answer(body=b" " * 33_554_433), "the response is longer than 33,554,432 bytes", UNUSABLE),
        (Answer(body=BOMB, headers=GZIP), "the response is longer than 33,554,432 bytes", UNUSABLE),
    ),
    *cases(
        "401, 402, 403, 404",
        (Answer(status=401), "401 AuthenticationError: scripted 401; check OPENAI_API_KEY in *", "401 from"),
        scripted(402, "APIError"),
        scripted(403, "APIError"),
        (Answer(status=404, error={"message": "no `some`"}), "404 NotFoundError: no `some`", "404 from"),
    ),
    *cases(
        "a redirect to another host",
        (Answer(status=307, headers={"Location": "//[::1]:9/"}), "redirected to http://[[]::1]:9, *", UNUSABLE),
        (Answer(status=302, headers={"Location": "//a"}), "redirected to http://a, *", UNUSABLE),
    ),
    *cases(
        "an account that is exhausted, whatever the status",
        (
            Answer(status=429, error={"message": "You exceeded your current quota", "code": "insufficient_quota"}),
            "429 RateLimitError: You exceeded your current quota",
            "429 from",
        ),
    ),
    *cases(
        "no key, an unknown provider, model or host, a parameter that the model does not take",
        (
            Answer(
                status=400,
                error={"message": "invalid model ID", "type": "invalid_request_error", "code": "model_not_found"},
            ),
            "400 NotFoundError: invalid model ID",
            "400 from",
        ),
    ),
]
REPLY_ROW = "a reply that is cut at the token limit, refuses, was filtered (also as an error) or is of another model"


@pytest.mark.parametrize(("row", "answer", "message", "symptom"), SERVER_CASES)
def test_what_a_server_answers(client: Client, row: str, answer: Answer, message: str, symptom: str) -> None:
    """The table in the documents, with the message that people get to see, and its short form."""
    diagnosis = failing_on(client, answer, timeout_s=1.0 if "no reply" in message else 30.0)
    assert (diagnosis.remedy, diagnosis.throttled) == documented()[row]
    assert fnmatchcase(diagnosis.message, f"openai/some: {message}"), diagnosis.message
    assert diagnosis.symptom == f"{symptom} openai/some"


@pytest.mark.parametrize(
    ("answer", "facts"),
    [
        (Answer("12", finish_reason="length"), {"text": "12", "finish_reason": "length"}),
        (Answer(None, message={"refusal": "I cannot."}), {"text": "I cannot.", "finish_reason": "stop"}),
        (Answer("", finish_reason="content_filter"), {"text": "", "finish_reason": "content_filter"}),
        (Answer(status=400, error={"message": "no", "code": "content_filter"}), {"finish_reason": "content_filter"}),
        (Answer("42", model="another"), {"text": "42", "served_model": "another"}),
        (Answer("7" * 8_000_000), {"text": "7" * 8_000_000}),
    ],
    ids=["length", "refusal", "filtered", "filtered as an error", "another model", "huge"],
)
def test_what_is_a_reply(client: Client, answer: Answer, facts: dict[str, Any]) -> None:
    """However disappointing: the model was asked, and that is what it said."""
    with LlmServer(lambda call: answer) as server:
        reply = asking(client, Model("m", "openai/some", KEY, server.base_url))
    assert isinstance(reply, Reply)
    assert {name: getattr(reply, name) for name in facts} == facts


def test_the_table_in_the_documents_is_tested_row_by_row() -> None:
    """Nothing is promised that no test looks at, and the other way round."""
    remedies = documented()
    assert list(remedies) == [*dict.fromkeys(row for row, *_ in SERVER_CASES), "anything unforeseen", REPLY_ROW]
    assert remedies["anything unforeseen"] == (GIVE_UP, False)
    assert remedies[REPLY_ROW] == (None, False)


OTHERS = ["anthropic/claude-3-5-haiku-20241022", "gemini/gemini-2.0-flash", "mistral/mistral-small", "openrouter/x/y"]


@pytest.mark.parametrize("target", OTHERS)
@pytest.mark.parametrize(
    ("answer", "remedy", "symptom"),
    [
        (Answer(status=429, headers={"Retry-After": "7"}), TRY_AGAIN, "429 from"),
        (Answer(status=529), TRY_AGAIN, "529 from"),
        (Answer(body=b"<html>Bad gateway"), TRY_AGAIN, UNUSABLE),
        (Answer(body=b"\xff\xfe\x00garbage\x80"), TRY_AGAIN, UNUSABLE),
        (Answer(body=b"{}"), TRY_AGAIN, UNUSABLE),
        (Answer(reset_after=0), TRY_AGAIN, "no connection to"),
        (Answer(gate=NEVER), TRY_AGAIN, "no reply from"),
        (Answer(status=400, body=b"<html>"), GIVE_UP, "400 from"),
        (Answer(status=401), STOP_RUN, "401 from"),
        (Answer(status=404), STOP_RUN, "404 from"),
    ],
    ids=["429", "529", "no JSON", "no text", "nothing", "reset", "silence", "400", "401", "404"],
)
def test_other_providers_fail_alike(client: Client, target: str, answer: Answer, remedy: Remedy, symptom: str) -> None:
    """litellm has a way of its own with each of them, and gives much of what it does not understand a wrong status."""
    diagnosis = failing_on(client, answer, timeout_s=1.0 if answer.gate else 30.0, target=target)
    assert (diagnosis.remedy, diagnosis.symptom) == (remedy, f"{symptom} {target}")
    assert diagnosis.retry_after_s == (7 if answer.status == 429 else None)


def test_nobody_at_the_port_is_tried_again(client: Client) -> None:
    """A refused connection is an outage, as a server may be starting; the message names host and port."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, but nobody listens
        diagnosis = failing(client, Model("m", "openai/some", KEY, f"http://127.0.0.1:{taken.getsockname()[1]}/v1"))
    assert diagnosis.remedy is TRY_AGAIN
    assert diagnosis.message.startswith("openai/some: connection failed: Cannot connect to host 127.0.0.1:")


@pytest.mark.parametrize(("code", "remedy"), [(socket.EAI_NONAME, STOP_RUN), (socket.EAI_AGAIN, TRY_AGAIN)])
def test_an_unknown_host_stops_the_run(
    client: Client, code: int, remedy: Remedy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unknown host stops the run, but a resolver that is away for a moment does not."""

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
        (Model("m", "claude-sonnet-4-5"), "no key; set ANTHROPIC_API_KEY in the environment or in .env"),
        (Model("m", "nonsense"), "LLM Provider NOT provided"),
        (Model("m", "nonsense/some"), "LLM Provider NOT provided"),
        (Model("m", "openai/gpt-4o", {**KEY, "reasoning_effort": "high"}), "does not support parameters"),
        (Model("m", "llmarith/clever"), "there is no fake model of this name; there are exact, sloppy"),
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
        ({"Retry-After": "Fri, 31 Dec 99999 23:59:59 GMT"}, lambda seconds: seconds is None),
        ({"Retry-After": "-1"}, lambda seconds: seconds is None),
        ({}, lambda seconds: seconds is None),
    ],
)
def test_how_long_the_provider_asks_to_wait(
    client: Client, headers: dict[str, str], check: Callable[[float | None], bool]
) -> None:
    """A provider asks to wait by seconds, by milliseconds or by a date."""
    diagnosis = failing_on(client, Answer(status=429, headers=headers))
    assert check(diagnosis.retry_after_s), diagnosis


def test_google_says_in_the_body_how_long_to_wait(client: Client) -> None:
    """The retryDelay in the body of Google's errors is how long it asks to wait, as it sends no header."""
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "37.5s"}]
    error = {"code": 429, "message": "Quota exceeded", "status": "RESOURCE_EXHAUSTED", "details": details}
    answer = Answer(status=429, error=error)
    assert failing_on(client, answer, target="gemini/gemini-2.0-flash").retry_after_s == 37.5


def test_no_key_is_in_a_message(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the one that was sent, not one of the environment, not one that only looks like it."""
    monkeypatch.setenv("OTHER_API_KEY", "environmental")
    error = {"message": "wrong: sk-planted-key, environmental, sk-1234***89\x1b[2J\nBearer abc"}
    diagnosis = failing_on(client, Answer(status=401, error=error))
    assert diagnosis.message == (
        "openai/some: 401 AuthenticationError: wrong: [hidden], [hidden], [hidden] [2J Bearer [hidden]"
        "; check OPENAI_API_KEY in the environment or in .env"
    )


def test_a_password_in_the_base_url_is_in_no_message() -> None:
    """A password in a base URL is left out of messages, also where the error itself quotes it."""
    model = Model("m", "openai/x", {}, "http://me:hunter22@h/v1")
    assert "hunter22" not in diagnose(RuntimeError("cannot reach hunter22"), model, 1.0, {}).message


def test_what_nobody_foresaw_costs_one_question() -> None:
    """A mistake is not an outage: trying again would fail again."""
    diagnosis = diagnose(RuntimeError("surprise"), Model("m", "openai/x"), 1.0, {})
    assert diagnosis == Diagnosis(GIVE_UP, "openai/x: RuntimeError: surprise", "RuntimeError from openai/x")


def test_a_cause_that_is_wrapped_and_in_a_ring_is_found() -> None:
    """What an embedded model raised is found among its wrappers, even where causes form a ring."""
    inner, outer = UnknownModel("there is none"), RuntimeError("wrapped")
    outer.__cause__, inner.__context__ = inner, outer
    diagnosis = diagnose(outer, Model("m", "llmarith/x"), 1.0, {})
    assert (diagnosis.remedy, diagnosis.message) == (STOP_RUN, "llmarith/x: there is none")
