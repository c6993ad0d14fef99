"""A run from end to end: real pytest, real litellm, a real server on loopback."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from tests.llm_server import Answer, Call, usage
from tests.session.bench import ITEMS, Bench, right

Way = tuple[str, ...]


def test_each_question_is_asked_once_and_the_files_agree(bench: Bench, every_way: Way) -> None:
    """One request per item, usage and cost in every record, the same trials in log, JSON report and summary.

    Nothing is on stderr though every warning is an error.
    """

    def script(call: Call) -> Answer:
        text = "no idea" if "*" in call.prompt else right(call)
        return Answer(text, usage=usage(30, 5, reasoning=2), reasoning="hmm", model="served")

    bench.script = script
    result = bench.run(*every_way)
    assert (result.ret, result.errlines) == (0, [])
    result.stdout.fnmatch_lines([f"*{ITEMS - 4} correct, 4 nan in *"])
    assert Counter(bench.server.asked.values()) == {1: ITEMS}
    records = {record["nodeid"]: record for record in bench.records()}
    assert len(records) == len(bench.records()) == ITEMS
    assert {record["run"] for record in records.values()} == {bench.runs[0].name}
    for record in records.values():
        assert record["outcome"] == ("nan" if "_mul" in record["nodeid"] else "correct")
        reply = record["reply"]
        assert (reply["prompt_tokens"], reply["completion_tokens"], reply["reasoning_tokens"]) == (30, 5, 2)
        assert reply["cost_usd"] == pytest.approx(30 * 0.15e-6 + 5 * 0.6e-6)
        assert (reply["served_model"], reply["reasoning"], reply["attempts"]) == ("served", "hmm", 1)
        assert reply["latency_s"] > 0
    report = bench.report()
    assert {test["nodeid"]: test["llmarith"] for test in report["tests"]} == records
    assert report["llmarith"] == bench.summary()
    assert (report["summary"]["correct"], report["summary"]["nan"]) == (ITEMS - 4, 4)
    assert json.dumps(report).count('"asked_at"') == ITEMS


def test_what_is_sent(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model and the prompt, and what was asked for: parameters, a system prompt; a local server needs no key."""
    bench.run("-k", "int_add")
    for call in bench.server.requests:
        assert set(call.body) == {"model", "messages"}
        assert [message["role"] for message in call.body["messages"]] == ["user"]
    monkeypatch.delenv("OPENAI_API_KEY")
    bench.run("-k", "int_add", "--llm-param=temperature=0", "--llm-system-prompt=Be brief.", model="openai/qwen3")
    call = bench.server.requests[-1]
    assert call.body["temperature"] == 0
    assert call.body["messages"][0] == {"role": "system", "content": "Be brief."}
    assert bench.records()[0]["reply"]["sent"]["params"] == {"temperature": 0}


def test_modes_of_the_store(bench: Bench) -> None:
    """refresh pays again and keeps what it got, off neither reads nor writes, only never asks."""
    few = ("-k", "int_add")
    assert bench.run(*few).ret == 0
    bench.script = lambda call: "7"
    bench.run(*few, "--llm-store=refresh")
    assert len(bench.server.requests) == 4
    bench.run(*few, "--llm-store=off")
    assert len(bench.server.requests) == 6
    result = bench.run("--llm-store=only", "-k", "int_add or int_sub", "-n", "2")
    assert (result.ret, len(bench.server.requests)) == (1, 6)
    assert Counter(record["outcome"] for record in bench.records()) == {"deviate": 2, "unanswered": 2}
    assert bench.summary()["run"]["asking"]["requests"] == 0


def test_a_base_url_of_the_environment_is_recorded(bench: Bench) -> None:
    """What the provider's client takes from `.env` is asked, and stands in the record."""
    (bench.pytester.path / ".env").write_text(f"OPENAI_BASE_URL={bench.server.base_url}\n", encoding="utf-8")
    bench.pytester.runpytest_subprocess("--llm-model=openai/gpt-4o-mini", "-k", "int_add and depth_2")
    (record,) = bench.records()
    assert record["reply"]["sent"]["api_base"] == bench.server.base_url
    assert len(bench.server.requests) == 1


@pytest.mark.parametrize(("status", "way"), [(401, ("-n", "2")), (404, ("-p", "no:xdist"))])
def test_what_no_question_can_get_past_ends_the_run(bench: Bench, status: int, way: Way) -> None:
    """A refused key or an unknown model: every item is unanswered, the reason is shown once, exit status 6."""
    bench.script = lambda call: Answer(status=status, error={"message": "no such thing", "code": "model_not_found"})
    result = bench.run("--llm-concurrency=2", *way)
    assert result.ret == 6
    printed = result.stdout.str()
    assert (printed.count("no such thing"), "UNANSWERED" in printed) == (1, False)
    assert "%" not in printed.partition("llmarith: results")[2]
    assert len(bench.server.requests) <= 4
    assert {record["outcome"] for record in bench.records()} == {"unanswered"}
    run = bench.summary()["run"]
    assert (run["exit_status"], run["selected"]) == (6, ITEMS)
    assert "sk-secret" not in printed + result.stderr.str() + json.dumps(bench.records())


def test_one_seed_for_all_workers_and_every_item_once(bench: Bench) -> None:
    """--llm-seed=random draws one seed for all workers; nothing else of pytest's plugins is needed."""
    plugins = ("-p", "no:timeout", "-p", "no:pytest_jsonreport")
    result = bench.run("--llm-seed=random", "-n", "2", "--dist", "worksteal", *plugins)
    assert result.ret == 0
    seed = bench.summary()["run"]["seed"]
    assert [record["problem"]["seed"] for record in bench.records()] == [seed] * ITEMS
    result.stdout.fnmatch_lines([f"llmarith: seed {seed},*"])
    assert len(bench.server.requests) == ITEMS


def test_progress_is_shown_while_a_question_waits(bench: Bench) -> None:
    """The line names reason and time; the record of an unanswered trial holds its retries."""
    bench.script = lambda call: Answer(status=503, headers={"Retry-After": "7"})
    result = bench.run("-k", "int_add", "--llm-retries=1")
    result.stdout.fnmatch_lines(["llmarith: * 2 waiting: 503 from openai/gpt-4o-mini, next try in * s*"])
    assert [len(record["retries"]) for record in bench.records()] == [1, 1]


def test_gates(bench: Bench) -> None:
    """A gate holds per model and task, fails for an outage, and its status stands in the user's JSON report, too."""
    bench.script = lambda call: "7" if "*" in call.prompt else right(call)
    gates = ("--llm-fail-under=75", "--llm-fail-under=arithmetic:76")
    result = bench.run(*gates, "--json-report-file=mine.json")
    assert result.ret == 1
    (line,) = [line for line in result.outlines if line.startswith("--llm-fail-under: ")]
    assert "76 %" in line
    assert bench.report()["exitcode"] == bench.summary()["run"]["exit_status"] == 1
    mine = json.loads((bench.pytester.path / "mine.json").read_text(encoding="utf-8"))
    assert mine == bench.report()
    bench.script = lambda call: Answer(status=500)
    result = bench.run("--llm-fail-under=0", "--llm-retries=0", "-k", "int_add and depth_2", "--llm-store=off")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["--llm-fail-under: openai/gpt-4o-mini, arithmetic: 1 of 1 unanswered*"])
    assert bench.pytester.runpytest_subprocess("--llm-fail-under=0").ret == 1  # no model was chosen


UNPRICED = "openai/nobody-knows-its-price"
BOUNDED = ("--llm-param=max_tokens=20", "--llm-max-cost=0.05")


@pytest.mark.parametrize(
    ("model", "args", "fact"),
    [
        ("openai/gpt-4o-mini", ("-n", "2", "--dist", "each"), "--dist each"),
        ("openai/gpt-4o-mini", ("--llm-reports=taken", "-n", "2"), "a file is in the way"),
        ("openai/gpt-4o-mini", ("--llm-reports=taken",), "a file is in the way"),
        ("openai/gpt-4o-mini", ("--llm-fail-under=most",), "'most'"),
        ("openai/gpt-4o-mini", ("--llm-fail-under=arithmtic:80",), "'arithmtic'"),
        ("llmarith/neat", (), "llmarith/exact"),
        ("judge:llmarith/sloppy=openai/gpt-4o", ("--oeis-judge=llm:llmarith/sloppy",), "'judge:llmarith/sloppy'"),
        ("openai/gpt-4o-mini", ("--llm-breaking-point=3",), "4 to 1000"),
        (UNPRICED, ("--llm-max-cost=5", "-q", "-n", "2"), "--llm-price=IN,OUT"),
        (UNPRICED, ("--llm-max-cost=5", "--llm-price=1,4", "--llm-dry-run"), "max_completion_tokens"),
        ("openai/gpt-4o-search-preview", BOUNDED, "--llm-max-cost"),
        ("openai/gpt-4o", (*BOUNDED, "--llm-param=web_search_options={}"), "--llm-max-cost"),
        ("openai/gpt-4o-mini", (*BOUNDED, "--llm-param=service_tier=flex"), "--llm-price"),
    ],
)
def test_wrong_usage(bench: Bench, model: str, args: Way, fact: str) -> None:
    """One line on stderr that says what is wrong, exit status 4, nothing asked and nothing written."""
    (bench.pytester.path / "taken").write_text("a file", encoding="utf-8")
    result = bench.run(*args, model=model)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = filter(None, result.errlines)
    assert line.startswith("ERROR: ")
    assert fact in line
    assert bench.server.requests == []
    reports = bench.pytester.path / "reports"
    assert not reports.exists() or not [*reports.iterdir()]


def test_collecting_asks_nothing(bench: Bench) -> None:
    """--collect-only makes no request, no folder and no store."""
    assert bench.run("--collect-only", "-q", "-n", "2").ret == 0
    assert bench.server.requests == []
    assert not (bench.pytester.path / "reports").exists()
    assert not (bench.pytester.path / ".llmarith").exists()


def test_the_second_run_asks_nothing(bench: Bench, way: Way) -> None:
    """Every reply that was graded is reused, empty ones too, and keeps its latency, cost and date."""
    bench.script = lambda call: "" if "/" in call.prompt else right(call)
    bench.run(*way)
    result = bench.run(*way)
    assert len(bench.server.requests) == ITEMS
    first = {record["nodeid"]: record["reply"] for record in bench.records(0)}
    for record in bench.records(1):
        assert record["reply"] == first[record["nodeid"]] | {"stored": True}
    result.stdout.fnmatch_lines([f"all {ITEMS} answered, {ITEMS} from the store"])


def test_an_outage_is_unanswered(bench: Bench, way: Way) -> None:
    """A failure of the provider is one line, exit status 1, out of every percentage; --lf asks again only those."""
    bench.script = lambda call: Answer(status=500) if "-" in call.prompt.splitlines()[-1] else right(call)
    result = bench.run("--llm-retries=0", *way)
    assert result.ret == 1
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.fnmatch_lines(
        ["UNANSWERED test_bench.py::test_arithmetic?openai/gpt-4o-mini-int_sub-depth_2* - *500*"]
    )
    result.stdout.fnmatch_lines(["*4 unanswered*"])
    summary = bench.summary()
    assert not summary["complete"]
    assert (summary["answered"], summary["unanswered"]) == (ITEMS - 4, 4)
    bench.script = right
    asked = len(bench.server.requests)
    result = bench.run("--lf", *way)
    assert result.ret == 0
    assert len(bench.server.requests) == asked + 4
    assert bench.summary()["run"]["partial"]
    result.stdout.fnmatch_lines(["partial: *"])


def test_what_was_answered_before_a_stop_is_kept(bench: Bench, way: Way) -> None:
    """A key that is withdrawn in mid-run costs nothing that was paid for."""
    bench.script = lambda call: right(call) if len(bench.server.requests) <= 6 else Answer(status=401)
    assert bench.run("--llm-concurrency=1", *way).ret == 6
    bench.script = right
    asked = Counter(bench.server.asked)
    assert bench.run(*way).ret == 0
    again = bench.server.asked - asked
    assert sum(again.values()) == ITEMS - 6


def test_a_crashed_worker(bench: Bench) -> None:
    """The item whose worker died gets its line; its reply is in the store; all others are answered."""
    bench.pytester.makepyfile(
        test_bench="""
        import os
        import pytest

        @pytest.mark.arithmetic(depths=[2], trials=2)
        def test_arithmetic(problem, ask):
            ask(problem)
            if problem.label == "int_mul-depth_2-trial_1":
                os._exit(1)
        """
    )
    result = bench.run("-n", "2")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["UNANSWERED *int_mul-depth_2-trial_1? - worker crashed"])
    records = bench.records()
    assert Counter(record["outcome"] for record in records) == {"correct": 15, "unanswered": 1}
    assert len({record["nodeid"] for record in records}) == 16
    assert len(bench.server.requests) == 16


def test_the_users_pytest_is_left_as_it_is(bench: Bench, every_way: Way) -> None:
    """No process of pytest imports litellm or replaces what belongs to the whole process, and none stays behind."""
    bench.pytester.makeconftest("""
        import gc, os, signal, sys, traceback, warnings
        import httpx

        def found():
            return [
                gc.isenabled(), gc.get_freeze_count(), httpx.AsyncClient.send, type(warnings.filters),
                signal.getsignal(signal.SIGINT), [name for name in os.environ if "LITELLM" in name],
                vars(traceback).get("_extract_caret_anchors_from_line_segment"),
            ]

        before = found()

        def pytest_unconfigure(config):
            differing = [(one, other) for one, other in zip(before, found()) if one != other]
            told = "litellm" in sys.modules, differing
            open(f"process-{os.getpid()}", "w").write(f"{told}")
    """)
    bench.cold = True
    bench.run("-k", "int_add", *every_way)
    told = {path.read_text() for path in bench.pytester.path.glob("process-*")}
    assert told == {"(False, [])"}
    here = [path for path in Path("/proc").glob("[0-9]*/cwd") if _link(path) == str(bench.pytester.path)]
    assert [path for path in here if b"models.server" in (path.parent / "cmdline").read_bytes()] == []


def _link(path: Path) -> str:
    try:
        return os.readlink(path)
    except OSError:  # it has ended meanwhile
        return ""


def test_waiting_for_a_model_does_not_count_for_timeout(bench: Bench, way: Way) -> None:
    """A user's --timeout measures the test, not the model: a reply may take longer."""
    bench.script = lambda call: Answer(right(call), delay_s=5)
    bench.run("--timeout=4", "-k", "int_add", *way).assert_outcomes()
    assert {record["outcome"] for record in bench.records()} == {"correct"}


def test_timeout_still_guards_the_test(bench: Bench) -> None:
    """Behind the reply pytest-timeout's clock runs again, and stops a test that hangs."""
    bench.pytester.makepyfile(
        test_bench="""
        import time
        import pytest

        @pytest.mark.integer_addition(trials=1)
        def test_it(problem, ask):
            ask(problem)
            time.sleep(60)
        """
    )
    result = bench.run("--timeout=4")
    result.stdout.fnmatch_lines(["*Failed: Timeout *>4.0s*"])
    assert [record["outcome"] for record in bench.records()] == ["correct"]


def hostile(call: Call) -> Answer:
    """A reply that tries everything: a lone surrogate, escape sequences, markup, a megabyte of digits."""
    return Answer("\ud800\x1b[31m\u202e\u2028</script>\x00" + "7" * 1_000_000)


def test_a_hostile_reply(bench: Bench, way: Way) -> None:
    """It is graded, kept as it came and obeyed by nobody."""
    bench.script = hostile
    result = bench.run("-k", "int_add and depth_2", "-rA", *way)
    assert result.ret == 0
    assert "\x1b[31m\u202e" not in result.stdout.str()
    (record,) = bench.records()
    assert record["outcome"] in ("deviate", "nan")
    assert record["reply"]["text"].endswith("7" * 1000)


def test_a_model_of_ones_own(bench: Bench, way: Way) -> None:
    """A conftest.py may override `model` with any object that has reply(prompt); its trials are written down alike."""
    bench.pytester.makeconftest("""
        import pytest

        class Mine:
            name = "mine"

            def reply(self, prompt):
                if "*" in prompt:
                    raise ConnectionError("the line is dead")
                return "7"

        @pytest.fixture
        def model():
            return Mine()
    """)
    result = bench.pytester.runpytest_subprocess("-W", "error", *way)
    assert result.ret == 1
    counts = Counter((record["model"], record["outcome"]) for record in bench.records())
    assert counts == {("mine", "deviate"): ITEMS - 4, ("mine", "unanswered"): 4}
    result.stdout.fnmatch_lines(["UNANSWERED test_bench.py::test_arithmetic?int_mul-depth_2* - ConnectionError: *dead"])


def test_strict_makes_failures(bench: Bench, way: Way) -> None:
    """--llm-strict lets -x, --maxfail and --lf see everything but correct."""
    bench.script = lambda call: "7"
    result = bench.run("--llm-strict", "-x", "-k", "int_add", *way)
    assert result.ret != 0
    assert {record["outcome"] for record in bench.records()} == {"deviate"}
    bench.script = right
    assert bench.run("--llm-strict", "--lf", "--llm-store=refresh", *way).ret == 0
