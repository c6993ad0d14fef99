"""The simplest question that a model gets wrong, a search per item; --llm-breaking-point=80 makes them."""

import pytest


@pytest.mark.breaking_point
def test_breaking_point(problem, search):
    """All that the search asked was answered rightly."""
    search(problem)
