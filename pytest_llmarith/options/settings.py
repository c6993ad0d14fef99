"""The frozen settings of one run, from the command line, the environment, `.env` and the ini file."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_llmarith.options import names, parsing
from pytest_llmarith.options.asking import asking_limits
from pytest_llmarith.options.conditions import Manners, manners
from pytest_llmarith.options.models import ModelChoice
from pytest_llmarith.options.oeis import OeisSettings, oeis_settings
from pytest_llmarith.values import CONFIRMATIONS, AskingLimits, Model, Reading, Shard, StoreMode
from pytest_llmarith.values.folders import OEIS_CACHE_FOLDER, REPORTS_FOLDER, STORE_FILE, STORE_FOLDER

_LARGEST_SEED = 2**31
_MOST_QUESTIONS = 1_000  # of one search: what it keeps stands in one record

_DEFAULTS: Mapping[str, str] = {
    names.SEED: "0",
    names.STORE: StoreMode.ON,
}


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run was asked to do; None leaves the choice to the bench or the task."""

    models: tuple[Model, ...]
    seed: int
    depths: tuple[int, ...] | None
    trials: int | None
    breaking_point: int | None
    manners: Manners
    shard: Shard | None
    reading: Reading | None
    asking: AskingLimits
    dry_run: bool
    store_mode: StoreMode
    store_path: Path
    reports: Path
    strict: bool
    fail_under: tuple[str, ...]
    oeis: OeisSettings


def parse_settings(config: pytest.Config) -> Settings:
    """Parse what the run was given; raises pytest.UsageError with one line for people.

    Choices that the workers of pytest-xdist must share (models from the environment, a random seed) are written back
    to the options, from where every worker gets them.
    """
    try:
        return _parse(config)
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None


def _parse(config: pytest.Config) -> Settings:
    def text(option: str) -> str:
        given = config.getoption(option)
        return _DEFAULTS[option] if given is None else str(given)

    chosen = ModelChoice(config)
    return Settings(
        models=chosen.measured(),
        shard=_shard(config, text(names.SEED)),
        seed=_seed(config, text(names.SEED)),
        depths=parsing.optional(config.getoption, names.DEPTHS, parsing.depths),
        trials=parsing.optional(config.getoption, names.TRIALS, _trials),
        breaking_point=parsing.optional(config.getoption, names.BREAKING_POINT, _budget),
        manners=manners(config.getoption, config.invocation_params.dir),
        reading=parsing.optional(config.getoption, names.READING, _reading),
        asking=asking_limits(config.getoption),
        dry_run=bool(config.getoption(names.DRY_RUN)),
        store_mode=parsing.choice(names.STORE, text(names.STORE), StoreMode),
        store_path=_folder(config, names.STORE_DIR, STORE_FOLDER) / STORE_FILE,
        reports=_folder(config, names.REPORTS, REPORTS_FOLDER),
        strict=bool(config.getoption(names.STRICT)),
        fail_under=tuple(config.getoption(names.FAIL_UNDER) or ()),
        oeis=oeis_settings(
            config.getoption,
            _folder(config, names.OEIS_CACHE, OEIS_CACHE_FOLDER),
            chosen.judge,
            config.getini(names.OEIS_SETS_INI),
        ),
    )


def _budget(option: str, text: str) -> int:
    return parsing.whole_number(option, text, 1 + CONFIRMATIONS, _MOST_QUESTIONS)


def _trials(option: str, text: str) -> int:
    return parsing.whole_number(option, text, 1, parsing.MOST_TRIALS)


def _reading(option: str, text: str) -> Reading:
    return parsing.choice(option, text, Reading)


def _folder(config: pytest.Config, option: str, default: str) -> Path:
    """A folder that was named stands where the command was typed, the default one in the root."""
    given = config.getoption(option)
    if given == "":
        raise ValueError(f"{option}: the name of the folder is empty; write . for this one")
    return config.rootpath / default if given is None else config.invocation_params.dir / given


def _seed(config: pytest.Config, text: str) -> int:
    seed = parsing.seed(names.SEED, text)
    if seed is None:
        seed = random.SystemRandom().randrange(_LARGEST_SEED)
        config.option.llm_seed = str(seed)
    return seed


def _shard(config: pytest.Config, seed: str) -> Shard | None:
    shard = parsing.optional(config.getoption, names.SHARD, parsing.shard)
    if shard is not None and parsing.seed(names.SEED, seed) is None:
        raise ValueError(
            f"{names.SHARD}: with {names.SEED}={seed} every shard draws other questions; give all the same number"
        )
    return shard
