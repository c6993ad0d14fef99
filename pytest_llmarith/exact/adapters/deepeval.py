"""A metric for deepeval:

`assert_test(LLMTestCase(input, actual_output, expected_output), [ExactNumber()])`.
"""

from __future__ import annotations

from typing import Any

from deepeval.metrics import BaseMetric

from ..grading import grade


class ExactNumber(BaseMetric):  # type: ignore[misc,unused-ignore]
    """1.0 if the number in the actual output is that of the expected output, else
    0.0.
    """

    threshold = 1.0
    async_mode = False

    def measure(self, test_case: Any, *arguments: Any, **options: Any) -> float:
        """The score of a test case."""
        graded = grade(test_case.actual_output, test_case.expected_output)
        self.score = float(graded.correct)
        self.success = graded.correct
        self.reason = str(graded.reason or f"the number is {graded.answer}")
        return self.score

    async def a_measure(self, test_case: Any, *arguments: Any, **options: Any) -> float:
        """The same."""
        return self.measure(test_case)

    def is_successful(self) -> bool:
        """Whether the last test case was right."""
        return bool(self.success)

    @property
    def __name__(self) -> str:
        return "Exact number"
