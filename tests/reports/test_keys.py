"""Whose result it is: a model, a task, and the condition in which its questions were put."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_llmarith.reports.counting.order import place_of
from pytest_llmarith.reports.keys import condition_label
from pytest_llmarith.values import USUAL

STANDARD = USUAL.fields()
NAMED_NONE = STANDARD | {"prompt": "None"}  # the name of a template in None.txt


@pytest.mark.parametrize(
    ("condition", "label"),
    [
        (STANDARD, ""),
        (STANDARD | {"prompt": "short"}, "prompt_short"),
        (NAMED_NONE, "prompt_None"),
        (STANDARD | {"context": "2k", "numbers": "comma"}, "numbers_comma-context_2k"),
        ({"numbers": ["no", "format"]}, "numbers_['no', 'format']-symbols_None"),
        (None, ""),
        ("what is no condition", ""),
    ],
)
def test_a_condition_is_told_from_the_usual_one(condition: Any, label: str) -> None:
    """Axis by axis, whatever an older record says; a template may have any name, `None` too."""
    assert condition_label({"condition": condition}) == label


def test_a_template_of_any_name_stands_where_it_was_given() -> None:
    """Of what a run says that it asked, nothing is taken for the usual way because of its name."""
    conditions = [STANDARD | {"prompt": name} for name in ("short", None, "None")]
    keys = {("m", "arithmetic", condition_label({"condition": one})): one for one in conditions}
    ordered = sorted(keys, key=place_of({"conditions": conditions}, keys, ["m"]))
    assert [label for *_, label in ordered] == ["", "prompt_short", "prompt_None"]
