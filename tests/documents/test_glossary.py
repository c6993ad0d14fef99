"""The glossary explains the words that records and reports use."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_llmarith.values import Outcome, Reading

TEXT = (Path(__file__).parents[2] / "docs" / "glossary.md").read_text("utf-8")
EXPLAINED = re.findall(r"^\| (?:\*\*|`)([a-z ]+)(?:\*\*|`) \| (.+) \|$", TEXT, re.MULTILINE)
KEYS_OF_A_RECORD = (
    "run",
    "task",
    "model",
    "simulated",
    "outcome",
    "reason",
    "reading",
    "problem",
    "condition",
    "repeat",
    "prompt",
    "answer",
    "grade",
    "reply",
)


@pytest.mark.parametrize("word", [*Outcome, *KEYS_OF_A_RECORD, "record", "variant", "depth", "trial", "cell"])
def test_a_word_is_explained_once(word: str) -> None:
    """Every outcome and every key of a record has its own row."""
    assert [known for known, _ in EXPLAINED].count(word) == 1


@pytest.mark.parametrize(("word", "meaning"), EXPLAINED)
def test_a_meaning_is_one_sentence(word: str, meaning: str) -> None:
    """One sentence each, with a full stop at its end and none before."""
    assert meaning.endswith("."), word
    assert ". " not in meaning, word


def test_the_readings_are_named() -> None:
    """The glossary names both readings in the row of that word."""
    assert all(f"`{reading}`" in dict(EXPLAINED)["reading"] for reading in Reading)
