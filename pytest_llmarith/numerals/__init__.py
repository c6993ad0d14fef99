"""Room: reading a number from text and grading it exactly. It does not know prompts or models."""

from pytest_llmarith.numerals.grading import grade
from pytest_llmarith.numerals.reading import read

__all__ = ["grade", "read"]
