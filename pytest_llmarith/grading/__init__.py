"""An answer beside the expected one: exact comparison, digits that are right, class of the error."""

from pytest_llmarith.grading.digits import Carries, Case, carries, wrong_from_left, wrong_from_right
from pytest_llmarith.grading.error_classes import analyze, error_class
from pytest_llmarith.grading.grade import grade

__all__ = ["Carries", "Case", "analyze", "carries", "error_class", "grade", "wrong_from_left", "wrong_from_right"]
