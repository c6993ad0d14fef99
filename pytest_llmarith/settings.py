"""The frozen settings of a run, and the parsers of its options.

A parser takes the text of an option and raises ValueError with what to write instead;
`OptionValues` adds the name of the option.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

import pytest

from pytest_llmarith.files import REPORTS_FOLDER, STORE_FILE
from pytest_llmarith.model_options import ModelOptions, encodable, parse_at
from pytest_llmarith.models.asking import BatchMode, Transport
from pytest_llmarith.options import OPTIONS
from pytest_llmarith.sandbox.programs import IsolationLevel, ProgramLimits
from pytest_llmarith.tasks.oeis.cache import check_name
from pytest_llmarith.tasks.oeis.details import Rules
from pytest_llmarith.tasks.oeis.lookup_table.model_judge import PARAMS
from pytest_llmarith.tasks.prompts import parts_of
from pytest_llmarith.tasks.search_questions import CONFIRMATIONS
from pytest_llmarith.types import (
    DEFAULT_CONDITION,
    Condition,
    Model,
    NumberFormat,
    Price,
    Reading,
    RequestLimits,
    Shard,
    StoreMode,
    Symbols,
)

LONGEST_LIMIT_S = 3600.0
_MAX_SHARDS = 10_000
_MAX_DEPTH = 1000
_QUESTIONS = 100  # of adaptive asking, per variant
_MIN_MEMORY = 1 << 26  # the minimum for Python to start
_CONTEXTS = ("1k", "2k", "4k")
_DOLLARS = re.compile(r"\d{1,9}(\.\d{1,9})?", re.ASCII)

_Choice = TypeVar("_Choice", bound=StrEnum)
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class PromptConfigs:
    """The conditions of a run, the templates and system prompts that they name, and the
    number of repeats.
    """

    conditions: tuple[Condition, ...]
    templates: dict[str, str]
    systems: dict[str, str]
    repeats: int

    @property
    def are_default(self) -> bool:
        """Whether every question is asked once, in the default condition."""
        return self.conditions == (DEFAULT_CONDITION,) and self.repeats == 1


@dataclass(frozen=True, slots=True)
class OeisSettings:
    """The settings of the OEIS task; None leaves the choice to the bench or the
    machine.
    """

    sets: tuple[str, ...] | None
    ini_sets: tuple[str, ...] | None
    cache: Path
    limits: ProgramLimits
    terms: int | None
    sandbox: IsolationLevel | None
    rules: Rules
    static_judge: bool
    judge: Model | None


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a run; None leaves the choice to the bench or the task."""

    models: tuple[Model, ...]
    seed: int
    depths: tuple[int, ...] | None
    trials: int | None
    breaking_point: int | None
    adaptive: (
        tuple[float, int] | None
    )  # half-width in digits, and most questions per variant
    prompt_configs: PromptConfigs
    shard: Shard | None
    baseline: str | None
    reading: Reading | None
    request_limits: RequestLimits
    batch: BatchMode | None
    transport: Transport
    dry_run: bool
    store_mode: StoreMode
    store_path: Path
    reports: Path
    strict: bool
    fail_under: tuple[str, ...]
    oeis: OeisSettings

    @property
    def judges(self) -> tuple[Model, ...]:
        """The models that judge replies; they are not measured."""
        return () if self.oeis.judge is None else (self.oeis.judge,)


def parse_settings(config: pytest.Config) -> Settings:
    """Parse the settings of a run. Raises pytest.UsageError in one line.

    The models found and a random seed are written back to pytest's options, which
    xdist's workers receive.
    """
    try:
        return _parse(config)
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None


class OptionValues:
    """The values of the options, or their defaults, parsed on request."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def raw(self, flag: str) -> Any:
        """The raw value: a text, a list of texts or a bool; the default if the option
        is not given.
        """
        option = OPTIONS[flag]
        if option.is_ini:
            given = self._config.getini(flag) or None
        else:
            given = self._config.getoption(flag)
        return option.default if given is None else given

    def value(self, flag: str, parse: Callable[[str], _Value]) -> _Value:
        """The value of an option with a default."""
        return parse_at(flag, parse, self.raw(flag))

    def optional(self, flag: str, parse: Callable[[str], _Value]) -> _Value | None:
        """The value of an option without a default; None if it is not given."""
        if self.raw(flag) is None:
            return None
        return self.value(flag, parse)

    def each(self, flag: str, parse: Callable[[Sequence[str]], _Value]) -> _Value:
        """The value of a repeatable option."""
        return parse_at(flag, parse, self.raw(flag) or ())

    def folder(self, flag: str, default: str) -> Path:
        """A folder: the option's value relative to the current folder, or the default
        relative to pytest's root.
        """
        given = self._config.getoption(flag)
        if given == "":
            raise ValueError(
                f"{flag}: the folder name is empty; write . for the current folder"
            )
        if given is None:
            return self._config.rootpath / default
        return self._config.invocation_params.dir / str(given)


def _parse(config: pytest.Config) -> Settings:
    given = OptionValues(config)
    models = ModelOptions(config)
    seed = given.value("--llm-seed", _seed)
    shard = given.optional("--llm-shard", _shard)
    if shard is not None and seed is None:
        raise ValueError(
            "--llm-shard: with --llm-seed=random every shard draws different "
            "questions; give all shards the same seed"
        )
    if seed is None:
        seed = random.SystemRandom().randrange(2**31)
        config.option.llm_seed = str(seed)
    concurrency, is_fixed = given.value("--llm-concurrency", _concurrency)
    measured = models.measured(concurrency)
    config.option.llm_model = models.texts
    return Settings(
        models=measured,
        seed=seed,
        shard=shard,
        depths=given.optional("--llm-depths", _depths),
        trials=given.optional("--llm-trials", _whole(1, 1_000_000)),
        adaptive=given.optional("--llm-adaptive", _adaptive),
        breaking_point=given.optional(
            "--llm-breaking-point", _whole(1 + CONFIRMATIONS, 1_000)
        ),
        prompt_configs=_prompt_configs(given, config.invocation_params.dir),
        baseline=_baseline(given.raw("--llm-baseline"), measured),
        reading=given.optional("--llm-match", _one_of(Reading)),
        request_limits=RequestLimits(
            concurrency=concurrency,
            fixed=is_fixed,
            timeout_s=given.value("llm_timeout", _seconds),
            retries=given.value("llm_retries", _whole(0, 100)),
            requests_per_minute=given.optional("--llm-rpm", _whole(1, 100_000_000)),
            max_cost_usd=given.optional("--llm-max-cost", _dollars),
            max_tokens=given.optional("--llm-max-total-tokens", _whole(1, 999_999_999)),
            price=given.optional("--llm-price", Price.parse),
        ),
        batch=given.optional(
            "--llm-batch", _one_of(BatchMode, "; before a path, write --llm-batch=wait")
        ),
        transport=given.value("llm_transport", _one_of(Transport)),
        dry_run=bool(given.raw("--llm-dry-run")),
        store_mode=given.value("--llm-store", _one_of(StoreMode)),
        store_path=config.rootpath / given.value("llm_store_dir", str) / STORE_FILE,
        reports=given.folder("--llm-reports", REPORTS_FOLDER),
        strict=bool(given.raw("--llm-strict")),
        fail_under=tuple(given.raw("--llm-fail-under") or ()),
        oeis=_oeis(given, config, models),
    )


def _baseline(name: str | None, models: Sequence[Model]) -> str | None:
    names = [model.name for model in models]
    if name is not None and (name not in names or len(names) < 2):
        raise ValueError(
            f"--llm-baseline: {name!r} is no model with others beside it; this run "
            f"has {', '.join(names) or 'none'}"
        )
    return name


def _prompt_configs(given: OptionValues, folder: Path) -> PromptConfigs:
    """All combinations of the option values; template files are relative to
    `folder`.
    """
    templates = given.each(
        "--llm-prompt-template", lambda files: _templates(files, folder)
    )
    systems = given.each("--llm-system-prompt", _systems)
    axes = (
        given.value("--llm-number-format", _some_of(NumberFormat)),
        given.value("--llm-symbols", _some_of(Symbols)),
        given.value("--llm-context", _contexts),
        tuple(templates) or (None,),
        tuple(systems) or (None,),
    )
    return PromptConfigs(
        conditions=tuple(Condition(*values) for values in product(*axes)),
        templates={name: text for name, text in templates.items() if name is not None},
        systems={
            number: text for number, text in systems.items() if number is not None
        },
        repeats=given.value("--llm-repeats", _whole(1, 1_000)),
    )


def _oeis(
    given: OptionValues, config: pytest.Config, models: ModelOptions
) -> OeisSettings:
    kind, _, judge = str(given.raw("--oeis-judge")).partition(":")
    if (kind in ("static", "none")) == bool(judge.strip()) or kind not in (
        "static",
        "none",
        "llm",
        "both",
    ):
        raise ValueError(
            "--oeis-judge: write static, llm:MODEL, both:MODEL or none, such as "
            "llm:gpt-4o-mini, "
            f"not {given.raw('--oeis-judge')!r}"
        )
    return OeisSettings(
        sets=given.optional("--oeis-sets", _sets),
        ini_sets=given.optional("oeis_sets", _sets),
        cache=config.rootpath / given.value("oeis_cache", str),
        limits=ProgramLimits(
            seconds=given.value("--oeis-limits", _limits),
            memory_bytes=given.value("oeis_memory", _memory),
        ),
        terms=given.optional(
            "--oeis-terms",
            lambda text: None if text == "all" else _whole(1, 1_000_000)(text),
        ),
        sandbox=given.optional("--oeis-sandbox", _one_of(IsolationLevel)),
        rules=given.value("oeis_rules", _one_of(Rules)),
        static_judge=kind in ("static", "both"),
        judge=_judge(models.judge("--oeis-judge", judge)) if judge else None,
    )


def _judge(model: Model) -> Model:
    """A judge gets the paper's request parameters unless its own replace them; null
    removes one.
    """
    given = {**PARAMS, **model.params}
    params = {name: value for name, value in given.items() if value is not None}
    return replace(model, name=f"judge:{model.name}", params=params, judge=True)


def _whole(lowest: int, highest: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if re.fullmatch(r"\d{1,9}", text, re.ASCII) and lowest <= int(text) <= highest:
            return int(text)
        raise ValueError(f"{text!r} is not a whole number from {lowest} to {highest}")

    return parse


def _concurrency(text: str) -> tuple[int, bool]:
    number, comma, word = text.partition(",")
    if comma and word.strip() != "fixed":
        raise ValueError(f"{text!r} does not end with fixed; write 16 or 16,fixed")
    return _whole(1, 1024)(number), bool(comma)


def _seconds(text: str) -> float:
    if re.fullmatch(r"\d{1,7}(\.\d{1,6})?", text, re.ASCII) and float(text) > 0:
        return float(text)
    raise ValueError(f"{text!r} is not a positive number of seconds; write 600 or 0.5")


def _one_of(choices: type[_Choice], hint: str = "") -> Callable[[str], _Choice]:
    def parse(text: str) -> _Choice:
        try:
            return choices(text)
        except ValueError:
            *others, last = choices
            raise ValueError(
                f"{text!r} is unknown; write {', '.join(others)} or {last}{hint}"
            ) from None

    return parse


def _some_of(choices: type[_Choice]) -> Callable[[str], tuple[_Choice, ...]]:
    return lambda text: tuple(map(_one_of(choices), _distinct(text.split(","))))


def _distinct(values: Iterable[str]) -> list[str]:
    """The stripped values. Raises ValueError if one is given twice."""
    stripped = [value.strip() for value in values]
    for number, value in enumerate(stripped):
        if value in stripped[:number]:
            raise ValueError(f"{value!r} is given twice; give each value once")
    return stripped


def _depths(text: str) -> tuple[int, ...]:
    """Depths as ranges (`2-10`) and numbers (`2,5,8`), in the order given."""
    found: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d{1,4})(?:-(\d{1,4}))?", part.strip(), re.ASCII)
        first = last = 0
        if match:
            first, last = int(match[1]), int(match[2] or match[1])
        if not 1 <= first <= last <= _MAX_DEPTH:
            raise ValueError(
                f"{text!r} is not a range of depths from 1 to {_MAX_DEPTH}; write "
                f"2-10 or 2,5,8"
            )
        found += range(first, last + 1)
    if len(set(found)) < len(found):
        raise ValueError(f"{text!r} names a depth twice")
    return tuple(found)


def _adaptive(text: str) -> tuple[float, int]:
    match = re.fullmatch(r"(\d{1,2}(?:\.\d{1,3})?)(?:,([1-9]\d{0,3}))?", text, re.ASCII)
    half_width, questions = 0.0, 0
    if match:
        half_width, questions = float(match[1]), int(match[2] or _QUESTIONS)
    if not (0.1 <= half_width <= 10 and 10 <= questions <= 1_000):
        raise ValueError(
            f"{text!r} is not HALF_WIDTH[,QUESTIONS], from 0.1 to 10 digits and from "
            f"10 to 1,000 questions; "
            f"write 0.5 or 0.5,{_QUESTIONS}"
        )
    return half_width, questions


def _seed(text: str) -> int | None:
    """A seed; None for a random one."""
    if text == "random":
        return None
    if re.fullmatch(r"\d{1,18}", text, re.ASCII):
        return int(text)
    raise ValueError(f"{text!r} is not a seed; write a whole number from 0, or random")


def _shard(text: str) -> Shard:
    match = re.fullmatch(r"(\d{1,5})/(\d{1,5})", text, re.ASCII)
    index = count = 0
    if match:
        index, count = int(match[1]), int(match[2])
    if not 1 <= index <= count <= _MAX_SHARDS:
        raise ValueError(
            f"{text!r} is not a shard; write 1/5 to 5/5 on five machines, at most "
            f"{_MAX_SHARDS:,}"
        )
    return Shard(index, count)


def _dollars(text: str) -> float:
    if _DOLLARS.fullmatch(text) and float(text) > 0:
        return float(text)
    raise ValueError(
        f"{text!r} is not a positive amount of US dollars; write 5 or 0.25"
    )


def _contexts(text: str) -> tuple[str | None, ...]:
    words = _distinct(text.split(","))
    for word in words:
        if word not in ("none", *_CONTEXTS):
            raise ValueError(
                f"{word!r} is unknown; write some of none,{','.join(_CONTEXTS)}"
            )
    return tuple(None if word == "none" else word for word in words)


def _systems(texts: Sequence[str]) -> dict[str | None, str]:
    """Several system prompts by number; None is the empty one.

    A single one belongs to the models.
    """
    if len(texts) < 2:
        return {}
    for number, text in enumerate(map(encodable, texts)):
        if text in texts[:number]:
            raise ValueError(f"{text!r} is given twice; give each value once")
    given = [text for text in texts if text]
    return {str(given.index(text) + 1) if text else None: text for text in texts}


def _templates(files: Sequence[str], folder: Path) -> dict[str | None, str]:
    """The text of each template by file name; None is the default template of each
    task.
    """
    found: dict[str | None, str] = {}
    for file in files:
        name = None
        if file != "standard":
            name = re.sub(r"[^A-Za-z0-9_]", "_", Path(file).stem) or "_"
        if name in found:
            raise ValueError(
                f"two templates are named {name or 'standard'}; rename one of the files"
            )
        found[name] = "" if name is None else _template(file, folder / file)
    return found


def _template(file: str, path: Path) -> str:
    """A template without its final line break. The tasks check its fields."""
    if not path.is_file():  # reading a pipe would block
        raise ValueError(f"{file!r} is not a file; name a text file, or standard")
    try:
        text = path.read_text(encoding="utf-8-sig")
        parts_of(text)
    except (OSError, ValueError) as error:  # such as UnicodeDecodeError
        raise ValueError(f"{file!r}: {error}") from None
    return text.removesuffix("\n")


def _sets(text: str) -> tuple[str, ...]:
    sets = tuple(name.strip() for name in text.split(","))
    for name in sets:
        check_name(name)
    return sets


def _limits(text: str) -> tuple[float, ...]:
    try:
        limits = tuple(sorted({_seconds(part.strip()) for part in text.split(",")}))
    except ValueError:
        raise ValueError(
            f"{text!r} is not one or more positive numbers of seconds; write 0.5,4"
        ) from None
    if limits[-1] > LONGEST_LIMIT_S:
        raise ValueError(
            f"{limits[-1]:g} s is longer than {LONGEST_LIMIT_S:g} s; write 0.5,4"
        )
    return limits


def _memory(text: str) -> int:
    match = re.fullmatch(r"(\d{1,6})\s*(KiB|MiB|GiB)", text.strip(), re.ASCII)
    size = 0
    if match:
        size = int(match[1]) << {"KiB": 10, "MiB": 20, "GiB": 30}[match[2]]
    if size < _MIN_MEMORY:
        raise ValueError(
            f"{text!r} is not a size in KiB, MiB or GiB from {_MIN_MEMORY >> 20}MiB; "
            f"write 512MiB or 2GiB"
        )
    return size
