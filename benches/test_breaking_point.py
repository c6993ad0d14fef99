"""One search per item for the simplest question that a model gets wrong; needs
--llm-breaking-point=80.
"""

import pytest


@pytest.mark.breaking_point
def test_breaking_point(problem, search):
    """The search finds no wrong answer."""
    search(problem)
