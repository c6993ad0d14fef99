"""What pytest's own reports show of a trial: JUnit XML, and pytest-json-report's file."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.session.bench import BENCH, WAYS

Way = tuple[str, ...]
# No control character, no half of a surrogate pair and no megabyte of it may get in the way of a report.
HOSTILE = "\x00\x1b[31m\ud800\ufffe]]></testcase>&'\"\u202e" + "é" * 10_000
OWN_MODEL = f"""
import pytest
from pytest_llmarith.values import Reply

class Mine:
    name = {"mine " + HOSTILE[:40]!a}

    def reply(self, prompt):
        if "*" in prompt:
            raise ConnectionError({HOSTILE!a})
        return Reply("" if "/" in prompt else "7" * 2_000, cost_usd=4e-05)

@pytest.fixture
def model():
    return Mine()
"""


@pytest.fixture
def folder(pytester: pytest.Pytester) -> Path:
    pytester.makepyfile(test_bench=BENCH)
    pytester.makeconftest(OWN_MODEL)
    return pytester.path


def cases(folder: Path) -> dict[str, ElementTree.Element]:
    """The test cases of the JUnit XML by what tells one from the other."""
    found = ElementTree.parse(folder / "junit.xml").findall(".//testcase")
    return {case.attrib["name"].partition("[")[2].rstrip("]"): case for case in found}


def properties(case: ElementTree.Element) -> dict[str, str]:
    return {one.attrib["name"].removeprefix("llmarith_"): one.attrib["value"] for one in case.iter("property")}


def test_junit_xml_tells_outcome_class_and_cost(folder: Path, pytester: pytest.Pytester, every_way: Way) -> None:
    """Each test case has them as properties, whatever stands in names and replies; `unanswered` alone is a failure."""
    result = pytester.runpytest_subprocess("-W", "error", "--junitxml=junit.xml", *every_way)
    assert result.ret == 1
    found = cases(folder)
    assert len(found) == 20
    deviate, silent, unanswered = (properties(found[f"int_{op}-depth_2-trial_0"]) for op in ("add", "div", "mul"))
    assert (deviate["outcome"], deviate["task"], deviate["cost_usd"]) == ("deviate", "arithmetic", "0.00004")
    assert (silent["outcome"], silent["reason"]) == ("nan", "empty")
    assert "error_class" in deviate.keys() - silent.keys()
    assert "reason" not in deviate
    assert unanswered["outcome"] == "unanswered"
    assert unanswered["reason"].startswith(r"ConnectionError: \x00\x1b[31m\ud800\ufffe]]></testcase>")
    assert "cost_usd" not in unanswered
    assert {properties(case)["model"][:9] for case in found.values()} == {r"mine \x00"}
    assert {name for name, case in found.items() if case.find("failure") is not None} == {
        name for name, case in found.items() if properties(case)["outcome"] == "unanswered"
    }
    assert max(len(value) for case in found.values() for value in properties(case).values()) <= 200


def test_strict_runs_fail_in_junit_xml_too(folder: Path, pytester: pytest.Pytester) -> None:
    """With --llm-strict a deviate is a failure that says what was expected, and no more of an answer than its ends."""
    pytester.runpytest_subprocess("--junitxml=junit.xml", "--llm-strict", "-k", "int_add", *WAYS["plain"])
    for case in cases(folder).values():
        (failure,) = case.iter("failure")
        got = f"{'7' * 40}...{'7' * 40} (2,000 characters)"
        assert failure.attrib["message"].startswith(f"deviate: got {got}, expected ")
        assert failure.text == failure.attrib["message"]
