"""Room: the deed. A reply is read or run, graded, and the trial becomes a record.

It does not know pytest, litellm or options: replies, rules and whoever runs programs arrive as arguments.
"""

from pytest_llmarith.trials.frame import Subject, reply_part, unanswered_record
from pytest_llmarith.trials.numbers import Verdict, graded_again, nan_reason_of, number_record, verdict_of
from pytest_llmarith.trials.own import own_record, raised_record

__all__ = [
    "Subject",
    "Verdict",
    "graded_again",
    "nan_reason_of",
    "number_record",
    "own_record",
    "raised_record",
    "reply_part",
    "unanswered_record",
    "verdict_of",
]
