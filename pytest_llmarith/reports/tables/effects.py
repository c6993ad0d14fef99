"""What conditions do, as a table. It does not know how the figures come about."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from textwrap import wrap

from pytest_llmarith.records import Effect, SameWords
from pytest_llmarith.reports.figures import NO_INTERVAL, interval_of, p_of, points_of, star
from pytest_llmarith.reports.harmless import sanitize_name
from pytest_llmarith.reports.keys import USUAL_NAME, label_of
from pytest_llmarith.reports.tables.drawing import LONGEST_NAME, draw, fitted

_LEGEND = (
    "Conditions beside the usual one, or the first one of a run without it, on the same problems. better, worse: "
    "problems that went so. p: McNemar's exact test. 95 % and p are of each row alone. *: p is below 0.05 also after "
    "Holm's correction for all rows."
)


def effect_table(effects: Sequence[Effect], alike: Sequence[SameWords], width: int) -> list[str]:
    """A row per model, task and condition, and what is left out; nothing of a run with one condition."""
    lines = _table(effects, width) if effects else []
    left_out = [line for one in alike for line in wrap(_left_out(one), width)]
    return ["what conditions do", *lines, *left_out] if effects or alike else []


def _table(effects: Sequence[Effect], width: int) -> list[str]:
    names = (_name(effect, LONGEST_NAME) for effect in effects)
    unknown = any(effect.difference.low is None for effect in effects)
    legend = _LEGEND + f" {NO_INTERVAL}" * unknown
    return [*fitted(partial(_drawn, effects), names, width), *wrap(legend, width)]


def _left_out(alike: SameWords) -> str:
    condition, whose = _name(alike, LONGEST_NAME).split("\n")
    count = alike.problems
    problems = f"{count:,} problem{'s' * (count != 1)}"
    return f"{condition} ({whose}): {problems} put in the same words, left out"


def _drawn(effects: Sequence[Effect], longest_name: int) -> list[str]:
    headers = ["condition\nmodel, task", "problems\n", "%\nbeside %", "points\n95 %", "better\nworse", "p\n*"]
    return draw(headers, [_row(effect, longest_name) for effect in effects])


def _row(effect: Effect, longest_name: int) -> list[str]:
    return [
        _name(effect, longest_name),
        str(effect.problems),
        f"{effect.percent:.1f}\n{effect.percent_beside:.1f}",
        f"{points_of(effect.difference)}\n{interval_of(effect.difference)}",
        f"{effect.better}\n{effect.worse}",
        f"{p_of(effect.p)}\n{star(effect.p_holm)}",
    ]


def _name(effect: SameWords, longest: int) -> str:
    beside = label_of(effect.beside)
    condition = f"{label_of(effect.condition) or USUAL_NAME}{f' beside {beside}' * bool(beside)}"
    whose = f"{effect.model}, {effect.task}"
    return "\n".join(sanitize_name(words, longest) for words in (condition, whose))
