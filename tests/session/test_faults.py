"""Whole benches against a provider that throttles, hangs, lies and falls over: no outage looks like a bad model."""

from __future__ import annotations

from collections import Counter
from fnmatch import fnmatchcase
from xml.etree import ElementTree

import pytest

from pytest_llmarith.tasks import addition
from tests.fault_server import LASTING, PASSING, Trouble, Troublemaker
from tests.session.bench import Bench, right

TIMEOUT_S = 5  # long enough for a busy machine, and waited for by every trouble that hangs

Way = tuple[str, ...]


def face(bench: Bench, troubles: tuple[Trouble, ...], *args: str) -> tuple[pytest.RunResult, Troublemaker]:
    """A run of one question per trouble."""
    bench.pytester.makepyfile(
        test_bench=f"""
        import pytest

        @pytest.mark.integer_addition(trials={len(troubles)})
        def test_integer_addition(problem, ask):
            ask(problem)
        """
    )
    prompts = [addition.prompt(problem) for problem in addition.problems(0, len(troubles))]
    bench.script = made = Troublemaker(prompts, troubles, right)
    options = (f"--llm-timeout={TIMEOUT_S}", "--llm-concurrency=8", "--junit-xml=junit.xml")
    return bench.run(*options, *args), made


def check_records(bench: Bench, made: Troublemaker) -> None:
    """Every question has come to what its trouble has to come to, in one record each."""
    records = {record["prompt"]: record for record in bench.records()}
    assert len(bench.records()) == len(records) == len(made.troubles)
    for prompt, trouble in made.troubles.items():
        record = records[prompt]
        assert (trouble.name, record["outcome"]) == (trouble.name, trouble.outcome)
        assert fnmatchcase(record["reason"] or "", trouble.why or ""), (trouble.name, record["reason"])
        assert (trouble.name, len(record["retries"])) == (trouble.name, trouble.requests - 1)
        if trouble.outcome != "unanswered":
            assert (trouble.name, record["reply"]["attempts"]) == (trouble.name, trouble.requests)
            assert (trouble.name, record["reply"]["served_model"]) == (trouble.name, trouble.served_model)
        else:
            assert (trouble.name, record["reply"]) == (trouble.name, None)


def check_counts(bench: Bench, made: Troublemaker) -> None:
    """The server was asked as often as it had to be; no failure is in a percentage; all files agree."""
    assert bench.server.asked == made.expected_requests()
    outcomes = Counter(trouble.outcome for trouble in made.troubles.values())
    summary = bench.summary()
    (result,) = summary["results"]
    assert Counter(result["outcomes"]) == outcomes
    assert summary["unanswered"] == outcomes["unanswered"]
    assert summary["answered"] == result["measured"] == len(made.troubles) - outcomes["unanswered"]
    for outcome in ("correct", "deviate", "nan"):
        expected = 100 * outcomes[outcome] / result["measured"]
        assert result["percentages"][outcome]["percent"] == pytest.approx(expected, abs=1e-3)
    assert sum(result["unanswered_reasons"].values()) == outcomes["unanswered"]
    asking = summary["run"]["asking"]
    assert asking["requests"] == len(bench.server.requests)
    assert sum(asking["retries"].values()) == len(bench.server.requests) - len(made.troubles)
    assert not summary["complete"]
    expected_outcomes = {prompt: trouble.outcome for prompt, trouble in made.troubles.items()}
    in_report = {test["llmarith"]["prompt"]: test["llmarith"]["outcome"] for test in bench.report()["tests"]}
    assert in_report == expected_outcomes
    cases = ElementTree.parse(bench.pytester.path / "junit.xml").findall(".//testcase")
    assert len(cases) == len(made.troubles)
    assert sum(case.find("failure") is not None for case in cases) == outcomes["unanswered"]


def check_terminal(bench: Bench, made: Troublemaker, result: pytest.RunResult) -> None:
    """One line for every question that has no answer, no traceback, nothing on stderr."""
    assert result.errlines == []
    result.stdout.no_fnmatch_line("*Traceback*")
    lines = [line for line in result.outlines if line.startswith("UNANSWERED ")]
    unanswered = {record["nodeid"]: record["reason"] for record in bench.records() if record["outcome"] == "unanswered"}
    assert sorted(lines) == sorted(f"UNANSWERED {nodeid} - {reason}" for nodeid, reason in unanswered.items())


def test_trouble_that_passes(bench: Bench, way: Way) -> None:
    """Throttling, errors, garbage, hanging and cut lines cost attempts and no answer; replies are what they are."""
    result, made = face(bench, PASSING, "--llm-retries=2", *way)
    assert result.ret == 1
    check_records(bench, made)
    check_counts(bench, made)
    check_terminal(bench, made, result)


def test_trouble_that_lasts(bench: Bench, way: Way) -> None:
    """What fails for good is unanswered, with the reason of its last attempt; the same command asks it again."""
    result, made = face(bench, LASTING, "--llm-retries=1", *way)
    assert result.ret == 1
    check_records(bench, made)
    check_counts(bench, made)
    check_terminal(bench, made, result)
    asked = Counter(bench.server.asked)
    bench.script = right
    assert bench.run(*way).ret == 0
    assert bench.server.asked - asked == Counter(
        prompt for prompt, trouble in made.troubles.items() if trouble.outcome == "unanswered"
    )
