"""`llmarith check-task`: what it finds in tasks."""

from __future__ import annotations

import pytest

from pytest_llmarith.cli import main

TASKS = """
    import random
    import time

    import pytest

    from pytest_llmarith import Problem, Task


    def numbers(expected, label="n_{}"):
        return [
            Problem({"n": n}, str(expected(n)), label=label.format(n))
            for n in range(3, 6)
        ]


    def prompt(problem):
        return f"Twice {problem['n']}?"


    def twice(answer, problem):
        return answer == str(2 * problem["n"])


    def anything(answer, problem):
        return answer.isdecimal()


    def raises(answer, problem):
        raise KeyError("no such answer")


    def words(seed, trials):
        drawn = {f"{random.Random(n).random()}" for n in range(8)}
        return [Problem({"n": word}, word) for word in drawn]


    def fails(seed, trials):
        raise RuntimeError("no data")


    def hangs(seed, trials):
        time.sleep(300)


    TASKS = {
        "good": Task("good", numbers(lambda n: 2 * n), prompt),
        "wrong": Task("wrong", numbers(lambda n: 2 * n + n // 5), prompt, grade=twice),
        "lenient": Task("lenient", numbers(lambda n: 2 * n), prompt, grade=anything),
        "raising": Task("raising", numbers(lambda n: 2 * n), prompt, grade=raises),
        "echo": Task("echo", words(0, 0), lambda problem: problem["n"]),
        "unordered": Task("unordered", words, prompt),
        "failing": Task("failing", fails, prompt),
        "hanging": Task("hanging", hangs, prompt),
        "unknown": Task("unknown", [Problem({"n": 1}, None)], prompt, grade=twice),
        "colliding": Task("colliding", numbers(lambda n: 2 * n, "same"), prompt),
    }
"""
TEST = """
    import pytest
    from tasks import TASKS

    @pytest.mark.llmarith_task(TASKS["{name}"])
    def test_task(problem, ask):
        ask(problem)
"""


@pytest.mark.parametrize(
    ("name", "status", "said"),
    [
        ("good", 0, ["oracle (the right answer): 3 of 3 correct\n", "0 of 3 correct"]),
        ("unknown", 1, ["0 of 1 correct; no right answer is known; name right ones"]),
        (
            "wrong",
            1,
            ["2 of 3 correct; expected, read", "n_5: expected 11, replied 11: deviate"],
        ),
        ("lenient", 1, ["junk (a wrong answer): 3 of 3", "n_3: expected 6, replied "]),
        ("raising", 1, ["3 not graded", "KeyError: 'no such answer'"]),
        ("unordered", 1, ["two processes: ", "differ with another PYTHONHASHSEED"]),
        ("failing", 1, ["no question was asked: RuntimeError: no data"]),
        ("hanging", 1, ["takes longer than --limit=5 seconds"]),
        ("colliding", 1, ["two problems have the label 'same'"]),
    ],
)
def test_what_it_finds(
    name: str,
    status: int,
    said: list[str],
    pytester: pytest.Pytester,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytester.makepyfile(tasks=TASKS, test_it=TEST.format(name=name))
    limit = 5 if name == "hanging" else 300
    assert main(["check-task", "test_it.py::test_task", f"--limit={limit}"]) == status
    shown = capsys.readouterr()
    for part in said:
        assert part in shown.out
    assert len(shown.out.splitlines()) < 15
    assert "Traceback" not in shown.out
    assert not (pytester.path / "reports").exists()
    assert not (pytester.path / ".llmarith").exists()


def test_a_file_that_python_cannot_read(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    pytester.makepyfile(test_it="tasks = [1, 2")
    assert main(["check-task", "test_it.py::test_task"]) == 1
    assert "no question was asked: SyntaxError: " in capsys.readouterr().out


def test_an_answer_in_the_question_is_a_note(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    pytester.makepyfile(tasks=TASKS, test_it=TEST.format(name="echo"))
    main(["check-task", "test_it.py::test_task"])
    assert "8 of 8 correct; note that" in capsys.readouterr().out


def test_what_is_not_there_is_refused(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check-task", "none.py::test_task"]) == 4
    pytester.makepyfile(tasks=TASKS, test_it=TEST.format(name="good"))
    assert main(["check-task", "test_it.py::test_none"]) == 1
    assert "ERROR: not found:" in capsys.readouterr().out
