"""The models of a run: where they are named, their parameters and their base URLs."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from difflib import get_close_matches
from functools import partial
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import pytest

from pytest_llmarith.models import logprobs
from pytest_llmarith.models.addresses import base_url, place_of
from pytest_llmarith.models.fake import NAMES
from pytest_llmarith.models.model_file import (
    PREFIX,
    SERVER_PARAMETERS,
    SMOLLM2,
    model_file,
    packaged_smollm2,
)
from pytest_llmarith.models.providers import (
    address_of,
    dotenv_variables,
    with_dotenv,
)
from pytest_llmarith.models.redact import refused_secrets
from pytest_llmarith.options import MODEL_VARIABLE
from pytest_llmarith.records import is_plain, parse_json
from pytest_llmarith.types import (
    COMPLETION_PREFIX,
    FUNCTION_PREFIX,
    NEXT_QUESTION,
    Model,
    ModelFile,
    Price,
    Servers,
)

_Value = TypeVar("_Value")

_NAMED_MODEL = re.compile(r"(?P<name>[^=]*)=(?P<target>.*)", re.DOTALL)
_NEXT_PARAMETER = re.compile(r"&(?=[A-Za-z_]\w*=)")
_PARAMETER = re.compile(r"(?P<name>[A-Za-z_]\w*)=(?P<value>.*)", re.DOTALL)
FAKE_MODELS = [f"llmarith/{name}" for name in NAMES]
_SWEPT = re.compile(
    r"[\w.+-]+", re.ASCII
)  # such values may be parts of ids, and of expressions of -k
_SET_BY_THE_PLUGIN = {
    "base_url",
    "timeout",
    "max_retries",
    "num_retries",
    "messages",
    "model",
    "prompt",
    "stream",
    "stream_options",
}
# Of several replies to a question one is read, and all are paid for.
_SEVERAL_REPLIES = {
    "n",
    "best_of",
    "use_beam_search",
    "num_choices",
    "num_generations",
    "num_return_sequences",
    "candidate_count",
    "candidateCount",
}
# What the plugin reads: in a body it would go unnoticed, and defeat a cap.
_NOT_IN_A_BODY = {
    "max_tokens",
    "max_completion_tokens",
    "service_tier",
    "tools",
    "web_search_options",
    "plugins",
    "api_base",
    "price",
}
_BODY = "extra_body"
# the parameter in which a worker gets what the controller found about a model file
_FILE = "file"
_OTHER_MODELS = {"fallbacks", "context_window_fallback_dict", "model_list", "models"}
_REFUSED = (
    (
        _OTHER_MODELS,
        "makes litellm or the provider ask another model; remove it, and name that "
        "model with --llm-model",
    ),
    (
        _SEVERAL_REPLIES,
        "may ask for several replies, which are all paid for; remove it, and write "
        "--llm-repeats=K",
    ),
    (
        _SET_BY_THE_PLUGIN,
        "is set by the plugin; see llm_timeout, llm_retries, --llm-model",
    ),
)


class ModelOptions:
    """The models named for a run.

    Methods raise ValueError in one line that names the source.

    `texts` holds the names as written, from the first source that has any: option,
    environment, ini file.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._place, self.texts = self._named()
        dotenv = dotenv_variables(config.rootpath / ".env") if self.texts else {}
        self._environ = with_dotenv(os.environ, dotenv)

    def measured(self, concurrency: int) -> tuple[Model, ...]:
        """The models under test, with the parameters shared by all of them.

        `concurrency` bounds the questions that a server of a model file answers at
        once.
        """
        option = self._config.getoption
        system_prompts = option("--llm-system-prompt") or [""]
        own_prompt = None
        if len(system_prompts) == 1:
            own_prompt = parse_at("--llm-system-prompt", encodable, system_prompts[0])
        shared = {}
        for text in option("--llm-param") or ():
            name, value = parse_at("--llm-param", parameter, text)
            shared[name] = value
        reads = not hasattr(self._config, "workerinput")
        api_base = option("--llm-api-base")
        parse_at("--llm-api-base", partial(place_of, reads=reads), api_base)
        parse = partial(parse_model, reads=reads)
        models = []
        for number, text in enumerate(self.texts):
            model = parse_at(
                self._place, parse, text, shared, api_base, own_prompt or None
            )
            if is_file(model.target):
                model = parse_at(self._place, self._with_file, model, concurrency)
                self.texts[number] = with_file_described(text, model)
            model = parse_at(self._place, self._with_code, model)
            # Of a file they cost nothing.
            is_asked = option("--llm-logprobs") and not model.simulated
            if (is_asked or model.file) and "logprobs" not in model.params:
                params = {**model.params, **logprobs.asked_for(model.target)}
                model = replace(model, params=params)
            models.append(self._with_address(model))
        parse_at(self._place, _check_servers, models)
        words = option("--llm-sweep") or ()
        return tuple(parse_at("--llm-sweep", sweep, models, words))

    def single(self, place: str, text: str) -> Model:
        """A model that is not measured. The parameters for all models do not apply to
        it.
        """
        reads = not hasattr(self._config, "workerinput")
        model = parse_at(place, partial(parse_model, reads=reads), text)
        model = parse_at(place, self._with_code, model)
        if is_file(model.target):
            raise ValueError(
                f"{place}: it is no model file; write openai/NAME?api_base=URL "
                f"of a server of it"
            )
        return self._with_address(model)

    def _named(self) -> tuple[str, list[str]]:
        given = self._config.getoption("--llm-model")
        if given:
            return "--llm-model", list(given)
        if hasattr(self._config, "workerinput"):
            return "--llm-model", []  # the controller passes on what it found
        found = os.environ.get(MODEL_VARIABLE, "").split()
        if found:
            return f"{MODEL_VARIABLE} (environment)", found
        return "llm_model (ini file)", list(self._config.getini("llm_model"))

    def _with_file(self, model: Model, concurrency: int) -> Model:
        """The model that answers from a file.

        A worker gets what the controller found, and reads no file.
        """
        given, params = {}, {}
        for name, value in model.params.items():
            if name in SERVER_PARAMETERS:
                given[name] = value
            elif name != _FILE:
                params[name] = value
        if hasattr(self._config, "workerinput"):
            file = ModelFile(**model.params[_FILE])
        elif model.target == SMOLLM2:
            file = model_file(packaged_smollm2(), given, concurrency)
        else:
            path = Path(model.target.removeprefix(PREFIX)).expanduser()
            file = model_file(
                self._config.invocation_params.dir / path, given, concurrency
            )
        stem = Path(file.path).stem
        is_named = model.name != model.target or model.target == SMOLLM2
        name = model.name if is_named else stem
        return replace(
            model,
            name=name,
            target=f"gguf/{stem}",
            params=params,
            api_base=file.address,
            file=file,
        )

    def _with_code(self, model: Model) -> Model:
        """The model with what stands for its code in records and in the store's key, if
        it is a function. A worker, which may be on another host, reads no file.
        """
        if not model.is_function or hasattr(self._config, "workerinput"):
            return model
        file = function_file(model.target, self._config.rootpath)
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        return replace(model, api_base=f"{FUNCTION_PREFIX}sha256={digest}")

    def _with_address(self, model: Model) -> Model:
        """The model with the base URL that its provider's client would read from the
        environment.

        It is part of the store's key, so that replies of two servers are kept apart.
        """
        found = None if model.api_base else address_of(model.target, self._environ)
        if found is None:
            return model
        name, url = found
        return replace(
            model,
            api_base=parse_at(
                f"{name} {'(environment)' if os.environ.get(name, '').strip() else 'in .env'}",
                base_url,
                url,
            ),
        )


def parse_model(
    text: str,
    shared: Mapping[str, Any] | None = None,
    api_base: str | None = None,
    system_prompt: str | None = None,
    *,
    reads: bool = True,
) -> Model:
    """`[NAME=]TARGET[?KEY=VALUE&KEY=VALUE]`: a litellm model string with an optional
    name and parameters. `reads` says whether a file of addresses is read.
    """
    identity, _, query = encodable(text).strip().partition("?")
    name = target = identity
    named = _NAMED_MODEL.fullmatch(identity)
    if named:
        name, target = named["name"], named["target"]
    if not name.strip() or not target.strip() or re.search(r"[\x00-\x1f\x7f]", text):
        raise ValueError(
            f"{text!r} is not a model; write o4-mini or "
            f"my-name=o4-mini?reasoning_effort=high"
        )
    own = {}
    if query:
        own = dict(map(parameter, _NEXT_PARAMETER.split(query)))
    params = {**(shared or {}), **own}
    price = _price(params.pop("price", None))
    target = target.strip()
    if target.startswith(COMPLETION_PREFIX):
        params.setdefault("stop", [NEXT_QUESTION])
    is_function = target.startswith(FUNCTION_PREFIX)
    if is_file(target) or is_function:
        if "api_base" in own:
            raise ValueError(f"{target} is served by this run; remove api_base")
        api_base = None
    if is_function and name == identity:
        name = target.removeprefix(FUNCTION_PREFIX)
    address, servers = place_of(params.pop("api_base", api_base), reads=reads)
    model = Model(
        name.strip(),
        target,
        params,
        address,
        system_prompt,
        price=price,
        servers=servers,
    )
    if model.simulated and model.target not in (*FAKE_MODELS, SMOLLM2):
        known = [*FAKE_MODELS, SMOLLM2]
        meant = get_close_matches(model.target, known, n=1)
        advice = f"write {', '.join(FAKE_MODELS)} or {SMOLLM2}"
        if meant:
            advice = f"did you mean {meant[0]}?"
        raise ValueError(f"there is no model {model.target!r}; {advice}")
    return model


def _check_servers(models: Sequence[Model]) -> None:
    """Raises ValueError if one model is served by two lists of servers: the store would
    take them for the same.
    """
    servers = dict[str, Servers]()
    for model in models:
        if model.servers and servers.setdefault(model.target, model.servers) != (
            model.servers
        ):
            raise ValueError(
                f"{model.target} has two lists of servers, whose replies the store "
                f"would not tell apart; serve them under two names"
            )


def is_file(target: str) -> bool:
    """Whether a model of this target answers from a file, by a server that the run
    starts.
    """
    return target == SMOLLM2 or target.startswith(PREFIX)


def function_file(target: str, root: Path) -> Path:
    """The file of the module of a function, which is not imported.

    Raises ValueError in one line if there is none.
    """
    path, _, name = target.removeprefix(FUNCTION_PREFIX).rpartition(":")
    parts = path.split(".")
    if not all(map(str.isidentifier, [*parts, name])):
        raise ValueError(
            f"{target!r} names no function; write {FUNCTION_PREFIX}module:function"
        )
    spec = find_spec(parts[0]) or PathFinder.find_spec(parts[0], [str(root)])
    for end in range(2, len(parts) + 1):
        folders = spec.submodule_search_locations if spec else None
        spec = PathFinder.find_spec(".".join(parts[:end]), folders or ())
    if spec is None or not spec.has_location:
        raise ValueError(
            f"{target}: there is no module {path!r} in {root} or where Python looks"
        )
    file = Path(str(spec.origin))
    if not file.is_file():
        raise ValueError(f"{target}: {file} is inside an archive; unpack it")
    return file


def with_file_described(text: str, model: Model) -> str:
    """The text of a model for workers, which may be on other hosts: with what the
    controller found about the file.
    """
    assert model.file is not None
    return (
        f"{text}{'&' if '?' in text else '?'}{_FILE}={json.dumps(asdict(model.file))}"
    )


def parameter(text: str) -> tuple[str, Any]:
    """Parse `KEY=VALUE` of a request; the value is JSON or plain text."""
    match = _PARAMETER.fullmatch(encodable(text).strip())
    if not match:
        raise ValueError(
            f"{text!r} is not KEY=VALUE; write temperature=0 or reasoning_effort=high"
        )
    name, value = match["name"], _json_or_text(match["value"])
    if secret := next(refused_secrets({name: value}), None):
        raise ValueError(
            f"{secret} would write a key into files; set the provider's environment "
            f"variable instead, "
            "such as OPENAI_API_KEY"
        )
    _check_parameter(name, value)
    return name, value


def _check_parameter(name: str, value: Any, place: str = "") -> None:
    """Raises ValueError for a parameter that must not be sent; `place` is what it
    stands in, such as `extra_body.`.
    """
    said = f"{place}{name}"
    if name.startswith("mock_"):
        raise ValueError(
            f"{said} makes litellm reply without a model; use llmarith/sloppy to try "
            f"things out"
        )
    for names, why in _REFUSED:
        if name in names:
            raise ValueError(f"{said} {why}")
    if place and name in _NOT_IN_A_BODY:
        raise ValueError(f"{said} would not be noticed; write {name}=VALUE by itself")
    if not isinstance(value, Mapping):
        return
    if name == _BODY:
        for inner, deeper in value.items():
            _check_parameter(str(inner), deeper, f"{said}.")
    # Google's `generationConfig` may hold one; `n` may be a name in a schema.
    for inner in value.keys() & (_SEVERAL_REPLIES - {"n"}):
        _check_parameter(inner, None, f"{said}.")


def sweep(models: Sequence[Model], texts: Sequence[str]) -> Sequence[Model]:
    """The models with each value of `KEY=VALUE,VALUE`, which ends their names; without
    a text the models themselves.
    """
    if not texts:
        return models
    if len(texts) > 1:
        raise ValueError("a run can sweep one parameter; remove all but one")
    key, _, values = texts[0].partition("=")
    words = [value.strip() for value in values.split(",")]
    found = {word: parameter(f"{key}={word}") for word in words}
    # These messages leave out the values, which may hold a key.
    if len(found) < len(words):
        raise ValueError("a value is there twice; remove one")
    if len(words) < 2 or not all(map(_SWEPT.fullmatch, words)):
        raise ValueError(
            "write two or more values of letters, digits and . _ + -: "
            "reasoning_effort=low,medium,high"
        )
    key, _ = found[words[0]]
    if not models or any(model.simulated for model in models):
        raise ValueError(
            f"{key} needs one or more models that are not fake; write "
            f"--llm-model=o4-mini"
        )
    if key == "api_base" or any(key in model.params for model in models):
        raise ValueError(
            f"{key} is set with --llm-model, --llm-param or --llm-api-base; remove it "
            f"there, or the sweep"
        )
    swept = []
    for model in models:
        for word, (_, value) in found.items():
            params = {**model.params, key: value}
            swept.append(replace(model, name=f"{model.name}-{word}", params=params))
    return swept


def _price(value: Any) -> Price | None:
    """The parameter `price` of a model, `IN,OUT` or 0."""
    if value is None:
        return None
    return parse_at("price", Price.parse, "0,0" if value == 0 else str(value))


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
    raise ValueError(
        f"a value of {len(text):,} characters is nested too deep, or has an infinite "
        f"number"
    )


def parse_at(place: str, parse: Callable[..., _Value], *args: Any) -> _Value:
    """Call `parse`; prefix its errors with the place."""
    try:
        return parse(*args)
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None
