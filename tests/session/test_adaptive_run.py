"""Adaptive asking within a run: items, records, the store, and what is shown."""

from __future__ import annotations

import os
import re
import signal
from collections import Counter

import pytest

from pytest_llmarith.results.regrade import changes
from tests.llm_server import Answer, Call, Gate, usage
from tests.session.background import begun
from tests.session.bench import WAYS, Bench, right

PRODUCTS = ("-k", "int_mul", "--llm-depths=2-8")
ADAPTIVE = (*PRODUCTS, "--llm-adaptive=1,60")


def four_digits(call: Call) -> str:
    """Right up to 4 digits, and half of the time with 5."""
    operand = call.prompt.split()[-1]
    return (
        right(call)
        if len(operand) < 5 or (len(operand) == 5 and int(operand) % 2)
        else "7"
    )


@pytest.mark.proof
@pytest.mark.parametrize("way", ["plain", "-n 2"])
def test_a_grid_shares_the_questions(bench: Bench, way: str) -> None:
    """One item per variant measures D50.

    Rerun, it asks nothing; a grid and another half-width ask only what is new.
    """
    bench.script = four_digits
    result = bench.run(*ADAPTIVE, *WAYS[way])
    result.stdout.fnmatch_lines(
        ["llmarith: forecast: 1 item asks up to 60 questions, which depend on*"]
    )
    (record,) = bench.records()
    asked = len(bench.server.requests)
    assert record["task"] == "threshold"
    assert record["outcome"] == "correct"
    assert record["grade"]["details"]["ended"] == "reached"
    trail = record["grade"]["details"]["trail"]
    assert len(trail) == record["grade"]["details"]["questions"] == asked < 40
    seen = Counter[int]()
    for step in trail:
        assert step["before"] == seen[step["depth"]]
        seen[step["depth"]] += 1
    (found,) = bench.summary()["results"]
    (d50,) = found["thresholds"]
    low, high = d50["interval"]
    assert low <= 5 <= high <= low + 2
    assert d50["questions"] == asked
    assert d50["ended"] == "reached"
    assert d50["place"] == "within"
    assert set(found["percentages"].values()) == {None}
    assert (found["cells"], found["variants"], found["asked"]) == ([], [], asked)
    result.stdout.fnmatch_lines(
        [f"int_mul *{d50['d50']:.1f} ({low:.1f} to {high:.1f}), {asked} asked"]
    )
    page = (bench.runs[-1] / "report.html").read_text(encoding="utf-8")
    assert f"<small>{asked} asked</small>" in page
    assert not re.search("band around a curve|The bar is", page)
    assert not any("correct %" in line for line in result.outlines)
    (change,) = changes(bench.runs[-1] / "trials.jsonl", None, [])
    assert (change.before, change.record.outcome) == ("correct", "correct")
    bench.run(*ADAPTIVE, *WAYS[way])
    assert len(bench.server.requests) == asked
    assert bench.records()[0]["grade"]["details"]["questions"] == asked
    assert bench.summary()["results"][0]["stored"] == asked
    trials = max(seen.values())
    assert bench.run(*PRODUCTS, f"--llm-trials={trials}", *WAYS[way]).ret == 0
    assert len(bench.server.requests) == 7 * trials
    assert set(bench.server.asked.values()) == {1}


@pytest.mark.proof
def test_a_killed_run_pays_for_nothing_twice(bench: Bench) -> None:
    gate = Gate()
    bench.script = lambda call: Answer(
        four_digits(call), gate=gate if len(bench.server.requests) == 6 else None
    )
    with begun(bench, *ADAPTIVE) as process:
        bench.server.wait_for_requests(6)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    gate.open()
    assert bench.run(*ADAPTIVE).ret == 0
    assert (
        sum(bench.server.asked.values()) <= len(bench.server.asked) + 1
    )  # the one that was in flight


@pytest.mark.proof
def test_an_unanswered_question_and_a_cap(bench: Bench) -> None:
    """An item over budget is unanswered and keeps what it asked; a cap of questions
    leaves the interval so far.
    """
    bench.script = lambda call: Answer(four_digits(call), usage=usage(60, 10))
    limited = (*ADAPTIVE, "--llm-param", "max_completion_tokens=10")
    assert bench.run(*limited, "--llm-max-total-tokens=800").ret == 1
    (record,) = bench.records()
    paid = len(bench.server.requests)
    assert record["outcome"] == "unanswered"
    assert record["grade"]["details"]["ended"] == "unanswered"
    assert len(record["grade"]["details"]["trail"]) == paid > 0
    assert bench.summary()["results"][0]["thresholds"] == []
    result = bench.run(*limited, "--llm-adaptive=0.1,12")
    result.stdout.fnmatch_lines(["int_mul *(* to *), not reached, 12 asked"])
    (record,) = bench.records()
    assert record["outcome"] == "nan"
    assert record["reason"] == "not reached"
    assert record["grade"]["details"]["ended"] == "not reached"
    assert set(bench.server.asked.values()) == {1}
    assert bench.run(*limited, "--llm-adaptive=0.1,12", "--llm-strict").ret == 1


@pytest.mark.proof
def test_wrong_usage(bench: Bench) -> None:
    table: list[tuple[tuple[str, ...], str]] = [
        (("--llm-adaptive=0.5,0",), "write 0.5 or 0.5,100"),
        (("--llm-adaptive=1", "--llm-repeats=2"), "--llm-repeats"),
        (("--llm-adaptive=1", "--llm-fail-under=80"), "--llm-fail-under"),
        (("--llm-adaptive=1", "--llm-depths=3"), "--llm-depths=2-10"),
        (
            ("--llm-adaptive=1", "-k", "integer_addition"),
            "no item of a task with depths was selected",
        ),
        (
            ("--llm-adaptive=1", "-k", "integer_addition", "-n", "2"),
            "no item of a task with depths was selected",
        ),
        (
            ("--llm-adaptive=1", "-k", "depth_2", "--llm-dry-run"),
            "no item of a task with depths was selected",
        ),
    ]
    for args, fact in table:
        result = bench.run(*args)
        (line,) = filter(None, result.errlines)
        assert (
            result.ret,
            line.startswith("ERROR: --llm-adaptive: "),
            fact in line,
        ) == (4, True, True), line
    assert bench.server.requests == []


def test_a_model_of_ones_own(pytester: pytest.Pytester) -> None:
    bench = """
        import pytest

        class Small:
            name = "small"

            def reply(self, prompt):
                lhs, _, rhs = prompt.split()[-3:]
                return str(int(lhs) + int(rhs) if len(rhs) < 4 else 7)

        @pytest.fixture
        def model():
            return Small()

        @pytest.mark.arithmetic(depths=DEPTHS)
        def test_it(problem, ask):
            ask(problem)
    """
    pytester.makepyfile(bench.replace("DEPTHS", "range(2, 9)"))
    result = pytester.runpytest("--llm-adaptive=1", "-k", "int_add")
    result.stdout.fnmatch_lines(["int_add *3.? (* to *), *"])
    pytester.makepyfile(bench.replace("DEPTHS", "[2]"))
    result = pytester.runpytest("--llm-adaptive=1", "-k", "int_add")
    result.stdout.fnmatch_lines(["*--llm-adaptive needs two depths or more*"])
