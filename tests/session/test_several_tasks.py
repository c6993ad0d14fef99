"""Several tasks of one function, and arguments of tasks from the command line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from tests.llm_server import Call
from tests.session.bench import WAYS, Bench

FILE = """
import pytest
from pytest_llmarith import Problem, Task, number_task, task_factory

@task_factory
def sums(digits=1, sign="+"):
    if digits < 1:
        raise ValueError("digits are from 1")

    def problems(seed, trials):
        for trial in range(trials):
            yield Problem({"lhs": str(trial + 10 ** (digits - 1))}, trial + 10 ** digits)

    def prompt(problem):
        return f"{problem['lhs']} {sign} {9 * 10 ** (digits - 1)}"

    return number_task("sums", problems, prompt)

words = Task(
    "words",
    [Problem({"word": word}, word, label=word) for word in ("a", "b")],
    lambda problem: f"Say {problem['word']}",
)
one = sums()

@pytest.mark.llmarith_task([one, pytest.param(words, marks=pytest.mark.slow)], trials=2)
def test_all(problem, ask):
    ask(problem)
"""


MEASURED = """Task(
        "sums",
        problems,
        prompt,
        grade=lambda answer, problem: Grade(1, {"seen": True}),
        measures=[share("seen", "seen %", "all answers", lambda said: said["seen"])],
    )"""


@pytest.fixture
def tasks(bench: Bench) -> Bench:
    (bench.pytester.path / "test_bench.py").unlink()
    bench.pytester.makepyfile(test_several=FILE)
    bench.pytester.makeini("[pytest]\nmarkers = slow")

    def script(call: Call) -> str:
        first, *_, last = call.prompt.splitlines()[-1].split()
        return last if first == "Say" else str(int(first) + int(last))

    bench.script = script
    return bench


@pytest.mark.parametrize("way", [WAYS["plain"], WAYS["-n 2"]], ids=["plain", "-n 2"])
def test_each_task_has_its_own_items(tasks: Bench, way: Sequence[str]) -> None:
    result = tasks.run(*way, "--llm-repeats=2", "--llm-context=none,1k")
    assert result.ret == 0
    records = tasks.records()
    asked = Counter((one["task"], one["outcome"]) for one in records)
    assert asked == {("sums", "correct"): 8, ("words", "correct"): 8}
    ids = {one["nodeid"].partition("[")[2] for one in records}
    assert len(ids) == 16
    assert {
        "openai/gpt-4o-mini-sums-trial_0]",
        "openai/gpt-4o-mini-words-a-context_1k-repeat_1]",
    } <= ids
    assert tasks.run(*way, "-m", "slow").ret == 0
    assert {one["task"] for one in tasks.records()} == {"words"}


@pytest.mark.parametrize("way", [WAYS["plain"], WAYS["-n 2"]], ids=["plain", "-n 2"])
def test_arguments_from_the_command_line(tasks: Bench, way: Sequence[str]) -> None:
    """Runs with other arguments share neither replies nor results."""
    assert tasks.run(*way).ret == 0
    asked = len(tasks.server.requests)
    for _ in range(2):
        assert tasks.run(*way, "--llm-task-param=sums.digits=3").ret == 0
    assert len(tasks.server.requests) == asked + 2
    counted = Counter((one["task"], one["outcome"]) for one in tasks.records())
    assert counted == {("sums_digits_3", "correct"): 2, ("words", "correct"): 2}
    summary = tasks.summary_file()
    assert summary["run"]["tasks"]["sums"] == {"digits": 3}
    changed = ("--llm-task-param=sums.sign=plus", "--llm-task-param=sums.digits=2")
    assert tasks.run(*way, *changed).ret == 0
    assert "10 plus 90" in tasks.server.asked


@pytest.mark.parametrize("way", [WAYS["plain"], WAYS["-n 2"]], ids=["plain", "-n 2"])
def test_measures_of_a_task_with_other_arguments(
    tasks: Bench, way: Sequence[str]
) -> None:
    """They are counted in the controller too, where it has the name of the file."""
    test = tasks.pytester.path / "test_several.py"
    text = test.read_text().replace("import Problem", "import Grade, Problem, share")
    number = 'number_task("sums", problems, prompt)'
    assert number in text
    test.write_text(text.replace(number, MEASURED))
    assert tasks.run(*way, "--llm-task-param=sums.digits=3").ret == 0
    assert "seen" in tasks.summary_file()["measures"]


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (
            "chain.digits=3",
            "*--llm-task-param: there is no task 'chain'; *sums, words*",
        ),
        (
            "sums.size=3",
            "--llm-task-param: task sums: *'size'; its parameters are digits, sign",
        ),
        ("words.size=3", "--llm-task-param: task words has no parameters; *"),
        ("sums.digits=0", "--llm-task-param: task sums: digits are from 1; *"),
        ("sums.digits=x", "--llm-task-param: task sums: *"),
        ("digits=3", "*--llm-task-param: 'digits=3' is not NAME.KEY=VALUE; *"),
    ],
)
def test_wrong_arguments(tasks: Bench, given: str, line: str) -> None:
    way = WAYS["-n 2" if given in ("chain.digits=3", "sums.size=3") else "plain"]
    result = tasks.run(*way, f"--llm-task-param={given}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert not tasks.server.requests
    shown = pytest.LineMatcher([*result.outlines, *result.errlines])
    shown.fnmatch_lines([line])
