"""Products and residues: drawn as their documents say, with exact answers."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tests.papers.suites import module_of

SEEDS = st.integers(0, 2**31)


@given(SEEDS, st.integers(1, 20), st.integers(1, 20), st.integers(0, 20))
def test_lengths_of_factors(seed: int, rows: int, columns: int, trial: int) -> None:
    suite = module_of("multiplication")
    problem = suite.problem_at(seed, f"m{rows:02}", columns, trial)
    lhs, rhs = problem["lhs"], problem["rhs"]
    assert (len(lhs), len(rhs)) == (rows, columns)
    assert "0" not in (lhs[0], rhs[0])
    assert problem.expected == sum(
        int(digit) * int(rhs) * 10**place for place, digit in enumerate(reversed(lhs))
    )


def test_no_product_twice() -> None:
    suite = module_of("multiplication")
    problems = [suite.problem_at(0, "m01", 1, trial) for trial in range(81)]
    pairs = Counter((one["lhs"], one["rhs"]) for one in problems)
    assert len(pairs) == 81
    assert suite.problem_at(0, "m01", 1, 81) == problems[-1]


@given(SEEDS, st.sampled_from(["add", "sub", "mul"]), st.integers(1, 10))
def test_residues(seed: int, variant: str, digits: int) -> None:
    suite = module_of("modular")
    drawn = set()
    for trial in range(5):
        problem = suite.problem_at(seed, variant, digits, trial)
        lhs, rhs, modulus = (int(problem[name]) for name in ("lhs", "rhs", "modulus"))
        drawn.add((lhs, rhs, modulus))
        assert len(str(modulus)) == digits
        assert 0 <= min(lhs, rhs) <= max(lhs, rhs) < modulus
        assert 0 <= problem.expected < modulus
        exact = {"add": lhs + rhs, "sub": lhs - rhs, "mul": lhs * rhs}[variant]
        assert (exact - problem.expected) % modulus == 0
    assert len(drawn) == 5
