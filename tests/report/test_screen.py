"""The end of a run on one screen."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.evaluate import AskedTrial
from pytest_llmarith.models import fake
from pytest_llmarith.records import as_dict
from pytest_llmarith.report.report import screen
from pytest_llmarith.report.run_status import run_lines
from pytest_llmarith.session.planned import known_to
from pytest_llmarith.summaries import RunSummary
from pytest_llmarith.tasks.prompts import render
from pytest_llmarith.types import (
    DEFAULT_CONDITION,
    Condition,
    Model,
    NumberFormat,
)
from tests.asked import additions, calculations, number_record
from tests.report.page.made_runs import all_cells, wrong
from tests.runs_on_disk import added, asked, programmed, searched, summed_up

DOCS = Path(__file__).parents[2] / "docs"
ONE = all_cells("one", 6, 2)
SIX = [
    record
    for number in range(6)
    for record in all_cells(f"provider/model-{number}", 3 + number, 2)
]

HOSTILE = [wrong(model="\x1b[31mred\u202e") | {"answer": "1" * 5000}]


def test_terms_that_are_not_right_are_counted() -> None:
    """In one line, and in none if all are right."""
    statuses = [*["ok"] * 7, "wrong", "wrong", "late", "crashed"]
    term = {"n": 1, "expected": "1", "got": "1", "seconds": 0.01}

    def lines(told: list[str]) -> list[str]:
        record = programmed(
            "A000045", terms=[term | {"status": status} for status in told]
        )
        return screen(summed_up([record]), 80)

    assert "starter: terms: 7 ok, 2 wrong, 1 late, 1 crashed" in lines(statuses)
    assert not [line for line in lines(["ok"]) if "terms:" in line]


@pytest.mark.parametrize(
    ("reason", "width", "said"),
    [
        ("2 of 3 terms right; n = 3: expected 2, got 3", 120, "n = 3: expected 2, got"),
        ("0 of 3 terms right; n = 1: crashed: NameError", 120, "crashed: NameError"),
        ("no program", 80, "A000045: no program"),
    ],
)
def test_the_first_wrong_program_is_named(reason: str, width: int, said: str) -> None:
    """With the first term that is wrong, below "first wrong"."""
    records = [programmed("A000045"), programmed("A000290")]
    records[0]["reason"] = reason
    lines = screen(summed_up(records), width)
    (head,) = (line for line in lines if "first wrong" in line)
    row = next(line for line in lines if "A000045" in line)
    assert said in row
    assert row.index("A000045") == head.index("first wrong")


def words(lines: list[str]) -> list[str]:
    return [" ".join(line.split()) for line in lines]


def shown(records: list[dict[str, Any]], width: int = 80, **named: Any) -> list[str]:
    return screen(summed_up(records), width, **named)


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize(
    "records",
    [ONE, SIX, [*SIX, added("7")], HOSTILE],
    ids=["one", "six", "tasks", "hostile"],
)
def test_lines_fit(records: list[dict[str, Any]], width: int) -> None:
    """Names and replies are harmless."""
    lines = shown(records, width)
    assert max(map(len, lines)) <= width
    assert all(line.isprintable() for line in lines)


def test_one_model_fits_a_screen() -> None:
    lines = words(shown(ONE))
    assert len(lines) <= 20
    # Half of the trials from depth 6 on are wrong; the first of them is named with its
    # answer.
    first = next(line for line in lines if line.startswith("int_add"))
    assert first.startswith("int_add 2 2 2 2 1 1 1 1 1 8?")
    assert " + " in first
    for some in (lines, words(shown(ONE, only_head=True))):
        (place,) = (at for at, line in enumerate(some) if line.startswith("arithmetic"))
        assert some[place].startswith("arithmetic 144 ")
        assert some[place - 2].startswith("one (simulated) trials")
        assert some[place + 1].startswith("errors: ")
    assert not any(line.startswith("int_add") for line in some)


def test_each_further_model_is_a_row() -> None:
    """Of each table; two rows never have the same name."""
    six, five = (
        len(shown([one for one in SIX if one["model"] < f"provider/model-{most}"], 160))
        for most in (6, 5)
    )
    assert six - five == 4  # two tables, the differences, and its errors
    alike = [
        one | {"model": f"provider/{'m' * 20}{name}{'n' * 30}"}
        for name in "ab"
        for one in ONE
    ]
    head = [line for line in shown(alike, only_head=True) if line.startswith("prov")]
    assert len({line.split()[0] for line in head}) == 2


def test_differences_are_to_the_first_model() -> None:
    """With their interval, p, pairs, and what so many pairs can show."""
    records = [
        *(wrong(trial=trial, model="a") for trial in range(30)),
        *(asked("{}", 3, n, model="b") for n in range(30)),
    ]
    for width in (80, 120):
        lines = words(shown(records, width))
        at = lines.index("b: difference to a in percentage points")
        assert lines[at + 3].startswith(
            "arithmetic +100.0 (+83.9 to +100.0) <0.0001* 30 "
        )


@pytest.mark.parametrize("formats", [("comma",), ("plain", "comma")])
def test_differences_are_over_all_conditions(formats: tuple[str, ...]) -> None:
    """With several conditions, no row of one of them has the difference over all."""
    records = [
        asked("{}" if model == "b" else "1", 3, trial, model=model)
        | {"condition": Condition(NumberFormat(one)).fields()}
        for model in "ab"
        for trial in range(30)
        for one in formats
    ]
    of_rows = [line for line in words(shown(records, 160)) if "+100.0" in line]
    assert len(of_rows) == 1
    assert any("all conditions" in line for line in words(shown(records, 160))) == (
        len(formats) > 1
    )


def test_repeats_are_clustered() -> None:
    """Three equal answers to each of eight problems are no more certain than one answer
    to each.
    """
    once = [asked("{}" if trial < 4 else "1", 3, trial) for trial in range(8)]
    again = [record | {"repeat": repeat} for record in once for repeat in range(3)]
    found = [
        re.search(r"50\.0 \((.*?)-(.*?)\)", "\n".join(words(shown(records))))
        for records in (once, again)
    ]
    (low, high), (clustered_low, clustered_high) = (
        map(float, one.groups()) for one in found if one
    )
    assert clustered_low <= low
    assert high <= clustered_high


def test_repeats_prove_no_additions() -> None:
    """Twelve additions do not show 90 %, however often each is asked."""
    once = [added("{}", trial) for trial in range(12)]
    again = [record | {"repeat": repeat} for record in once for repeat in range(3)]
    for records in (once, again):
        assert any(" 30? $" in line for line in words(shown(records)))


def test_a_model_without_answers_has_a_row() -> None:
    """An outage of one of two models is not hidden."""
    records = [
        *(asked("{}", 3, n, model="a") for n in range(3)),
        *(asked(None, 3, n, model="b") for n in range(3)),
    ]
    lines = words(shown(records))
    place = next(number for number, line in enumerate(lines) if line.startswith("b 0 "))
    assert lines[place + 1].startswith("incomplete, 0 of 3")


def test_searches() -> None:
    """What each search found with its class, or how far it came, and how it ended."""
    minimum = {
        "question": "27 * 48",
        "expected": "1296",
        "outcome": "deviate",
        "reason": None,
        "answer": "1286",
    }
    found: dict[str, Any] = {
        "minimum": minimum | {"error_class": "one digit"},
        "questions": 41,
    }
    documented = [
        " ".join(line.split())
        for line in (DOCS / "breaking-point.md").read_text("utf-8").splitlines()
    ]
    step = {"question": "kiwi fig pear", "before": 0, "reply": None}
    trail = [
        step | {"depth": depth, "outcome": outcome}
        for depth, outcome in ((2, "correct"), (1, "correct"), (4, "deviate"))
    ]
    for record in (
        searched(ended="shrunk", **found),
        searched(ended="not reproduced", trail=trail, not_reproduced=6),
    ):
        lines = words(shown([record], 120))
        at = lines.index(next(line for line in lines if line.startswith("search")))
        assert "\n".join([lines[at], *lines[at + 2 : at + 4]]) in "\n".join(
            line for line in documented if not line.startswith("---")
        )
    minimum |= {"question": f"{10**29} * {10**29}", "expected": f"1{'0' * 58}"}
    cut = words(
        shown(
            [
                searched(
                    ended="budget", repeat=1, minimum=minimum | {"error_class": "tail"}
                )
            ],
            160,
        )
    )
    assert any(line.startswith("int_mul, repeat 1") for line in cut)
    assert "1286" in (text := " ".join(cut))
    assert "tail; maybe not the simplest" in text


def test_what_has_no_depths_does_not_reach_any() -> None:
    """A dash would say that 90 % are ruled out."""
    lines = words(shown([*ONE, programmed("A000045", model="one")]))
    (row,) = (line for line in lines if line.startswith("one oeis 1 "))
    assert " - " not in row


def test_depths_are_digits_only_of_built_in_tasks() -> None:
    def title(record: dict[str, Any]) -> str:
        (found,) = [line for line in shown([record]) if "by depth" in line]
        return found

    number = asked("7")
    assert "by depth (digits)" in title(number)
    own = number | {"task": "sorting", "reading": None, "grade": {"score": 0.0}}
    assert "digits" not in title(own)
    assert "digits" not in title(number | {"task": "carries"})


@pytest.fixture(scope="module")
def usual_run() -> RunSummary:
    """What `pytest benches/test_arithmetic.py benches/test_integer_addition.py
    --llm-model=llmarith/sloppy` asks and gets.
    """
    model = Model("llmarith/sloppy", "llmarith/sloppy")
    records = []
    for problem in [*calculations(0, range(2, 11), 10), *additions(0, 100)]:
        prompt = render(problem, DEFAULT_CONDITION, {}, 0)
        reply = fake.reply(replace(model, known=known_to(model, problem)), prompt)
        trial = AskedTrial.of(problem, model, prompt, f"test_{problem.label}")
        records.append(as_dict(number_record(problem, trial, None, reply)))
    return summed_up(records, {"selected": len(records)})


@pytest.mark.parametrize("width", [80, 100, 120])
def test_one_model_and_two_tasks_fit_into_few_lines(
    usual_run: RunSummary, width: int
) -> None:
    """With the empty line and the title before, and the page and pytest's line
    after.
    """
    lines = [*run_lines(usual_run, width), *screen(usual_run, width)]
    assert lines[0] == "all 820 answered"
    assert 2 + len(lines) + 2 <= 28
    assert all(len(line) <= width for line in lines)
    said = " ".join(words(lines))
    assert re.search(r"errors: \d+ one digit, \d+ other length", said)


def test_nothing_measured_is_nothing_shown() -> None:
    assert shown([asked(None)]) == []
