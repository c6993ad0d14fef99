"""Replies, and the number that a careful reader takes, or why there is none: final
answers beside other numbers, and numbers as the languages of the world write them.
"""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

from pytest_llmarith.exact import Dtype, read

LINES = [
    json.loads(line)
    for line in (Path(__file__).parent / "replies" / "forms.jsonl")
    .read_text("utf-8")
    .splitlines()
]


@pytest.mark.parametrize("kind", sorted({line["kind"] for line in LINES}))
def test_a_form_is_read_whole_or_not_at_all(kind: str) -> None:
    """Where it is not known what a word or mark beside digits means, there is none."""
    misread = {}
    for line in LINES:
        if line["kind"] != kind:
            continue
        operands = tuple(line.get("operands", ("48213", "7596")))
        found = read(line["reply"], operands, Dtype(line["dtype"]))
        answer, number = found.tolerant, line["number"] and Decimal(line["number"])
        if line["dtype"] == "float" and answer is not None and number is not None:
            answer, number = round(answer, 4), round(number, 4)
        if answer != number or line.get("reason", found.reason) != found.reason:
            misread[line["reply"]] = answer, found.reason
    assert not misread
