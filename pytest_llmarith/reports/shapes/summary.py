"""The shape of `summary.json`, and of a line of `aggregate.jsonl`. It does not know who counts."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from pytest_llmarith.reports.shapes.problems import Condition
from pytest_llmarith.reports.shapes.results import Result
from pytest_llmarith.reports.shapes.run import Run


class Difference(TypedDict):
    """Percentage points with their 95 % interval; no interval where nothing varies."""

    points: float
    low: float | None
    high: float | None


class Effect(TypedDict):
    """What a condition does: a model's trials of a task in it, beside the same problems in another condition."""

    model: str
    task: str
    condition: Condition | None
    beside: Condition | None
    """The usual one, null, unless nothing was asked in it."""
    problems: int
    """Problems with a reply in both, to other words."""
    percent: float
    percent_beside: float
    difference: Difference
    """Newcombe's interval for pairs; by Student's t over problems where they were put several times."""
    better: int
    """Problems that went better in this condition."""
    worse: int
    p: float
    """McNemar's exact test on these two."""
    p_holm: float
    """Corrected for all tests of the run that stand beside it."""


class SameWords(TypedDict):
    """What a condition puts in the same words as the one it stands beside: no evidence of what it does."""

    model: str
    task: str
    condition: Condition | None
    beside: Condition | None
    problems: int
    """Problems with a reply in both, which are left out of the effect."""


class Summary(TypedDict):
    """A run in numbers."""

    format: Literal[1]
    run: Run
    answered: int
    """Trials with a reply."""
    unanswered: int
    """Trials without one."""
    duplicates: NotRequired[int]
    """Trials that ask what another one asks: they are neither of these, and in no figure."""
    complete: bool
    """Whether everything that was selected is answered."""
    results: list[Result]
    """One per model, task and condition."""
    effects: NotRequired[list[Effect]]
    """What conditions do, where a run has several."""
    same_words: NotRequired[list[SameWords]]
    """What is left out of effects."""
