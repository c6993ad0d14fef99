"""Room: the frozen values that the rooms hand each other. It knows nothing of any other room.

Numbers of any size travel as text: `Decimal`, `Fraction` and enums do not survive pytest-xdist's transport,
and readers of JSON would round them.
"""

from pytest_llmarith.values.asking import EMBEDDED_PROVIDER, Failure, Model, Progress, Question, Reply
from pytest_llmarith.values.grades import Grade, Readings
from pytest_llmarith.values.problems import AdditionProblem, ArithmeticProblem, NumberProblem, OeisProblem, Problem
from pytest_llmarith.values.programs import Ending, Isolation, Level, ProgramLimits, ProgramRun, Runner
from pytest_llmarith.values.sequences import IntegerSequence
from pytest_llmarith.values.words import Dtype, NanReason, Op, Outcome, Reading, StoreMode, Symbols

__all__ = [
    "EMBEDDED_PROVIDER",
    "AdditionProblem",
    "ArithmeticProblem",
    "Dtype",
    "Ending",
    "Failure",
    "Grade",
    "IntegerSequence",
    "Isolation",
    "Level",
    "Model",
    "NanReason",
    "NumberProblem",
    "OeisProblem",
    "Op",
    "Outcome",
    "Problem",
    "ProgramLimits",
    "ProgramRun",
    "Progress",
    "Question",
    "Reading",
    "Readings",
    "Reply",
    "Runner",
    "StoreMode",
    "Symbols",
]
