"""Room: the deed. A reply is read or run, graded, and the trial is written down as a record of builtins.

It does not know pytest, litellm or options: replies, rules and whoever runs programs arrive as arguments.
"""

from pytest_llmarith.trials.frame import RECORD_FORMAT, Subject, unanswered_record
from pytest_llmarith.trials.numbers import Verdict, nan_reason_of, number_record, verdict_fields, verdict_of
from pytest_llmarith.trials.own import own_record, raised_record

__all__ = [
    "RECORD_FORMAT",
    "Subject",
    "Verdict",
    "nan_reason_of",
    "number_record",
    "own_record",
    "raised_record",
    "unanswered_record",
    "verdict_fields",
    "verdict_of",
]
