"""Compares an answer with the expected one: exact grade, digits that are right, error class."""

from pytest_llmarith.grading.error_classes import error_class
from pytest_llmarith.grading.grade import Carries, Case, carries, measure, wrong_from_left, wrong_from_right

__all__ = ["Carries", "Case", "carries", "error_class", "measure", "wrong_from_left", "wrong_from_right"]
