"""Room: what is wrong with an answer, and what is right: pure functions of what was asked and what was answered.

The work is linear in the digits of the answer. How they were written is not known here. The rules in words:
docs/anatomy.md.
"""

from pytest_llmarith.numerals.anatomy.case import Case
from pytest_llmarith.numerals.anatomy.classes import error_class
from pytest_llmarith.numerals.anatomy.columns import Carries, carries
from pytest_llmarith.numerals.anatomy.measures import anatomy, wrong_from_left, wrong_from_right

__all__ = ["Carries", "Case", "anatomy", "carries", "error_class", "wrong_from_left", "wrong_from_right"]
