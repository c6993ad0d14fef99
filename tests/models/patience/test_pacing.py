"""Requests and tokens per minute, on a clock that the tests set."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.models.patience.pacing import UNKNOWN_COMPLETION, Pace, Usage
from pytest_llmarith.values import AskingLimits, Model, Reply

MODEL = Model("m", "openai/some")


class Run:
    """Requests that set out as soon as they may."""

    def __init__(self, rpm: int | None = None, tpm: int | None = None) -> None:
        self.now = 100.0
        self.pace = Pace(AskingLimits(requests_per_minute=rpm, tokens_per_minute=tpm), lambda: self.now)

    def send(self, tokens: int = 1) -> float:
        """When it sets out."""
        self.now += self.pace.wait_s()
        self.pace.take(tokens)
        return self.now - 100.0


def in_any_minute(times: Sequence[float], amounts: Sequence[int]) -> int:
    """The most that sets out within less than a minute."""
    sums = [
        sum(amount for time, amount in zip(times, amounts, strict=True) if begin <= time < begin + 60 - 1e-6)
        for begin in times
    ]
    return max(sums)


def test_without_a_bound_nobody_waits() -> None:
    """Where neither requests nor tokens per minute are bounded, requests of any size set out at once."""
    run = Run()
    assert [run.send(10**9) for _ in range(5)] == [0.0] * 5


def test_requests_are_spread_evenly() -> None:
    """Sixty a minute are one each second, from the first one on."""
    run = Run(rpm=60)
    assert [run.send() for _ in range(4)] == [0, 1, 2, 3]


def test_what_was_not_used_is_not_made_up_for() -> None:
    """After a quiet hour requests set out no faster than ever: there is no burst."""
    run = Run(rpm=60)
    run.send()
    run.now += 3600
    assert [run.send() - 3600 for _ in range(3)] == [0, 1, 2]


def test_tokens_take_their_time() -> None:
    """Six hundred a minute: a request of fifty keeps the next one waiting for five seconds."""
    run = Run(tpm=600)
    assert [run.send(tokens) for tokens in (50, 10, 100, 1)] == [0, 5, 6, 16]


def test_the_narrower_bound_counts() -> None:
    """With bounds on requests and on tokens, each request waits for the one that lets it go later."""
    run = Run(rpm=60, tpm=600)
    assert [run.send(tokens) for tokens in (50, 1, 1, 20, 1)] == [0, 5, 6, 7, 9]


def test_usage_corrects_the_estimate() -> None:
    """A reply's usage corrects the estimate upwards and downwards."""
    run = Run(tpm=600)
    run.send(100)
    run.pace.correct(-90)
    assert run.send(1) == 1
    run.pace.correct(99)
    assert run.send(1) == 11


def test_an_estimate_that_was_too_high_gives_nothing_away() -> None:
    """Usage below the estimate ends the waiting, and buys no burst later."""
    run = Run(tpm=600)
    run.send(10)
    run.now += 100
    run.pace.correct(-9)
    assert [run.send(10) - 100 for _ in range(3)] == [0, 1, 2]


@given(st.integers(1, 500), st.lists(st.floats(0, 30), max_size=60))
def test_no_minute_gets_more_requests_than_allowed(rpm: int, pauses: list[float]) -> None:
    """No minute holds more requests than allowed, wherever it begins, however irregularly they come."""
    run, times = Run(rpm=rpm), []
    for pause in pauses:
        run.now += pause
        times.append(run.send())
    if times:
        assert in_any_minute(times, [1] * len(times)) <= rpm


@given(st.integers(100, 100_000), st.lists(st.integers(1, 5000), min_size=1, max_size=40))
def test_no_minute_gets_more_tokens_than_allowed_but_for_the_last_request(tpm: int, tokens: list[int]) -> None:
    """No minute has more than its tokens and one request, as none can be cut in two."""
    run = Run(tpm=tpm)
    times = [run.send(amount) for amount in tokens]
    assert in_any_minute(times, tokens) <= tpm + max(tokens)


@pytest.mark.parametrize(
    ("model", "prompt", "tokens"),
    [
        (MODEL, "", UNKNOWN_COMPLETION),
        (MODEL, "x" * 41, 11 + UNKNOWN_COMPLETION),
        (Model("m", "t", {"max_tokens": 50}), "x" * 40, 60),
        (Model("m", "t", {"max_tokens": 50, "max_completion_tokens": 20}), "x" * 40, 60),
        (Model("m", "t", {"max_tokens": "many"}), "", UNKNOWN_COMPLETION),
        (Model("m", "t", {"max_tokens": 5}, system_prompt="x" * 20), "x" * 20, 15),
    ],
)
def test_what_is_expected_before_any_reply(model: Model, prompt: str, tokens: int) -> None:
    """The prompt by its length, the reply as long as the request allows."""
    assert Usage().expected(model, prompt) == tokens


def test_what_is_expected_is_learned_from_replies() -> None:
    """A request is expected to take as many tokens as counted replies had on average."""
    usage = Usage()
    assert usage.learn(Reply("", prompt_tokens=7, completion_tokens=100)) == 107
    assert usage.learn(Reply("", prompt_tokens=7, completion_tokens=200)) == 207
    assert usage.learn(Reply("")) is None
    assert usage.learn(Reply("", prompt_tokens=7)) is None
    assert usage.expected(Model("m", "t", {"max_tokens": 5}), "x" * 4) == 151
