"""A scorer for inspect_ai:

`exactnum/number`, or `from exactnum.adapters.inspect import number`.
"""

from __future__ import annotations

from inspect_ai.scorer import (
    CORRECT,
    INCORRECT,
    Score,
    Scorer,
    Target,
    accuracy,
    scorer,
    stderr,
)
from inspect_ai.solver import TaskState

from ..digits import Decimals, Exact
from ..grading import grade


@scorer(metrics=[accuracy(), stderr()])  # type: ignore[untyped-decorator,unused-ignore]
def number(decimals: int | None = None) -> Scorer:
    """Whether the number in the reply is one of the targets: exactly, or to so many
    decimals.
    """
    tolerance = Exact() if decimals is None else Decimals(decimals)

    async def score(state: TaskState, target: Target) -> Score:
        reply = state.output.completion
        grades = [grade(reply, expected, tolerance=tolerance) for expected in target]
        answer = explanation = None
        if grades and grades[0].answer is not None:
            answer = format(grades[0].answer, "f")
        if grades and grades[0].reason is not None:
            explanation = str(grades[0].reason)
        value = CORRECT if any(grades) else INCORRECT
        return Score(value=value, answer=answer, explanation=explanation)

    return score
