"""Numbers as they are written in the languages of the world, with currencies, units and
words of magnitude beside them: the number that a careful reader takes, or none.
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
        answer = read(line["reply"], operands, Dtype(line["dtype"])).tolerant
        number = line["number"]
        if answer != (None if number is None else Decimal(number)):
            misread[line["reply"]] = answer
    assert not misread
