"""One program for an integer sequence per item, as in arXiv 2411.04372."""

import pytest


@pytest.mark.oeis
def test_oeis(problem, ask):
    """The program prints every listed term in time, and is no lookup table."""
    ask(problem)
