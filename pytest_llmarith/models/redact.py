"""Finds and removes secrets in request parameters and in text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

HIDDEN = "[hidden]"

_SECRET_NAME = re.compile(
    r"(?:^|[_-])(?:key|passwd|auth)$|(?-i:[a-z]Key)$|token$"
    r"|api[_-]?key|secret|password|authorization|credential|cookie",
    re.IGNORECASE,
)
_HEADERS = {"headers", "extra_headers", "default_headers"}
# Its keys in a JSON schema are names chosen by the user: a property `key` holds no secret.
_PROPERTIES = "properties"
# The key of a data source, which can only be given as an option. It is never recorded.
_ALLOWED = ("authentication", "key")
# It looks like the name of a key but holds none. It is accepted, and not recorded because it changes no reply.
_NO_SECRET = "prompt_cache_key"

_LOOKED_AT = 20_000  # characters of a message
_LONGEST = 300
_SHORTEST_SECRET = 6
_LIKE_A_KEY = re.compile(r"(?=.*[A-Za-z])(?=.*\d).{16,}", re.ASCII | re.DOTALL)
# A variable with such a name holds a key, not a password, even if the value has no digits.
_NAME_OF_A_KEY = re.compile(r"(?:api_key|token)$", re.IGNORECASE)
_LONG_WORD = re.compile(r"(?=.*[A-Za-z])\S{16,}")
_KEY_SHAPES = re.compile(
    r"""
    (?P<before>
        \b(?:Bearer|Basic)\s+
      | [?&](?:key|api[-_]?key|token|access_token)=
      | \bapi[-_ ]?key["']?\s*[:=]\s*["']?
      | \bx-api-key["']?\s*[:=]\s*["']?
    )[^\s"'&,;]+
  | \b(?:sk|rk|pk|gsk|xai|hf|r8|nvapi|pplx|fw|tgp|csk)[-_][A-Za-z0-9*][\w*.-]{3,}
  | \bAIza[\w-]{10,}
  | (?<=://)[^\s/@]+@
    """,
    re.IGNORECASE | re.VERBOSE,
)


# --- request parameters ---------------------------------------------------------------------------------------------


def is_secret(name: str) -> bool:
    """Whether a parameter, header or variable of this name holds a secret; `max_tokens` does not."""
    return _SECRET_NAME.search(name) is not None


def without_secrets(params: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Request parameters without secrets, at every depth; `above` is the name of the parent."""
    return {
        name: _without_secrets(value, _below(above, name))
        for name, value in params.items()
        if not _holds_secret(above, name, value)
    }


def _without_secrets(value: Any, above: str) -> Any:
    if isinstance(value, list):  # such as tools, each with its own headers
        return [_without_secrets(one, "") for one in value]
    return without_secrets(value, above) if isinstance(value, Mapping) else value


def refused_secrets(params: Mapping[str, Any]) -> Iterator[str]:
    """The names of secrets that must not be given as options."""
    found = ((above, name) for above, name, _ in _secrets(params, ""))
    return (name for above, name in found if name != _NO_SECRET and (above, name) != _ALLOWED)


def secrets_in(params: Mapping[str, Any]) -> list[str]:
    """The secrets among request parameters, and the values of all headers."""
    named = (str(value) for _, name, value in _secrets(params, "") if name != _NO_SECRET)
    return [*named, *header_values(without_secrets(params))]


def with_headers_hidden(params: Mapping[str, Any]) -> dict[str, Any]:
    """Request parameters for records: without secrets and without the values of headers."""
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
    """All strings in a value."""
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        yield from texts_in(inner)


def _secrets(params: Mapping[str, Any], above: str) -> Iterator[tuple[str, str, Any]]:
    """The parent, name and value of each secret."""
    for name, value in params.items():
        if _holds_secret(above, name, value):
            yield above, name, value
        else:
            below = _below(above, name) if isinstance(value, Mapping) else ""
            for inner in _mappings(value):
                yield from _secrets(inner, below)


def _holds_secret(above: str, name: str, value: Any) -> bool:
    """Whether the parameter is a secret. A mapping or bool below `properties` is a property of a schema."""
    return is_secret(name) and not (above == _PROPERTIES and isinstance(value, Mapping | bool))


def _below(above: str, name: str) -> str:
    """The parent name for the values below; empty for a property of a schema, whose name the user chose."""
    return "" if above == _PROPERTIES else name


def _mappings(value: Any) -> Iterator[Mapping[str, Any]]:
    """The value itself if it is a mapping, or the mappings in a list."""
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


# --- text -----------------------------------------------------------------------------------------------------------


def one_line(text: str, environ: Mapping[str, str], more_secrets: Iterable[str] = ()) -> str:
    """A foreign message as one bounded line without keys and control characters."""
    words = _printable(text[:_LOOKED_AT]).split()
    if _cuts_a_word(text) and len(words[-1]) < _LONGEST:
        words.pop()  # it may be the first half of a key, which no pattern would match
    line = hide_keys(" ".join(words), environ, more_secrets)
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1].rstrip()}…"


def hide_keys(text: str, environ: Mapping[str, str], more_secrets: Iterable[str] = ()) -> str:
    """Replace the keys of this environment, and everything that looks like a key."""
    for secret in sorted({*_secrets_of(environ).values(), *more_secrets}, key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, HIDDEN)
    return _KEY_SHAPES.sub(lambda shape: (shape["before"] or "") + HIDDEN + "@" * shape[0].endswith("@"), text)


def without_known_keys(text: str, environ: Mapping[str, str]) -> str:
    """A reply without the keys of this environment, which a provider or a proxy may echo.

    Passwords are kept, because a word such as `postgres` or `123456` may be the answer to grade.
    """
    keys = {secret for name, secret in _secrets_of(environ).items() if _looks_like_a_key(name, secret)}
    for secret in sorted(keys, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return text


def leaked_variable(text: str, environ: Mapping[str, str]) -> str | None:
    """The variable of this environment whose key is in the text, or None.

    Short values and numbers are ignored, because they occur in many texts.
    """
    return next(
        (
            name
            for name, secret in _secrets_of(environ).items()
            if len(secret) >= _SHORTEST_SECRET and not secret.isdecimal() and secret in text
        ),
        None,
    )


def _looks_like_a_key(name: str, secret: str) -> bool:
    by_its_name = _NAME_OF_A_KEY.search(name) and _LONG_WORD.fullmatch(secret)
    return bool(by_its_name or _LIKE_A_KEY.fullmatch(secret))


def _secrets_of(environ: Mapping[str, str]) -> dict[str, str]:
    """The secrets by variable. Looked up name by name, because pytest changes the environment during every test."""
    return {name: value for name in list(environ) if is_secret(name) and (value := environ.get(name))}


def _cuts_a_word(text: str) -> bool:
    """Whether the examined part ends within a word."""
    around = _printable(text[_LOOKED_AT - 1 : _LOOKED_AT + 1])
    return len(around) == 2 and not any(map(str.isspace, around))


def _printable(text: str) -> str:
    return "".join(" " if unicodedata.category(char).startswith("C") else char for char in text)
