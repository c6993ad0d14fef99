"""Which models a run asks, where they were named, and at which address each is asked. It asks none."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import pytest

from pytest_llmarith.options import names, parsing
from pytest_llmarith.options.dotenv_file import variables_in
from pytest_llmarith.providers import address_of
from pytest_llmarith.values import Model


class ModelChoice:
    """The models that somebody chose for a run; whatever cannot be understood raises ValueError. `.env` is read once,
    and only where something in it could count.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def measured(self) -> tuple[Model, ...]:
        """Those that are measured. Their names are written back to the options, from where every worker gets them."""
        where, texts = self._named()
        option = self._config.getoption
        shared = parsing.parameters(names.PARAM, option(names.PARAM) or ())
        api_base = parsing.checked_url(names.API_BASE, option(names.API_BASE))
        system_prompt = _own_system_prompt(option(names.SYSTEM_PROMPT) or ())
        models = tuple(self._based(parsing.model(where, text, shared, api_base, system_prompt)) for text in texts)
        _refuse_twins(where, [model.name for model in models])
        self._config.option.llm_model = list(texts)
        return models

    def judge(self, option: str, text: str) -> Model:
        """A judge has nothing of what was given for the models that are measured."""
        return self._based(parsing.model(option, text, {}, None, None))

    def _named(self) -> tuple[str, list[str]]:
        """Where the models were named, and how: the nearest to the user wins."""
        if given := self._config.getoption(names.MODEL):
            return names.MODEL, given
        in_dotenv = f"{names.MODEL_ENVIRONMENT} in .env"
        if hasattr(self._config, "workerinput"):  # the controller has looked, and told its workers what it found
            if given is None and (found := self._named_in_dotenv()):  # it had no reason to look
                raise ValueError(
                    f"{in_dotenv} is read only when tests of the plugin are collected, which with -n is too late; "
                    f"write {' '.join(f'{names.MODEL}={name}' for name in found)}"
                )
            return names.MODEL, []
        if given := os.environ.get(names.MODEL_ENVIRONMENT, "").split():
            return f"{names.MODEL_ENVIRONMENT} (environment)", given
        if found := self._named_in_dotenv():
            return in_dotenv, found
        return f"{names.MODEL_INI} (ini file)", self._config.getini(names.MODEL_INI)

    def _named_in_dotenv(self) -> list[str]:
        return (self._dotenv.get(names.MODEL_ENVIRONMENT) or "").split()

    def _based(self, model: Model) -> Model:
        """A base URL that the provider's client would take from the environment becomes the model's own.

        Else nobody could tell a local server's stored replies from the provider's.
        """
        found = None if model.api_base else address_of(model.target, self._environ)
        if found is None:
            return model
        name, url = found
        where = f"{name} (environment)" if name in os.environ else f"{name} in .env"
        return replace(model, api_base=parsing.checked_url(where, url))

    @cached_property
    def _environ(self) -> Mapping[str, str]:
        """The variables that are there when something is asked: `.env` counts where the environment has none."""
        return {**self._dotenv, **os.environ}

    @cached_property
    def _dotenv(self) -> Mapping[str, str]:
        return variables_in(self._config.rootpath / ".env")


def _own_system_prompt(texts: Sequence[str]) -> str | None:
    """The one that is all models' own; of several, each question brings its own along. An empty one is none."""
    return parsing.sendable(names.SYSTEM_PROMPT, texts[0]) or None if len(texts) == 1 else None


def _refuse_twins(where: str, model_names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in model_names:
        if name in seen:
            raise ValueError(f"{where}: {name!r} is named twice; give one a name of its own: other-name={name}")
        seen.add(name)
