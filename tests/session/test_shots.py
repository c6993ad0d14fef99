"""Questions with examples before them: `Task(..., shots=N)`."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_llmarith import Grid, Problem, Task
from tests.llm_server import Call
from tests.session.bench import WAYS, Bench

TEST = """
    import random
    import pytest
    from pytest_llmarith import Grid, Problem, number_task, Task
    from dataclasses import replace

    def problem_at(seed, variant, depth, trial):
        n = random.Random(f"{seed}/{depth}/{trial}").randrange(10 ** depth)
        return Problem({"n": str(n)}, str(2 * n))

    def prompt(problem):
        return [
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": f"Twice {problem['n']}?"},
        ]

    doubled = replace(number_task("doubled", Grid(problem_at, ["twice"], [3, 4]), prompt), shots=3)

    @pytest.mark.llmarith_task(doubled, trials=2)
    def test_doubled(problem, ask):
        ask(problem)
"""


def right(call: Call) -> str:
    return str(2 * int(call.prompt.split()[-1].strip("?")))


@pytest.mark.parametrize("way", WAYS)
def test_other_questions_and_right_answers_come_first(bench: Bench, way: str) -> None:
    """As turns, after the system's message; workers and reruns show the same ones."""
    (bench.pytester.path / "test_bench.py").unlink()
    bench.pytester.makepyfile(test_doubled=TEST)
    bench.script = right
    assert bench.run(*WAYS[way]).ret == 0
    assert len(bench.server.requests) == 4
    for call in bench.server.requests:
        messages: list[dict[str, Any]] = call.body["messages"]
        roles = [one["role"] for one in messages]
        assert roles == ["system", *["user", "assistant"] * 3, "user"]
        texts = [one["content"] for one in messages[1:]]
        asked = texts[0::2]
        assert len(set(asked)) == 4  # never the question itself
        numbers = [int(one.split()[-1].strip("?")) for one in asked]
        assert [int(one) for one in texts[1::2]] == [2 * one for one in numbers[:-1]]
    assert bench.run(*WAYS[way]).ret == 0
    assert len(bench.server.requests) == 4


def test_examples_are_worded_as_the_question_is(bench: Bench) -> None:
    """Also by a template."""
    (bench.pytester.path / "test_bench.py").unlink()
    bench.pytester.makepyfile(test_doubled=TEST)
    bench.pytester.makefile(".txt", template="Double: {n}")
    bench.script = right
    assert bench.run(*WAYS["plain"], "--llm-prompt-template=template.txt").ret == 0
    for call in bench.server.requests:
        users = [one for one in call.body["messages"] if one["role"] == "user"]
        assert all(one["content"].startswith("Double: ") for one in users)


def test_of_a_function_they_have_the_same_depth() -> None:
    from pytest_llmarith.tasks.checks import problems_of
    from pytest_llmarith.tasks.prompts import examples_of

    def problems(seed: int, trials: int) -> list[Problem]:
        return [
            Problem({"n": 100 * seed + 10 * depth + trial}, "1", depth=depth)
            for depth in (2, 3)
            for trial in range(trials)
        ]

    task: Task[str] = Task(
        "numbers", problems, lambda problem: f"{problem['n']}", shots=2
    )
    for problem in problems_of(task, 7, 3):
        assert {one.depth for one in examples_of(problem)} == {problem.depth}


@pytest.mark.parametrize(
    ("shots", "said"),
    [(-1, "up to 64"), (True, "up to 64"), (65, "up to 64"), (2, "are a list")],
)
def test_wrong_shots(shots: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Task("t", [Problem({"n": 1}, "1")], lambda problem: "1", shots=shots)


def test_too_few_other_problems_are_refused(pytester: pytest.Pytester) -> None:
    from pytest_llmarith.tasks.checks import problems_of
    from pytest_llmarith.tasks.task import InvalidTask

    grid = Grid(lambda *place: Problem({"n": 1}, "1"), ["a"], [2])
    task: Task[str] = Task("same", grid, lambda problem: "1 + 0?", shots=2)
    with pytest.raises(InvalidTask, match="2 shots before a-depth_2-trial_0"):
        problems_of(task, 0, 1)
