"""Searches for the breaking point within a run: items, records, the store, and how they
are shown.
"""

from __future__ import annotations

import json
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.results.log import records_in
from pytest_llmarith.results.logged_replies import replies_of
from tests.golden.frozen import summary_of
from tests.llm_server import Answer, usage
from tests.session.bench import Bench, right

SEARCHES = """
    import pytest

    @pytest.mark.breaking_point
    def test_breaking_point(problem, search):
        search(problem)
"""
# A model of the user's own that drops the fourth digit of its operands, or breaks down.
PLANTED = """
    import pytest

    class Planted:
        name = "planted"
        asked = 0

        def reply(self, prompt):
            self.asked += 1
            if self.asked > LIMIT:
                raise ConnectionError("no line")
            lhs, _, rhs = prompt.splitlines()[-1].split()
            return str(int(lhs) % 1000 + int(rhs) % 1000)

    @pytest.fixture
    def model():
        return Planted()

    @pytest.mark.breaking_point
    def test_breaking_point(problem, search):
        search(problem)
"""


def written(folder: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The records of the last run, and its summary."""
    run = max(path for path in (folder / "reports").iterdir() if path.is_dir())
    log = (run / "trials.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in log], summary_of(
        (run / "summary.json").read_bytes()
    )


def planted(pytester: pytest.Pytester, limit: int, *args: str) -> pytest.RunResult:
    pytester.makepyfile(PLANTED.replace("LIMIT", str(limit)))
    return pytester.runpytest("--llm-breaking-point=80", "-k", "int_add", *args)


def test_a_planted_fault_is_found_and_shown(pytester: pytest.Pytester) -> None:
    """A search is one record, which stands for the smallest wrong question, with all
    the others in its trail.

    A search that gets no reply is unanswered, and keeps what it had been told.
    """
    result = planted(pytester, limit=1000)
    result.stdout.fnmatch_lines(["int_add *0 + 1000 = 1000, not 0"])
    (record,), summary = written(pytester.path)
    search = record["grade"]["details"]
    assert record["task"] == "breaking_point"
    assert record["outcome"] == "deviate"
    assert search["ended"] == "shrunk"
    assert record["reason"] == "0 + 1000: expected 1000, got 0"
    assert record["prompt"][-1]["content"].endswith("0 + 1000")
    assert search["questions"] == len(search["trail"]) <= 80
    asked = [
        step["before"] for step in search["trail"] if step["question"] == "0 + 1000"
    ]
    assert asked == [0, 1, 2, 3]
    assert search["not_reproduced"] == 0
    (found,) = summary["results"][0]["breaking_points"]
    assert found["variant"] == "int_add"
    assert found["question"] == "0 + 1000"
    assert found["answer"] == "0"
    result = planted(pytester, limit=5)
    result.stdout.fnmatch_lines(["unanswered: 1 x ConnectionError: no line"])
    (record,), summary = written(pytester.path)
    assert record["outcome"] == "unanswered"
    assert record["reply"] is None
    assert record["grade"]["details"]["ended"] == "unanswered"
    assert [step["outcome"] for step in record["grade"]["details"]["trail"]] == [
        "correct"
    ] * 5
    assert summary["results"][0]["breaking_points"] == []


@pytest.mark.proof
def test_a_cap_ends_a_search_which_a_higher_one_goes_on_with(bench: Bench) -> None:
    """A question over budget leaves the search unanswered; the same command with more
    money pays for the rest alone.

    Its replies can be taken from the log.
    """
    bench.pytester.makepyfile(test_bench=SEARCHES)
    bench.script = lambda call: Answer(right(call), usage=usage(60, 10))
    args = (
        "--llm-breaking-point=12",
        "-k",
        "integer_addition",
        "--llm-param",
        "max_completion_tokens=10",
    )
    bench.run(*args, "--llm-max-total-tokens=800")
    (capped,) = bench.records()
    assert capped["outcome"] == "unanswered"
    assert capped["failure"] == "budget"
    paid = len(capped["grade"]["details"]["trail"])
    assert 0 < paid < 9
    result = bench.run(*args)
    result.stdout.fnmatch_lines(["llmarith: forecast: 1 question, which is stored"])
    (whole,) = bench.records()
    search = whole["grade"]["details"]
    assert (whole["outcome"], search["ended"]) == ("correct", "nothing found")
    stored = ["stored" in step["reply"] for step in search["trail"]]
    assert stored == [True] * paid + [False] * (9 - paid)
    (record,) = records_in(bench.runs[-1] / "trials.jsonl")
    assert len([*replies_of(record, Counter())]) == 9


# A task of the user's own that cannot grade numbers above 60.
UNGRADED = """
    import pytest

    from pytest_llmarith import Grid, Problem, Task

    def problem_at(seed, variant, depth, trial):
        return Problem({"number": depth * 10 + trial}, str(depth * 10 + trial))

    def grade(answer, problem):
        if int(answer) > 60:
            FAULT
        return answer == problem.expected

    TASK = Task(
        "counting",
        Grid(problem_at, [""], range(1, 9)),
        lambda problem: str(problem["number"]),
        grade=grade,
    )

    @pytest.fixture
    def model():
        class Echo:
            name = "echo"

            def reply(self, prompt):
                return prompt

        return Echo()

    @pytest.mark.breaking_point(TASK)
    def test_breaking_point(problem, search):
        search(problem)

    @pytest.mark.llmarith_task(TASK)
    def test_counting(problem, ask):
        ask(problem)
"""


@pytest.mark.parametrize(
    "search", [("--llm-breaking-point=80", "-k", "breaking"), ("--llm-adaptive=0.1",)]
)
@pytest.mark.parametrize(
    ("fault", "raised", "reason", "shown"),
    [
        (
            "raise ValueError('too large')",
            "ValueError: too large",
            "task counting raised ValueError: too large, for number: *",
            "E*ValueError: too large",
        ),
        (
            "return 7",
            None,
            "grade of task counting, problem number: *: 7 is no score*",
            "unanswered: 1 x grade of task counting, problem number: *: 7 is no score*",
        ),
    ],
    ids=["raises", "no grade"],
)
def test_a_task_that_cannot_grade_an_answer_of_a_search(
    pytester: pytest.Pytester,
    search: tuple[str, ...],
    fault: str,
    raised: str | None,
    reason: str,
    shown: str,
) -> None:
    """The search ends as a question alone would: its record keeps all replies, the last
    of which is the one that was not graded.
    """
    pytester.makepyfile(UNGRADED.replace("FAULT", fault))
    result = pytester.runpytest(*search)
    assert result.ret == 1
    result.stdout.fnmatch_lines([shown])
    (record,), _ = written(pytester.path)
    assert (record["outcome"], record.get("raised")) == ("unanswered", raised)
    assert fnmatch(record["reason"], reason)
    assert int(record["reply"]["text"]) > 60
    assert record["prompt"][-1]["content"] == record["reply"]["text"]
    details = record["grade"]["details"]
    assert details["ended"] == "unanswered"
    assert details["questions"] == len(details["trail"]) > 1
    assert details["trail"][-1]["reply"] == record["reply"]
    assert [step["outcome"] for step in details["trail"]][-2:] == [
        "correct",
        "unanswered",
    ]
