"""Sums have the carry chain that is asked for; controls have the right answers."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from tests.papers.suites import module_of

CARRIES, CONTROLS = module_of("carries"), module_of("controls")
SEEDS = st.integers(0, 2**31)


@given(SEEDS, st.integers(2, 11), st.integers(0, 8))
def test_chains(seed: int, number: int, length: int) -> None:
    problem = CARRIES.problem_at(seed, f"k{number:02}", length, 0)
    operands = [int(one) for one in problem["sum"].split(" + ")]
    assert len(operands) == number
    assert len(str(max(operands))) == 10
    assert problem.expected == sum(operands)
    carrying = []
    for column in range(1, 11):
        rest = sum(one % 10**column for one in operands)
        carrying.append(rest >= 10**column)
    assert sum(carrying) == length
    runs = "".join("x" if one else " " for one in carrying).split()
    assert runs == (["x" * length] if length else [])


@given(SEEDS, st.sampled_from([2, 3, 5, 10, 20, 30]), st.integers(0, 9))
def test_answers(seed: int, length: int, trial: int) -> None:
    def words(variant: str) -> tuple[list[str], str]:
        problem = CONTROLS.problem_at(seed, variant, length, trial)
        return problem["question"].rstrip("?.").split(), problem.expected

    question, answer = words("copy")
    assert answer == question[-1]
    assert len(answer) == length
    question, answer = words("reverse")
    assert list(reversed(answer)) == list(question[-1])
    question, answer = words("count")
    assert sum(one == question[5] for one in question[-1]) == int(answer)
    question, answer = words("compare")
    one, other = question[-3], question[-1]
    assert Decimal(answer) == max(Decimal(one), Decimal(other))
    assert len(answer) < max(len(one), len(other)) == length + 2
    question, answer = words("base16")
    assert int(answer, 16) == int(question[1])


def test_the_last_word_is_read() -> None:
    problem = CONTROLS.problem_at(0, "compare", 2, 0)
    assert CONTROLS.read("The larger one is **9.9**.", problem) == "9.9"
    assert CONTROLS.read("0xFF", problem) == "ff"
    assert CONTROLS.read("...", problem) is None
