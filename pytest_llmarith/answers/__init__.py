"""The answer in a reply: the number that it gives, or why it gives none."""

from pytest_llmarith.answers.extract import read, reason
from pytest_llmarith.answers.speech import Said, refuses, said

__all__ = ["Said", "read", "reason", "refuses", "said"]
