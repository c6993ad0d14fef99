"""Log probabilities: of a real server, what is kept of them, and that whatever it sends
the reply stands.
"""

from __future__ import annotations

import asyncio
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.evaluate import AskedTrial, evaluate
from pytest_llmarith.models.client import Client
from pytest_llmarith.models.logprobs import logprobs_in
from pytest_llmarith.records import Record, Reply
from pytest_llmarith.types import Model
from tests.asked import calculation
from tests.llm_server import Answer, Call, LlmServer
from tests.models.asked import Asked

ASKED = {"logprobs": True, "top_logprobs": 5}
TEN = calculation("int_add", "3", "7", "10")


def token(text: str, logprob: Any = -0.5, **more: Any) -> dict[str, Any]:
    top = [{"token": text, "logprob": logprob}, {"token": "9", "logprob": -3.0}]
    values = list(text.encode())
    return {
        "token": text,
        "logprob": logprob,
        "bytes": values,
        "top_logprobs": top,
    } | more


def record_of(reply: Reply, problem: Any = TEN) -> Record:
    trial = AskedTrial.of(problem, Model("m", "openai/some"), "3 + 7", None)
    return evaluate(problem, trial, reply)


def kept(reply: Reply, problem: Any = TEN) -> list[tuple[str, float | None]]:
    """The tokens of the answer in a record."""
    found = record_of(reply, problem).reply
    assert found is not None
    return [(one.text, one.logprob) for one in found.logprobs]


def listed(*tokens: Any) -> dict[str, Any]:
    return {"content": [token(one) if isinstance(one, str) else one for one in tokens]}


TOKENS = {
    "a token a digit": ("10", listed("1", "0"), ["1", "0"]),
    "a token of several digits": ("It is 10.", listed("It", " is", " 10", "."), ["10"]),
    "the end of a reply, which is in the span": (
        "10",
        listed("10", "<|im_end|>"),
        ["10"],
    ),
    "a special token between digits": ("10", listed("1", "<|x|>", "0"), ["1", "0"]),
    "spaces that were stripped": ("10", listed("\n", " 10", "\n\n"), ["10"]),
    "a thought before the text": (
        "10",
        listed("<think>", "7", " and", " 3", "</think>", "\n", "10"),
        ["10"],
    ),
    "halves of a character": (
        "→ 10",
        listed(
            token("bytes:\\xe2\\x86", bytes=[226, 134]),
            token("bytes:\\x92", bytes=[146]),
            " 10",
        ),
        ["10"],
    ),
    "halves of a character without their bytes": (
        "→10",
        listed(token("�", bytes=None), token("�", bytes=None), token("10", bytes=None)),
        ["10"],
    ),
    "tokens as in the vocabulary": ("is 10", listed("Ġis", "Ġ10"), ["10"]),
    "as completions list them": (
        "10",
        {"tokens": ["1", "0"], "token_logprobs": [-0.5, -0.5], "top_logprobs": None},
        ["1", "0"],
    ),
    "none of the best": ("10", listed(token("10", top_logprobs=None)), ["10"]),
    "minus": ("-10", listed("-", "1", "0"), ["-", "1", "0"]),
}


@pytest.mark.parametrize("case", TOKENS)
def test_the_tokens_of_the_answer_are_kept(asked: Asked, case: str) -> None:
    text, logprobs, expected = TOKENS[case]
    reply, _ = asked.server(Answer(text, logprobs=logprobs), params=ASKED)
    assert reply.text == text
    assert kept(reply) == [(one, -0.5) for one in expected]


def test_groups_of_a_number_and_the_best_others() -> None:
    problem = calculation("int_add", "1000", "234", "1234")
    logprobs = logprobs_in(listed("=", " 1", ",", "23", "4", "."), "= 1,234.")
    reply = Reply("= 1,234.", logprobs=logprobs)
    assert [text for text, _ in kept(reply, problem)] == ["1", ",", "23", "4"]
    assert record_of(reply, problem).reply.logprobs[0].others == {"9": -3.0}  # type: ignore[union-attr]


NO_CONFIDENCE: dict[str, Any] = {
    "null": None,
    "a list": [1],
    "no tokens": {"content": []},
    "null for tokens": {"content": None},
    "fewer tokens than the text has": listed("0"),
    "tokens of another text": listed("1", "1"),
    "no logprob": listed(token("10", None)),
    "-inf": listed(token("10", -math.inf)),
    "NaN": listed(token("10", math.nan)),
    "inf": listed(token("10", math.inf)),
    "-9999": listed(token("10", -9999.0)),
    "above 0": listed(token("10", 0.5)),
    "a text": listed(token("10", "-0.5")),
    "true": listed(token("10", True)),
    "tokens that are none": listed(7, None, [1]),
    "a token without text": {"content": [{"logprob": -0.5}]},
    "numbers of tokens": listed("token_id:16", "token_id:15"),
    "half of the columns": {"tokens": ["10"]},
}


@pytest.mark.parametrize("case", NO_CONFIDENCE)
def test_whatever_is_sent_the_reply_stands(asked: Asked, case: str) -> None:
    answer = Answer("10", logprobs=NO_CONFIDENCE[case])
    reply, _ = asked.server(answer, params=ASKED)
    assert (reply.text, reply.completion_tokens) == ("10", 3)
    assert record_of(reply).outcome == "correct"
    assert kept(reply) == []


_anything = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["content", "token", "logprob", "bytes", "top_logprobs"]),
            inner,
        )
    ),
)


@given(_anything, st.text(max_size=8))
def test_nothing_that_a_server_lists_raises(said: Any, text: str) -> None:
    for one in logprobs_in(said, text):
        assert 0 <= one.start <= len(text)


@given(st.lists(st.text(max_size=4), max_size=9), st.integers(0, 9))
def test_tokens_are_found_where_they_stand(texts: list[str], cut: int) -> None:
    text = "".join(texts[cut:]).strip()
    for one in logprobs_in(listed(*texts), text):
        shown = "".join(filter(lambda sign: "!" <= sign <= "~", text[one.start :]))
        assert shown.startswith(one.text)


# --- providers that do not tell them --------------------------------------------------


@pytest.mark.parametrize("status", [400, 403, 422])
def test_a_provider_that_refuses_is_asked_without(asked: Asked, status: int) -> None:
    def answer(call: Call) -> Answer:
        if "logprobs" in call.body:
            said = {"message": "'top_logprobs' is not supported with this model"}
            return Answer(status=status, error=said)
        return Answer("10")

    with LlmServer(answer) as server:
        model = Model("m", "openai/some", ASKED, server.base_url)
        for _ in range(2):
            reply = asked.model(model)
            assert isinstance(reply, Reply)
            assert (reply.text, reply.logprobs) == ("10", ())
            assert reply.sent is not None
            assert reply.sent.params == ASKED  # so that the same command finds it
        assert ["logprobs" in call.body for call in server.requests].count(True) == 2


def test_a_filtered_question_is_not_asked_again(asked: Asked) -> None:
    """The filter has replied, and some providers bill it."""
    error = {"code": "content_filter", "message": "filtered"}
    with LlmServer(lambda call: Answer(status=400, error=error)) as server:
        reply = asked.model(Model("m", "openai/some", ASKED, server.base_url))
        assert isinstance(reply, Reply)
        assert reply.finish_reason == "content_filter"
        # One question in two ways.
        assert ["logprobs" in call.body for call in server.requests] == [True, True]


def test_what_is_refused_either_way_is_no_matter_of_them(asked: Asked) -> None:
    def answer(call: Call) -> Answer:
        return Answer(status=400, error={"message": "context too long"})

    with LlmServer(answer) as server:
        model = Model("m", "openai/some", ASKED, server.base_url)
        for _ in range(2):
            assert "context too long" in asked.model(model).message  # type: ignore[union-attr]
        # Two questions in two ways, each with and without.
        assert ["logprobs" in call.body for call in server.requests].count(True) == 4


# --- how a number is cut --------------------------------------------------------------

_PIECES = ["837", "294", "615", "07"]


@pytest.mark.parametrize(
    ("told", "cut"),
    [
        ({"tokens": [{"id": 1, "piece": one} for one in _PIECES]}, "837|294|615|07"),
        ({"count": 4, "tokens": [1, 2, 3, 4], "token_strs": _PIECES}, "837|294|615|07"),
        ({"token_strs": ["<s>", "\u2581", "83", "729461507"]}, "83|729461507"),
        ({"tokens": [{"id": 1, "piece": [226, 150]}, *_PIECES]}, None),
        ({"tokens": [1, 2, 3, 4]}, None),
        ({"token_strs": ["837", "294"]}, None),
        ({}, None),
        ([], None),
        (None, None),  # 404
    ],
)
def test_a_server_is_asked_once_how_it_cuts_a_number(told: object, cut: str) -> None:
    async def ask(address: str) -> list[Reply]:
        client = Client()
        model = Model("m", "openai/some", ASKED, address)
        replies = [await client.complete(model, "5 + 5", 30) for _ in range(3)]
        await client.close()
        return replies

    answer = Answer("10", logprobs=listed("1", "0"))
    with LlmServer(lambda call: answer) as server:
        server.tokens = told
        replies = asyncio.run(ask(server.base_url))
        assert [one.number_tokens for one in replies] == [cut] * 3
        assert [one.text for one in replies] == ["10"] * 3
        assert len(server.tokenized) == 1
        assert len(server.requests) == 3


def test_without_log_probabilities_nothing_more_is_asked(asked: Asked) -> None:
    with LlmServer() as server:
        asked.model(Model("m", "openai/some", {}, server.base_url))
        assert server.tokenized == []
