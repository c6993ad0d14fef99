"""What servers and proxies send in place of a reply, or beside one that was broken off:
asked directly, through litellm, and in batches.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.models import batches
from pytest_llmarith.models.broker import Broker
from pytest_llmarith.models.client import Client
from pytest_llmarith.models.provider_errors import Action, Diagnosis
from pytest_llmarith.models.store import RunStore
from pytest_llmarith.records import Reply
from pytest_llmarith.types import (
    BatchMode,
    Failure,
    Model,
    Question,
    RequestLimits,
    StoreMode,
)
from tests.batch_server import BatchServer, Lines
from tests.llm_server import Answer, LlmServer, usage
from tests.models.asked import Asked

pytestmark = pytest.mark.filterwarnings("ignore")  # as in the broker's process

RETRY, GIVE_UP, STOP_RUN = Action.RETRY, Action.GIVE_UP, Action.STOP_RUN
ALL_OF_OPENAIS_FORM = ("openai/some", "openrouter/x/y", "hosted_vllm/some")


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in ("OPENAI", "ANTHROPIC", "GEMINI", "OPENROUTER"):
        monkeypatch.setenv(f"{provider}_API_KEY", "sk-planted-key")


def completion(**choice: Any) -> dict[str, Any]:
    """A reply that is right, if it was not broken off."""
    first = {"index": 0, "message": {"role": "assistant", "content": "2"}, **choice}
    return {
        "id": "gen-1",
        "object": "chat.completion",
        "created": 1,
        "model": "some",
        "choices": [{"finish_reason": "stop", **first}],
        "usage": usage(7, 3),
    }


def in_bytes(body: Any) -> Answer:
    return Answer(body=json.dumps(body, ensure_ascii=False).encode())


# --- broken off -----------------------------------------------------------------------

FAULT = {"code": 502, "message": "upstream died"}
# The body of a reply, and the words that are shown.
BROKEN_OFF: list[tuple[dict[str, Any], str]] = [
    *(
        (completion(finish_reason=usual, native_finish_reason=native), said)
        for usual, native, said in (
            ("error", "MALFORMED_FUNCTION_CALL", "MALFORMED_FUNCTION_CALL"),
            ("stop", "MALFORMED_FUNCTION_CALL", "MALFORMED_FUNCTION_CALL"),
            ("error", "STOP", "error"),
            ("error", None, "error"),
            ("Error", "completed", "Error"),
            ("ERROR", None, "ERROR"),
            ("stop", "ERROR", "ERROR"),
            ("length", "network_error", "network_error"),
            (None, "abort", "abort"),
            ("aborted", None, "aborted"),
            ("stop", "unexpected_tool_call", "unexpected_tool_call"),
            ("insufficient_system_resource", None, "insufficient_system_resource"),
            ("cancelled", None, "cancelled"),
            ("rate_limit", None, "rate_limit"),
            ("preempted", None, "preempted"),
            ("stop", "server_shutdown", "server_shutdown"),
            ("timeout", None, "timeout"),
        )
    ),
    (completion() | {"error": FAULT}, "upstream died"),
    (completion() | {"error": "upstream died"}, "upstream died"),
    (completion(finish_reason="error") | {"error": FAULT}, "upstream died"),
    (completion(finish_reason="length", error=FAULT), "upstream died"),
    (completion(error={"message": "bad", "code": 400}), "bad"),
    (
        completion(message={"role": "assistant", "content": "2" * 80_000})
        | {"error": FAULT},
        "upstream died",
    ),
    (completion(message=None) | {"error": FAULT}, "upstream died"),
    (completion() | {"error": FAULT | {"code": 200}}, "upstream died"),
    (
        completion(message={"role": "assistant", "content": "2", "error": FAULT}),
        "upstream died",
    ),
]


@pytest.mark.parametrize("target", ALL_OF_OPENAIS_FORM)
@pytest.mark.parametrize(("body", "said"), BROKEN_OFF)
def test_a_reply_that_was_broken_off(
    asked: Asked, target: str, body: dict[str, Any], said: str
) -> None:
    """It is asked again, and may have been billed."""
    diagnosis, _ = asked.server(in_bytes(body), target)
    assert isinstance(diagnosis, Diagnosis)
    assert diagnosis.action is RETRY
    assert not diagnosis.throttled
    assert f"the provider interrupted the reply: {said}" in diagnosis.message


def test_what_google_broke_off(asked: Asked) -> None:
    """litellm calls it `stop`."""
    body = {
        "candidates": [
            {
                "content": {"role": "model", "parts": [{"text": "2"}]},
                "finishReason": "MALFORMED_FUNCTION_CALL",
            }
        ],
        "usageMetadata": {"promptTokenCount": 7, "totalTokenCount": 7},
    }
    diagnosis, _ = asked.server(in_bytes(body), "gemini/gemini-2.5-flash")
    assert diagnosis.action is RETRY
    assert "MALFORMED_FUNCTION_CALL" in diagnosis.message


@pytest.mark.parametrize("fault", [None, "", {}, {"code": 0, "message": "success"}])
def test_a_field_of_errors_that_holds_none(asked: Asked, fault: Any) -> None:
    reply, _ = asked.server(in_bytes(completion(error=fault) | {"error": fault}))
    assert reply.text == "2"


# --- finish reasons -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("usual", "native", "reason", "recorded"),
    [
        *(
            (word, None, "content_filter", word)
            for word in (
                *("PROHIBITED_CONTENT", "RECITATION", "BLOCKLIST", "SPII"),
                *("IMAGE_SAFETY", "prohibited_content", "sensitive", "refusal"),
                *("content-filter", "blocked"),
            )
        ),
        ("stop", "PROHIBITED_CONTENT", "content_filter", "PROHIBITED_CONTENT"),
        ("content_filter", "RECITATION", "content_filter", "RECITATION"),
        ("content_filter", None, "content_filter", None),
        ("repetition", None, "repetition", None),
        ("stop", "repetition", "repetition", None),
        ("stop", "STOP", "stop", "STOP"),
        ("length", "MAX_TOKENS", "length", "MAX_TOKENS"),
        ("max_new_tokens", None, "length", "max_new_tokens"),
        ("eos", None, "stop", "eos"),
        (None, None, "stop", None),
    ],
)
def test_the_word_of_the_server_is_recorded(
    asked: Asked,
    usual: str | None,
    native: str | None,
    reason: str,
    recorded: str | None,
) -> None:
    body = completion(finish_reason=usual, native_finish_reason=native)
    for target in ALL_OF_OPENAIS_FORM:
        reply, _ = asked.server(in_bytes(body), target)
        assert (reply.finish_reason, reply.native_finish_reason) == (reason, recorded)


# --- an error in place of a reply -----------------------------------------------------

RAW = {"error": {"message": "model is busy", "type": "rate_limit_error"}}
# An error, what is done about it, and words of the message.
IN_PLACE: list[tuple[Any, Action, str]] = [
    ({"code": 402, "message": "Insufficient credits"}, STOP_RUN, "402 Payment"),
    ({"code": "402", "message": "pay"}, STOP_RUN, "402 Payment Required: pay"),
    ({"code": 401, "message": "No auth"}, STOP_RUN, "check O"),
    ({"type": "authentication_error", "message": "who?"}, STOP_RUN, "401 Unauthorized"),
    ({"code": "invalid_api_key", "message": "no"}, STOP_RUN, "401 Unauthorized: no"),
    ("Incorrect API key provided: x", STOP_RUN, "401 Unauthorized: Incorrect"),
    ({"code": 403, "message": "no"}, STOP_RUN, "403 Forbidden: no"),
    ({"code": 404, "message": "No endpoints found"}, STOP_RUN, "404 Not Found: No"),
    ({"type": "not_found_error", "message": "model: x"}, STOP_RUN, "404 Not Found"),
    ({"message": "The model x does not exist"}, STOP_RUN, "404 Not Found: The model"),
    ({"code": 429, "message": "slow down"}, RETRY, "429 Too Many Requests: slow"),
    ({"type": "rate_limit_error", "message": "slow"}, RETRY, "429 Too Many Requests"),
    ({"status": "RESOURCE_EXHAUSTED", "message": "q"}, RETRY, "429 Too Many"),
    ("Rate limit reached, wait", RETRY, "429 Too Many Requests: Rate limit"),
    ({"code": 502, "message": "up"}, RETRY, "502 Bad Gateway: up"),
    ({"type": "overloaded_error", "message": "busy"}, RETRY, "503 "),
    ({"type": "server_error", "message": "oops"}, RETRY, "500 "),
    ({"message": "nobody knows"}, RETRY, "nobody knows"),
    ({"code": 400, "message": "context too long"}, GIVE_UP, "400 Bad Request: context"),
    ({"type": "invalid_request_error", "message": "bad"}, GIVE_UP, "400 Bad Request"),
    *(
        (
            {
                "code": 429,
                "message": "Provider returned error",
                "metadata": {"raw": raw, "provider_name": "X"},
            },
            RETRY,
            "Provider returned error: model is busy",
        )
        for raw in (json.dumps(RAW), RAW, "model is busy")
    ),
    (
        {
            "code": 502,
            "message": "Provider returned error",
            "metadata": {"raw": '{"error":{"message":"Insufficient Balance"}}'},
        },
        STOP_RUN,
        "Insufficient Balance",
    ),
]


@pytest.mark.parametrize(("error", "action", "said"), IN_PLACE)
def test_an_error_in_place_of_a_reply(
    asked: Asked, error: Any, action: Action, said: str
) -> None:
    for target, choices in (
        ("openai/some", {"choices": None}),
        ("openai/some", {"choices": []}),
        ("openrouter/x/y", {"choices": None}),
        ("openrouter/x/y", {}),
    ):
        diagnosis, _ = asked.server(in_bytes({**choices, "error": error}), target)
        assert isinstance(diagnosis, Diagnosis)
        assert diagnosis.action is action
        assert diagnosis.throttled == ("429" in diagnosis.message)
        assert said in diagnosis.message


@pytest.mark.parametrize(
    ("body", "action", "said"),
    [
        (
            {"choices": None, "base_resp": {"status_code": 1008, "status_msg": "x"}},
            RETRY,
            ": x",
        ),
        (
            {
                "choices": None,
                "base_resp": {
                    "status_code": 1008,
                    "status_msg": "insufficient balance",
                },
            },
            STOP_RUN,
            "insufficient balance",
        ),
        (
            {"code": 1113, "msg": "余额不足，请充值", "success": False},
            STOP_RUN,
            "余额不足",
        ),
        (
            {"object": "error", "message": "The model x does not exist", "code": 404},
            STOP_RUN,
            "does not exist",
        ),
        ({"detail": "Not authenticated"}, STOP_RUN, "401 Unauthorized"),
        ({"success": False, "errors": [{"code": 7, "message": "up"}]}, RETRY, ": up"),
    ],
)
def test_an_error_without_its_field(
    asked: Asked, body: dict[str, Any], action: Action, said: str
) -> None:
    diagnosis, _ = asked.server(in_bytes(body))
    assert diagnosis.action is action
    assert said in diagnosis.message


@pytest.mark.parametrize(
    "error",
    [
        "Unexpected endpoint or method. (POST /chat/completions)",
        {"message": "Unexpected endpoint or method. (POST /chat/completions)"},
        "Not Found",
    ],
)
def test_an_address_that_lacks_v1(asked: Asked, error: Any) -> None:
    """LM Studio answers it with status 200."""
    with LlmServer(lambda call: in_bytes({"error": error})) as server:
        url = server.base_url.removesuffix("/v1")
        diagnosis = asked.model(Model("m", "openai/some", {}, url))
    assert isinstance(diagnosis, Diagnosis)
    assert diagnosis.action is STOP_RUN
    assert diagnosis.message.endswith(f"write {url}/v1 as the address")


# --- an empty account -----------------------------------------------------------------

EMPTY: list[tuple[int, Any]] = [
    (429, {"code": "insufficient_quota", "message": "You exceeded your current quota"}),
    (429, {"type": "insufficient_balance_error", "message": "no"}),
    (429, {"type": "exceeded_current_quota_error", "message": "suspended"}),
    (429, {"code": "1113", "message": "余额不足或无可用资源包,请充值。"}),
    (429, {"message": "your account is suspended due to insufficient balance"}),
    (429, {"message": "Your team has used all available credits"}),
    (429, {"code": "billing_not_active", "message": "no"}),
    (500, {"message": "insufficient balance"}),
    (500, {"message": "Insufficient account balance"}),
    (503, {"message": "The account balance is too low"}),
    (403, {"code": "insufficient_user_quota", "message": "用户额度不足"}),
    (400, {"message": "Your credit balance is too low to access the API"}),
    (400, {"message": "You have reached your specified API usage limits."}),
    (400, {"type": "budget_exceeded", "message": "Budget has been exceeded!"}),
    (400, {"code": "Arrearage", "message": "Access denied"}),
    (412, {"message": "Account x is suspended, possibly due to unpaid invoices"}),
    (422, {"message": "You don't have enough credits"}),
    (400, "Out of credits"),
    (402, {"message": "This request requires more credits"}),
    (200, {"message": "账户已欠费"}),
    (200, {"message": "Your monthly spending limit is reached"}),
]


@pytest.mark.parametrize(("status", "error"), EMPTY)
def test_an_empty_account_stops_the_run(asked: Asked, status: int, error: Any) -> None:
    body = json.dumps({"error": error}, ensure_ascii=False).encode()
    for target in ("openai/some", "openrouter/x/y"):
        diagnosis, _ = asked.server(Answer(status=status, body=body), target)
        assert diagnosis.action is STOP_RUN


@pytest.mark.parametrize(
    "message",
    [
        "You exceeded your current quota, please check your plan and billing details. "
        "Quota exceeded for metric: generate_content_free_tier_requests, limit: 10",
        "Rate limit reached for some on requests per min (RPM): Limit 3. Please add a "
        "payment method to your account to increase your rate limit. Visit "
        "https://platform.openai.com/account/billing to add a payment method.",
        "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free "
        "model requests per day",
        "insufficient_system_resource",
        "Insufficient capacity: the load balancer is exhausted",
        "Your account has reached its limit of requests per minute",
    ],
)
def test_a_rate_limit_that_speaks_of_money(asked: Asked, message: str) -> None:
    """It passes by itself."""
    diagnosis, _ = asked.server(Answer(status=429, error={"message": message}))
    assert (diagnosis.action, diagnosis.throttled) == (RETRY, True)


# --- a parameter that is refused ------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "body", "action"),
    [
        *(
            (400, {"error": {"message": "no", "code": code}}, STOP_RUN)
            for code in (
                *("unsupported_parameter", "unknown_parameter", "unsupported_value"),
                *("invalid_parameter", "Invalid_Parameter_Error", "invalid_value"),
            )
        ),
        *(
            (400, {"error": {"message": said, "type": "invalid_request_error"}}, what)
            for said, what in (
                ("Unrecognized request argument supplied: foo", STOP_RUN),
                ("foo: Extra inputs are not permitted", STOP_RUN),
                ("property 'foo' is unsupported", STOP_RUN),
                ('Unknown name "foo": Cannot find field.', STOP_RUN),
                ("Unsupported parameter: 'top_p' is not supported", STOP_RUN),
                ("openrouter does not support parameters: ['foo']", STOP_RUN),
                ("This model's maximum context length is 4096 tokens", GIVE_UP),
                ("messages: text content is too long", GIVE_UP),
            )
        ),
        (
            422,
            {
                "detail": [
                    {
                        "type": "extra_forbidden",
                        "loc": ["body", "foo"],
                        "msg": "Extra inputs are not permitted",
                    }
                ]
            },
            STOP_RUN,
        ),
        (
            400,
            {
                "error": {
                    "code": "invalid_parameter_error",
                    "message": "Range of input length should be [1, 30720]",
                }
            },
            GIVE_UP,
        ),
        (500, {"error": {"message": "no", "code": "unsupported_parameter"}}, RETRY),
    ],
)
def test_a_refused_parameter_stops_the_run(
    asked: Asked, status: int, body: Any, action: Action
) -> None:
    """Every question has it; what is said of one question alone does not."""
    for target in ("openai/some", "openrouter/x/y"):
        diagnosis, _ = asked.server(
            Answer(status=status, body=json.dumps(body).encode()), target
        )
        assert diagnosis.action is action


# --- in a batch -----------------------------------------------------------------------


def test_the_rows_of_a_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that holds no whole reply is no reply, and is not stored."""
    monkeypatch.setattr(batches, "_FIRST_POLL_S", 0.02)
    bodies: list[tuple[Any, str]] = [
        *BROKEN_OFF,
        *(
            ({"choices": None, "error": error}, said.partition(": ")[2])
            for error, _, said in IN_PLACE
        ),
    ]

    def change(lines: Lines) -> Lines:
        changed = []
        for line, (body, _) in zip(lines, bodies, strict=False):
            row = json.loads(line)
            row["response"]["body"] = body
            changed.append(json.dumps(row).encode())
        return [*changed, *lines[len(bodies) :]]

    async def run(url: str) -> list[Reply | Failure]:
        model = Model("m", "openai/gpt-4o-mini", {"max_tokens": 9}, url)
        store = RunStore(tmp_path / "store.sqlite", StoreMode.ON)
        limits = RequestLimits(retries=1, timeout_s=20.0)
        broker = Broker(Client(), [model], store, limits, batch=BatchMode.WAIT)
        questions = [Question("m", f"q{nth}", nth) for nth in range(len(bodies) + 1)]
        try:
            broker.plan(questions)
            await broker.batch()
            broker.announce()
            return list(await asyncio.gather(*map(broker.ask, questions)))
        finally:
            await broker.close()

    with BatchServer() as server:
        server.change = change
        outcomes = asyncio.run(run(server.base_url))
    failures = [one.message for one in outcomes if isinstance(one, Failure)]
    assert len(failures) == len(outcomes) - 1
    for _, said in bodies:
        assert any(said in message for message in failures)


# --- keys -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "key", ["sk-planted-key\n", " sk-planted-key\r\n", "\tsk-planted-key "]
)
def test_space_around_a_key_is_not_sent(
    asked: Asked, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for target, variable in (
        ("openai/some", "OPENAI_API_KEY"),
        ("openrouter/x/y", "OPENROUTER_API_KEY"),
    ):
        monkeypatch.setenv(variable, key)
        _, server = asked.server(Answer(), target)
        assert {call.headers["Authorization"] for call in server.requests} == {
            "Bearer sk-planted-key"
        }


@pytest.mark.parametrize("key", ["sk-planted\nkey", "sk-planted-k\u00e9y", "sk-\u2026"])
def test_a_key_that_cannot_be_sent(
    asked: Asked, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The variable is named, and nothing counts as billed."""
    for target, variable in (
        ("openai/some", "OPENAI_API_KEY"),
        ("openrouter/x/y", "OPENROUTER_API_KEY"),
    ):
        monkeypatch.setenv(variable, key)
        diagnosis = asked.model(Model("m", target, {}, "http://127.0.0.1:9/v1"))
        assert isinstance(diagnosis, Diagnosis)
        assert diagnosis.action is STOP_RUN
        assert variable in diagnosis.message
        assert key not in diagnosis.message
