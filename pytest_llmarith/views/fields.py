"""Columns that tables share: whose figures they are, and measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_llmarith.figures.count import MEASURES
from pytest_llmarith.figures.estimates import Described, Measure
from pytest_llmarith.safe_text import sanitize
from pytest_llmarith.views import kinds
from pytest_llmarith.views.places import Here, short_name
from pytest_llmarith.views.table import Column, Kind, Level

_LONGEST_MEANING = 1_000


def model_of(row: Here) -> kinds.ModelLabel:
    """The model of a result as it is labelled."""
    model = kinds.model(row.label, row.model, is_simulated=row.simulated)
    if row.unfinished:
        model = model._replace(marks=(*model.marks, "unfinished"))
    return model


def trials_of(here: Here) -> Mapping[str, str | int]:
    """The filters of the trials of a result."""
    return {"model": here.label, "task": short_name(here.task)}


def field(key: str, level: Level = Level.PAGE, *, curved: bool = False) -> Column[Any]:
    """A column of a measure, which has its title, unit and meaning."""
    return field_of(key, MEASURES[key], level, curved=curved)


def field_of(
    key: str,
    measure: Measure | Described,
    level: Level = Level.PAGE,
    *,
    curved: bool = False,
) -> Column[Any]:
    kind: Kind[Any] = kinds.PERCENT if measure.unit == "%" else kinds.FIGURE
    return Column(
        key,
        short_name(measure.title),
        kind,
        sanitize(measure.meaning, _LONGEST_MEANING),
        lambda here: here.get(key),
        level,
        curved=curved,
    )


WHOSE: Sequence[Column[Any]] = (
    Column(
        "model",
        "model",
        kinds.MODEL,
        "the model, with its condition and what tells it from others",
        model_of,
    ),
    Column(
        "task",
        "task",
        kinds.NAME,
        "the task",
        lambda here: here.task,
        below="model",
    ),
)
