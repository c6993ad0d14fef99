"""The conditions that options ask for: every combination, and one line for every mistake."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.options.conditions import Manners, manners
from pytest_llmarith.values import USUAL, Condition, NumberFormat, Symbols


def given(folder: Path = Path(), **options: Any) -> Manners:
    named = {f"--llm-{name.replace('_', '-')}": value for name, value in options.items()}
    return manners(named.get, folder)


def test_without_options_there_is_one_condition() -> None:
    """Every question is put once, as its task puts it."""
    assert given() == Manners()
    assert given().are_usual


def test_values_combine() -> None:
    """Two formats, two signs and two contexts are eight conditions, in the order given."""
    found = given(number_format="comma,plain", symbols="ascii,unicode", context="2k, none")
    assert len(found.conditions) == 8
    assert found.conditions[0] == Condition(NumberFormat.COMMA, Symbols.ASCII, "2k")
    assert found.conditions[-1] == Condition(NumberFormat.PLAIN, Symbols.UNICODE, None)
    assert not found.are_usual


def test_one_system_prompt_is_the_models_own() -> None:
    """One system prompt is the model's own; only several make conditions."""
    assert given(system_prompt=["Be brief."]) == Manners()
    several = given(system_prompt=["Be long.", "Be brief."])
    assert [condition.system for condition in several.conditions] == ["1", "2"]
    assert several.wordings.systems == {"1": "Be long.", "2": "Be brief."}


@pytest.mark.parametrize("texts", [["", "Be brief."], ["Be brief.", ""]])
def test_an_empty_system_prompt_is_the_usual_condition(texts: list[str]) -> None:
    """It sends none, as a run does that was told of none: so it has no name, and takes no number from the others."""
    found = given(system_prompt=texts)
    assert [condition.system for condition in found.conditions] == ["1" if text else None for text in texts]
    assert USUAL in found.conditions
    assert found.wordings.systems == {"1": "Be brief."}


def test_templates_are_called_like_their_files(tmp_path: Path) -> None:
    """An id can hold the name; `standard` is each task's own prompt."""
    (tmp_path / "just-the.number.txt").write_text("{lhs}{sign}{rhs}=\n", encoding="utf-8")
    found = given(tmp_path, prompt=["standard", "just-the.number.txt"])
    assert [condition.prompt for condition in found.conditions] == [None, "just_the_number"]
    assert found.wordings.templates == {"just_the_number": "{lhs}{sign}{rhs}="}


def test_a_mark_of_the_order_of_bytes_is_not_sent(tmp_path: Path) -> None:
    """Some editors begin every text with one, and nobody sees it."""
    (tmp_path / "marked.txt").write_text("{lhs}=\n", encoding="utf-8-sig")
    assert given(tmp_path, prompt=["marked.txt"]).wordings.templates == {"marked": "{lhs}="}


def test_labels_tell_only_what_is_unusual() -> None:
    """Ids of a run without conditions stay as they are."""
    assert USUAL.label == ""
    assert Condition(NumberFormat.SPACE, Symbols.UNICODE, "1k", "terse", "2").label == (
        "numbers_space-symbols_unicode-context_1k-prompt_terse-system_2"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"number_format": "dots"}, "--llm-number-format: 'dots' is unknown; write plain, comma or space"),
        ({"symbols": "ascii,ascii"}, "--llm-symbols: 'ascii' is given twice; give each value once"),
        ({"context": "3k"}, "--llm-context: '3k' is unknown; write some of none,1k,2k,4k"),
        ({"repeats": "0"}, "--llm-repeats: '0' is not a whole number from 1 to 1000"),
        ({"system_prompt": ["a", "a"]}, "--llm-system-prompt: 'a' is given twice; give each value once"),
        ({"prompt": ["none.txt"]}, "--llm-prompt: 'none.txt' is no file; name a text file, or standard"),
        ({"prompt": ["pipe"]}, "--llm-prompt: 'pipe' is no file; name a text file, or standard"),
        ({"prompt": ["latin.txt"]}, "--llm-prompt: 'latin.txt' is not UTF-8 text; name a text file"),
        ({"prompt": ["a.txt", "a.md"]}, "--llm-prompt: two templates are called a; give one another name"),
        ({"prompt": ["long.txt"]}, "--llm-prompt: 'long.txt' is longer than 100,000 characters; make it shorter"),
    ],
)
def test_mistakes_are_one_line(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    """A mistake in an option of conditions is one line: the option, what is wrong, what to write instead."""
    for name in ("a.txt", "a.md"):
        (tmp_path / name).write_text("{lhs}", encoding="utf-8")
    (tmp_path / "latin.txt").write_bytes(b"\xe9")
    (tmp_path / "long.txt").write_text("x" * 100_001, encoding="utf-8")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError) as raised:  # noqa: PT011  # the message is what matters
        given(tmp_path, **options)
    assert str(raised.value) == message


ADVICE = "write {{ and }} for braces that name no field"


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{lhs.__class__}", f"{{lhs.__class__}} is no bare name of a field; {ADVICE}"),
        ("{lhs[0]}", f"{{lhs[0]}} is no bare name of a field; {ADVICE}"),
        ("{lhs!r}", f"{{lhs!r}} is no bare name of a field; {ADVICE}"),
        ("{lhs:>99999999}", f"{{lhs:>99999999}} is no bare name of a field; {ADVICE}"),
        ("{}", f"{{}} is no bare name of a field; {ADVICE}"),
        ("{lhs", f"expected '}}' before end of string; {ADVICE}"),
        ("What is it?", "it has no field, so that every question would be the same"),
        ("", "it has no field, so that every question would be the same"),
    ],
)
def test_a_file_that_is_no_template_is_one_line(template: str, said: str, tmp_path: Path) -> None:
    """A file that is no template is refused before anything is collected, whatever its task."""
    (tmp_path / "mine.txt").write_text(template, encoding="utf-8")
    with pytest.raises(ValueError) as raised:  # noqa: PT011  # the message is what matters
        given(tmp_path, prompt=["mine.txt"])
    assert str(raised.value) == f"--llm-prompt: 'mine.txt': {said}"
