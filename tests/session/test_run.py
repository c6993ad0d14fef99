"""A run from end to end: real pytest, real litellm, a real server on loopback."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.llm_server import Answer, Call, usage
from tests.session.bench import ITEMS, WAYS, Bench, right, right_in_all_shapes

Way = tuple[str, ...]


def test_each_question_is_asked_once_and_the_files_agree(bench: Bench) -> None:
    """One request per item, the same trials in log, JSON report and summary; the same
    command again asks nothing.

    What was asked for is sent and recorded. Nothing is on stderr though every warning
    is an error.
    """

    def script(call: Call) -> Answer:
        text = (
            "no idea"
            if "*" in call.prompt
            else ""
            if "/" in call.prompt
            else right(call)
        )
        return Answer(
            text, usage=usage(30, 5, reasoning=2), reasoning="hmm", model="served"
        )

    bench.script = script
    way = ("--llm-param=top_p=0.5", "--llm-system-prompt=Be brief.", *WAYS["-n 2"])
    result = bench.run(*way)
    assert (result.ret, result.errlines) == (0, [])
    result.stdout.fnmatch_lines([f"*{ITEMS - 8} correct, 8 nan in *"])
    assert Counter(bench.server.asked.values()) == {1: ITEMS}
    assert {call.body["top_p"] for call in bench.server.requests} == {0.5}
    assert [call.body["messages"][0]["content"] for call in bench.server.requests] == [
        "Be brief."
    ] * ITEMS
    records = {record["nodeid"]: record for record in bench.records()}
    assert len(records) == len(bench.records()) == ITEMS
    assert {record["run"] for record in records.values()} == {bench.runs[0].name}
    for record in records.values():
        assert record["outcome"] == (
            "nan" if re.search("_mul|_div", record["nodeid"]) else "correct"
        )
        reply = record["reply"]
        assert reply["prompt_tokens"] == 30
        assert reply["completion_tokens"] == 5
        assert reply["reasoning_tokens"] == 2
        assert reply["cost_usd"] == pytest.approx(30 * 0.15e-6 + 5 * 0.6e-6)
        assert (reply["served_model"], reply["reasoning"]) == ("served", "hmm")
        assert not {"attempts", "stored", "batched"} & reply.keys()
        assert reply["sent"]["params"] == {"top_p": 0.5}
        assert reply["sent"]["api_base"] == bench.server.base_url
    report = bench.report()
    assert {test["nodeid"]: test["llmarith"] for test in report["tests"]} == records
    assert report["llmarith"] == json.loads(
        (bench.runs[0] / "summary.json").read_text("utf-8")
    )
    assert json.dumps(report).count('"asked_at"') == ITEMS
    assert f"all {ITEMS} answered" in (bench.runs[0] / "report.html").read_text("utf-8")
    result = bench.run(*way)
    assert len(bench.server.requests) == ITEMS
    for record in bench.records(1):
        assert record["reply"] == records[record["nodeid"]]["reply"] | {"stored": True}
    days = {
        record["reply"]["asked_at"][: len("2026-11-22")] for record in records.values()
    }
    said = f"all {ITEMS} answered, {ITEMS} from the store, asked {' to '.join(sorted(days))}; --llm-store=refresh"
    assert said in " ".join(result.stdout.str().split())


@pytest.mark.parametrize("transport", ["direct", "litellm"])
def test_answers_behind_thoughts_and_before_next_turns(
    bench: Bench, transport: str
) -> None:
    """However a server sends them, right answers are right, also by the strict
    reading.
    """
    bench.script = right_in_all_shapes()
    result = bench.run("-p", "no:xdist", "-o", f"llm_transport={transport}")
    assert result.ret == 0
    records = bench.records()
    assert {record["outcome"] for record in records} == {"correct"}
    thoughts = [record["reply"].get("reasoning") for record in records]
    assert sum(thought is not None for thought in thoughts) > ITEMS * 3 / 4


@pytest.mark.proof
@pytest.mark.parametrize("way", ["plain", "-n 2"])
def test_a_sweep_asks_a_model_per_value(bench: Bench, way: str) -> None:
    """A model per value is asked the same questions; -k and the baseline take its name;
    truncated replies are told.
    """
    tokens = {"low": 100, "medium": 200, "high": 200}

    def script(call: Call) -> Answer:
        spent = tokens[call.body["reasoning_effort"]] + len(call.prompt) % 7
        cut = (
            call.body["reasoning_effort"] == "high"
            and "-" in call.prompt.splitlines()[-1]
        )
        counts = usage(30, spent + 5, reasoning=spent)
        return Answer(
            right(call), usage=counts, finish_reason="length" if cut else "stop"
        )

    bench.script = script
    sweep = (
        "--llm-sweep=reasoning_effort=low,medium,high",
        "--llm-baseline=openai/o4-mini-high",
        *WAYS[way],
    )
    result = bench.run(*sweep, model="openai/o4-mini")
    assert result.ret == 0
    assert result.errlines == []
    assert len(bench.server.requests) == 3 * ITEMS
    said = " ".join(result.stdout.str().split())
    assert "4 of 16 truncated: 75.0 % correct with them, 100" in said
    assert "4 nan" in said
    summary = bench.summary()
    assert [
        model["params"]["reasoning_effort"] for model in summary["run"]["models"]
    ] == list(tokens)
    assert (
        bench.run(*sweep, "-k", "o4-mini-low and int_add", model="openai/o4-mini").ret
        == 0
    )
    assert (len(bench.records()), len(bench.server.requests)) == (2, 3 * ITEMS)


@pytest.mark.proof
def test_what_no_question_can_get_past_ends_the_run(bench: Bench) -> None:
    """A key that is withdrawn: exit status 6; what was answered is kept, and the same
    command asks the rest alone.
    """
    said = Answer(status=401, error={"message": "no such key"})
    bench.script = lambda call: right(call) if len(bench.server.requests) <= 6 else said
    result = bench.run("--llm-concurrency=1", *WAYS["plain"])
    assert result.ret == 6
    assert "no such key" in result.stdout.str()
    assert len(bench.server.requests) == 7
    run, outcomes = (
        bench.summary()["run"],
        Counter(record["outcome"] for record in bench.records()),
    )
    assert run["exit_status"] == 6
    assert run["selected"] == ITEMS
    assert outcomes["correct"] > 0
    assert {*outcomes} <= {"correct", "unanswered"}
    bench.script = right
    assert bench.run(*WAYS["plain"]).ret == 0
    assert Counter(bench.server.asked.values()) == {1: ITEMS - 1, 2: 1}


@pytest.mark.proof
def test_a_run_that_is_stopped_before_any_reply_leaves_no_folder(bench: Bench) -> None:
    """A wrong key: its message is all there is. So it is if two workers ask."""
    bench.script = lambda call: Answer(status=401, error={"message": "no such key"})
    result = bench.run(*WAYS["-n 2"])
    assert result.ret == 6
    assert "no such key" in result.stdout.str()
    assert bench.runs == []
    result.stdout.no_fnmatch_line("*written to*")
    result.stdout.no_fnmatch_line("page: *")


def test_an_outage_is_unanswered(bench: Bench) -> None:
    """One line each, exit status 1, in no percentage, found by --lf; a gate fails for
    it, and for too few right.
    """
    bench.script = lambda call: (
        Answer(status=500)
        if "-" in call.prompt.splitlines()[-1]
        else "7"
        if "*" in call.prompt
        else right(call)
    )
    gates = ("--llm-fail-under=75", "--llm-fail-under=arithmetic:60")
    result = bench.run(
        "-ollm_retries=0", *gates, "--json-report-file=mine.json", *WAYS["plain"]
    )
    assert result.ret == 1
    result.stdout.no_fnmatch_line("*Traceback*")
    letters = "".join(
        re.findall(r"(?m)^(?:\S+\.py )?([A-Za-z.]+) +\[", result.stdout.str())
    )
    assert Counter(letters) == {"C": ITEMS - 8, "d": 4, "U": 4}
    result.stdout.fnmatch_lines(
        [
            "UNANSWERED test_bench.py::test_arithmetic?openai/gpt-4o-mini-int_sub-depth_2* - *500*"
        ]
    )
    result.stdout.fnmatch_lines(
        ["--llm-fail-under: openai/gpt-4o-mini, arithmetic: 4 of 16 unanswered*"]
    )
    summary = bench.summary()
    assert not summary["complete"]
    assert summary["answered"] == ITEMS - 4
    assert summary["unanswered"] == 4
    assert summary["results"][0]["measured"] == 12
    assert bench.report()["exitcode"] == summary["run"]["exit_status"] == 1
    assert (
        json.loads((bench.pytester.path / "mine.json").read_text(encoding="utf-8"))
        == bench.report()
    )
    bench.script = right
    asked = len(bench.server.requests)
    result = bench.run("--lf", *WAYS["plain"])
    assert result.ret == 0
    assert len(bench.server.requests) == asked + 4
    assert len(bench.records()) == 4
    assert bench.summary()["run"]["partial"]
    result.stdout.fnmatch_lines(["partial: *"])


@pytest.mark.proof
def test_waiting_for_a_model_does_not_count_for_timeout(bench: Bench) -> None:
    """A user's --timeout measures the test, not the wait; the record has the retry."""
    bench.script = lambda call: (
        right(call)
        if call.nth > 1
        else Answer(status=503, headers={"Retry-After": "7"})
    )
    assert bench.run("--timeout=5", "-k", "int_add", *WAYS["plain"]).ret == 0
    assert [
        (record["outcome"], len(record["retries"])) for record in bench.records()
    ] == [("correct", 1)] * 2


@pytest.mark.proof
def test_timeout_still_guards_the_test(bench: Bench) -> None:
    bench.pytester.makepyfile(
        test_bench="""
        import time
        import pytest

        @pytest.mark.integer_addition(trials=1)
        def test_it(problem, ask):
            record = ask(problem)
            assert (record.outcome, record.answer_text) == ("correct", problem.expected)
            time.sleep(60)
        """
    )
    result = bench.run("--timeout=5")
    result.stdout.fnmatch_lines(["*Failed: Timeout *>5.0s*"])
    assert [record["outcome"] for record in bench.records()] == ["correct"]


@pytest.mark.proof
def test_wrong_usage(bench: Bench) -> None:
    """One line on stderr that says what is wrong, exit status 4, nothing asked and
    nothing written.
    """
    (bench.pytester.path / "taken").write_text("a file", encoding="utf-8")
    table: list[tuple[str | None, Way, str]] = [
        ("openai/m", ("--dist", "each"), "--dist each"),
        ("openai/m", ("--llm-reports=taken",), "a file is in the way"),
        ("openai/m", ("--llm-fail-under=most",), "'most'"),
        ("openai/m", ("--llm-fail-under=arithmtic:80",), "'arithmtic'"),
        ("llmarith/orakel", (), "llmarith/oracle"),
        (
            "judge:llmarith/sloppy=openai/m",
            ("--oeis-judge=llm:llmarith/sloppy",),
            "'judge:llmarith/sloppy'",
        ),
        (
            "openai/not-listed",
            ("--llm-max-cost=5", "-q", "-n", "2"),
            "--llm-price=IN,OUT",
        ),
        ("openai/m", ("--llm-sweep=effort=low",), "low,medium,high"),
        (None, ("--llm-sweep=effort=low,high",), "--llm-model=o4-mini"),
        (
            "openai/o4-mini",
            ("--llm-max-total-tokens=5", "--llm-param=max_tokens=50"),
            "--llm-max-total-tokens=5",
        ),
    ]
    for model, args, fact in table:
        result = bench.run(*args, model=model)
        (line,) = filter(None, result.errlines)
        assert (result.ret, line.startswith("ERROR: "), fact in line) == (
            4,
            True,
            True,
        ), line
    assert bench.server.requests == []
    assert not (bench.pytester.path / "reports").exists() or not bench.runs


@pytest.mark.proof
def test_workers_that_crash(bench: Bench) -> None:
    """Before its report, an item gets the line of its crash; after it, it keeps its
    record.

    One seed for all.
    """
    bench.pytester.makeconftest("""
        import os
        from contextlib import suppress
        from xdist.workermanage import WorkerController

        sendcommand = WorkerController.sendcommand

        def send(*command, **arguments):
            with suppress(OSError):  # pytest-xdist would end the run if it sent to a worker that has just crashed
                sendcommand(*command, **arguments)

        WorkerController.sendcommand = send

        def pytest_runtest_teardown(item):
            if "int_mul-depth_2" in item.name:
                os._exit(1)
    """)
    bench.pytester.makepyfile(
        test_bench="""
        import os
        import pytest

        @pytest.mark.arithmetic(depths=[2, 3], trials=1)
        def test_arithmetic(problem, ask):
            ask(problem)
            if problem.label == "int_div-depth_3-trial_0":
                os._exit(1)
        """
    )
    result = bench.run("-n", "2", "--llm-seed=random", "-p", "no:timeout")
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        ["UNANSWERED *int_div-depth_3-trial_0? - worker crashed"]
    )
    result.stdout.fnmatch_lines(["FAILED *int_mul-depth_2*"])
    records = bench.records()
    assert Counter(record["outcome"] for record in records) == {
        "correct": 15,
        "unanswered": 1,
    }
    assert (
        len({record["nodeid"] for record in records})
        == len(bench.server.requests)
        == 16
    )
    assert {record["problem"]["seed"] for record in records} == {
        bench.summary()["run"]["seed"]
    }


@pytest.mark.proof
def test_an_item_that_crashes_again_and_again_is_asked_once(bench: Bench) -> None:
    """With loadscope, xdist gives it to a new worker until it starts no more."""
    bench.pytester.makepyfile(
        test_bench="""
        import os
        import pytest

        @pytest.mark.arithmetic(depths=[2, 3], trials=1)
        def test_arithmetic(problem, ask):
            ask(problem)
            if problem.label == "int_div-depth_2-trial_0":
                os._exit(1)
        """
    )
    scope = ("--dist=loadscope", "--max-worker-restart=2")
    bench.run("-n", "2", *scope, "-p", "no:timeout")
    prompts = [call.prompt for call in bench.server.requests]
    assert len(prompts) == len(set(prompts)) <= 16
    (crashed,) = (one for one in bench.records() if "int_div-depth_2" in one["nodeid"])
    assert crashed["outcome"] == "unanswered"


LOOKING = """
    import gc, json, os, signal, sys, traceback, warnings
    from pathlib import Path
    import httpx

    def found():
        return [
            gc.isenabled(), gc.get_freeze_count(), httpx.AsyncClient.send, type(warnings.filters),
            signal.getsignal(signal.SIGINT), [name for name in os.environ if "LITELLM" in name],
            vars(traceback).get("_extract_caret_anchors_from_line_segment"),
        ]

    before = found()

    def pytest_sessionfinish(session):
        gc.collect()
        there = [type(each).__name__ for each in gc.get_objects()]
        kept = [there.count(name) for name in ("Reply", "Entry", "Record")]
        workers = session.config.pluginmanager.getplugin("llmarith-workers")
        kept.append(len(workers._announced) if workers else 0)
        replaced = [f"{one} {other}" for one, other in zip(before, found()) if one != other]
        told = {"kept": max(kept), "replaced": replaced, "litellm": "litellm" in sys.modules}
        told["keys"] = [name for name in os.environ if name.endswith("_API_KEY")]
        Path(f"process-{os.getpid()}").write_text(json.dumps(told))
"""


@pytest.mark.proof
def test_the_users_pytest_is_left_as_it_is(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No process of pytest imports litellm, replaces what belongs to the whole process,
    or keeps records; none is left.

    The key of `.env` is in none of them.
    """
    monkeypatch.delenv("OPENAI_API_KEY")
    (bench.pytester.path / ".env").write_text(
        "OPENAI_API_KEY=sk-in-dotenv\n", encoding="utf-8"
    )
    bench.pytester.makeconftest(LOOKING)
    bench.cold = True
    assert bench.run(*WAYS["-n 2"], "-rA").ret == 0
    assert {call.headers["Authorization"] for call in bench.server.requests} == {
        "Bearer sk-in-dotenv"
    }
    told = [
        json.loads(path.read_text()) for path in bench.pytester.path.glob("process-*")
    ]
    assert len(told) == 3
    assert all(one.pop("kept") <= 3 for one in told)  # what the last frames hold
    assert [
        one for one in told if one != {"replaced": [], "litellm": False, "keys": []}
    ] == []
    assert [
        path
        for path in Path("/proc").glob("[0-9]*")
        if _is_broker_in(bench.pytester.path, path)
    ] == []


def _is_broker_in(folder: Path, process: Path) -> bool:
    try:
        is_here = Path(os.readlink(process / "cwd")) == folder
        return is_here and b"models.broker" in (process / "cmdline").read_bytes()
    except OSError:  # it has ended meanwhile
        return False


# Neither a control character nor half a surrogate pair nor a megabyte may get in the
# way of a report.
HOSTILE = (
    "\x00\x1b[31m\ud800\ufffe\u202e\u2028]]></testcase></script>&'\"" + "é" * 10_000
)
OWN_MODEL = f"""
import pytest
from pytest_llmarith.records import Reply

class Mine:
    name = {"mine " + HOSTILE[:40]!a}

    def reply(self, prompt):
        if "*" in prompt:
            raise ConnectionError({HOSTILE!a})
        text = "" if "/" in prompt else {HOSTILE!a} + "7" * 1_000_000 if "-" in prompt else "7" * 2_000
        return Reply(text, cost_usd=4e-05)

@pytest.fixture
def model():
    return Mine()
"""


@pytest.mark.proof
def test_hostile_replies_of_a_model_of_ones_own(bench: Bench) -> None:
    """A conftest may replace `model`: its replies are graded, kept as they came, and
    obeyed by nothing.
    """
    bench.pytester.makeconftest(OWN_MODEL)
    result = bench.run("--junitxml=junit.xml", "-rA", *WAYS["-n 2"], model=None)
    assert result.ret == 1
    assert "\x1b[31m" not in result.stdout.str()
    records = bench.records()
    assert Counter(record["outcome"] for record in records)["unanswered"] == 4
    hostile = [
        record["reply"]["text"] for record in records if "_sub-" in record["nodeid"]
    ]
    assert set(hostile) == {HOSTILE + "7" * 1_000_000}
    found = cases(bench.pytester.path)
    assert len(found) == ITEMS
    deviate, silent, unanswered = (
        properties(found[f"int_{op}-depth_2-trial_0"]) for op in ("add", "div", "mul")
    )
    assert deviate["outcome"] == "deviate"
    assert deviate["task"] == "arithmetic"
    assert deviate["cost_usd"] == "0.00004"
    assert (silent["outcome"], silent["reason"]) == ("nan", "empty")
    assert "error_class" in deviate.keys() - silent.keys()
    assert unanswered["outcome"] == "unanswered"
    assert unanswered["reason"].startswith(r"ConnectionError: \x00\x1b[31m\ud800\ufffe")
    assert "cost_usd" not in unanswered
    assert {properties(case)["model"][:9] for case in found.values()} == {r"mine \x00"}
    assert {
        name for name, case in found.items() if case.find("failure") is not None
    } == {
        name
        for name, case in found.items()
        if properties(case)["outcome"] == "unanswered"
    }
    assert (
        max(
            len(value) for case in found.values() for value in properties(case).values()
        )
        <= 200
    )


def cases(folder: Path) -> dict[str, ElementTree.Element]:
    """The test cases of the JUnit XML by what stands in brackets."""
    found = ElementTree.parse(folder / "junit.xml").findall(".//testcase")
    return {case.attrib["name"].partition("[")[2].rstrip("]"): case for case in found}


def properties(case: ElementTree.Element) -> dict[str, Any]:
    return {
        one.attrib["name"].removeprefix("llmarith_"): one.attrib["value"]
        for one in case.iter("property")
    }


def test_strict_makes_failures(bench: Bench) -> None:
    """--llm-strict lets -x see all but correct; the failure shows no more of an answer
    than its ends.
    """
    bench.script = lambda call: "7" * 2_000
    result = bench.run(
        "--llm-strict", "-x", "-k", "int_add", "--junitxml=junit.xml", *WAYS["plain"]
    )
    assert result.ret != 0
    assert {record["outcome"] for record in bench.records()} == {"deviate"}
    (failure,) = next(iter(cases(bench.pytester.path).values())).iter("failure")
    got = f"deviate: got {'7' * 12}...{'7' * 12} (2,000 digits), expected "
    assert got in failure.attrib["message"]


@pytest.mark.proof
def test_another_version_on_a_worker(bench: Bench) -> None:
    """It may ask and grade otherwise: the run ends, and says what to do."""
    bench.pytester.makeconftest("""
        from pytest_llmarith.session import xdist

        def pytest_configure(config):
            if getattr(config, "workerinput", {}).get("workerid") == "gw1":
                xdist.version = lambda name: "0.0.1"
    """)
    result = bench.run("-n", "2", model="llmarith/oracle")
    assert result.ret == 6
    said = " ".join(result.stdout.str().split())
    assert re.search(
        r"stopped: worker gw1 has pytest-llmarith 0\.0\.1, and the controller has .*; install the same",
        said,
    )
