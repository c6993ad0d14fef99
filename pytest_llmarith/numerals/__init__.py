"""Reading a number from a reply and grading it exactly."""

from pytest_llmarith.numerals.extract import read
from pytest_llmarith.numerals.grading import grade

__all__ = ["grade", "read"]
