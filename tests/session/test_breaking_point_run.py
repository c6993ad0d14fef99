"""Searches for the breaking point within a run: items, records, the store, and how they are shown."""

from __future__ import annotations

import json
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pytest_llmarith.cli import main
from pytest_llmarith.records import Record, RunSummary, convert, decode_record
from pytest_llmarith.reports.logs.lines import lines
from pytest_llmarith.reports.logs.replies import LeftOut, replies_in
from tests.llm_server import Answer, Call, usage
from tests.session.bench import Bench, right

ROOT = Path(__file__).parents[2]
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


def schema_of(shape: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((ROOT / "docs" / "schemas" / f"{shape}.json").read_text(encoding="utf-8"))
    return schema


def planted(pytester: pytest.Pytester, limit: int, *args: str) -> pytest.RunResult:
    pytester.makepyfile(PLANTED.replace("LIMIT", str(limit)))
    return pytester.runpytest("--llm-breaking-point=80", "-k", "int_add", *args)


@pytest.mark.parametrize("model", [(), ("--llm-model=llmarith/sloppy",)], ids=["no model", "a model"])
def test_nobody_pays_who_did_not_ask(pytester: pytest.Pytester, model: tuple[str, ...]) -> None:
    """Without a budget there is one item, which is skipped, and the run says how to get the searches."""
    pytester.makepyfile(SEARCHES)
    result = pytester.runpytest(*model)
    result.assert_outcomes(skipped=1)
    told = "llmarith: no search was asked for: --llm-breaking-point=80 asks up to 80 questions each"
    assert result.outlines.count(told) == 1


@pytest.mark.parametrize("questions", ["3", "0", "-1", "1001", "many", ""])
def test_a_budget_of_wrong_size_is_refused(pytester: pytest.Pytester, questions: str) -> None:
    """One question with its confirmations is the least; what is refused is told in one line, before any request."""
    pytester.makepyfile(SEARCHES)
    result = pytester.runpytest("--llm-model=llmarith/sloppy", f"--llm-breaking-point={questions}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = filter(None, result.errlines)
    assert "--llm-breaking-point" in line
    assert "4 to 1000" in line


def test_confirming_is_no_option(pytester: pytest.Pytester) -> None:
    """Every search confirms; there is nothing to choose."""
    pytester.makepyfile(SEARCHES)
    result = pytester.runpytest("--llm-model=llmarith/sloppy", "--llm-breaking-point=40", "--llm-confirm=1")
    assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_a_planted_fault_is_found_and_shown(pytester: pytest.Pytester) -> None:
    """A search is one record, which stands for the smallest wrong question, with all the others in its trail."""
    result = planted(pytester, limit=1000)
    result.stdout.fnmatch_lines(["int_add           0 + 1000 -> 0 (expected 1000), operand echoed, * questions"])
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


def test_a_division_is_asked_once(pytester: pytest.Pytester) -> None:
    """A divisor of 0 stands for 1: whatever is drawn, a model of the user's own has one chance at a question."""
    pytester.makepyfile(
        PLANTED.replace("LIMIT", "1000").replace(
            "int(lhs) % 1000 + int(rhs) % 1000", "int(lhs) // int(rhs) + (self.asked % 7 == 0)"
        )
    )
    pytester.runpytest("--llm-breaking-point=80", "-k", "int_div", "--llm-store=off")
    (record,), _ = written(pytester.path)
    first = [step["question"] for step in record["search"]["trail"] if not step["before"]]
    assert "0 / 1" in first
    assert len(set(first)) == len(first) > 1


def test_a_found_breaking_point_is_a_failure_where_it_is_strict(pytester: pytest.Pytester) -> None:
    """As every wrong answer; usually it is a measurement. The run says how it searched."""
    usual = planted(pytester, 1000)
    assert (usual.ret, usual.parseoutcomes()) == (pytest.ExitCode.OK, {"deselected": 8, "deviate": 1})
    strict = planted(pytester, 1000, "--llm-strict")
    assert strict.ret == pytest.ExitCode.TESTS_FAILED
    strict.stdout.fnmatch_lines(["*0 + 1000: expected 1000, got 0*"])
    (record,), summary = written(pytester.path)
    assert record["outcome"] == "deviate"
    assert summary["run"]["search"] == {"budget": 80}
    assert summary["run"]["versions"]["hypothesis"] == version("hypothesis")


def test_its_record_has_the_published_shape(pytester: pytest.Pytester) -> None:
    """Record and summary fit the schemas, and are read."""
    planted(pytester, limit=1000)
    (record,), summary = written(pytester.path)
    for shape, content, kind in (("record-1", record, Record), ("summary-1", summary, RunSummary)):
        jsonschema.validate(content, schema_of(shape))
        convert(content, kind)


def test_an_outage_is_no_wrong_answer(pytester: pytest.Pytester) -> None:
    """A search that gets no reply is unanswered, and keeps what it had been told."""
    result = planted(pytester, limit=5)
    result.stdout.fnmatch_lines(["unanswered: 1 x ConnectionError: no line"])
    (record,), summary = written(pytester.path)
    assert (record["outcome"], record["reply"], record["search"]["ended"]) == ("unanswered", None, "unanswered")
    assert [step["outcome"] for step in record["search"]["trail"]] == ["correct"] * 5
    assert summary["results"][0]["breaking_points"] == []


def test_an_embedded_model_is_searched_through(pytester: pytest.Pytester) -> None:
    """Every question goes through the broker, and counts among what the run asked and spent."""
    pytester.makepyfile(SEARCHES)
    pytester.runpytest_subprocess(
        "-W", "error", "--llm-model=llmarith/sloppy", "--llm-breaking-point=12", "-k", "int_mul"
    )
    (record,), summary = written(pytester.path)
    asked = len(record["search"]["trail"])
    assert 1 < asked <= 12
    assert summary["run"]["asking"]["answered"] == asked
    assert summary["results"][0]["spending"]["completion_tokens"]["known"] == asked


def test_a_cap_ends_a_search_which_a_higher_one_goes_on_with(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A question over budget leaves the search unanswered; the same command with more money pays for the rest alone.

    The key may stand in `.env`.
    """
    bench.pytester.makepyfile(test_bench=SEARCHES)
    monkeypatch.delenv("OPENAI_API_KEY")
    (bench.pytester.path / ".env").write_text("OPENAI_API_KEY=sk-only-in-dotenv\n", encoding="utf-8")
    bench.script = lambda call: Answer(right(call), usage=usage(60, 10))
    args = ("--llm-breaking-point=12", "-k", "integer_addition", "--llm-param", "max_completion_tokens=10")
    bench.run(*args, "--llm-max-tokens=800")
    (capped,) = bench.records()
    assert capped["outcome"] == "unanswered"
    assert capped["reason"].startswith("budget: ")
    paid = len(capped["search"]["trail"])
    assert 0 < paid < 9
    result = bench.run(*args)
    result.stdout.fnmatch_lines(["llmarith: forecast: 1 question, which is stored"])
    result.stdout.no_fnmatch_line("*kept, which the same command grades*")
    (whole,) = bench.records()
    assert (whole["outcome"], whole["search"]["ended"]) == ("correct", "nothing found")
    assert [step["reply"]["stored"] for step in whole["search"]["trail"]] == [True] * paid + [False] * (9 - paid)
    (taken,) = replies_in(bench.runs[-1] / "trials.jsonl")
    assert not isinstance(taken, LeftOut)
    assert isinstance(taken, tuple)
    assert len(taken) == 9


def test_a_reply_that_is_too_long_to_be_kept_was_paid(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    """It costs what it did, in a record that can be read again; who takes the replies hears that it is not there."""
    bench.pytester.makepyfile(test_bench=SEARCHES)
    bench.script = lambda call: Answer(right(call), usage=usage(60, 10), reasoning="\x01" * 500_000)
    bench.run("--llm-breaking-point=6", "-k", "integer_addition")
    ((_, line),) = lines(bench.runs[-1] / "trials.jsonl")
    first, *others = (step["reply"] is None for step in json.loads(line)["search"]["trail"])
    assert (first, others) == (False, [True, True])
    (result,) = bench.summary()["results"]
    assert (result["cost_usd"], result["unpriced"], result["tokens"]["prompt"]) == (0.000045, 0, 180)
    decode_record(line)
    jsonschema.validate(json.loads(line), schema_of("record-1"))
    assert main(["store", "import", str(bench.runs[-1])]) == 0
    assert ": 0 replies taken, 1 in the store already, 2 too long to be kept by a search\n" in capsys.readouterr().out


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
    result.stdout.fnmatch_lines(["integer_addition*not reproduced: *"])
    result.stdout.no_fnmatch_line("* 100.0 *")
    (summed,) = bench.summary()["results"]
    assert set(summed["percentages"].values()) == {None}
    assert bench.run(*args).ret == 0
    assert bench.records()[0]["search"]["ended"] == "not reproduced"
    assert len(bench.server.requests) == search["questions"]
