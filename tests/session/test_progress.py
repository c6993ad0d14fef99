"""What is said before a run's first request and while it goes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pytest_llmarith.models.asking import ModelTerms
from pytest_llmarith.session.console import Pace, progress_line
from pytest_llmarith.session.forecast import ModelForecast, forecast_lines
from pytest_llmarith.types import Model, Price, Progress

PRICED = ModelTerms(Price(1.0, 4.0), 16_000)
MANY = Progress(
    requests=130,
    answered=112,
    stored=300,
    announced_stored=310,
    in_flight=16,
    retrying=2,
    failed=1,
    held=2,
)
REASONS = ModelTerms(Price(1.0, 4.0), 16_000, reasons=True)


def outlook(
    terms: ModelTerms = PRICED,
    stored: int = 0,
    count: int = 800,
    name: str = "openai/x",
    **named: Any,
) -> ModelForecast:
    asked = count - stored
    learned = {"learned_from": 0, "guessed": True} | named
    return ModelForecast(
        Model(name, name),
        count,
        stored,
        asked,
        25 * asked,
        20 * asked,
        terms,
        **learned,
    )


@pytest.mark.parametrize(
    ("one", "line"),
    [
        (outlook(), "800 questions; about 20.0k prompt tokens, about $0.0840"),
        (
            outlook(REASONS, 300, learned_from=300, guessed=False),
            "800 questions, 300 of them stored; about 12.5k prompt tokens, "
            "about 10.0k completion tokens (from 300 stored replies), about $0.0525",
        ),
        (outlook(stored=800), "800 questions, all of them stored; nothing is asked"),
        (
            outlook(ModelTerms(Price(0.01, 0.01)), count=1),
            "1 question; about 25 prompt tokens, about $0.0001 or less",
        ),
        (
            outlook(ModelTerms(reasons=True)),
            "800 questions; about 20.0k prompt tokens, cost unknown "
            "(reasoning not included; no price known, --llm-price=IN,OUT gives one)",
        ),
        (
            outlook(name="llmarith/oracle"),
            "800 questions; about 20.0k prompt tokens, free: simulated",
        ),
        (
            replace(outlook(count=16), asked=8),
            "16 questions; 8 requests, as some have the same prompt; about 400 prompt tokens, about $0.0017",
        ),
    ],
)
def test_a_forecast(one: ModelForecast, line: str) -> None:
    assert forecast_lines([one], each=True) == [line]


def test_a_forecast_of_several_models() -> None:
    """First all of them, with the sum of what is known; then each of them.

    A judge comes on top.
    """
    named = [outlook(REASONS, name="thinks\x1b"), outlook(ModelTerms(), name="m")]
    first, thinks, mine, judge = forecast_lines(named, True, "judge:gpt-4o")
    assert first.startswith(
        "1,600 questions; about 40.0k prompt tokens, at least $0.0840 (reasoning not included; no p"
    )
    assert (thinks[:12], mine[:3]) == ("thinks\\x1b: ", "m: ")
    assert (
        judge == "questions to judge:gpt-4o depend on the replies and are not included"
    )


@pytest.mark.parametrize(
    ("progress", "selected", "line"),
    [
        (Progress(), 720, "0 of 720 answered"),
        (Progress(), None, "0 answered"),
        (
            replace(MANY, cost_usd=0.0123, unpriced=3),
            720,
            "412 of 720 answered, 1 unanswered, 130 asked, 310 in the store, 16 in flight, 2 waiting, 2 queued, "
            "$0.0123 so far (3 unpriced), 9 replies a minute",
        ),
        (
            Progress(requests=5, answered=5, unpriced=5),
            5,
            "5 of 5 answered, 5 asked, no price known",
        ),
    ],
)
def test_a_progress_line(progress: Progress, selected: int | None, line: str) -> None:
    assert (
        progress_line(
            progress, selected, pace="9 replies a minute" * bool(progress.cost_usd)
        )
        == line
    )


def test_what_is_waited_for_is_named() -> None:
    waiting = {"429 from \x1b[2J": 3, "no reply from b": 11}
    progress = Progress(retrying=14, waiting_for=waiting, next_try_s=11.2)
    assert progress_line(Progress(answered=5), 5, graded="2 of 5 graded") == (
        "5 of 5 answered, 2 of 5 graded"
    )
    assert (
        progress_line(progress, None)
        == "0 answered, 14 waiting: no reply from b and others, next try in 12 s"
    )


@pytest.mark.parametrize(
    ("before", "now", "seconds", "words"),
    [
        (Progress(), Progress(), 60, ""),
        (Progress(answered=5), Progress(answered=15), 30, "20 replies a minute"),
        (
            Progress(answered=100),
            Progress(announced=720, announced_stored=300, answered=110, failed=10),
            60,
            "10 replies a minute, about 30 min left",
        ),
        (
            Progress(),
            Progress(announced=1000, answered=10),
            60,
            "10 replies a minute, about 1 h 39 min left",
        ),
        (
            Progress(),
            Progress(announced=10, by_graders=5, failed=9),
            6,
            "50 replies a minute",
        ),
    ],
)
def test_the_pace(before: Progress, now: Progress, seconds: float, words: str) -> None:
    """The time left only if questions are left; judges give replies, but to no
    question.
    """
    assert Pace(before, 0.0).words(now, seconds) == words
