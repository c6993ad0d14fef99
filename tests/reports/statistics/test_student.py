"""Student's t, against a reference."""

from __future__ import annotations

import pytest
from scipy.stats import t

from pytest_llmarith.reports.statistics.student import two_sided_p, two_sided_t


@pytest.mark.parametrize("degrees", [*range(1, 40), 100, 101, 999, 1_000, 1_001, 5_000, 10**6])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_it_is_the_reference(degrees: int, confidence: float) -> None:
    """Student's t is what Scipy says, for even and odd, few and many degrees of freedom."""
    assert two_sided_t(degrees, confidence) == pytest.approx(t.ppf((1 + confidence) / 2, degrees), rel=1e-5)
    errors = t.ppf((1 + confidence) / 2, degrees)
    assert two_sided_p(errors, degrees) == pytest.approx(1 - confidence, rel=1e-4)
