"""Searches for the breaking point within a run: items, records, the store, and how they are shown."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.results.replies import LeftOut, replies_in
from tests.llm_server import Answer, Call, usage
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
    return [json.loads(line) for line in log], json.loads((run / "summary.json").read_text(encoding="utf-8"))


def planted(pytester: pytest.Pytester, limit: int, *args: str) -> pytest.RunResult:
    pytester.makepyfile(PLANTED.replace("LIMIT", str(limit)))
    return pytester.runpytest("--llm-breaking-point=80", "-k", "int_add", *args)


def test_a_search_needs_its_option(pytester: pytest.Pytester) -> None:
    """Without a budget there is one item, which is skipped, and the run says how to get the searches."""
    pytester.makepyfile(SEARCHES)
    result = pytester.runpytest("--llm-model=llmarith/sloppy")
    result.assert_outcomes(skipped=1)
    told = "llmarith: no search requested: --llm-breaking-point=80 searches with up to 80 questions each"
    assert result.outlines.count(told) == 1


def test_a_planted_fault_is_found_and_shown(pytester: pytest.Pytester) -> None:
    """A search is one record, which stands for the smallest wrong question, with all the others in its trail."""
    result = planted(pytester, limit=1000)
    result.stdout.fnmatch_lines(["int_add *0 + 1000 *0 *1000 *operand echoed *"])
    (record,), summary = written(pytester.path)
    search = record["search"]
    assert (record["task"], record["outcome"], search["ended"]) == ("breaking_point", "deviate", "shrunk")
    assert record["reason"] == "0 + 1000: expected 1000, got 0"
    assert record["prompt"].endswith("0 + 1000")
    assert search["questions"] == len(search["trail"]) <= 80
    asked = [step["before"] for step in search["trail"] if step["question"] == "0 + 1000"]
    assert asked == [0, 1, 2, 3]
    assert search["not_reproduced"] == 0
    (found,) = summary["results"][0]["breaking_points"]
    assert (found["variant"], found["question"], found["answer"]) == ("int_add", "0 + 1000", "0")


def test_an_outage_is_no_wrong_answer(pytester: pytest.Pytester) -> None:
    """A search that gets no reply is unanswered, and keeps what it had been told."""
    result = planted(pytester, limit=5)
    result.stdout.fnmatch_lines(["unanswered: 1 x ConnectionError: no line"])
    (record,), summary = written(pytester.path)
    assert (record["outcome"], record["reply"], record["search"]["ended"]) == ("unanswered", None, "unanswered")
    assert [step["outcome"] for step in record["search"]["trail"]] == ["correct"] * 5
    assert summary["results"][0]["breaking_points"] == []


def test_a_cap_ends_a_search_which_a_higher_one_goes_on_with(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A question over budget leaves the search unanswered; the same command with more money pays for the rest alone.

    The key may stand in `.env`.
    """
    bench.pytester.makepyfile(test_bench=SEARCHES)
    monkeypatch.delenv("OPENAI_API_KEY")
    (bench.pytester.path / ".env").write_text("OPENAI_API_KEY=sk-only-in-dotenv\n", encoding="utf-8")
    bench.script = lambda call: Answer(right(call), usage=usage(60, 10))
    args = ("--llm-breaking-point=12", "-k", "integer_addition", "--llm-param", "max_completion_tokens=10")
    bench.run(*args, "--llm-max-total-tokens=800")
    (capped,) = bench.records()
    assert capped["outcome"] == "unanswered"
    assert capped["reason"].startswith("budget: ")
    paid = len(capped["search"]["trail"])
    assert 0 < paid < 9
    result = bench.run(*args)
    result.stdout.fnmatch_lines(["llmarith: forecast: 1 question, which is stored"])
    result.stdout.no_fnmatch_line("*stored but not graded; rerun the same command*")
    (whole,) = bench.records()
    assert (whole["outcome"], whole["search"]["ended"]) == ("correct", "nothing found")
    assert [step["reply"]["stored"] for step in whole["search"]["trail"]] == [True] * paid + [False] * (9 - paid)
    (taken,) = replies_in(bench.runs[-1] / "trials.jsonl")
    assert not isinstance(taken, LeftOut)
    assert isinstance(taken, tuple)
    assert len(taken) == 9


def test_a_wrong_answer_is_asked_for_again(bench: Bench) -> None:
    """Each confirmation is a request of its own, which the store answers only when the same command is repeated.

    Every first answer here is wrong and every second one right, so the search finds nothing; no table shows a
    percentage of searches.
    """
    bench.pytester.makepyfile(test_bench=SEARCHES)
    prompts: Counter[str] = Counter()

    def wrong_at_first(call: Call) -> Answer:
        prompts[call.prompt] += 1
        return Answer(right(call) if prompts[call.prompt] > 1 else "7", usage=usage(60, 10))

    bench.script = wrong_at_first
    args = ("--llm-breaking-point=12", "-k", "integer_addition")
    result = bench.run(*args)
    assert set(prompts.values()) == {2}
    (record,) = bench.records()
    search = record["search"]
    assert (record["outcome"], search["ended"], search["minimum"]) == ("correct", "not reproduced", None)
    assert search["not_reproduced"] == len(prompts)
    assert [step["outcome"] for step in search["trail"]] == ["deviate", "correct"] * len(prompts)
    assert len(bench.server.requests) == search["questions"] <= 12
    result.stdout.fnmatch_lines(["integer_addition*", "  not reproduced: *"])
    result.stdout.no_fnmatch_line("* 100.0 *")
    (summed,) = bench.summary()["results"]
    assert set(summed["percentages"].values()) == {None}
    assert bench.run(*args).ret == 0
    assert bench.records()[0]["search"]["ended"] == "not reproduced"
    assert len(bench.server.requests) == search["questions"]
