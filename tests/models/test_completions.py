"""Base models, which continue a text at `/v1/completions`: what is sent, what is read,
and what is refused.
"""

from __future__ import annotations

from typing import Any

import pytest

from pytest_llmarith.evaluate import AskedTrial, evaluate
from pytest_llmarith.models.client import Client
from pytest_llmarith.models.provider_errors import Action
from pytest_llmarith.models.redact import sent_of
from pytest_llmarith.models.store import key_of
from pytest_llmarith.records import Reply
from pytest_llmarith.types import Message, Model, Prompt, Question
from tests.asked import calculation
from tests.llm_server import Answer, LlmServer, usage
from tests.models.asked import Asked

pytestmark = pytest.mark.filterwarnings("ignore")  # as in the broker's process

BASE = "text-completion-openai/base"
TEN = calculation("int_add", "3", "7", "10")
SYSTEM, USER = Message("system", "Be brief."), Message("user", "2 + 2?")
SHOTS = (Message("user", "1 + 1?"), Message("assistant", "2"), USER)
MORE = "\n\nQuestion: 4 + 4?\nAnswer: 8\n\nQuestion: 5 + 5?\nAnswer: 10"


@pytest.mark.parametrize(
    ("prompt", "system", "text"),
    [
        ("2 + 2?", None, "Question: 2 + 2?\nAnswer:"),
        ((SYSTEM, USER), None, "Be brief.\n\nQuestion: 2 + 2?\nAnswer:"),
        ((SYSTEM, USER), "Other.", "Other.\n\nQuestion: 2 + 2?\nAnswer:"),
        ((SYSTEM, USER), "", "Question: 2 + 2?\nAnswer:"),
        (
            (SYSTEM, *SHOTS),
            None,
            "Be brief.\n\nQuestion: 1 + 1?\nAnswer: 2\n\nQuestion: 2 + 2?\nAnswer:",
        ),
        ((USER, USER), None, "Question: 2 + 2?\nAnswer:\n\nQuestion: 2 + 2?\nAnswer:"),
        # A text in a form of its own stays as it is.
        ("1 + 1 = 2\n2 + 2 =", None, "1 + 1 = 2\n2 + 2 ="),
        ("Q: 2 + 2?\nA: ", None, "Q: 2 + 2?\nA: "),
        ("2 + 2 =", "Sums.", "Sums.\n\n2 + 2 ="),
        (
            (Message("user", "1 + 1 ="), Message("assistant", "2"), USER),
            None,
            "Question: 1 + 1 =\nAnswer: 2\n\nQuestion: 2 + 2?\nAnswer:",
        ),
    ],
)
def test_all_that_is_said_is_one_text(
    asked: Asked, prompt: Prompt, system: str | None, text: str
) -> None:
    """In both ways, and recorded as it was sent."""
    with LlmServer(lambda call: Answer(" 4")) as server:
        model = Model("m", BASE, {"stop": ["\nQuestion:"]}, server.base_url, system)
        reply = asked.model(model, prompt=prompt)
    assert isinstance(reply, Reply)
    assert reply.text == " 4"
    assert reply.sent == sent_of(model, prompt)
    for call in server.requests:
        assert call.path == "/v1/completions"
        body = {"model": "base", "prompt": text, "stop": ["\nQuestion:"]}
        assert call.body == body
        assert reply.sent is not None
        assert [one.content for one in reply.sent.messages] == [text]


def test_it_is_another_question_than_to_a_chat() -> None:
    """Also if the text is the same."""
    keys = set()
    for target in (BASE, "openai/base"):
        model = Model("m", target, {}, "http://127.0.0.1:9/v1")
        keys.add(key_of(model, Question("m", "2 + 2 =", 0)))
    assert len(keys) == 2


def test_the_data_of_a_response_are_read(asked: Asked) -> None:
    logprobs = {
        "tokens": [" ", "1", "0", "\n"],
        "token_logprobs": [-0.1, -0.2, -0.3, None],
        "top_logprobs": [None, {"1": -0.2, "2": -2.0}, {"0": -0.3}, None],
        "text_offset": [20, 21, 22, 23],
    }
    answer = Answer(
        " 10\n", finish_reason="length", usage=usage(7, 4), logprobs=logprobs
    )
    reply, _ = asked.server(answer, BASE, params={"logprobs": 5})
    assert reply.finish_reason == "length"
    assert (reply.prompt_tokens, reply.completion_tokens) == (7, 4)
    one, zero = (token for token in reply.logprobs if token.text)
    assert (one.start, one.text, one.logprob, one.others) == (1, "1", -0.2, {"2": -2.0})
    assert (zero.start, zero.text, zero.logprob) == (2, "0", -0.3)


@pytest.mark.parametrize(
    ("text", "stop", "finish_reason", "outcome", "answer"),
    [
        (f" 10{MORE}", None, "length", "correct", "10"),
        (f" 11{MORE}", None, "length", "deviate", "11"),
        (f" 10{MORE}", None, "content_filter", "nan", None),
        (" 10\nQuestion: 4 + 4?", None, "stop", "correct", "10"),
        (" 10\n\nThe answer is 8.", ["\n\n"], "length", "correct", "10"),
        (" 10\n\nThe answer is 8.", "\n\n", "length", "correct", "10"),
        (" 10\n\nThe answer is 8.", ["", 5, None], "stop", "deviate", "8"),
        (" 10", None, "length", "nan", None),
        (f"{MORE}", None, "stop", "nan", None),
    ],
)
def test_a_reply_ends_where_the_next_question_begins(
    text: str, stop: Any, finish_reason: str, outcome: str, answer: str | None
) -> None:
    """If the server goes on, the answer is read as if it had stopped there."""
    model = Model("m", BASE, {} if stop is None else {"stop": stop})
    sent = sent_of(model, "3 + 7?")
    reply = Reply(text, finish_reason=finish_reason, sent=sent)
    record = evaluate(TEN, AskedTrial.of(TEN, model, "3 + 7?", None), reply)
    assert (record.outcome, record.answer) == (outcome, answer)
    assert record.reply is not None
    assert record.reply.text == text
    assert record.reply.finish_reason == finish_reason


def test_a_server_that_repeats_the_prompt() -> None:
    """The answer is read behind it, not in the first example."""
    model = Model("m", BASE)
    prompt = (
        Message("user", "2 + 2?"),
        Message("assistant", "4"),
        Message("user", "3 + 7?"),
    )
    sent = sent_of(model, prompt)
    reply = Reply(f"{sent.messages[0].content} 10{MORE}", sent=sent)
    record = evaluate(TEN, AskedTrial.of(TEN, model, prompt, None), reply)
    assert (record.outcome, record.answer) == ("correct", "10")


def test_probabilities_are_those_of_the_answer_that_is_read(asked: Asked) -> None:
    """Not of the same number in a later question."""
    tokens = [" ", "10", "\n", "Question", ":", " ", "10", "\n"]
    logprobs = {"tokens": tokens, "token_logprobs": [-0.5 - at for at in range(8)]}
    answer = Answer("".join(tokens), logprobs=logprobs)
    reply, _ = asked.server(answer, BASE, params={"logprobs": 5})
    record = evaluate(TEN, AskedTrial.of(TEN, Model("m", BASE), "3 + 7?", None), reply)
    assert record.reply is not None
    assert [(one.start, one.logprob) for one in record.reply.logprobs] == [(1, -1.5)]


def test_a_chat_that_writes_a_next_question_is_read_to_its_end() -> None:
    model = Model("m", "openai/some", {"stop": ["\n"]})
    reply = Reply("11\nThe answer is 10.", sent=sent_of(model, "3 + 7?"))
    record = evaluate(TEN, AskedTrial.of(TEN, model, "3 + 7?", None), reply)
    assert record.outcome == "correct"


def test_a_server_without_completions(asked: Asked) -> None:
    diagnosis, _ = asked.server(
        Answer(status=404, error={"message": "Not Found"}), BASE
    )
    assert diagnosis.action is Action.STOP_RUN
    assert "\n" not in diagnosis.message
    assert "/v1/completions was asked; write openai/base to" in diagnosis.message


def test_a_model_of_completions_without_its_prefix(asked: Asked) -> None:
    """litellm would send each message as a prompt of its own, which is paid for."""
    with LlmServer() as server:
        model = Model("m", "gpt-3.5-turbo-instruct", {}, server.base_url)
        diagnosis = asked.model(model, prompt=(SYSTEM, USER))
        assert not server.requests
    assert not isinstance(diagnosis, Reply)
    said = "write text-completion-openai/gpt-3.5-turbo-instruct"
    assert said in diagnosis.message


def test_litellm_is_the_way_to_openais_completions() -> None:
    """Parameters of litellm are no mistake there."""
    refused = {"drop_params": True}
    for target, base, is_own in (
        (BASE, None, False),
        (BASE, "https://api.openai.com/v1", False),
        ("text-completion-codestral/some", "http://127.0.0.1:9/v1", False),
        (BASE, "http://127.0.0.1:9/v1", True),
    ):
        why = Client().unknown_parameter(Model("m", target, refused, base))
        assert (why is not None) == is_own
