"""The answer in a reply: the number that it gives, or why it gives none."""

from pytest_llmarith.answers.extract import read, reason
from pytest_llmarith.answers.speech import Stripped, refuses, strip_thoughts

__all__ = ["Stripped", "read", "reason", "refuses", "strip_thoughts"]
