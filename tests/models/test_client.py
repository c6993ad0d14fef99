"""The client on the real litellm and a real HTTP server: what is sent, what a reply
holds, and every way to fail.

A server of one's own is asked directly and through litellm, and both outcomes must be
equal but for times.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import socket
import subprocess
import sys
from dataclasses import replace
from datetime import datetime
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.models.broker import Broker
from pytest_llmarith.models.client import Client
from pytest_llmarith.models.error_bodies import Refused, refusal
from pytest_llmarith.models.provider_errors import (
    Action,
    Diagnosis,
    EndlessResponse,
    NoConnection,
    NotSent,
    Redirected,
    diagnose,
)
from pytest_llmarith.models.store import RunStore
from pytest_llmarith.records import Reply, Request
from pytest_llmarith.types import (
    Failure,
    Message,
    Model,
    Question,
    RequestLimits,
    StoreMode,
)
from tests.llm_server import Answer, Call, Gate, LlmServer, usage
from tests.models.asked import ROWS, Asked, of

pytestmark = pytest.mark.filterwarnings("ignore")  # as in the broker's process

RETRY, GIVE_UP, STOP_RUN = Action.RETRY, Action.GIVE_UP, Action.STOP_RUN
DOCUMENT = Path(__file__).parents[2] / "docs" / "models.md"
GZIP = {"Content-Encoding": "gzip"}
NEVER = Gate()


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in ("OPENAI", "ANTHROPIC", "GEMINI", "OPENROUTER", "XAI"):
        monkeypatch.setenv(f"{provider}_API_KEY", "sk-planted-key")


# --- replies --------------------------------------------------------------------------


def test_a_reply_holds_every_fact_that_the_provider_gave(asked: Asked) -> None:
    answer = Answer("42", reasoning="hm", model="some-2025", usage=usage(7, 30, 20))
    reply, server = asked.server(answer, params={"temperature": 1})
    assert reply.text == "42"
    assert reply.reasoning == "hm"
    assert reply.finish_reason == "stop"
    assert reply.served_model == "some-2025"
    assert reply.prompt_tokens == 7
    assert reply.completion_tokens == 30
    assert reply.reasoning_tokens == 20
    assert reply.latency_s > 0
    assert reply.attempts == 1
    assert not reply.stored
    assert reply.cost_usd is None
    assert datetime.fromisoformat(reply.asked_at).utcoffset() is not None
    assert reply.sent == Request(
        "openai/some", server.base_url, [Message("user", "1 + 1")], {"temperature": 1}
    )


def test_only_what_was_asked_for_is_sent(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No sampling parameter of the plugin's; a server of the user's own needs no key,
    and gets one that is set.
    """
    params = {"reasoning_effort": "high"}
    for key in ("sk-planted-key", "none"):
        _, server = asked.server(Answer(), params=params, system_prompt="Be brief.")
        for call in server.requests:
            assert call.body == {
                "model": "some",
                "messages": [
                    {"role": "system", "content": "Be brief."},
                    {"role": "user", "content": "1 + 1"},
                ],
                "reasoning_effort": "high",
            }
            assert call.headers["Authorization"] == f"Bearer {key}"
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.mark.parametrize(
    "answer",
    [
        Answer(None, usage=None),
        *(
            Answer("", usage=counts)
            for counts in (
                usage(-5, 3),
                usage(7, 3, -5),
                usage(10**400, 3),
                usage(7, 10**9),
            )
        ),
        Answer(None, message={"refusal": [1]}, model=5, usage=None),  # type: ignore[arg-type]
        Answer("", usage=None, more={"usage": []}),
        Answer("", usage=None, more={"usage": ""}),
    ],
)
def test_what_the_provider_did_not_say_is_none(asked: Asked, answer: Answer) -> None:
    """Never 0; a count that is absurd is not believed, nor those beside it, nor the
    price.
    """
    reply, _ = asked.server(answer, "openai/gpt-4o")
    assert (reply.text, reply.reasoning) == ("", None)
    assert (
        reply.prompt_tokens,
        reply.completion_tokens,
        reply.reasoning_tokens,
        reply.cost_usd,
    ) == (None,) * 4


RATE = {"predicted_n": 25, "predicted_ms": 250.0, "predicted_per_second": 100.0}
TIMINGS = {"cache_n": 60, "prompt_n": 8, "prompt_ms": 40.0, **RATE}
METRICS = {"time_to_first_token_ms": 40.0, "tokens_per_second": 100.0}
TIMES = {"queue_time": 0.01, "prompt_time": 0.03, "completion_time": 0.25}
DURATIONS = {
    "load_duration": 10_000_000,
    "prompt_eval_duration": 30_000_000,
    "eval_count": 25,
    "eval_duration": 250_000_000,
}


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Answer(more={"timings": TIMINGS}), id="llama.cpp"),
        pytest.param(Answer(more={"metrics": METRICS}), id="vLLM"),
        pytest.param(Answer(usage=usage(8, 25) | TIMES), id="Groq"),
        pytest.param(Answer(more=DURATIONS), id="Ollama"),
    ],
)
def test_a_server_tells_its_speed(asked: Asked, answer: Answer) -> None:
    """In its own words, in a response that holds them anyway."""
    reply, server = asked.server(replace(answer, usage=answer.usage or usage(8, 25)))
    assert reply.served_first_token_s == pytest.approx(0.04)
    assert reply.served_tokens_a_second == pytest.approx(100)
    assert reply.in_flight == 1
    assert all(set(call.body) == {"model", "messages"} for call in server.requests)


def test_one_token_has_no_rate(asked: Asked) -> None:
    reply, _ = asked.server(Answer(usage=usage(8, 1), more={"timings": TIMINGS}))
    assert reply.served_first_token_s == pytest.approx(0.04)
    assert reply.served_tokens_a_second is None


@pytest.mark.parametrize(
    "more",
    [
        {"timings": None, "metrics": []},
        {"timings": {"prompt_ms": "fast", "predicted_per_second": None}},
        {"timings": {"prompt_ms": -40, "predicted_per_second": -1}},
        {"timings": {"prompt_ms": None, "predicted_per_second": "fast"}},
        {"metrics": {"time_to_first_token_ms": 1e300, "tokens_per_second": 10**400}},
        {"metrics": {"time_to_first_token_ms": [4], "tokens_per_second": {}}},
        DURATIONS | {"load_duration": "", "eval_duration": 0},
    ],
)
def test_a_speed_that_cannot_be_is_unknown(asked: Asked, more: dict[str, Any]) -> None:
    reply, _ = asked.server(Answer("42", more=more))
    assert reply.text == "42"
    assert (reply.served_first_token_s, reply.served_tokens_a_second) == (None, None)


@pytest.mark.parametrize("target", ["groq/llama-3", "mistral/some", "deepseek/some"])
def test_a_reply_in_openais_form_is_never_lost(
    asked: Asked, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    """Whatever litellm misses in the answer of another provider, such as Groq's service
    tier.
    """
    monkeypatch.setenv(f"{target.partition('/')[0].upper()}_API_KEY", "sk-planted-key")
    reply, _ = asked.server(Answer("42", usage=usage(7, 3)), target)
    assert (reply.text, reply.completion_tokens) == ("42", 3)


def test_a_completion_with_log_probabilities_of_no_form_is_not_lost(
    asked: Asked,
) -> None:
    logprobs = {"tokens": ["42"], "token_logprobs": [-0.1], "top_logprobs": [None, 5]}
    choice = {"index": 0, "text": "42", "finish_reason": "stop", "logprobs": logprobs}
    said = {"id": "1", "object": "text_completion", "created": 1, "model": "some"}
    body = json.dumps({**said, "choices": [choice], "usage": usage(7, 1)}).encode()
    reply, _ = asked.server(Answer(body=body), "text-completion-openai/some")
    assert (reply.text, reply.completion_tokens) == ("42", 1)


HIDDEN = {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 10_105}


@pytest.mark.parametrize(
    ("target", "counts", "tier", "tokens", "cost"),
    [
        ("openai/gpt-4o", usage(1_000_000, 0), None, 0, 2.5),
        ("openai/gpt-4o", HIDDEN, None, 10_005, 0.1003),
        (
            "openai/gpt-4o",
            HIDDEN | {"completion_tokens_details": {"reasoning_tokens": 10_000}},
            None,
            10_005,
            0.1003,
        ),
        ("xai/grok-4.3", HIDDEN, None, 10_005, 0.0251375),
        ("openai/o4-mini", usage(1_000_000, 0), "flex", 0, 0.55),
        ("openai/gpt-4o-mini", usage(1_000_000, 0), "flex", 0, None),
        ("openai/no-such-model", usage(1_000_000, 0), None, 0, None),
    ],
)
def test_tokens_and_cost(
    asked: Asked,
    target: str,
    counts: dict[str, Any],
    tier: str | None,
    tokens: int,
    cost: float | None,
) -> None:
    """Reasoning that stands in the total alone is counted and paid; a tier has its own
    price; unknown is not 0.
    """
    params = {"service_tier": tier} if tier else {}
    reply, _ = asked.server(Answer("42", usage=counts), target, params=params)
    assert reply.completion_tokens == tokens
    assert reply.cost_usd == (cost and pytest.approx(cost))


def answer_of(row: dict[str, Any]) -> Answer:
    """The answer that a row of answers.jsonl describes."""
    parts = row["answer"]
    return Answer(
        **parts | ({"body": parts["body"].encode()} if "body" in parts else {})
    )


@of("reply")
def test_what_is_a_reply(asked: Asked, row: dict[str, Any]) -> None:
    """However disappointing: the model was asked, and that is what it said.

    Half a number is known for one.
    """
    reply, _ = asked.server(answer_of(row))
    assert isinstance(reply, Reply)
    assert {name: getattr(reply, name) for name in row["facts"]} == row["facts"]


def test_a_long_reply_is_whole(asked: Asked) -> None:
    reply, _ = asked.server(Answer("7" * 8_000_000))
    assert reply.text == "7" * 8_000_000


@pytest.mark.parametrize(
    ("encoding", "charset"),
    [("utf-8-sig", "utf-8"), ("utf-16", "utf-16"), ("utf-16-le", "utf-16le")],
)
def test_a_reply_in_another_encoding(asked: Asked, encoding: str, charset: str) -> None:
    """With a byte order mark, or in UTF-16, as some proxies on Windows send it."""
    body = Answer("1 \u2212 2 = \u22121").payload(Call("", 1, {}, {}))
    headers = {"Content-Type": f"application/json; charset={charset}"}
    answer = Answer(body=body.decode().encode(encoding), headers=headers)
    reply, _ = asked.server(answer)
    assert reply.text == "1 \u2212 2 = \u22121"
    fault = json.dumps({"error": {"message": "up", "code": 502}}).encode(encoding)
    diagnosis, _ = asked.server(Answer(body=fault, headers=headers))
    assert "502 Bad Gateway: up" in diagnosis.message
    refused = json.dumps({"error": EXHAUSTED}).encode(encoding)
    answer = Answer(status=429, body=refused, headers=headers)
    diagnosis, _ = asked.server(answer)
    assert diagnosis.message.endswith(f": {EXHAUSTED['message']}")
    assert diagnosis.action is STOP_RUN


def test_a_reply_in_parts(asked: Asked) -> None:
    parts = [{"type": "text", "text": "4"}, {"type": "text", "text": "2"}]
    reply, _ = asked.server(Answer(message={"content": parts}))
    assert reply.text == "42"
    thought = [{"type": "text", "text": "<think>hm</think>42"}]
    reply, _ = asked.server(Answer(message={"content": thought}))
    assert (reply.text, reply.reasoning) == ("42", "hm")


QUIET = """
import asyncio, sys
import dotenv

asked = []
dotenv.load_dotenv = lambda *args, **how: asked.append("a .env")
sys.addaudithook(lambda event, args: asked.append(args) if event in ("socket.getaddrinfo", "socket.connect") else None)
from pytest_llmarith.models.client import Client
from pytest_llmarith.types import Model

client = Client()
client.prepare()
client.terms(Model("m", "openai/gpt-4o"))
asyncio.run(client.complete(Model("m", "llmarith/oracle"), "1 + 1", 30.0))
sys.exit(str(asked) if asked else 0)
"""


@pytest.mark.proof
def test_no_other_machine_is_asked_for_prices() -> None:
    """Neither when litellm is imported nor later; else it would fetch its list from the
    internet.

    Nor does it read a .env, which may be in any folder above its own.
    """
    environ = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("LITELLM")
    }
    told = subprocess.run(
        [sys.executable, "-c", QUIET],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (told.returncode, told.stderr) == (0, "")


# --- failures: the table in docs/models.md --------------------------------------------

# What is done, and whether it is done for a provider that only asks to wait.
DONE: dict[str, tuple[Action | None, bool]] = {
    "try again": (RETRY, False),
    "try again, four times as often": (RETRY, True),
    "give up this question": (GIVE_UP, False),
    "stop the run": (STOP_RUN, False),
    "a reply": (None, False),
}


def documented() -> dict[str, tuple[Action | None, bool]]:
    table = (
        DOCUMENT.read_text("utf-8")
        .partition("| response | reaction |")[2]
        .partition("\n\n")[0]
    )
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in table.splitlines()[2:]
    ]
    return {what: DONE[done] for what, done in rows}


EXHAUSTED = {"message": "You exceeded your current quota", "code": "insufficient_quota"}
UNKNOWN_MODEL = {
    "message": "invalid model ID",
    "type": "invalid_request_error",
    "code": "model_not_found",
}
AFTER_A_REPLY = "a redirect after a reply from this address"
# Rows of the table, with an answer and what the message says; those of the file, and
# what no file holds.
SERVER_CASES = [
    *((row["row"], answer_of(row), row["says"]) for row in ROWS["server"]),
    *(
        ("500 and above", Answer(status=500, body=body, headers=headers), says)
        for body, headers, says in (
            (b"<p>Error: " * 3_000_000, {}, ": <p>Error: <p>Error: "),
            (gzip.compress(b"<p> " * 25_000_000, 1), GZIP, "500 Internal Server Error"),
        )
    ),
    (
        "no reply within `llm_timeout`, even if some bytes arrive",
        Answer(gate=NEVER),
        "no reply within 3 s",
    ),
    (
        "no connection, or a connection that is lost, also during a reply",
        Answer("x" * 1000, reset_after=100),
        "connection failed: Response payload is not comp",
    ),
    *(
        ("a body that is not JSON, or lacks `choices`", Answer(body=body), says)
        for body, says in (
            (b"\xff\xfe\x00garbage\x80", "the response is no JSON object"),
            (b"<" * 30_000_000, "the response is no JSON object"),
            (b'{"choices": ' + b"[" * 100_000, "cannot be read: maximum recursion"),
        )
    ),
    *(
        ("a body of more than 32 MB, inflated", answer, "the response is longer than ")
        for answer in (
            Answer(body=b" " * 33_554_433),
            Answer(body=gzip.compress(bytes(34_000_000)), headers=GZIP),
        )
    ),
    (
        "a header that is not ASCII, or longer than 8 kB",
        Answer(headers={"X-Team": "M" * 20_000}),
        "a header of the response cannot be read",
    ),
]
REPLY_ROW = "a reply that is cut at the token limit, refuses, was filtered (also as an error) or is of another model"


@pytest.mark.parametrize(("row", "answer", "message"), SERVER_CASES)
def test_what_a_server_answers(
    asked: Asked, row: str, answer: Answer, message: str
) -> None:
    timeout_s = 3.0 if "no reply" in message else 30.0
    diagnosis, _ = asked.server(
        answer, timeout_s=timeout_s, has_replied=row == AFTER_A_REPLY
    )
    assert (diagnosis.action, diagnosis.throttled) == documented()[row]
    assert diagnosis.message.startswith("openai/some: ")
    assert message in diagnosis.message


def test_the_table_in_the_documents_is_tested_row_by_row() -> None:
    tested = {row for row, *_ in SERVER_CASES}
    assert {*documented()} == tested | {"anything else", REPLY_ROW}
    assert documented()["anything else"] == (GIVE_UP, False)
    assert documented()[REPLY_ROW] == (None, False)


@pytest.mark.parametrize(
    "target",
    [
        "anthropic/claude-3-5-haiku-20241022",
        "gemini/gemini-2.0-flash",
        "openrouter/x/y",
    ],
)
@pytest.mark.parametrize(
    ("answer", "action", "summary"),
    [
        (Answer(status=529), RETRY, "529 from"),
        (Answer(body=b"<html>Bad gateway"), RETRY, "unusable response from"),
        (Answer(body=b"{}"), RETRY, "unusable response from"),
        (Answer(reset_after=0), RETRY, "no connection to"),
        (Answer(status=400, body=b"<html>"), GIVE_UP, "400 from"),
        (Answer(status=401), STOP_RUN, "401 from"),
        (Answer(status=404), STOP_RUN, "404 from"),
        (Answer(status=400, error=UNKNOWN_MODEL), STOP_RUN, "400 from"),
        (
            Answer(status=307, headers={"Location": "//[::1]:9/"}),
            STOP_RUN,
            "unusable response from",
        ),
        (Answer(body=b" " * 33_554_433), GIVE_UP, "unusable response from"),
    ],
)
def test_other_providers_fail_alike(
    asked: Asked, target: str, answer: Answer, action: Action, summary: str
) -> None:
    """litellm treats each of them in its own way, and gives much of what it does not
    understand a wrong status.
    """
    diagnosis, _ = asked.server(answer, target)
    assert (diagnosis.action, diagnosis.summary) == (action, f"{summary} {target}")


@pytest.mark.parametrize(
    ("answer", "raised"),
    [
        (Answer(status=307, headers={"Location": "//[::1]:9/"}), Redirected),
        (Answer(status=500), Refused),
        (Answer(reset_after=0), NoConnection),
        (Answer(body=b" " * 33_554_433), EndlessResponse),
    ],
)
def test_the_own_transport_of_an_sdk_is_guarded(
    asked: Asked, answer: Answer, raised: type[Exception]
) -> None:
    """OpenAI's client, which brings a transport of its own if litellm gives it none."""
    import openai

    async def ask(url: str) -> None:
        async with openai.AsyncOpenAI(
            base_url=url, api_key="sk-planted-key", max_retries=0
        ) as client:
            await client.chat.completions.create(
                model="some", messages=[{"role": "user", "content": "1 + 1"}]
            )

    with LlmServer(lambda call: answer) as server:
        with pytest.raises(Exception) as caught:  # noqa: PT011  # the SDK may wrap it
            asyncio.run(ask(server.base_url))
        assert isinstance(caught.value, raised) or isinstance(
            caught.value.__cause__, raised
        )
        assert [call.headers["Accept-Encoding"] for call in server.requests] == ["gzip"]


@pytest.mark.parametrize(
    "written", ["sk%2Dplanted-0123456789", "sk-%70lanted-0123456789"]
)
def test_a_key_that_is_encoded_in_a_redirect_is_hidden(
    asked: Asked, written: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted-0123456789")
    diagnosis, _ = asked.server(
        Answer(status=302, headers={"Location": f"http://127.0.0.1:9/{written}"})
    )
    assert "127.0.0.1:9" in diagnosis.message
    assert "0123456789" not in diagnosis.message


def test_a_reply_whose_first_piece_inflates_to_nothing(asked: Asked) -> None:
    """The header of gzip alone may arrive first."""
    body = gzip.compress(Answer("42").payload(Call("", 1, {}, {})))
    reply, _ = asked.server(Answer(body=body, headers=GZIP, drip_s=0.0001))
    assert reply.text == "42"


@pytest.mark.parametrize(
    ("path", "words", "advice"),
    [
        (
            "",
            "Not Found",
            "{url}/chat/completions was asked, which probably lacks /v1: write {url}/v1 as the address",
        ),
        (
            "",
            "<p>" * 1000,
            "{url}/chat/completions was asked, which probably lacks /v1: write {url}/v1 as the address",
        ),
        (
            "/v1",
            "no such model",
            "{url}/v1/chat/completions was asked; write text-completion-openai/some for a base model",
        ),
        (
            "/v1/chat/completions",
            "no",
            "{url}/v1/chat/completions/chat/completions was asked: write {url}/v1 as the address",
        ),
    ],
)
def test_an_address_that_is_not_found_is_named(
    asked: Asked, path: str, words: str, advice: str
) -> None:
    with LlmServer(lambda call: Answer(status=404, body=words.encode())) as server:
        url = server.base_url.removesuffix("/v1")
        diagnosis = asked.model(Model("m", "openai/some", {}, f"{url}{path}"))
    assert isinstance(diagnosis, Diagnosis)
    assert diagnosis.message.startswith(f"openai/some: 404 Not Found: {words[:100]}")
    assert diagnosis.message.endswith(f"; {advice.format(url=url)}")
    assert len(diagnosis.message) <= 300


def test_no_key_is_in_the_address_that_was_asked() -> None:
    error = refusal(
        404, {}, b"", "http://user:hunter2000@host/chat/completions?key=hunter3000"
    )
    message = diagnose(
        error, Model("m", "openai/some", {}, "http://user:hunter2000@host"), 1.0
    ).message
    assert "http://host/chat/completions" in message
    assert "hunter" not in message


@pytest.mark.parametrize("code", [None, socket.EAI_NONAME, socket.EAI_AGAIN])
def test_a_host_that_is_not_there(
    asked: Asked, code: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refused connection is an outage, as a server may be starting; a name that does
    not exist stops the run.
    """

    def resolve(*args: Any, **kwargs: Any) -> Any:
        raise socket.gaierror(code, "cannot resolve")

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, but nothing listens
        host = (
            f"127.0.0.1:{taken.getsockname()[1]}" if code is None else "nowhere.invalid"
        )
        if code is not None:
            monkeypatch.setattr(socket, "getaddrinfo", resolve)
        diagnosis = asked.model(Model("m", "openai/some", {}, f"http://{host}/v1"))
    assert isinstance(diagnosis, Diagnosis)
    assert diagnosis.action is (STOP_RUN if code == socket.EAI_NONAME else RETRY)
    assert diagnosis.message.startswith(
        f"openai/some: connection failed: Cannot connect to host {host}"
    )


@pytest.mark.parametrize(
    ("target", "params", "words"),
    [
        ("openai/some", {}, "no key; set OPENAI_API_KEY in the environment or in .env"),
        (
            "claude-sonnet-4-5",
            {},
            "no key; set ANTHROPIC_API_KEY in the environment or in .env",
        ),
        ("nonsense/some", {}, "litellm knows no such model"),
        (
            "openai/gpt-4o",
            {"reasoning_effort": "high"},
            "openai/gpt-4o: takes no reasoning_effort; remove it",
        ),
        (
            "llmarith/clever",
            {},
            "unknown fake model; write llmarith/oracle or llmarith/sloppy",
        ),
    ],
)
def test_what_litellm_refuses_by_itself_stops_the_run(
    asked: Asked,
    target: str,
    params: dict[str, Any],
    words: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for provider in ("OPENAI", "ANTHROPIC"):
        monkeypatch.delenv(f"{provider}_API_KEY")
    diagnosis = asked.model(Model("m", target, params))
    assert isinstance(diagnosis, Diagnosis)
    assert diagnosis.action is STOP_RUN
    assert diagnosis.message.startswith(f"{target}: ")
    assert words in diagnosis.message


RETRY_INFO = [
    {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "37.5s"}
]


@pytest.mark.parametrize(
    ("answer", "least", "most"),
    [
        (Answer(status=429, headers={"Retry-After": "7"}), 7, 7),
        (Answer(status=429, headers={"retry-after-ms": "1500"}), 1.5, 1.5),
        (
            Answer(status=429, headers={"Retry-After": formatdate(4_000_000_000)}),
            86400,
            10**10,
        ),
        (Answer(status=429, headers={"Retry-After": formatdate(0)}), 0, 0),
        (Answer(status=429, headers={"Retry-After": "1e300"}), 10**8, 10**10),
        (
            Answer(
                status=429,
                error={"code": 429, "message": "Quota", "details": RETRY_INFO},
            ),
            37.5,
            37.5,
        ),
        *(
            (Answer(status=429, headers={"Retry-After": text}), None, None)
            for text in ("soon", "-1", "")
        ),
    ],
)
def test_how_long_the_provider_asks_to_wait(
    asked: Asked, answer: Answer, least: float | None, most: float | None
) -> None:
    diagnosis, _ = asked.server(
        answer, "gemini/gemini-2.0-flash" if answer.error else "openai/some"
    )
    if least is None or most is None:
        assert diagnosis.retry_after_s is None
    else:
        assert least <= diagnosis.retry_after_s <= most


def test_no_key_is_in_a_message(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the one that was sent, not one of the environment, not one that only looks
    like it.
    """
    monkeypatch.setenv("OTHER_API_KEY", "environmental")
    error = {
        "message": "wrong: sk-planted-key, environmental, sk-1234***89\x1b[2J\nBearer abc"
    }
    diagnosis, _ = asked.server(Answer(status=401, error=error))
    assert diagnosis.message == (
        "openai/some: 401 Unauthorized: wrong: [hidden], [hidden], [hidden] [2J Bearer [hidden]"
        "; check OPENAI_API_KEY in the environment or in .env"
    )


def test_errors_that_are_no_provider_s() -> None:
    """What is unforeseen costs one question; what a fake model raised is found among
    its wrappers, even in a ring.
    """
    diagnosis = diagnose(RuntimeError("surprise"), Model("m", "openai/x"), 1.0)
    assert diagnosis.action == GIVE_UP
    assert diagnosis.message == "openai/x: RuntimeError: surprise"
    assert diagnosis.summary == "RuntimeError from openai/x"
    inner, outer = NotSent("there is none"), RuntimeError("wrapped")
    outer.__cause__, inner.__context__ = inner, outer
    diagnosis = diagnose(outer, Model("m", "llmarith/x"), 1.0)
    assert diagnosis.action == STOP_RUN
    assert diagnosis.message == "llmarith/x: there is none"


def test_a_huge_error_page_delays_no_other_question(
    asked: Asked, tmp_path: Path
) -> None:
    """Sixteen questions at once, four of them answered with a page of 34 MB: no other
    one is asked twice.
    """
    page = b"<p>Error: the server said aB3</p>\n" * 1_000_000

    def answer(call: Call) -> Answer:
        is_hit = call.prompt.endswith(" 0") and call.nth == 1
        return (
            Answer(status=500, body=page, headers={"Retry-After": "0"})
            if is_hit
            else Answer(delay_s=1.0)
        )

    async def ask(url: str) -> list[Reply | Failure]:
        broker = Broker(
            Client(),
            [Model("m", "openai/some", api_base=url)],
            RunStore(tmp_path / "store.sqlite", StoreMode.ON),
            RequestLimits(concurrency=16, timeout_s=30.0),
        )
        try:
            wanted = [
                Question("m", f"q{trial} {trial % 4}", trial) for trial in range(16)
            ]
            return await asyncio.gather(*map(broker.ask, wanted))
        finally:
            await broker.close()

    with LlmServer(answer) as server:
        outcomes = asyncio.run(ask(server.base_url))
    assert all(isinstance(outcome, Reply) for outcome in outcomes)
    assert len(server.requests) == 20


# --- answers of servers ---------------------------------------------------------------


@of("whole answer")
def test_the_answers_of_servers(asked: Asked, row: dict[str, Any]) -> None:
    """With all the fields that vLLM and llama.cpp send."""
    reply, _ = asked.server(Answer(body=json.dumps(row["body"]).encode()))
    assert reply.text == "42"
    assert reply.reasoning == row["reasoning"]
    assert reply.served_model == row["body"]["model"]
    assert reply.system_fingerprint == row["fingerprint"]
    assert reply.finish_reason == "stop"
    tokens = [reply.prompt_tokens, reply.completion_tokens, reply.reasoning_tokens]
    assert tokens == row["tokens"]


def test_tokens_of_the_prompt_that_a_server_had_in_its_cache(asked: Asked) -> None:
    """They have a price of their own, if litellm's list has one."""
    counts = usage(1_000_000, 0) | {"prompt_tokens_details": {"cached_tokens": 400_000}}
    reply, _ = asked.server(Answer("42", usage=counts), "openai/gpt-4o")
    assert reply.cost_usd == pytest.approx(0.6 * 2.5 + 0.4 * 1.25)
