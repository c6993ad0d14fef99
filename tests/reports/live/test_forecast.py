"""What is said of a run before its first request."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_llmarith.reports.live.forecast import forecast_lines, search_line, spent_lines
from pytest_llmarith.values import AskingLimits, Model, Outlook, Price, Terms

PRICED = Terms(Price(1.0, 4.0), 16_000)
REASONS = Terms(Price(1.0, 4.0), 16_000, reasons=True)


def outlook(
    terms: Terms = PRICED,
    target: str = "openai/x",
    name: str = "x",
    stored: int = 0,
    count: int = 800,
    learned_from: int = 0,
    guessed: bool = True,
) -> Outlook:
    asked = count - stored
    return Outlook(Model(name, target), count, stored, asked, 25 * asked, 20 * asked, terms, learned_from, guessed)


@pytest.mark.parametrize(
    ("one", "line"),
    [
        (outlook(), "800 questions; about 20.0k prompt tokens, about $0.0840"),
        (outlook(stored=300), "800 questions, 300 of them stored; about 12.5k prompt tokens, about $0.0525"),
        (
            outlook(REASONS, stored=300, learned_from=300, guessed=False),
            "800 questions, 300 of them stored; about 12.5k prompt tokens, "
            "about 10.0k completion tokens (from 300 stored replies), about $0.0525",
        ),
        (
            outlook(REASONS, stored=1, learned_from=1),
            "800 questions, 1 of them stored; about 20.0k prompt tokens, "
            "about 16.0k completion tokens (partly from 1 stored reply), from $0.0839 (reasoning is unforeseeable)",
        ),
        (outlook(stored=800), "800 questions, all of them stored; nothing is asked"),
        (outlook(stored=1, count=1), "1 question, which is stored; nothing is asked"),
        (outlook(count=1), "1 question; about 25 prompt tokens, about $0.0001"),
        (outlook(Terms(Price(0.01, 0.01)), count=1), "1 question; about 25 prompt tokens, about $0.0001 or less"),
        (outlook(Terms(Price(0.0, 0.0))), "800 questions; about 20.0k prompt tokens, about $0"),
        (outlook(REASONS), "800 questions; about 20.0k prompt tokens, from $0.0840 (reasoning is unforeseeable)"),
        (
            outlook(Terms()),
            "800 questions; about 20.0k prompt tokens, cost unknown (no price known, --llm-price=IN,OUT gives one)",
        ),
        (
            outlook(Terms(reasons=True)),
            "800 questions; about 20.0k prompt tokens, cost unknown "
            "(reasoning is unforeseeable; no price known, --llm-price=IN,OUT gives one)",
        ),
        (
            outlook(target="llmarith/exact", terms=Terms(Price(0, 0))),
            "800 questions; about 20.0k prompt tokens, free: simulated",
        ),
    ],
)
def test_one_model(one: Outlook, line: str) -> None:
    """One line: what is asked, what is stored, about what it costs, and what nobody can know."""
    assert forecast_lines([one]) == [f"forecast: {line}"]


@pytest.mark.parametrize(
    ("limits", "lines"),
    [
        (AskingLimits(), []),
        (AskingLimits(max_cost_usd=0.1), ["forecast: $0.0991 of $0.1000 spent by stored replies"]),
        (AskingLimits(max_tokens=20_000), ["forecast: 12,345 of 20,000 tokens used by stored replies"]),
    ],
)
def test_what_stored_replies_leave_of_a_cap(limits: AskingLimits, lines: list[str]) -> None:
    """A forecast says what stored replies leave of each cap, and nothing where there is none."""
    assert spent_lines(0.0991, 0, 12_345, limits) == lines


def test_a_search_whose_first_question_is_stored() -> None:
    """A search whose first question is stored is forecast as stored, though it may go on asking."""
    searching = replace(outlook(stored=1, count=1), searching=True)
    assert forecast_lines([searching]) == ["forecast: 1 question, which is stored"]


@pytest.mark.parametrize(
    ("searches", "told"),
    [(1, "1 search asks up to 1,000 questions"), (9, "9 searches ask up to 1,000 questions each")],
)
def test_searches(searches: int, told: str) -> None:
    """A forecast says how many questions searches may ask beyond their first ones."""
    assert search_line(searches, 1000) == f"forecast: {told}, of which only the first is counted here"


def test_stored_replies_of_unknown_price() -> None:
    """Stored replies of unknown price are not in the sum, which is said."""
    (line,) = spent_lines(0.0, 3, 0, AskingLimits(max_cost_usd=5.0))
    assert line == "forecast: $0 of $5.00 spent by stored replies (3 of unknown price not included)"


def test_several_models() -> None:
    """A forecast of several models begins with all of them, and sums what is known."""
    lines = forecast_lines([outlook(), outlook(REASONS, name="thinks\x1b[31m"), outlook(Terms(), name="mine")])
    assert lines == [
        "forecast: 2,400 questions; about 60.0k prompt tokens, from $0.1680 "
        "(reasoning is unforeseeable; no price known, --llm-price=IN,OUT gives one)",
        "forecast: x: 800 questions; about 20.0k prompt tokens, about $0.0840",
        "forecast: thinks\\x1b[31m: 800 questions; about 20.0k prompt tokens, from $0.0840 "
        "(reasoning is unforeseeable)",
        "forecast: mine: 800 questions; about 20.0k prompt tokens, cost unknown "
        "(no price known, --llm-price=IN,OUT gives one)",
    ]


def test_very_many_models() -> None:
    """A forecast of many models names some of them, and leaves the screen to the run."""
    lines = forecast_lines([outlook(name=f"m{number}") for number in range(20)])
    assert len(lines) == 10
    assert lines[-1] == "forecast: and 12 models more"


def test_a_judge() -> None:
    """What a judge is asked depends on the replies, so that it is said to come on top."""
    assert forecast_lines([outlook()], "judge:gpt-4o")[1:] == [
        "forecast: what judge:gpt-4o is asked is unforeseeable, and comes on top"
    ]


def test_what_is_put_in_the_same_words_is_one_request() -> None:
    """Two conditions may put a problem alike, and it is asked and paid once."""
    shared = replace(outlook(count=16), asked=8)
    assert forecast_lines([shared])[0].startswith(
        "forecast: 16 questions; 8 requests, as some are put in the same words; "
    )
