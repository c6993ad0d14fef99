"""How keys and credentials are named, and where in a request they stand. It neither knows nor hides any text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

HIDDEN = "[hidden]"

_SECRET_NAME = re.compile(
    r"(?:^|[_-])(?:key|passwd|auth)$|(?-i:[a-z]Key)$|token$"
    r"|api[_-]?key|secret|password|authorization|credential|cookie",
    re.IGNORECASE,
)
_HEADERS = {"headers", "extra_headers", "default_headers"}
# What a JSON schema has directly below it are words of the user's: a property `key` says what a model may write.
_WORDS = "properties"
# A data source has a key that no variable can hold: it is sent, and left out of whatever is written down.
_SENT_ALL_THE_SAME = ("authentication", "key")
# It has the name of a key and holds none. Left out as they all are: it names a cache, which changes no reply.
_NO_SECRET = "prompt_cache_key"


def is_secret(name: str) -> bool:
    """Whether a parameter, header or variable of this name holds a key; `max_tokens` does not."""
    return _SECRET_NAME.search(name) is not None


def without_secrets(params: Mapping[str, Any]) -> dict[str, Any]:
    """Request parameters without keys and credentials, at every depth."""
    return _without(params, "")


def secrets_among(params: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The keys and credentials among request parameters, with their names."""
    return ((name, value) for _, name, value in _among(params, "") if name != _NO_SECRET)


def secrets_refused(params: Mapping[str, Any]) -> Iterator[str]:
    """The names of those that nobody may give as an option."""
    found = ((above, name) for above, name, _ in _among(params, ""))
    return (name for above, name in found if name != _NO_SECRET and (above, name) != _SENT_ALL_THE_SAME)


def with_headers_hidden(params: Mapping[str, Any]) -> dict[str, Any]:
    """Request parameters as they may be written down: headers are where keys are, whatever they are called."""
    return {name: _hidden(name, value) for name, value in without_secrets(params).items()}


def header_values(params: Mapping[str, Any]) -> Iterator[str]:
    """The values of all headers, at every depth."""
    for name, value in params.items():
        if name in _HEADERS:
            yield from texts_in(value)
        else:
            for inner in _mappings(value):
                yield from header_values(inner)


def texts_in(value: Any) -> Iterator[str]:
    """All texts that stand in a value."""
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        yield from texts_in(inner)


def _without(params: Mapping[str, Any], above: str) -> dict[str, Any]:
    return {
        name: _plain(value, _next(above, name))
        for name, value in params.items()
        if not _holds_secret(above, name, value)
    }


def _plain(value: Any, above: str) -> Any:
    if isinstance(value, list):  # of tools, say, each with headers of its own
        return [_plain(one, "") for one in value]
    return _without(value, above) if isinstance(value, Mapping) else value


def _among(params: Mapping[str, Any], above: str) -> Iterator[tuple[str, str, Any]]:
    """What each secret stands below, its name and its value."""
    for name, value in params.items():
        if _holds_secret(above, name, value):
            yield above, name, value
        else:
            below = _next(above, name) if isinstance(value, Mapping) else ""
            for inner in _mappings(value):
                yield from _among(inner, below)


def _holds_secret(above: str, name: str, value: Any) -> bool:
    """Whatever the value is: credentials may be a mapping, and a list may hold one. Only a schema holds none."""
    return is_secret(name) and not (above == _WORDS and isinstance(value, Mapping | bool))


def _next(above: str, name: str) -> str:
    """What a value of this name stands below; a word of the user's is no name that means anything."""
    return "" if above == _WORDS else name


def _mappings(value: Any) -> Iterator[Mapping[str, Any]]:
    """The mapping that a value is, or those in the list that it is."""
    if isinstance(value, Mapping):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _mappings(one)


def _hidden(name: str, value: Any) -> Any:
    if isinstance(value, list):
        return [_hidden(name, one) for one in value]
    if isinstance(value, Mapping):
        return {inner: HIDDEN if name in _HEADERS else _hidden(inner, deeper) for inner, deeper in value.items()}
    return HIDDEN if name in _HEADERS else value
