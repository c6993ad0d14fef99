"""Reads the number that a reply gives as its answer, compares it with the expected one, and names the error.

Standard library and relative imports only: the same files are the distribution `exactnum`.
"""

from .digits import Carries, Case, Measures, carries, measure, wrong_from_left, wrong_from_right
from .error_classes import error_class
from .extract import Stripped, read, reason, refuses, strip_thoughts
from .types import Dtype, ErrorClass, ExtractedAnswer, NanReason, Op

__all__ = [
    "Carries",
    "Case",
    "Dtype",
    "ErrorClass",
    "ExtractedAnswer",
    "Measures",
    "NanReason",
    "Op",
    "Stripped",
    "carries",
    "error_class",
    "measure",
    "read",
    "reason",
    "refuses",
    "strip_thoughts",
    "wrong_from_left",
    "wrong_from_right",
]
