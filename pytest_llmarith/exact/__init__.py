"""Reads the number that a reply gives as its answer, compares it with the expected one,
and names the error.

The names in `__all__` are public. Standard library and relative imports only: the same
files are the distribution `exactnum`.
"""

from .context import refuses as refuses
from .digits import Carries as Carries
from .digits import Case as Case
from .digits import Decimals, Exact, Tolerance
from .digits import Measures as Measures
from .digits import carries as carries
from .digits import measure as measure
from .digits import wrong_digits as wrong_digits
from .enums import Dtype as Dtype
from .enums import ErrorClass, Reason
from .enums import Op as Op
from .error_classes import error_class as error_class
from .extract import ExtractedAnswer as ExtractedAnswer
from .extract import read as read
from .extract import reason as reason
from .grading import NumberGrade, Readings, classify_error, grade, read_number, readings
from .grading import place_of as place_of
from .rewards import compute_score, reward
from .thoughts import Stripped as Stripped
from .thoughts import strip_thoughts as strip_thoughts
from .thoughts import thought_and_rest as thought_and_rest

__all__ = [
    "Decimals",
    "ErrorClass",
    "Exact",
    "NumberGrade",
    "Readings",
    "Reason",
    "Tolerance",
    "classify_error",
    "compute_score",
    "grade",
    "read_number",
    "readings",
    "reward",
]
