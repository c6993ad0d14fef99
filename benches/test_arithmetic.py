"""One sum, difference, product or quotient of numbers of 2 to 10 digits per item, as in
llm_arithmetic.
"""

import pytest


@pytest.mark.arithmetic(depths=range(2, 11), trials=10)
def test_arithmetic(problem, ask):
    """The reply holds the exact result."""
    ask(problem)
