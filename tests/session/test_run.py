"""A run from end to end: real pytest, real litellm, a real server on loopback."""

from __future__ import annotations

import json
import time
from collections import Counter

import pytest

from tests.llm_server import Answer, Call, usage
from tests.session.bench import ITEMS, Bench, right

Way = tuple[str, ...]


def test_each_question_is_asked_once(bench: Bench, every_way: Way) -> None:
    """One request per item, usage and cost in every record, nothing on stderr though every warning is an error."""
    bench.script = lambda call: Answer(right(call), usage=usage(30, 5, reasoning=2), reasoning="hmm", model="served")
    result = bench.run(*every_way)
    assert result.ret == 0
    assert result.errlines == []
    assert len(bench.server.requests) == ITEMS
    assert set(bench.server.asked.values()) == {1}
    for record in bench.records():
        assert record["outcome"] == "correct"
        reply = record["reply"]
        assert (reply["prompt_tokens"], reply["completion_tokens"], reply["reasoning_tokens"]) == (30, 5, 2)
        assert reply["cost_usd"] == pytest.approx(30 * 0.15e-6 + 5 * 0.6e-6)
        assert (reply["served_model"], reply["reasoning"], reply["attempts"]) == ("served", "hmm", 1)
        assert reply["latency_s"] > 0
    result.stdout.fnmatch_lines([f"*{ITEMS} correct in *"])


def test_nothing_is_sent_that_nobody_asked_for(bench: Bench) -> None:
    """No sampling parameter, no system prompt: the model and the prompt."""
    bench.run("-k", "int_add")
    for call in bench.server.requests:
        assert set(call.body) == {"model", "messages"}
        assert [message["role"] for message in call.body["messages"]] == ["user"]


def test_parameters_and_system_prompt_are_sent(bench: Bench) -> None:
    """What was asked for is sent, and stands in the record."""
    bench.run("-k", "int_add", "--llm-param=temperature=0", "--llm-system-prompt=Be brief.")
    (call, *_) = bench.server.requests
    assert call.body["temperature"] == 0
    assert call.body["messages"][0] == {"role": "system", "content": "Be brief."}
    assert bench.records()[0]["reply"]["sent"]["params"] == {"temperature": 0}


def test_the_files_of_a_run_agree(bench: Bench, every_way: Way) -> None:
    """The run log, the JSON report and the summary hold the same trials, each once."""
    bench.script = lambda call: "no idea" if "*" in call.prompt else right(call)
    bench.run(*every_way)
    records = {record["nodeid"]: record for record in bench.records()}
    assert len(records) == len(bench.records()) == ITEMS
    assert {record["run"] for record in records.values()} == {bench.runs[0].name}
    report = bench.report()
    assert {test["nodeid"]: test["llmarith"] for test in report["tests"]} == records
    assert report["llmarith"] == bench.summary()
    assert report["summary"]["correct"] == ITEMS - 4
    assert report["summary"]["nan"] == 4
    assert json.dumps(report).count('"asked_at"') == ITEMS
    counts = Counter(record["outcome"] for record in records.values())
    assert counts == {"correct": ITEMS - 4, "nan": 4}


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


def test_refresh_asks_anew_and_keeps(bench: Bench) -> None:
    """--llm-store=refresh pays again, and what it got is what is stored."""
    bench.run("-k", "int_add")
    bench.script = lambda call: "7"
    bench.run("-k", "int_add", "--llm-store=refresh")
    assert len(bench.server.requests) == 4
    bench.run("-k", "int_add")
    assert len(bench.server.requests) == 4
    assert [record["reply"]["text"] for record in bench.records()] == ["7", "7"]


def test_off_neither_reads_nor_writes(bench: Bench) -> None:
    """--llm-store=off leaves no store behind and asks every time."""
    for _ in range(2):
        bench.run("-k", "int_add", "--llm-store=off")
    assert len(bench.server.requests) == 4
    assert not (bench.pytester.path / ".llmarith").exists()


def test_only_never_asks(bench: Bench, way: Way) -> None:
    """--llm-store=only replays what is there; what is missing is unanswered."""
    bench.run("-k", "int_add")
    result = bench.run("--llm-store=only", "-k", "int_add or int_sub", *way)
    assert len(bench.server.requests) == 2
    assert result.ret == 1
    outcomes = Counter(record["outcome"] for record in bench.records())
    assert outcomes == {"correct": 2, "unanswered": 2}
    assert bench.summary()["run"]["asking"]["requests"] == 0


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


def test_a_passing_trouble_is_retried(bench: Bench, way: Way) -> None:
    """A request that fails at first is tried again; records and summary tell how often and why."""
    bench.script = lambda call: Answer(status=429, headers={"Retry-After": "0"}) if call.nth == 1 else right(call)
    result = bench.run("-k", "int_add", *way)
    assert result.ret == 0
    reason = "openai/gpt-4o-mini: 429 RateLimitError: scripted 429"
    for record in bench.records():
        assert record["reply"]["attempts"] == 2
        assert record["retries"] == [{"reason": reason, "waited_s": 0.0}]
    asking = bench.summary()["run"]["asking"]
    assert asking["retries"] == {"429 from openai/gpt-4o-mini": 2}
    assert asking["throttled"] in ([], [{"target": "openai/gpt-4o-mini", "halved": 1, "lowest": 1, "most": 16}])
    result.stdout.fnmatch_lines(["tried again: 2 (2 x 429 from openai/gpt-4o-mini)"])


def test_what_waits_is_shown_live_and_what_is_given_up_tells_its_retries(bench: Bench) -> None:
    """The progress line names reason and time; the record of an unanswered trial holds its retries."""
    bench.script = lambda call: Answer(status=503, headers={"Retry-After": "7"})
    result = bench.run("-k", "int_add", "--llm-retries=1")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["llmarith: * 2 waiting: 503 from openai/gpt-4o-mini, next try in * s*"])
    assert [len(record["retries"]) for record in bench.records()] == [1, 1]


def test_requests_per_minute_hold_for_all_workers(bench: Bench) -> None:
    """Three hundred a minute are one every fifth of a second, however many processes ask."""
    arrived: list[float] = []

    def script(call: Call) -> str:
        arrived.append(time.monotonic())
        return right(call)

    bench.script = script
    assert bench.run("--llm-rpm=300", "-k", "int_", "-n", "2").ret == 0
    assert len(arrived) >= 8
    assert arrived[-1] - arrived[0] > 0.5 * (len(arrived) - 1) / 5  # a first one that was late is not told from it


def test_a_provider_that_is_down_stops_the_run(bench: Bench, way: Way) -> None:
    """One message, exit status 6, nothing asked for hours; what was answered is kept."""
    bench.pytester.makeconftest(
        """
        from pytest_llmarith.models.patience import outage

        outage.FAILURES, outage.LASTING_S, outage.PROBE_EVERY_S = 5, 0.0, 0.0
        """
    )
    bench.script = lambda call: right(call) if "+" in call.prompt else Answer(status=503, headers={"Retry-After": "0"})
    result = bench.run("--llm-concurrency=1", *way)
    assert result.ret == 6
    result.stdout.fnmatch_lines(["stopped: openai/gpt-4o-mini is down: 503 *"])
    assert "scripted 503 (5 failures in " in bench.summary()["run"]["stopped"]
    outcomes = Counter(record["outcome"] for record in bench.records())
    assert outcomes["correct"] >= 1
    assert outcomes["unanswered"] >= 1
    assert len(bench.server.requests) <= 12


@pytest.mark.parametrize(("status", "why"), [(401, "*key*"), (404, "*model*")], ids=["refused key", "unknown model"])
def test_what_no_question_can_get_past_ends_the_run(bench: Bench, every_way: Way, status: int, why: str) -> None:
    """A refused key or an unknown model ends the run: everybody is answered, one message, exit status 6."""
    bench.script = lambda call: Answer(status=status, error={"message": "no such thing", "code": "model_not_found"})
    result = bench.run("--llm-concurrency=2", *every_way)
    assert result.ret == 6
    result.stdout.fnmatch_lines(["stopped: *no such thing*"])
    assert len(bench.server.requests) <= 4
    assert {record["outcome"] for record in bench.records()} == {"unanswered"}
    summary = bench.summary()
    assert summary["run"]["exit_status"] == 6
    assert summary["run"]["selected"] == ITEMS
    assert "sk-secret" not in result.stdout.str() + result.stderr.str() + json.dumps(bench.records())


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


def test_litellm_lives_in_one_process(bench: Bench, cold: None) -> None:
    """With workers, only the controller imports litellm."""
    bench.pytester.makeconftest("""
        import os, sys

        def pytest_unconfigure(config):
            if "litellm" in sys.modules:
                role = "worker" if hasattr(config, "workerinput") else "controller"
                open(f"litellm-{os.getpid()}-{role}", "w").close()
    """)
    bench.run("-n", "2", "-k", "int_add")
    (found,) = bench.pytester.path.glob("litellm-*")
    assert found.name.endswith("controller")


def test_collecting_asks_nothing(bench: Bench, way: Way) -> None:
    """--collect-only makes no request, no folder and no store."""
    bench.run("--collect-only", "-q", *way)
    assert bench.server.requests == []
    assert not (bench.pytester.path / "reports").exists()
    assert not (bench.pytester.path / ".llmarith").exists()


def test_a_seed_drawn_at_random_is_shared(bench: Bench) -> None:
    """--llm-seed=random draws one seed for all workers, shows it and records it."""
    result = bench.run("--llm-seed=random", "-n", "2")
    seed = bench.summary()["run"]["seed"]
    assert {record["problem"]["seed"] for record in bench.records()} == {seed}
    result.stdout.fnmatch_lines([f"llmarith: seed {seed},*"])


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


def test_what_refers_to_an_object_is_found_after_asking(bench: Bench, cold: None) -> None:
    """hypothesis warns where nothing is found, and other people's tests look for leaks."""
    bench.pytester.makepyfile(
        test_bench="""
        import gc
        import pytest

        LOOKED_FOR = object()

        @pytest.mark.integer_addition(trials=1)
        def test_it(problem, ask):
            ask(problem)
            assert gc.get_referrers(LOOKED_FOR)
        """
    )
    assert bench.run().ret == 0


@pytest.mark.parametrize("plugin", ["timeout", "pytest_jsonreport"])
def test_without_another_plugin(bench: Bench, plugin: str) -> None:
    """No other plugin is needed to ask, grade and record."""
    assert bench.run("-p", f"no:{plugin}", "-k", "int_add").ret == 0
    assert [record["outcome"] for record in bench.records()] == ["correct"] * 2


@pytest.mark.parametrize("dist", ["load", "loadfile", "worksteal"])
def test_every_way_to_distribute(bench: Bench, dist: str) -> None:
    """However the items are distributed, each question is asked once."""
    assert bench.run("-n", "2", "--dist", dist).ret == 0
    assert len(bench.server.requests) == ITEMS


def test_dist_each_is_refused(bench: Bench) -> None:
    """--dist each is refused, as it would ask everything on every worker."""
    result = bench.run("-n", "2", "--dist", "each")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --dist each runs every item on every worker *; use --dist load*"])


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


def test_nothing_of_ours_is_loaded_while_questions_are_in_flight(bench: Bench, cold: None) -> None:
    """What pytest loads it parses, which no two threads can do at a time; litellm's failures are parsed on another."""
    bench.pytester.makeconftest("""
        import sys, threading

        start = threading.Thread.start
        early, late = set(), set()

        def noted(thread):
            early.update(sys.modules)
            start(thread)

        def pytest_configure():
            threading.Thread.start = noted

        def pytest_runtest_logreport():
            late.update(set(sys.modules) - early)

        def pytest_unconfigure():
            threading.Thread.start = start
            print("late:", *(name for name in late if name.startswith("pytest_llmarith")))
    """)
    bench.run().stdout.fnmatch_lines(["late:"])
    assert len(bench.server.requests) == ITEMS


def test_a_replay_imports_no_litellm(bench: Bench, cold: None) -> None:
    """Where every reply is in the store, nothing slow is imported."""
    bench.run("-k", "int_add")
    bench.pytester.makeconftest("""
        import sys

        def pytest_unconfigure():
            print("litellm:", "litellm" in sys.modules)
    """)
    bench.run("-k", "int_add").stdout.fnmatch_lines(["litellm: False"])
    assert len(bench.server.requests) == 2


@pytest.mark.parametrize("place", ["environment", ".env"])
def test_a_base_url_of_the_environment_is_the_models_own(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """What the provider's client would take from there is recorded, and part of the store's key."""
    if place == ".env":
        (bench.pytester.path / ".env").write_text(f"OPENAI_BASE_URL={bench.server.base_url}\n", encoding="utf-8")
    else:
        monkeypatch.setenv("OPENAI_BASE_URL", bench.server.base_url)
    command = ("-W", "error", "--llm-model=openai/gpt-4o-mini", "-k", "int_add and depth_2")
    bench.pytester.runpytest_subprocess(*command)
    (record,) = bench.records()
    assert record["reply"]["sent"]["api_base"] == bench.server.base_url
    assert len(bench.server.requests) == 1


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


@pytest.mark.parametrize(
    ("gate", "ret"),
    [("75", 0), ("arithmetic:76", 1)],
)
def test_gates(bench: Bench, gate: str, ret: int) -> None:
    """--llm-fail-under holds per model and task, and notes its status in the JSON report too."""
    bench.script = lambda call: "7" if "*" in call.prompt else right(call)
    result = bench.run(f"--llm-fail-under={gate}")
    assert result.ret == ret
    assert bench.report()["exitcode"] == bench.summary()["run"]["exit_status"] == ret
    if ret:
        result.stdout.fnmatch_lines(["--llm-fail-under: *"])


def test_a_gate_fails_where_nothing_is_measured(bench: Bench) -> None:
    """Neither a run without a model nor an outage passes a gate."""
    assert bench.pytester.runpytest_subprocess("--llm-fail-under=0").ret == 1
    bench.script = lambda call: Answer(status=500)
    result = bench.run("--llm-fail-under=0", "--llm-retries=0", "-k", "int_add")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["--llm-fail-under: openai/gpt-4o-mini, arithmetic: 2 of 2 unanswered*"])


def test_a_gate_that_is_none(bench: Bench) -> None:
    """A mistake in a gate is wrong usage, known before anything is asked."""
    for gate, message in {
        "most": "'most' holds no percentage*write 80 or arithmetic:80",
        "arithmtic:80": "there is no task 'arithmtic'; write arithmetic or integer_addition or oeis or breaking_point",
    }.items():
        result = bench.run(f"--llm-fail-under={gate}")
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([f"ERROR: --llm-fail-under: {message}"])
    assert bench.server.requests == []


def test_the_json_report_goes_where_its_user_wants_it(bench: Bench) -> None:
    """A --json-report-file of the user's own gets the same report."""
    bench.run("-k", "int_add", "--json-report-file=mine.json")
    mine = json.loads((bench.pytester.path / "mine.json").read_text(encoding="utf-8"))
    assert mine == bench.report()


def test_reports_that_cannot_be_written_cost_nothing(bench: Bench, way: Way) -> None:
    """A folder that cannot be made is wrong usage, before anything is paid for."""
    (bench.pytester.path / "taken").write_text("a file", encoding="utf-8")
    result = bench.run("--llm-reports=taken", *way)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--llm-reports: no folder for this run can be made in *taken*: a file is in the way"])
    assert bench.server.requests == []


def test_an_addition_is_graded_by_its_bare_number(bench: Bench) -> None:
    """Integer addition takes the whole reply; --llm-reading=tolerant takes the number that it intends."""
    bench.script = lambda call: f"The sum is {right(call)}."
    bench.run("-k", "integer_addition")
    assert Counter(record["outcome"] for record in bench.records()) == {"nan": 4}
    bench.run("-k", "integer_addition", "--llm-reading=tolerant")
    assert Counter(record["outcome"] for record in bench.records()) == {"correct": 4}
    assert len(bench.server.requests) == 4


def test_a_run_without_any_answer_shows_its_reason_once_and_no_table(bench: Bench, way: Way) -> None:
    """Without a key nothing is answered, however many questions were in flight."""
    bench.script = lambda call: Answer(status=401)
    result = bench.run(*way)
    assert result.ret == 6
    printed = result.stdout.str()
    assert printed.count("scripted 401") == 1
    assert "UNANSWERED" not in printed
    assert "%" not in printed.partition("llmarith: results")[2]


def test_the_line_for_a_local_server_needs_no_key(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line for a local server runs without a key, as the README prints it."""
    monkeypatch.delenv("OPENAI_API_KEY")
    assert bench.run("-k", "int_add", model="openai/qwen3").ret == 0
