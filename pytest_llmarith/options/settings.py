"""The frozen settings of one run, from the command line, the environment, `.env` and the ini file."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from pytest_llmarith.options import names, parsing
from pytest_llmarith.options.asking import asking_limits
from pytest_llmarith.options.conditions import Manners, manners
from pytest_llmarith.options.dotenv_file import variables_in
from pytest_llmarith.options.oeis import OeisSettings, oeis_settings
from pytest_llmarith.providers import address_of
from pytest_llmarith.values import AskingLimits, Model, NanReason, Reading, Shard, StoreMode
from pytest_llmarith.values.folders import OEIS_CACHE_FOLDER, REPORTS_FOLDER, STORE_FILE, STORE_FOLDER

_LARGEST_SEED = 2**31
_MOST_QUESTIONS = 1_000  # of one search: what it keeps stands in one record
_MOST_CONFIRMED = 100
_CONFIRM = 3

_DEFAULTS: Mapping[str, str] = {
    names.SEED: "0",
    names.STORE: StoreMode.ON,
}
# What a provider's hiccup can be to blame for; a reply that cannot be read is a measurement like any other.
_WORTH_ASKING_AGAIN = (NanReason.EMPTY, NanReason.TRUNCATED, NanReason.REFUSAL, NanReason.FILTERED)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run was asked to do; None leaves the choice to the bench or the task."""

    models: tuple[Model, ...]
    seed: int
    depths: tuple[int, ...] | None
    trials: int | None
    addition_trials: int | None
    breaking_point: int | None
    confirm: int
    manners: Manners
    shard: Shard | None
    reading: Reading | None
    asking: AskingLimits
    dry_run: bool
    store_mode: StoreMode
    store_path: Path
    again: frozenset[NanReason]
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

    search = _search(config)
    return Settings(
        models=_models(config),
        shard=_shard(config, text(names.SEED)),
        seed=_seed(config, text(names.SEED)),
        depths=parsing.optional(config.getoption, names.DEPTHS, parsing.depths),
        trials=parsing.optional(config.getoption, names.TRIALS, _trials),
        addition_trials=parsing.optional(config.getoption, names.ADDITION_TRIALS, _trials),
        breaking_point=search[0],
        confirm=search[1],
        manners=manners(config.getoption, config.invocation_params.dir),
        reading=parsing.optional(config.getoption, names.READING, _reading),
        asking=asking_limits(config.getoption),
        dry_run=bool(config.getoption(names.DRY_RUN)),
        store_mode=parsing.choice(names.STORE, text(names.STORE), StoreMode),
        store_path=_folder(config, names.STORE_DIR, STORE_FOLDER) / STORE_FILE,
        again=parsing.optional(config.getoption, names.AGAIN, _again) or frozenset(),
        reports=_folder(config, names.REPORTS, REPORTS_FOLDER),
        strict=bool(config.getoption(names.STRICT)),
        fail_under=tuple(config.getoption(names.FAIL_UNDER) or ()),
        oeis=oeis_settings(
            config.getoption, _folder(config, names.OEIS_CACHE, OEIS_CACHE_FOLDER), _judge_model(config)
        ),
    )


def _search(config: pytest.Config) -> tuple[int | None, int]:
    """How many questions a search may ask, and how many of them confirm what it found."""
    budget = parsing.optional(config.getoption, names.BREAKING_POINT, _budget)
    confirm = parsing.optional(config.getoption, names.CONFIRM, _confirm)
    confirm = _CONFIRM if confirm is None else confirm
    if budget is not None and confirm >= budget:
        raise ValueError(
            f"{names.BREAKING_POINT}: {budget} questions are too few beside {names.CONFIRM}={confirm}; "
            "write a larger number"
        )
    return budget, confirm


def _budget(option: str, text: str) -> int:
    return parsing.whole_number(option, text, 1, _MOST_QUESTIONS)


def _confirm(option: str, text: str) -> int:
    return parsing.whole_number(option, text, 0, _MOST_CONFIRMED)


def _trials(option: str, text: str) -> int:
    return parsing.whole_number(option, text, 1, parsing.MOST_TRIALS)


def _reading(option: str, text: str) -> Reading:
    return parsing.choice(option, text, Reading)


def _again(option: str, text: str) -> frozenset[NanReason]:
    words = [word.strip() for word in text.split(",")]
    for word in words:
        if word not in _WORTH_ASKING_AGAIN:
            raise ValueError(f"{option}: {word!r} is unknown; write some of {','.join(_WORTH_ASKING_AGAIN)}")
    return frozenset(map(NanReason, words))


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


def _models(config: pytest.Config) -> tuple[Model, ...]:
    where, texts = _model_texts(config)
    shared = parsing.parameters(names.PARAM, config.getoption(names.PARAM) or ())
    api_base = parsing.checked_url(names.API_BASE, config.getoption(names.API_BASE))
    system_prompt = _own_system_prompt(config.getoption(names.SYSTEM_PROMPT) or ())
    environ = _environ(config) if texts else {}
    models = tuple(_based(parsing.model(where, text, shared, api_base, system_prompt), environ) for text in texts)
    _refuse_twins(where, [model.name for model in models])
    config.option.llm_model = list(texts)
    return models


def _own_system_prompt(texts: Sequence[str]) -> str | None:
    """The one that is all models' own; of several, each question brings its own along. An empty one is none."""
    return parsing.sendable(names.SYSTEM_PROMPT, texts[0]) or None if len(texts) == 1 else None


def _judge_model(config: pytest.Config) -> Callable[[str, str], Model]:
    """A judge has nothing of what was given for the models that are measured."""
    return lambda option, text: _based(parsing.model(option, text, {}, None, None), _environ(config))


def _environ(config: pytest.Config) -> Mapping[str, str]:
    """The variables that are there when something is asked: those of `.env` come where the environment has none."""
    return {**variables_in(config.rootpath / ".env"), **os.environ}


def _based(model: Model, environ: Mapping[str, str]) -> Model:
    """A base URL that the provider's client would take from the environment becomes the model's own.

    Else nobody could tell a local server's stored replies from the provider's.
    """
    found = None if model.api_base else address_of(model.target, environ)
    if found is None:
        return model
    name, url = found
    where = f"{name} (environment)" if name in os.environ else f"{name} in .env"
    return replace(model, api_base=parsing.checked_url(where, url))


def _model_texts(config: pytest.Config) -> tuple[str, list[str]]:
    """Where the models were named, and how: the nearest to the user wins."""
    if given := config.getoption(names.MODEL):
        return names.MODEL, given
    if hasattr(config, "workerinput"):  # the controller has looked, and told its workers what it found
        return names.MODEL, []
    if given := os.environ.get(names.MODEL_ENVIRONMENT, "").split():
        return f"{names.MODEL_ENVIRONMENT} (environment)", given
    if config.getoption("dist", "no") != "each" and (found := _dotenv(config.rootpath / ".env")):
        return found
    return f"{names.MODEL_INI} (ini file)", config.getini(names.MODEL_INI)


def _dotenv(path: Path) -> tuple[str, list[str]] | None:
    """The first variable of the file that names models, and what it names."""
    values = variables_in(path)
    for name in (names.MODEL_ENVIRONMENT, names.MODEL_DOTENV):
        if given := (values.get(name) or "").split():
            return f"{name} in .env", given
    return None


def _refuse_twins(where: str, model_names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in model_names:
        if name in seen:
            raise ValueError(f"{where}: {name!r} is named twice; give one a name of its own: other-name={name}")
        seen.add(name)
