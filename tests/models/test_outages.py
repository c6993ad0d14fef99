"""What servers and proxies send in place of a reply, or beside one that was broken off:
asked directly, through litellm, and in files of results.
"""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.models.client import Client
from pytest_llmarith.models.provider_errors import Action, Diagnosis
from pytest_llmarith.models.replies_in import Intake
from pytest_llmarith.models.reservations import Reservations
from pytest_llmarith.records import Request
from pytest_llmarith.types import Message, Model
from tests.llm_server import Answer, LlmServer, usage
from tests.models.asked import ROWS, Asked, of

pytestmark = pytest.mark.filterwarnings("ignore")  # as in the broker's process

RETRY, STOP_RUN = Action.RETRY, Action.STOP_RUN
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


def check(asked: Asked, answer: Answer, row: dict[str, Any], *targets: str) -> None:
    for target in targets:
        diagnosis, _ = asked.server(answer, target)
        assert isinstance(diagnosis, Diagnosis)
        assert diagnosis.action is Action[row.get("action", "STOP_RUN")]
        assert row.get("said", "") in diagnosis.message


# --- broken off -----------------------------------------------------------------------


@of("broken off")
def test_a_reply_that_was_broken_off(asked: Asked, row: dict[str, Any]) -> None:
    """It is asked again, and may have been billed."""
    for target in ALL_OF_OPENAIS_FORM:
        diagnosis, _ = asked.server(in_bytes(row["body"]), target)
        assert isinstance(diagnosis, Diagnosis)
        assert diagnosis.action is RETRY
        assert not diagnosis.throttled
        said = f"the provider interrupted the reply: {row['said']}"
        assert said in diagnosis.message


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


@of("finish reason")
def test_the_word_of_the_server_is_recorded(asked: Asked, row: dict[str, Any]) -> None:
    names = ("finish_reason", "native_finish_reason")
    body = completion(**{name: row[name] for name in names})
    for target in ALL_OF_OPENAIS_FORM:
        reply, _ = asked.server(in_bytes(body), target)
        assert reply.finish_reason == row["means"]
        assert reply.native_finish_reason == row["recorded"]


# --- an error in place of a reply -----------------------------------------------------


@of("error in place of a reply")
def test_an_error_in_place_of_a_reply(asked: Asked, row: dict[str, Any]) -> None:
    for target, choices in (
        ("openai/some", {"choices": None}),
        ("openai/some", {"choices": []}),
        ("openrouter/x/y", {"choices": None}),
        ("openrouter/x/y", {}),
    ):
        answer = in_bytes({**choices, "error": row["error"]})
        diagnosis, _ = asked.server(answer, target)
        assert isinstance(diagnosis, Diagnosis)
        assert diagnosis.action is Action[row["action"]]
        assert diagnosis.throttled == ("429" in diagnosis.message)
        assert row["said"] in diagnosis.message


@of("error without its field")
def test_an_error_without_its_field(asked: Asked, row: dict[str, Any]) -> None:
    check(asked, in_bytes(row["body"]), row, "openai/some")


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


@of("empty account")
def test_an_empty_account_stops_the_run(asked: Asked, row: dict[str, Any]) -> None:
    answer = Answer(status=row["status"], body=in_bytes({"error": row["error"]}).body)
    check(asked, answer, row, "openai/some", "openrouter/x/y")


@of("rate limit that speaks of money")
def test_a_rate_limit_that_speaks_of_money(asked: Asked, row: dict[str, Any]) -> None:
    """It passes by itself."""
    diagnosis, _ = asked.server(Answer(status=429, error=row["error"]))
    assert (diagnosis.action, diagnosis.throttled) == (RETRY, True)


# --- a parameter that is refused ------------------------------------------------------


@of("refused parameter")
def test_a_refused_parameter_stops_the_run(asked: Asked, row: dict[str, Any]) -> None:
    """Every question has it; what is said of one question alone does not."""
    answer = Answer(status=row["status"], body=in_bytes(row["body"]).body)
    check(asked, answer, row, "openai/some", "openrouter/x/y")


# --- in a file of results -------------------------------------------------------------


def test_the_rows_of_results(tmp_path: Path) -> None:
    """A row that holds no whole reply is no reply, and is not stored."""
    bodies: list[tuple[Any, str]] = [
        *((row["body"], row["said"]) for row in ROWS["broken off"]),
        *(
            ({"choices": None, "error": row["error"]}, row["said"].partition(": ")[2])
            for row in ROWS["error in place of a reply"]
        ),
        (completion(), ""),
    ]
    lines = [
        json.dumps(
            {
                "custom_id": f"{nth}",
                "response": {"status_code": 200, "body": body},
                "error": None,
            }
        ).encode()
        for nth, (body, _) in enumerate(bodies)
    ]
    sent = Request("openai/gpt-4o-mini", None, [Message("user", "1 + 1")], {})
    with closing(Reservations(tmp_path / "store.sqlite")) as store:
        intake = Intake(Client(), store, lambda key: sent, "2026-11-28")
        intake.take(lines)
    assert (intake.new, len(intake.failures)) == (1, len(bodies) - 1)
    for _, said in bodies:
        assert any(said in message for message in intake.failures.values())


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
