"""Runs that end early, share a store or meet a bad provider: what was paid for is kept, the same command goes on."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pytest_llmarith.tasks import addition
from tests.disks import own_disk
from tests.fault_server import TROUBLES, Troublemaker
from tests.llm_server import Answer, Gate
from tests.session.background import FREE, HELD, begun, press_ctrl_c, read_to_end, read_until, started
from tests.session.bench import ITEMS, WAYS, Bench, right

Way = tuple[str, ...]
LLMARITH = [sys.executable, "-c", "from pytest_llmarith.cli import main; raise SystemExit(main())"]
WINDOW = 128  # replies that may be asked for ahead of the tests
SUMS = """
    import pytest

    @pytest.mark.integer_addition(trials={})
    def test_integer_addition(problem, ask):
        ask(problem)
"""


def llmarith(folder: Path, *args: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*LLMARITH, *map(str, args)], cwd=folder, capture_output=True, text=True, check=False)


# --- Ctrl-C ---------------------------------------------------------------------------------------------------------


def check_report(bench: Bench, process: subprocess.Popen[str], printed: str) -> None:
    """What is graded is reported, what is not is neither wrong nor unanswered, and there is no traceback."""
    assert process.returncode == pytest.ExitCode.INTERRUPTED, printed
    assert "Traceback" not in printed
    assert "INTERNALERROR" not in printed
    summary = bench.summary(0)
    assert (summary["complete"], summary["run"]["exit_status"]) == (False, 2)
    assert summary["answered"] == len(bench.records(0)) >= FREE
    assert summary["unanswered"] == 0
    assert {record["outcome"] for record in bench.records(0)} == {"correct"}
    assert bench.report(0)["llmarith"] == summary
    assert f"{summary['answered']} of {ITEMS} answered, rerun the same command" in printed


def test_ctrl_c_waits_for_what_is_paid_for(bench: Bench, way: Way) -> None:
    """What is in flight arrives in the store, and the same command asks each question once.

    While a run has the store open, nothing is pruned from it.
    """
    gate = Gate()
    with started(bench, gate, *way) as process:
        pruned = llmarith(bench.pytester.path, "store", "prune", "--model=openai/gpt-4o-mini")
        assert (pruned.returncode != 0, "a run is using it" in pruned.stderr) == (True, True), pruned
        press_ctrl_c(process)
        printed = read_until(process, f"waiting up to 30 s for {HELD} requests in flight (Ctrl-C stops waiting)")
        gate.open()
        printed += read_to_end(process)
    check_report(bench, process, printed)
    bench.script = right
    assert bench.run(*way).ret == 0
    assert Counter(bench.server.asked.values()) == {1: ITEMS}


@pytest.mark.parametrize(("drain_s", "way"), [(3600, "-n 2"), (1, "plain")])
def test_ctrl_c_twice_or_a_provider_that_stays_silent(bench: Bench, drain_s: int, way: str) -> None:
    """What is in flight is given up at once, or after a time, and is asked again by the same command."""
    bench.pytester.makeconftest(f"from pytest_llmarith.session import run_broker; run_broker.DRAIN_S = {drain_s}")
    with started(bench, Gate(), *WAYS[way]) as process:
        press_ctrl_c(process)
        printed = read_until(process, f"waiting up to {drain_s} s")
        if drain_s > 1:
            press_ctrl_c(process)
        printed += read_to_end(process)
    check_report(bench, process, printed)
    assert f"more may have been billed ({HELD} requests without a reply)" in printed
    bench.script = right
    assert bench.run(*WAYS[way]).ret == 0
    assert Counter(bench.server.asked.values()) == {1: ITEMS - HELD, 2: HELD}


def test_ctrl_c_before_anything_is_asked(bench: Bench) -> None:
    """The run ends at once, with nothing asked, written or left behind."""
    bench.pytester.makeconftest("""
        import os, signal

        def pytest_collection_finish(session):
            os.kill(os.getpid(), signal.SIGINT)
    """)
    with begun(bench, *WAYS["plain"]) as process:
        printed = read_to_end(process)
    assert process.returncode == pytest.ExitCode.INTERRUPTED, printed
    assert "KeyboardInterrupt" in printed
    assert "INTERNALERROR" not in printed
    assert (bench.server.requests, (bench.pytester.path / "reports").exists()) == ([], False)


# --- disks ----------------------------------------------------------------------------------------------------------


def test_a_full_disk_ends_the_run(bench: Bench) -> None:
    """One message, what is graded is shown; what was paid for is in the store and is not asked again.

    A record that cannot be written stops the asking at once. Until then the broker has asked ahead of the tests, up to
    its window: so the questions that were asked are the graded ones, the one whose record failed, and the window.
    """
    count = 2 * WINDOW
    bench.pytester.makepyfile(test_bench=SUMS.format(count))
    reports = bench.pytester.path / "reports"
    bench.script = lambda call: Answer(right(call) + " " * 30_000)
    way = WAYS["plain"]
    with begun(bench, *way, before=own_disk("size=300k", reports)) as process:
        printed = read_to_end(process)
    assert process.returncode == 6, printed
    (message,) = {line for line in printed.splitlines() if line.startswith(f"llmarith: {reports}")}
    assert message.endswith(": No space left on device; all replies are in the store")
    assert "Traceback" not in printed
    assert "written in part to" in printed
    graded = int(printed.rpartition(f" of {count} answered")[0].rpartition(" ")[2])
    assert 4 <= graded < len(bench.server.requests) <= graded + 1 + WINDOW
    assert bench.run(*way).ret == 0
    assert Counter(bench.server.asked.values()) == {1: count}


@pytest.mark.parametrize(
    ("place", "size", "status", "message"),
    [
        ("reports", "size=32k", 4, "--llm-reports: the folder of this run cannot be created in"),
        (".llmarith", "size=512k", 6, "its disk cannot be written"),
    ],
)
def test_a_disk_that_is_full_from_the_beginning(bench: Bench, place: str, size: str, status: int, message: str) -> None:
    """Nothing is paid for that could not be written down."""
    with begun(bench, *WAYS["plain"], before=own_disk(size, bench.pytester.path / place)) as process:
        printed = read_to_end(process)
    printed = "".join(printed.split())  # a line may be broken anywhere, as the terminal is too narrow for a path
    for words in (message, "No space left on device"):
        assert (process.returncode, "".join(words.split()) in printed) == (status, True), printed
    assert bench.server.requests == []


def test_a_store_that_fills_up_loses_no_reply(bench: Bench, way: Way) -> None:
    """What it did not take is in the run log; after an import the same command asks only the rest.

    So does another machine that has only the folder of a run: its replies give the same figures.
    """
    folder = bench.pytester.path
    bench.script = lambda call: Answer(right(call), reasoning="x" * 150_000)
    with begun(bench, *way, "--llm-concurrency=4", before=own_disk("size=2m", folder / ".llmarith")) as process:
        output = read_to_end(process)
    assert process.returncode == 6, output
    stopped = f"stopped: store {folder / '.llmarith' / 'store.sqlite'}: database or disk is full"
    assert "".join(stopped.split()) in "".join(output.split())
    asked = bench.server.asked.total()
    assert 4 < asked < ITEMS
    answered = [record for record in bench.records() if record["outcome"] != "unanswered"]
    assert len(answered) == asked
    assert f"llmarith store import {bench.runs[0]} takes them from the run log" in output
    assert f"{asked} replies taken" in llmarith(folder, "store", "import", bench.runs[0]).stdout
    bench.script = right
    assert bench.run(*way).ret == 0
    assert Counter(bench.server.asked.values()) == {1: ITEMS}
    (folder / ".llmarith" / "store.sqlite").unlink()
    assert f"{ITEMS} replies taken\n" in llmarith(folder, "store", "import", bench.runs[1]).stdout
    assert "openai/gpt-4o-mini" in llmarith(folder, "store", "status").stdout
    assert bench.run("--llm-store=only", *way).ret == 0
    assert bench.server.asked.total() == ITEMS
    first, second = (bench.summary(run)["results"][0] for run in (1, 2))
    assert first["percentages"] == second["percentages"]


def test_two_runs_at_a_time(bench: Bench) -> None:
    """One with workers and one without: both are complete, and each asks a question at most once."""
    bench.script = lambda call: Answer(right(call), delay_s=0.1)
    with begun(bench, *WAYS["plain"]) as one, begun(bench, *WAYS["-n 2"]) as other:
        printed = [read_to_end(process) for process in (one, other)]
    assert [one.returncode, other.returncode] == [0, 0], printed
    assert [bench.summary(run)["complete"] for run in range(2)] == [True, True]
    assert len(bench.server.asked) == ITEMS
    assert max(bench.server.asked.values()) <= 2
    requests = [bench.summary(run)["run"]["asking"]["requests"] for run in range(2)]
    assert sum(requests) == bench.server.asked.total()


# --- money ----------------------------------------------------------------------------------------------------------

# A reply of 100 and 50 tokens costs 2 dollars at this price, and a request at most about 3.50.
PRICE = "--llm-price=10000,20000"
ARITHMETIC = 16


def test_a_cap_holds_and_a_higher_one_goes_on(bench: Bench, way: Way) -> None:
    """No request is begun that could pass the cap; the rest is unanswered; a replay needs neither price nor litellm."""
    bounded, unpriced = ("--llm-param=max_tokens=50", "-k", "test_arithmetic", *way), "openai/not-listed"
    bench.script = lambda call: Answer(
        right(call), usage={"prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 150}
    )
    result = bench.run(*bounded, PRICE, "--llm-max-cost=10", model=unpriced)
    assert result.ret == 1
    assert len(bench.server.requests) == 4  # 8 dollars; a fifth might make 11.50
    run, reasons = bench.summary()["run"], {record["reason"] for record in bench.records()} - {None}
    assert run["asking"]["cost_usd"] == pytest.approx(8.0)
    assert (run["limits"]["max_cost_usd"], run["limits"]["price"]["prompt_usd"]) == (10.0, 10000.0)
    assert [reason.startswith("budget: --llm-max-cost=10: $8.00 spent") for reason in reasons] == [True]
    result.stdout.fnmatch_lines(
        [
            f"llmarith: forecast: {ARITHMETIC} questions; about * prompt tokens, about $*",
            f"budget reached: {ARITHMETIC - 4} questions not asked; rerun the same command with a higher cap",
        ]
    )
    result = bench.run(*bounded, PRICE, "--llm-max-cost=34", model=unpriced)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["llmarith: forecast: $8.00 of $34.00 spent by stored replies"])
    assert Counter(bench.server.asked.values()) == {1: ARITHMETIC}
    assert bench.summary()["run"]["asking"]["cost_usd"] == pytest.approx(24.0)
    result = bench.run(*bounded, "--llm-max-cost=0.01", model=unpriced)
    assert result.ret == 0
    assert {record["reply"]["cost_usd"] for record in bench.records()} == {None}  # a user's price is not stored
    result.stdout.fnmatch_lines([f"llmarith: forecast: {ARITHMETIC} questions, all of them stored; nothing is asked"])


# --- bad providers --------------------------------------------------------------------------------------------------


def test_no_outage_looks_like_a_bad_model(bench: Bench, way: Way) -> None:
    """A provider throttles, hangs, lies and falls over, one trouble per question: each comes to what it has to."""
    bench.pytester.makepyfile(test_bench=SUMS.format(len(TROUBLES)))
    prompts = [addition.prompt(problem) for problem in addition.problems(0, len(TROUBLES))]
    bench.script = made = Troublemaker(prompts, right)
    limits = ("-ollm_timeout=5", "--llm-concurrency=8", "-ollm_retries=1")
    result = bench.run(*limits, "--junit-xml=junit.xml", *way)
    assert (result.ret, result.errlines) == (1, [])
    result.stdout.no_fnmatch_line("*Traceback*")
    check_records(bench, made)
    check_counts(bench, made)
    unanswered = {record["nodeid"]: record["reason"] for record in bench.records() if record["outcome"] == "unanswered"}
    lines = [line for line in result.outlines if line.startswith("UNANSWERED ")]
    assert sorted(lines) == sorted(f"UNANSWERED {nodeid} - {reason}" for nodeid, reason in unanswered.items())
    asked = Counter(bench.server.asked)
    bench.script = right
    assert bench.run(*way).ret == 0
    assert (bench.server.asked - asked).total() == len(unanswered)


def check_records(bench: Bench, made: Troublemaker) -> None:
    """One record each, with outcome, reason, retries and attempts of its trouble."""
    records = {record["prompt"]: record for record in bench.records()}
    assert len(bench.records()) == len(records) == len(made.troubles)
    for prompt, trouble in made.troubles.items():
        record = records[prompt]
        reply = record["reply"]
        assert (trouble.name, record["outcome"]) == (trouble.name, trouble.outcome)
        assert fnmatchcase(record["reason"] or "", trouble.why or ""), (trouble.name, record["reason"])
        assert (trouble.name, len(record["retries"])) == (trouble.name, trouble.requests - 1)
        told = None if trouble.outcome == "unanswered" else (trouble.requests, trouble.served_model)
        assert (trouble.name, reply and (reply["attempts"], reply["served_model"])) == (trouble.name, told)


def check_counts(bench: Bench, made: Troublemaker) -> None:
    """The server was asked as often as it had to be; no failure is in a percentage; all files agree."""
    assert bench.server.asked == made.expected_requests()
    outcomes = Counter(trouble.outcome for trouble in made.troubles.values())
    summary = bench.summary()
    (result,) = summary["results"]
    assert Counter(result["outcomes"]) == outcomes
    assert (summary["unanswered"], summary["complete"]) == (outcomes["unanswered"], False)
    assert summary["answered"] == result["measured"] == len(made.troubles) - outcomes["unanswered"]
    for outcome in ("correct", "deviate", "nan"):
        expected = 100 * outcomes[outcome] / result["measured"]
        assert result["percentages"][outcome]["percent"] == pytest.approx(expected, abs=1e-3)
    assert sum(result["unanswered_reasons"].values()) == outcomes["unanswered"]
    asking = summary["run"]["asking"]
    assert asking["requests"] == len(bench.server.requests)
    assert sum(asking["retries"].values()) == len(bench.server.requests) - len(made.troubles)
    in_report = {test["llmarith"]["prompt"]: test["llmarith"]["outcome"] for test in bench.report()["tests"]}
    assert in_report == {prompt: trouble.outcome for prompt, trouble in made.troubles.items()}
    found = ElementTree.parse(bench.pytester.path / "junit.xml").findall(".//testcase")
    assert sum(case.find("failure") is not None for case in found) == outcomes["unanswered"]
