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
# What is in them is sent as it is: whatever has the name of a key there is one.
_SENT_AS_IT_IS = _HEADERS | {"query", "extra_query", "extra_body"}
# What a model may write: a property `key` in there is a word of the user's.
_SCHEMAS = {"response_format", "json_schema", "schema", "input_schema", "parameters", "properties", "guided_json"}
# It has the name of a key and holds none. Left out as they all are: it names a cache, which changes no reply.
_NO_SECRET = "prompt_cache_key"


def is_secret(name: str) -> bool:
    """Whether a parameter, header or variable of this name holds a key; `max_tokens` does not."""
    return _SECRET_NAME.search(name) is not None


def without_secrets(params: Mapping[str, Any]) -> dict[str, Any]:
    """Request parameters without keys and credentials, at every depth."""
    return _without(params, sent_as_it_is=True)


def secrets_among(params: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The keys and credentials among request parameters, with their names."""
    return (found for found in _among(params, sent_as_it_is=True) if found[0] != _NO_SECRET)


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


def _without(params: Mapping[str, Any], *, sent_as_it_is: bool) -> dict[str, Any]:
    return {
        name: _plain(name, value) for name, value in params.items() if not _holds_secret(name, value, sent_as_it_is)
    }


def _plain(name: str, value: Any) -> Any:
    if name in _SCHEMAS:
        return value
    if isinstance(value, list):  # of tools, say, each with headers of its own
        return [_plain("", one) for one in value]
    return _without(value, sent_as_it_is=name in _SENT_AS_IT_IS) if isinstance(value, Mapping) else value


def _among(params: Mapping[str, Any], *, sent_as_it_is: bool) -> Iterator[tuple[str, Any]]:
    for name, value in params.items():
        if _holds_secret(name, value, sent_as_it_is):
            yield name, value
        elif name not in _SCHEMAS:
            for inner in _mappings(value):
                yield from _among(inner, sent_as_it_is=name in _SENT_AS_IT_IS)


def _holds_secret(name: str, value: Any, sent_as_it_is: bool) -> bool:
    """A secret is a text, save where it is sent as it is: credentials may be a mapping."""
    return is_secret(name) and (sent_as_it_is or isinstance(value, str))


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
