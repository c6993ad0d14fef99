"""One sum of two integers of 2 to 30 digits per item; the reply must be the bare
number.
"""

import pytest


@pytest.mark.integer_addition(trials=100)
def test_integer_addition(problem, ask):
    """The reply is the exact sum and nothing else."""
    ask(problem)
