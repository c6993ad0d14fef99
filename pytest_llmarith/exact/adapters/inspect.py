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

from ..grading import grade
from ..tolerance import Decimals, Exact


@scorer(metrics=[accuracy(), stderr()])  # type: ignore[untyped-decorator,unused-ignore]
def number(decimals: int | None = None) -> Scorer:
    """Whether the number in the reply is one of the targets: exactly, or to so many
    decimals.
    """
    tolerance = Exact() if decimals is None else Decimals(decimals)

    async def score(state: TaskState, target: Target) -> Score:
        reply = state.output.completion
        grades = [grade(reply, expected, tolerance=tolerance) for expected in target]
        is_correct = any(grades)
        answer = grades[0].answer if grades else None
        return Score(
            value=CORRECT if is_correct else INCORRECT,
            answer=None if answer is None else format(answer, "f"),
            explanation=None
            if not grades or grades[0].reason is None
            else str(grades[0].reason),
        )

    return score
