"""Finds the number that a reply gives as its answer, or the reason why there is none."""

from pytest_llmarith.answers.extract import Stripped, read, reason, refuses, strip_thoughts

__all__ = ["Stripped", "read", "reason", "refuses", "strip_thoughts"]
