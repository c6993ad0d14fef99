"""What a run was asked to do with programs for integer sequences: texts of the `--oeis-...` options to values.

Every function raises ValueError with one line for people, as those of `parsing` do.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from pytest_llmarith.oeis.judges.llm import PARAMS
from pytest_llmarith.oeis.scoring import Rules
from pytest_llmarith.oeis.sets import check_name
from pytest_llmarith.options import names, parsing
from pytest_llmarith.values import Level, Model, ProgramLimits

_MOST_TERMS = 1_000_000
LONGEST_LIMIT_S = 3600.0
_LEAST_MEMORY = 1 << 26  # Python itself has to start

_DEFAULTS = {
    names.OEIS_LIMITS: "0.5,4",
    names.OEIS_MEMORY: "1GiB",
    names.OEIS_RULES: str(Rules.DEFAULT),
    names.OEIS_JUDGE: "static",
}
_SIZE = re.compile(r"(\d{1,6})\s*(KiB|MiB|GiB)", re.ASCII)
_UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
_JUDGES = f"{names.OEIS_JUDGE}: write static, llm:MODEL, both:MODEL or none, such as llm:gpt-4o-mini"


@dataclass(frozen=True, slots=True)
class OeisSettings:
    """Sequences, limits and judges; None leaves the choice to what is there."""

    sets: tuple[str, ...] | None
    ini_sets: tuple[str, ...] | None
    cache: Path
    limits: ProgramLimits
    terms: int | None
    sandbox: Level | None
    rules: Rules
    static_judge: bool
    judge: Model | None


def oeis_settings(
    given: Callable[[str], str | None], cache: Path, judge_model: Callable[[str, str], Model], ini_sets: str = ""
) -> OeisSettings:
    """Parse what was given; `judge_model` makes a model of the text that names a judge, `ini_sets` is the ini value."""

    def text(option: str) -> str:
        asked = given(option)
        return _DEFAULTS[option] if asked is None else str(asked)

    static, judge = _judges(text(names.OEIS_JUDGE), judge_model)
    return OeisSettings(
        sets=parsing.optional(given, names.OEIS_SETS, _sets),
        ini_sets=_sets(f"{names.OEIS_SETS_INI} (ini file)", ini_sets) if ini_sets else None,
        cache=cache,
        limits=ProgramLimits(
            seconds=_limits(names.OEIS_LIMITS, text(names.OEIS_LIMITS)),
            memory_bytes=_size(names.OEIS_MEMORY, text(names.OEIS_MEMORY)),
        ),
        terms=parsing.optional(given, names.OEIS_TERMS, _terms),
        sandbox=parsing.optional(given, names.OEIS_SANDBOX, lambda option, text: parsing.choice(option, text, Level)),
        rules=parsing.choice(names.OEIS_RULES, text(names.OEIS_RULES), Rules),
        static_judge=static,
        judge=judge,
    )


def _sets(option: str, text: str) -> tuple[str, ...]:
    sets = tuple(name.strip() for name in text.split(","))
    try:
        for name in sets:
            check_name(name)
    except ValueError as error:
        raise ValueError(f"{option}: {error}") from None
    return sets


def _limits(option: str, text: str) -> tuple[float, ...]:
    try:
        limits = tuple(sorted({parsing.seconds(option, part.strip()) for part in text.split(",")}))
    except ValueError:
        raise ValueError(f"{option}: {text!r} is not one or more positive numbers of seconds; write 0.5,4") from None
    if limits[-1] > LONGEST_LIMIT_S:
        raise ValueError(f"{option}: {limits[-1]:g} s is longer than {LONGEST_LIMIT_S:g} s; write 0.5,4")
    return limits


def _terms(option: str, text: str) -> int | None:
    try:
        return None if text == "all" else parsing.whole_number(option, text, 1, _MOST_TERMS)
    except ValueError as error:
        raise ValueError(f"{error}, nor all") from None


def _size(option: str, text: str) -> int:
    match = _SIZE.fullmatch(text.strip())
    size = int(match[1]) * _UNITS[match[2]] if match else 0
    if size < _LEAST_MEMORY:
        raise ValueError(
            f"{option}: {text!r} is no size in KiB, MiB or GiB from {_LEAST_MEMORY >> 20}MiB; write 512MiB or 2GiB"
        )
    return size


def _judges(text: str, judge_model: Callable[[str, str], Model]) -> tuple[bool, Model | None]:
    kind, _, model = text.partition(":")
    if text in ("static", "none"):
        return text == "static", None
    if kind not in ("llm", "both"):
        raise ValueError(f"{_JUDGES}, not {text!r}")
    if not model.strip():
        raise ValueError(f"{_JUDGES}; {text!r} names no model")
    return kind == "both", _judge(judge_model(names.OEIS_JUDGE, model))


def _judge(model: Model) -> Model:
    """A judge answers as the paper asks it to; a parameter that is null is left out."""
    params = {name: value for name, value in {**PARAMS, **model.params}.items() if value is not None}
    return replace(model, name=f"judge:{model.name}", params=params, judge=True)
