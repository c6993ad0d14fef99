"""Beside plugins that report an item more than once, run it again, or print in place of
pytest: one record an item, and a measured outcome is final.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.llm_server import Answer, Call
from tests.session.bench import BENCH, ITEMS, WAYS, Bench, right

Way = tuple[str, ...]
WITH_SUBTESTS = """
    import pytest

    @pytest.mark.integer_addition(trials=10)
    def test_add(problem, ask, subtests):
        with subtests.test("before the question"):
            pass
        ask(problem)
        for number in range(3):
            with subtests.test(number=number):
                assert number < {passing} or problem.trial
"""
REPORTS_TWICE = """
    import pytest

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(item, call):
        report = yield
        if call.when == "call" and not hasattr(item, "again"):
            item.again = True
            again = item.ihook.pytest_runtest_makereport(item=item, call=call)
            item.ihook.pytest_runtest_logreport(report=again)
        return report
"""
# As other plugins do it: a try that is run again is a `rerun`, or is not logged, or is
# logged as any other.
RUNS_AGAIN = """
    import pytest
    from _pytest.runner import runtestprotocol

    def pytest_runtest_protocol(item, nextitem):
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        first = runtestprotocol(item, nextitem=nextitem, log=False)
        for report in first:
            if {logs!r} == "rerun" and report.when == "call":
                report.outcome = "rerun"
            if {logs!r}:
                item.ihook.pytest_runtest_logreport(report=report)
        if {logs!r} != "rerun" or any(one.outcome == "rerun" for one in first):
            item._initrequest()
            runtestprotocol(item, nextitem=nextitem)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def pytest_report_teststatus(report):
        if report.outcome == "rerun":
            return "rerun", "R", ("RERUN", {{"yellow": True}})
"""


def last_line(result: pytest.RunResult) -> dict[str, int]:
    """The counts of the last line."""
    found = re.findall(
        r"(\d+) ([a-z]+)(?=[ ,])", result.outlines[-1].split(" in ")[0] + " "
    )
    return {word: int(count) for count, word in found}


def letters(result: pytest.RunResult) -> Counter[str]:
    lines = re.findall(r"(?m)^(?:\S+\.py )?([A-Za-z.,]+) *\[", result.stdout.str())
    return Counter("".join(lines))


def check_one_each(bench: Bench, items: int) -> None:
    """Log, summary and JSON report have one record for each item, the same one."""
    records = bench.records()
    assert len({record["nodeid"] for record in records}) == len(records) == items
    summary = bench.summary()
    assert summary["answered"] + summary["unanswered"] == items
    counted = Counter[str]()
    for result in summary["results"]:
        counted.update(result["outcomes"])
    assert +counted == Counter(record["outcome"] for record in records)
    assert bench.report()["llmarith"] == bench.summary_file()
    tests = {test["nodeid"]: test for test in bench.report()["tests"]}
    for record in records:
        assert tests[record["nodeid"]]["llmarith"]["outcome"] == record["outcome"]


@pytest.mark.proof
@pytest.mark.skipif(
    not hasattr(pytest, "Subtests"), reason="subtests are a part of pytest 9"
)
@pytest.mark.parametrize("way", [WAYS["plain"], WAYS["-n 2"]], ids=["plain", "-n 2"])
def test_subtests_have_no_records(bench: Bench, way: Way) -> None:
    """6 of 10 are 60 %, on the screen and in the files; a gate sees them."""
    bench.pytester.makepyfile(test_bench=WITH_SUBTESTS.format(passing=3))
    bench.script = lambda call: right(call) if len(bench.server.asked) > 4 else "-1"
    result = bench.run("--llm-fail-under=80", *way)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["--llm-fail-under: *: 60.0 % correct is below 80 %"])
    check_one_each(bench, 10)
    counts = last_line(result)
    assert (counts["correct"], counts["deviate"]) == (6, 4)
    assert letters(result)["C"] == 6
    result.stdout.no_fnmatch_line("*passed without ask*")


@pytest.mark.proof
@pytest.mark.skipif(
    not hasattr(pytest, "Subtests"), reason="subtests are a part of pytest 9"
)
def test_a_subtest_that_fails_fails_its_test(bench: Bench) -> None:
    """As elsewhere; the record of the item stays."""
    bench.pytester.makepyfile(test_bench=WITH_SUBTESTS.format(passing=2))
    result = bench.run(*WAYS["plain"])
    assert result.ret == 1
    check_one_each(bench, 10)
    assert {record["outcome"] for record in bench.records()} == {"correct"}
    assert last_line(result)["failed"] == 1


def test_a_second_report_of_an_item_counts_for_nothing(bench: Bench) -> None:
    """Another plugin calls pytest's hook again, and logs what it gets."""
    bench.pytester.makeconftest(REPORTS_TWICE)
    result = bench.run(*WAYS["plain"])
    assert result.ret == 0
    check_one_each(bench, ITEMS)
    assert last_line(result) == letters_as_words(result) == {"correct": ITEMS}


def letters_as_words(result: pytest.RunResult) -> dict[str, int]:
    words = {"C": "correct", "d": "deviate", "U": "unanswered", "R": "rerun"}
    return {words[letter]: count for letter, count in letters(result).items()}


@pytest.mark.proof
@pytest.mark.parametrize("logs", ["rerun", "both", ""])
@pytest.mark.parametrize("way", [WAYS["plain"], WAYS["-n 2"]], ids=["plain", "-n 2"])
def test_a_measured_outcome_is_final(bench: Bench, way: Way, logs: str) -> None:
    bench.pytester.makeconftest(RUNS_AGAIN.format(logs=logs))
    bench.script = lambda call: "-1" if call.nth == 1 else right(call)
    result = bench.run("--llm-strict", "--llm-store=off", *way)
    assert result.ret == 1
    assert Counter(bench.server.asked.values()) == {1: ITEMS}
    check_one_each(bench, ITEMS)
    assert {record["outcome"] for record in bench.records()} == {"deviate"}
    reruns = {"rerun": ITEMS} if logs == "rerun" else {}
    assert last_line(result) == letters_as_words(result) == {**reruns, "deviate": ITEMS}
    asking = bench.summary()["run"]["asking"]
    assert (asking["answered"], asking["kept"]) == (ITEMS, 0)


@pytest.mark.proof
@pytest.mark.parametrize("logs", ["rerun", "both", ""])
@pytest.mark.parametrize("way", [WAYS["plain"], WAYS["-n 2"]], ids=["plain", "-n 2"])
def test_an_outage_may_be_tried_again(bench: Bench, way: Way, logs: str) -> None:
    """The last line counts the item once, as what it was in the end."""
    bench.pytester.makeconftest(RUNS_AGAIN.format(logs=logs))

    def script(call: Call) -> Answer | str:
        return Answer(status=500) if call.nth == 1 else right(call)

    bench.script = script
    result = bench.run("-ollm_retries=0", *way)
    assert result.ret == int(logs == "both")
    assert Counter(bench.server.asked.values()) == {2: ITEMS}
    check_one_each(bench, ITEMS)
    reruns = {"rerun": ITEMS} if logs == "rerun" else {}
    assert last_line(result) == {**reruns, "correct": ITEMS}
    asking = bench.summary()["run"]["asking"]
    assert (asking["answered"], asking["failed"]) == (ITEMS, 0)
    assert f"on {ITEMS} replies" in result.stdout.str()


@pytest.mark.proof
@pytest.mark.parametrize("way", [WAYS["plain"], WAYS["-n 2"]], ids=["plain", "-n 2"])
def test_the_first_reply_of_ones_own_model_is_final(bench: Bench, way: Way) -> None:
    """A `model` of a conftest is asked once, too."""
    bench.pytester.makeconftest(
        RUNS_AGAIN.format(logs="both")
        + """
    class Own:
        asked = 0
        def reply(self, prompt):
            self.asked += 1
            return f"{self.asked}"

    own = Own()

    @pytest.fixture
    def model():
        return own
    """
    )
    bench.run(
        "-p", "no:randomly", "--llm-reports=reports", "--llm-strict", *way, model=None
    )
    records = bench.records()
    assert len(records) == ITEMS
    workers = 1 if way == WAYS["plain"] else 2
    assert max(int(record["reply"]["text"]) for record in records) <= ITEMS
    assert len({record["reply"]["text"] for record in records}) >= ITEMS / workers


# --- options of other plugins ---------------------------------------------------------


def test_a_gate_without_a_measurement_fails(pytester: pytest.Pytester) -> None:
    """Also if another plugin deselects everything, and finds nothing wrong with it."""
    pytester.makepyfile(BENCH)
    pytester.makeconftest("""
        import pytest

        def pytest_collection_modifyitems(config, items):
            config.hook.pytest_deselected(items=items[:])
            items.clear()

        @pytest.hookimpl(trylast=True)
        def pytest_sessionfinish(session):
            session.exitstatus = pytest.ExitCode.OK
    """)
    args = ("--llm-model=llmarith/oracle", "--llm-fail-under=80")
    result = pytester.runpytest_subprocess(*args)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["--llm-fail-under: nothing was answered"])


# --- reporters ------------------------------------------------------------------------


@pytest.mark.proof
def test_reports_say_what_was_wrong(bench: Bench) -> None:
    """A wrong answer passes: its report has the answer in a section that tools for
    passed tests print, and pytest's short repr of parameters shows no expected answer.
    """
    bench.pytester.makeconftest("""
        def pytest_runtest_logreport(report):
            for name, text in report.sections:
                print("SECTION", name, text.strip())

        def pytest_runtest_setup(item):
            print("PARAMETERS", item.callspec.params)
    """)
    bench.script = lambda call: "-1"
    result = bench.run("-s", "-k", "int_add and depth_2", *WAYS["plain"])
    result.stdout.fnmatch_lines(
        [
            "*PARAMETERS {'llm_model': <openai/gpt-4o-mini>, 'problem': <arithmetic int_add-depth_2-trial_0>}",
            "*SECTION llmarith stdout call deviate: got -1, expected *",
        ]
    )


# --- completion in a shell ------------------------------------------------------------


def test_pytest_completes_the_options_of_the_plugin(tmp_path: Path) -> None:
    """As register-python-argcomplete asks it."""
    line = "pytest --llm-mod"
    asking = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_COMP_WORDBREAKS": " ",
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
    }
    own = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PYTEST")
    }
    done = subprocess.run(
        [
            "bash",
            "-c",
            f"{shlex.quote(str(Path(sys.executable).with_name('pytest')))} 8>&1 9>/dev/null",
        ],
        cwd=tmp_path,
        env=own | asking,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout.strip() == "--llm-model"
