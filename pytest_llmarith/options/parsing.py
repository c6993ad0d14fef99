"""Texts of options to values. Every function is pure and raises ValueError with one line for people:
what is wrong, where it came from, what to write instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, TypeVar

from pytest_llmarith.credentials import secrets_refused
from pytest_llmarith.plainjson import is_shallow, strictly_read
from pytest_llmarith.values import MOST_SHARDS, Model, Shard

DEEPEST = 1000
MOST_TRIALS = 1_000_000

_Choice = TypeVar("_Choice", bound=StrEnum)
_Value = TypeVar("_Value")
_NAMED_MODEL = re.compile(r"(?P<name>[^=]*)=(?P<target>.*)", re.DOTALL)
_NEXT_PARAMETER = re.compile(r"&(?=[A-Za-z_]\w*=)")
_PARAMETER = re.compile(r"(?P<name>[A-Za-z_]\w*)=(?P<value>.*)", re.DOTALL)
_BASE_URL = re.compile(r"https?://(?:[\w.-]+|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?(?:/[^\s?#@]*)?", re.ASCII)
_BROKER_OWNS = {"base_url", "timeout", "max_retries", "num_retries", "messages", "model", "stream", "n"}
_OTHER_MODELS = {"fallbacks", "context_window_fallback_dict", "model_list"}


def optional(given: Callable[[str], Any], option: str, parse: Callable[[str, str], _Value]) -> _Value | None:
    """What an option was given, parsed; None where nobody gave it."""
    text = given(option)
    return None if text is None else parse(option, text)


def whole_number(option: str, text: str, lowest: int, highest: int) -> int:
    """An integer from `lowest` to `highest`."""
    if re.fullmatch(r"\d{1,9}", text, re.ASCII) and lowest <= int(text) <= highest:
        return int(text)
    raise ValueError(f"{option}: {text!r} is not a whole number from {lowest} to {highest}")


def seconds(option: str, text: str) -> float:
    """A positive number of seconds."""
    if re.fullmatch(r"\d{1,7}(\.\d{1,6})?", text, re.ASCII) and float(text) > 0:
        return float(text)
    raise ValueError(f"{option}: {text!r} is not a positive number of seconds; write 600 or 0.5")


def choice(option: str, text: str, choices: type[_Choice]) -> _Choice:
    """One word of an enum."""
    try:
        return choices(text)
    except ValueError:
        raise ValueError(f"{option}: {text!r} is unknown; write {_or(choices)}") from None


def choices(option: str, text: str, choices: type[_Choice]) -> tuple[_Choice, ...]:
    """Words of an enum with commas between them, each once, in the order given."""
    return tuple(choice(option, word, choices) for word in distinct(option, [word.strip() for word in text.split(",")]))


def distinct(option: str, values: Sequence[str]) -> Sequence[str]:
    """The values, of which none may be given twice."""
    for number, value in enumerate(values):
        if value in values[:number]:
            raise ValueError(f"{option}: {value!r} is given twice; give each value once")
    return values


def depths(option: str, text: str) -> tuple[int, ...]:
    """Depths as a range (`2-10`), a list (`2,5,8`) or both, in the order given."""
    found = [depth for part in text.split(",") for depth in _range(option, text, part.strip())]
    if len(set(found)) < len(found):
        raise ValueError(f"{option}: {text!r} names a depth twice")
    return tuple(found)


def _range(option: str, text: str, part: str) -> Iterable[int]:
    match = re.fullmatch(r"(\d{1,4})(?:-(\d{1,4}))?", part, re.ASCII)
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= first <= last <= DEEPEST:
        raise ValueError(f"{option}: {text!r} is not a range of depths from 1 to {DEEPEST}; write 2-10 or 2,5,8")
    return range(first, last + 1)


def seed(option: str, text: str) -> int | None:
    """A seed; None asks for a random one."""
    if text == "random":
        return None
    if re.fullmatch(r"\d{1,18}", text, re.ASCII):
        return int(text)
    raise ValueError(f"{option}: {text!r} is not a seed; write a whole number from 0, or random")


def shard(option: str, text: str) -> Shard:
    """`2/5`: the second of five."""
    match = re.fullmatch(r"(\d{1,5})/(\d{1,5})", text, re.ASCII)
    index, count = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= index <= count <= MOST_SHARDS:
        raise ValueError(f"{option}: {text!r} is no shard; write 1/5 to 5/5 on five machines, at most {MOST_SHARDS:,}")
    return Shard(index, count)


def parameter(option: str, text: str) -> tuple[str, Any]:
    """`KEY=VALUE` of a request; the value is JSON, or else plain text."""
    match = _PARAMETER.fullmatch(sendable(option, text).strip())
    if not match:
        raise ValueError(f"{option}: {text!r} is not KEY=VALUE; write temperature=0 or reasoning_effort=high")
    name, value = match["name"], _json_or_text(option, match["value"])
    if secret := next(secrets_refused({name: value}), None):
        raise ValueError(
            f"{option}: {secret} would write a key into files; set the provider's environment variable instead, "
            "such as OPENAI_API_KEY"
        )
    if name.startswith("mock_"):
        raise ValueError(
            f"{option}: {name} makes litellm reply without a model; take llmarith/sloppy for a run of tests"
        )
    if name in _OTHER_MODELS:
        raise ValueError(
            f"{option}: {name} makes litellm ask another model in this one's place; drop it, or name that model as "
            "--llm-model too"
        )
    if name in _BROKER_OWNS:
        raise ValueError(f"{option}: {name} is set by the plugin itself; see --llm-timeout, --llm-retries, --llm-model")
    return name, value


def sendable(option: str, text: str) -> str:
    """A text that is going to be sent; a shell passes also bytes on that are none."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{option}: {text!r} is no UTF-8 text, which no provider would take") from None
    return text


def parameters(option: str, texts: Iterable[str]) -> dict[str, Any]:
    """Several `KEY=VALUE`; the last one of a key wins."""
    return dict(parameter(option, text) for text in texts)


def model(option: str, text: str, shared: Mapping[str, Any], api_base: str | None, system_prompt: str | None) -> Model:
    """`[NAME=]TARGET[?KEY=VALUE&KEY=VALUE]`: a litellm model string, a name and parameters of its own."""
    identity, _, query = sendable(option, text).strip().partition("?")
    named = _NAMED_MODEL.fullmatch(identity)
    name, target = (named["name"], named["target"]) if named else (identity, identity)
    if not name.strip() or not target.strip() or re.search(r"[\x00-\x1f\x7f]", text):
        raise ValueError(f"{option}: {text!r} is not a model; write o4-mini or my-name=o4-mini?reasoning_effort=high")
    own = parameters(option, _NEXT_PARAMETER.split(query)) if query else {}
    params = {**shared, **own}
    base = checked_url(option, params.pop("api_base", api_base))
    return Model(name.strip(), target.strip(), params, base, system_prompt)


def checked_url(option: str, url: Any) -> str | None:
    """A provider's base URL; a key in it would be written into files."""
    if url is None:
        return None
    if isinstance(url, str) and ("@" in url or "?" in url):
        raise ValueError(
            f"{option}: a base URL with a user, a password or a query could write a key into files; drop it"
        )
    if not isinstance(url, str) or not _BASE_URL.fullmatch(url):
        raise ValueError(f"{option}: {url!r} is not a base URL; write http://localhost:8000/v1")
    return url


def _json_or_text(option: str, text: str) -> Any:
    too_deep = ValueError(f"{option}: a value of {len(text):,} characters is nested too deep")
    try:
        value = strictly_read(text)
    except RecursionError:
        raise too_deep from None
    except ValueError:
        return text
    if not is_shallow(value):
        raise too_deep
    return value


def _or(choices: type[StrEnum]) -> str:
    *first, last = map(str, choices)
    return f"{', '.join(first)} or {last}" if first else last
