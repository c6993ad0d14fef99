"""Rewards for training: the functions that TRL and verl call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .enums import Reason
from .grading import Expected, grade
from .messages import Reply


def reward(
    completions: Sequence[Reply | None],
    answer: Sequence[Expected | None],
    **columns: Any,
) -> list[float | None]:
    """1.0 for each right completion and 0.0 for each wrong one, in TRL's form; all
    other columns are ignored.

    A sample whose answer is None or no number has no reward: None, which leaves it out
    of the training step.

    >>> message = {"role": "assistant", "content": "It is 41."}
    >>> reward(["42", [message], "?"], answer=["42", "42", None])
    [1.0, 0.0, None]
    """
    if len(completions) != len(answer):
        raise ValueError(
            f"{len(completions)} completions and {len(answer)} answers: each needs "
            f"the other"
        )
    return list(map(_reward, completions, answer))


def compute_score(
    data_source: str,
    solution_str: Reply | None,
    ground_truth: Expected | None,
    extra_info: Any = None,
    **arguments: Any,
) -> dict[str, float | bool]:
    """The score of one reply in verl's form; `data_source`, `extra_info` and all other
    arguments are ignored.

    >>> compute_score("sums", "The answer is 42.", "42")
    {'score': 1.0, 'acc': True}
    """
    score = _reward(solution_str, ground_truth) or 0.0
    return {"score": score, "acc": score == 1}


def _reward(completion: Reply | None, expected: Expected | None) -> float | None:
    if expected is None:
        return None
    graded = grade("" if completion is None else completion, expected)
    if graded.reason is Reason.NO_EXPECTED:
        return None
    return float(graded.correct)
