"""The options of the OEIS task: what they take, and what they say to anything else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from pytest_llmarith.oeis.scoring import Rules
from pytest_llmarith.options.oeis import OeisSettings, oeis_settings
from pytest_llmarith.options.parsing import model
from pytest_llmarith.values import Level

CACHE = Path("cache")


def parsed(**given: str) -> OeisSettings:
    """Settings of options named without their prefix."""
    options: Mapping[str, str] = {f"--oeis-{name}": text for name, text in given.items()}
    return oeis_settings(options.get, CACHE, lambda option, text: model(option, text, {}, None, None))


def test_defaults() -> None:
    """Nothing given: what is there, both limits of the paper, all terms, the static judge."""
    settings = parsed()
    assert (settings.sets, settings.cache, settings.terms, settings.sandbox) == (None, CACHE, None, None)
    assert (settings.limits.seconds, settings.limits.memory_bytes) == ((0.5, 4.0), 1 << 30)
    assert (settings.rules, settings.static_judge, settings.judge) == (Rules.DEFAULT, True, None)


@pytest.mark.parametrize(
    ("text", "seconds"), [("0.5,4", (0.5, 4.0)), ("4, 0.5", (0.5, 4.0)), ("2", (2.0,)), ("1,1,0.25", (0.25, 1.0))]
)
def test_limits(text: str, seconds: tuple[float, ...]) -> None:
    """Limits ascend, each once; the last one stops a program."""
    limits = parsed(limits=text).limits
    assert (limits.seconds, limits.longest_s) == (seconds, seconds[-1])


@pytest.mark.parametrize(
    ("text", "size"), [("1GiB", 1 << 30), ("512MiB", 512 << 20), ("64 MiB", 1 << 26), ("70000KiB", 70000 << 10)]
)
def test_memory(text: str, size: int) -> None:
    """Memory is a number with a unit, and becomes so many bytes."""
    assert parsed(memory=text).limits.memory_bytes == size


@pytest.mark.parametrize(("text", "terms"), [("all", None), ("1", 1), ("40", 40)])
def test_terms(text: str, terms: int | None) -> None:
    """--oeis-terms is how many terms of every sequence count, or all."""
    assert parsed(terms=text).terms == terms


@pytest.mark.parametrize(
    ("text", "static", "judge"),
    [
        ("static", True, None),
        ("none", False, None),
        ("llm:gpt-4o", False, "judge:gpt-4o"),
        ("both:mine=openai/x", True, "judge:mine"),
    ],
)
def test_judges(text: str, static: bool, judge: str | None) -> None:
    """Who judges; a model that judges has a name of its own, so that it can be judged as well."""
    settings = parsed(judge=text)
    assert settings.static_judge is static
    assert (settings.judge and settings.judge.name) == judge
    assert settings.judge is None or settings.judge.judge


def test_a_judge_is_asked_for_0_or_1() -> None:
    """Temperature 0 and a structured reply, unless its user knows better; null leaves a parameter out."""
    plain, own = parsed(judge="llm:gpt-4o").judge, parsed(judge="llm:o3?temperature=null&seed=7").judge
    assert plain is not None
    assert own is not None
    assert plain.params["temperature"] == 0
    assert plain.params["response_format"]["type"] == "json_schema"
    assert own.params == {"response_format": plain.params["response_format"], "seed": 7}


@pytest.mark.parametrize(
    ("option", "text", "message"),
    [
        ("limits", "0", "--oeis-limits: '0' is not one or more positive numbers of seconds; write 0.5,4"),
        ("limits", "", "--oeis-limits: '' is not one or more positive numbers of seconds"),
        ("limits", "0.5;4", "--oeis-limits: '0.5;4' is not one or more positive numbers of seconds"),
        ("limits", "0.5,9999", "--oeis-limits: 9999 s is longer than 3600 s; write 0.5,4"),
        ("memory", "1", "--oeis-memory: '1' is no size in KiB, MiB or GiB from 64MiB; write 512MiB or 2GiB"),
        ("memory", "1MiB", "--oeis-memory: '1MiB' is no size in KiB, MiB or GiB from 64MiB; write 512MiB or 2GiB"),
        ("terms", "0", "--oeis-terms: '0' is not a whole number from 1"),
        ("terms", "some", "--oeis-terms: 'some' is not a whole number from 1 to 1000000, nor all"),
        ("sandbox", "weak", "--oeis-sandbox: 'weak' is unknown; write strict, standard or none"),
        ("rules", "mine", "--oeis-rules: 'mine' is unknown; write default or paper"),
        ("judge", "gpt-4o", "--oeis-judge: write static, llm:MODEL, both:MODEL or none, such as llm:gpt-4o-mini, not"),
        ("judge", "both", "such as llm:gpt-4o-mini; 'both' names no model"),
        ("judge", "llm:", "such as llm:gpt-4o-mini; 'llm:' names no model"),
        ("judge", "llm:x?api_key=1", "--oeis-judge: api_key would write a key into files"),
    ],
)
def test_wrong_usage(option: str, text: str, message: str) -> None:
    """Wrong usage is one line: what is wrong, and what to write instead."""
    with pytest.raises(ValueError, match=r"^--oeis-") as raised:
        parsed(**{option: text})
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_the_sandbox_by_name() -> None:
    """--oeis-sandbox names the level that programs run at."""
    assert parsed(sandbox="standard").sandbox is Level.STANDARD
