"""One sum, product, difference or quotient per item, of 2 to 10 digits; after llm_arithmetic."""

import pytest


@pytest.mark.arithmetic(depths=range(2, 11), trials=10)
def test_arithmetic(problem, ask):
    """The reply holds the exact result."""
    ask(problem)
