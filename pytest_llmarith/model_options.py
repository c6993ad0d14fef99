"""The models of a run: where they are named, their parameters and their base URLs."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.models.providers import address_of
from pytest_llmarith.models.redact import refused_secrets
from pytest_llmarith.options import MODEL_VARIABLE
from pytest_llmarith.records import is_plain, parse_json
from pytest_llmarith.types import Model

_NAMED_MODEL = re.compile(r"(?P<name>[^=]*)=(?P<target>.*)", re.DOTALL)
_NEXT_PARAMETER = re.compile(r"&(?=[A-Za-z_]\w*=)")
_PARAMETER = re.compile(r"(?P<name>[A-Za-z_]\w*)=(?P<value>.*)", re.DOTALL)
_BASE_URL = re.compile(r"https?://(?:[\w.-]+|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?(?:/[^\s?#@]*)?", re.ASCII)
_SET_BY_THE_PLUGIN = {"base_url", "timeout", "max_retries", "num_retries", "messages", "model", "stream", "n"}
_OTHER_MODELS = {"fallbacks", "context_window_fallback_dict", "model_list"}


class ModelOptions:
    """The models named for a run. Methods raise ValueError in one line that names the source.

    `texts` holds the names as written, from the first source that has any: option, environment, `.env`, ini file.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._place, self.texts = self._named()

    def measured(self) -> tuple[Model, ...]:
        """The models under test, with the parameters shared by all of them."""
        option = self._config.getoption
        system_prompts = option("--llm-system-prompt") or [""]
        own_prompt = _at("--llm-system-prompt", encodable, system_prompts[0]) if len(system_prompts) == 1 else None
        shared = dict(_at("--llm-param", parameter, text) for text in option("--llm-param") or ())
        api_base = _at("--llm-api-base", base_url, option("--llm-api-base"))
        models = tuple(
            self._with_address(_at(self._place, parse_model, text, shared, api_base, own_prompt or None))
            for text in self.texts
        )
        names = [model.name for model in models]
        for number, name in enumerate(names):
            if name in names[:number]:
                raise ValueError(f"{self._place}: {name!r} is named twice; rename one: other-name={name}")
        return models

    def judge(self, place: str, text: str) -> Model:
        """A judge. The parameters for all models do not apply to it."""
        return self._with_address(_at(place, parse_model, text))

    def _named(self) -> tuple[str, list[str]]:
        given = self._config.getoption("--llm-model")
        if given:
            return "--llm-model", list(given)
        in_dotenv = f"{MODEL_VARIABLE} in .env"
        if hasattr(self._config, "workerinput"):  # the controller passes on what it found
            if given is None and (found := self._dotenv.get(MODEL_VARIABLE, "").split()):
                raise ValueError(
                    f"{in_dotenv} is read only when tests of the plugin are collected, which with -n is too late; "
                    f"write {' '.join(f'--llm-model={name}' for name in found)}"
                )
            return "--llm-model", []
        if found := os.environ.get(MODEL_VARIABLE, "").split():
            return f"{MODEL_VARIABLE} (environment)", found
        if found := self._dotenv.get(MODEL_VARIABLE, "").split():
            return in_dotenv, found
        return "llm_model (ini file)", list(self._config.getini("llm_model"))

    def _with_address(self, model: Model) -> Model:
        """The model with the base URL that its provider's client would read from the environment.

        It is part of the store's key, so that replies of two servers are kept apart.
        """
        found = None if model.api_base else address_of(model.target, {**self._dotenv, **os.environ})
        if found is None:
            return model
        name, url = found
        return replace(
            model, api_base=_at(f"{name} {'(environment)' if name in os.environ else 'in .env'}", base_url, url)
        )

    @cached_property
    def _dotenv(self) -> Mapping[str, str]:
        return dotenv_variables(self._config.rootpath / ".env")


def dotenv_variables(path: Path) -> Mapping[str, str]:
    """The variables of a `.env` file with a value; empty if it is unreadable, as other programs use this file too."""
    if not path.is_file():
        return {}
    import dotenv

    try:
        values = dotenv.dotenv_values(path)
    except (OSError, ValueError):
        return {}
    return {name: value for name, value in values.items() if value}


def parse_model(
    text: str, shared: Mapping[str, Any] | None = None, api_base: str | None = None, system_prompt: str | None = None
) -> Model:
    """`[NAME=]TARGET[?KEY=VALUE&KEY=VALUE]`: a litellm model string with an optional name and parameters."""
    identity, _, query = encodable(text).strip().partition("?")
    named = _NAMED_MODEL.fullmatch(identity)
    name, target = (named["name"], named["target"]) if named else (identity, identity)
    if not name.strip() or not target.strip() or re.search(r"[\x00-\x1f\x7f]", text):
        raise ValueError(f"{text!r} is not a model; write o4-mini or my-name=o4-mini?reasoning_effort=high")
    params = {**(shared or {}), **dict(map(parameter, _NEXT_PARAMETER.split(query) if query else ()))}
    return Model(name.strip(), target.strip(), params, base_url(params.pop("api_base", api_base)), system_prompt)


def parameter(text: str) -> tuple[str, Any]:
    """Parse `KEY=VALUE` of a request; the value is JSON or plain text."""
    match = _PARAMETER.fullmatch(encodable(text).strip())
    if not match:
        raise ValueError(f"{text!r} is not KEY=VALUE; write temperature=0 or reasoning_effort=high")
    name, value = match["name"], _json_or_text(match["value"])
    if secret := next(refused_secrets({name: value}), None):
        raise ValueError(
            f"{secret} would write a key into files; set the provider's environment variable instead, "
            "such as OPENAI_API_KEY"
        )
    if name.startswith("mock_"):
        raise ValueError(f"{name} makes litellm reply without a model; use llmarith/sloppy to try things out")
    if name in _OTHER_MODELS:
        raise ValueError(f"{name} makes litellm ask another model; remove it, and name that model with --llm-model")
    if name in _SET_BY_THE_PLUGIN:
        raise ValueError(f"{name} is set by the plugin; see llm_timeout, llm_retries, --llm-model")
    return name, value


def base_url(url: Any) -> str | None:
    """Check a provider's base URL. One that may hold a key is refused, because it is written to files."""
    if url is None:
        return None
    if isinstance(url, str) and ("@" in url or "?" in url):
        raise ValueError("a base URL with a user, a password or a query could write a key into files; remove them")
    if not isinstance(url, str) or not _BASE_URL.fullmatch(url):
        raise ValueError(f"{url!r} is not a base URL; write http://localhost:8000/v1")
    return url


def encodable(text: str) -> str:
    """The text if it can be encoded as UTF-8; a shell may pass other bytes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{text!r} is not UTF-8 text") from None
    return text


def _json_or_text(text: str) -> Any:
    try:
        value = parse_json(text)
    except RecursionError:
        value = None
    except ValueError:
        return text
    else:
        if is_plain(value):
            return value
    raise ValueError(f"a value of {len(text):,} characters is nested too deep, or has an infinite number")


def _at(place: str, parse: Any, *args: Any) -> Any:
    """Call `parse`; prefix its errors with the place."""
    try:
        return parse(*args)
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None
