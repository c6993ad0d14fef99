"""A program per item, for an integer sequence of the OEIS; after arXiv 2411.04372."""

import pytest


@pytest.mark.oeis
def test_oeis(problem, ask):
    """The program prints every listed term in time, and is no lookup table."""
    ask(problem)
