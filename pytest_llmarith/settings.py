"""The frozen settings of a run, and the parsers of its options.

A parser takes the text of an option and raises ValueError with what to write instead;
`OptionValues` adds the name of the option.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

import pytest

from pytest_llmarith.files import REPORTS_FOLDER, STORE_FILE
from pytest_llmarith.model_options import ModelOptions, encodable, parse_at
from pytest_llmarith.models.asking import Transport
from pytest_llmarith.options import OPTIONS
from pytest_llmarith.parsers import distinct, dollars, one_of, seconds, some_of, whole
from pytest_llmarith.tasks.oeis.oeis_settings import OeisSettings, oeis_settings
from pytest_llmarith.tasks.parameters import TaskParameters, parse_task_parameters
from pytest_llmarith.tasks.prompts import parts_of
from pytest_llmarith.tasks.search_questions import CONFIRMATIONS
from pytest_llmarith.tasks.task import OEIS
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

_MAX_SHARDS = 10_000
_MAX_DEPTH = 1000
_QUESTIONS = 100  # of adaptive asking, per variant
_CONTEXTS = ("1k", "2k", "4k")

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
class Settings:
    """The settings of a run; None leaves the choice to the bench or the task."""

    models: tuple[Model, ...]
    seed: int
    suite: Path | None  # the only file that is collected
    depths: tuple[int, ...] | None
    trials: int | None
    task_parameters: TaskParameters
    breaking_point: int | None
    adaptive: (
        tuple[float, int] | None
    )  # half-width in digits, and most questions per variant
    prompt_configs: PromptConfigs
    shard: Shard | None
    baseline: str | None
    reading: Reading | None
    request_limits: RequestLimits
    transport: Transport
    dry_run: bool
    questions_out: Path | None  # of each model, if there are several
    store_mode: StoreMode
    store_path: Path
    reports: Path
    strict: bool
    fail_under: tuple[str, ...]
    oeis: OeisSettings

    @property
    def asks_nothing(self) -> bool:
        """Whether the run only shows or writes its questions."""
        return self.dry_run or self.questions_out is not None

    def check_tasks(self) -> None:
        """Raises ValueError if a task cannot be asked with its settings."""
        self.oeis.check(bool(self.models))

    @property
    def graders(self) -> tuple[Model, ...]:
        """The models that graders ask; they are not measured."""
        return self.oeis.graders

    @property
    def of_tasks(self) -> dict[str, Mapping[str, Any]]:
        """What the summary says of the settings of tasks."""
        return {OEIS: self.oeis.facts, **self.task_parameters}


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
        suite=given.optional("--llm-suite", partial(_suite, config.rootpath)),
        depths=given.optional("--llm-depths", _depths),
        trials=given.optional("--llm-trials", whole(1, 1_000_000)),
        task_parameters=parse_at(
            "--llm-task-param",
            parse_task_parameters,
            given.raw("--llm-task-param") or (),
        ),
        adaptive=given.optional("--llm-adaptive", _adaptive),
        breaking_point=given.optional(
            "--llm-breaking-point", whole(1 + CONFIRMATIONS, 1_000)
        ),
        prompt_configs=_prompt_configs(given, config.invocation_params.dir),
        baseline=_baseline(given.raw("--llm-baseline"), measured),
        reading=given.optional("--llm-match", one_of(Reading)),
        request_limits=RequestLimits(
            concurrency=concurrency,
            fixed=is_fixed,
            timeout_s=given.value("llm_timeout", seconds),
            retries=given.value("llm_retries", whole(0, 100)),
            requests_per_minute=given.optional("--llm-rpm", whole(1, 100_000_000)),
            max_cost_usd=given.optional("--llm-max-cost", dollars),
            max_tokens=given.optional("--llm-max-total-tokens", whole(1, 999_999_999)),
            price=given.optional("--llm-price", Price.parse),
        ),
        transport=given.value("llm_transport", one_of(Transport)),
        dry_run=bool(given.raw("--llm-dry-run")),
        questions_out=given.optional(
            "--llm-questions-out", partial(_file_in, config.invocation_params.dir)
        ),
        store_mode=given.value("--llm-store", one_of(StoreMode)),
        store_path=config.rootpath / given.value("llm_store_dir", str) / STORE_FILE,
        reports=given.folder("--llm-reports", REPORTS_FOLDER),
        strict=bool(given.raw("--llm-strict")),
        fail_under=tuple(given.raw("--llm-fail-under") or ()),
        oeis=oeis_settings(given, config.rootpath, models.single),
    )


def _suite(root: Path, name: str) -> Path:
    from pytest_llmarith.tasks.restore import suite_file

    return suite_file(root, name)


def _file_in(folder: Path, name: str) -> Path:
    if not name:
        raise ValueError("the name of the file is empty; write questions.jsonl")
    return folder / name


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
        given.value("--llm-number-format", some_of(NumberFormat)),
        given.value("--llm-symbols", some_of(Symbols)),
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
        repeats=given.value("--llm-repeats", whole(1, 1_000)),
    )


def _concurrency(text: str) -> tuple[int, bool]:
    number, comma, word = text.partition(",")
    if comma and word.strip() != "fixed":
        raise ValueError(f"{text!r} does not end with fixed; write 16 or 16,fixed")
    return whole(1, 1024)(number), bool(comma)


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


def _contexts(text: str) -> tuple[str | None, ...]:
    words = distinct(text.split(","))
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
