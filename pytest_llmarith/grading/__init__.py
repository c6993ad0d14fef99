"""Compares an answer with the expected one: exact grade, digits that are right, error class."""

from pytest_llmarith.grading.digits import Carries, Case, carries, wrong_from_left, wrong_from_right
from pytest_llmarith.grading.error_classes import analyze, error_class
from pytest_llmarith.grading.grade import grade

__all__ = ["Carries", "Case", "analyze", "carries", "error_class", "grade", "wrong_from_left", "wrong_from_right"]
