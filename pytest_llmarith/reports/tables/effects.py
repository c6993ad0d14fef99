"""What conditions do, as a table. It does not know how the figures come about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from textwrap import wrap
from typing import Any

from pytest_llmarith.reports.figures import interval_of, p_of, points_of
from pytest_llmarith.reports.harmless import sanitize_name
from pytest_llmarith.reports.keys import USUAL_NAME, condition_label
from pytest_llmarith.reports.tables.drawing import LONGEST_NAME, draw, fitted

_LEGEND = (
    "Conditions beside the usual one, or the first one of a run without it, on the same problems. better, worse: "
    "problems that went so. p: McNemar's exact test, Holm-corrected."
)

Effect = Mapping[str, Any]


def effect_table(effects: Sequence[Effect], width: int) -> list[str]:
    """A row per model, task and condition; nothing of a run with one condition."""
    if not effects:
        return []
    names = (_name(effect, LONGEST_NAME) for effect in effects)
    lines = fitted(partial(_drawn, effects), names, width)
    return ["what conditions do", *lines, *wrap(_LEGEND, width)]


def _drawn(effects: Sequence[Effect], longest_name: int) -> list[str]:
    headers = ["condition\nmodel, task", "problems\n", "%\nbeside %", "points\n95 %", "better\nworse", "p\n"]
    return draw(headers, [_row(effect, longest_name) for effect in effects])


def _row(effect: Effect, longest_name: int) -> list[str]:
    return [
        _name(effect, longest_name),
        str(effect["problems"]),
        f"{effect['percent']:.1f}\n{effect['percent_beside']:.1f}",
        f"{points_of(effect['difference'])}\n{interval_of(effect['difference'])}",
        f"{effect['better']}\n{effect['worse']}",
        p_of(effect["p_holm"]),
    ]


def _name(effect: Effect, longest: int) -> str:
    beside = condition_label({"condition": effect["beside"]})
    condition = f"{condition_label(effect) or USUAL_NAME}{f' beside {beside}' * bool(beside)}"
    whose = f"{effect['model']}, {effect['task']}"
    return "\n".join(sanitize_name(words, longest) for words in (condition, whose))
