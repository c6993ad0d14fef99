"""Room: the frozen values that the rooms hand each other. It knows nothing of any other room.

Numbers of any size travel as text: `Decimal`, `Fraction` and enums do not survive pytest-xdist's transport,
and readers of JSON would round them.
"""

from pytest_llmarith.values.asking import (
    EMBEDDED_PROVIDER,
    AskingTotals,
    Failure,
    Model,
    Progress,
    Question,
    Reply,
    Retry,
    Throttled,
)
from pytest_llmarith.values.grades import ErrorAnalysis, Grade, Readings
from pytest_llmarith.values.limits import AskingLimits, Price
from pytest_llmarith.values.manner import AXES, USUAL, Condition, Manner, Wordings
from pytest_llmarith.values.money import Fit, Outlook, Plan, Terms
from pytest_llmarith.values.problems import (
    CONFIRMATIONS,
    AdditionProblem,
    ArithmeticProblem,
    BreakingProblem,
    NumberProblem,
    OeisProblem,
    Problem,
)
from pytest_llmarith.values.programs import Ending, Isolation, Level, ProgramLimits, ProgramRun, Runner
from pytest_llmarith.values.sequences import IntegerSequence
from pytest_llmarith.values.shards import MOST_SHARDS, Shard
from pytest_llmarith.values.words import (
    Dtype,
    ErrorClass,
    NanReason,
    NumberFormat,
    Op,
    Outcome,
    Reading,
    Rules,
    SearchEnd,
    StoreMode,
    Symbols,
    TermStatus,
)

__all__ = [
    "AXES",
    "CONFIRMATIONS",
    "EMBEDDED_PROVIDER",
    "MOST_SHARDS",
    "USUAL",
    "AdditionProblem",
    "ArithmeticProblem",
    "AskingLimits",
    "AskingTotals",
    "BreakingProblem",
    "Condition",
    "Dtype",
    "Ending",
    "ErrorAnalysis",
    "ErrorClass",
    "Failure",
    "Fit",
    "Grade",
    "IntegerSequence",
    "Isolation",
    "Level",
    "Manner",
    "Model",
    "NanReason",
    "NumberFormat",
    "NumberProblem",
    "OeisProblem",
    "Op",
    "Outcome",
    "Outlook",
    "Plan",
    "Price",
    "Problem",
    "ProgramLimits",
    "ProgramRun",
    "Progress",
    "Question",
    "Reading",
    "Readings",
    "Reply",
    "Retry",
    "Rules",
    "Runner",
    "SearchEnd",
    "Shard",
    "StoreMode",
    "Symbols",
    "TermStatus",
    "Terms",
    "Throttled",
    "Wordings",
]
