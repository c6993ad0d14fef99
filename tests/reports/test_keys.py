"""Whose result it is: a model, a task, and the condition in which its questions were put."""

from __future__ import annotations

import pytest

from pytest_llmarith.records import unknown_run
from pytest_llmarith.reports.counting.order import place_of
from pytest_llmarith.reports.keys import label_of
from pytest_llmarith.values import Condition, NumberFormat


@pytest.mark.parametrize(
    ("condition", "label"),
    [
        (Condition(), ""),
        (Condition(prompt="short"), "prompt_short"),
        (Condition(prompt="None"), "prompt_None"),  # a template in None.txt
        (Condition(NumberFormat.COMMA, context="2k"), "numbers_comma-context_2k"),
        (None, ""),
    ],
)
def test_a_condition_is_told_from_the_usual_one(condition: Condition | None, label: str) -> None:
    """Axis by axis; a template may have any name, `None` too."""
    assert label_of(condition) == label


def test_a_template_of_any_name_stands_where_it_was_given() -> None:
    """Of what a run says that it asked, nothing is taken for the usual way because of its name."""
    run = unknown_run("run")
    run.conditions = [Condition(prompt=name) for name in ("short", None, "None")]
    keys: dict[tuple[str, str, str], Condition | None] = {("m", "arithmetic", one.label): one for one in run.conditions}
    ordered = sorted(keys, key=place_of(run, keys, ["m"]))
    assert [label for *_, label in ordered] == ["", "prompt_short", "prompt_None"]
