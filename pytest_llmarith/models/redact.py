"""What of a request is recorded, and text without secrets."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import structs

from pytest_llmarith.records import Reply, Request, as_dict, convert
from pytest_llmarith.safe_text import text_of_error
from pytest_llmarith.types import Model, Prompt

HIDDEN = "[hidden]"

_SECRET_NAME = re.compile(
    r"(?:^|[_-])(?:key|passwd|auth)$|(?-i:[a-z]Key)$|token$"
    r"|api[_-]?key|secret|password|authorization|credential|cookie",
    re.IGNORECASE,
)
_NO_SECRET = "prompt_cache_key"
_HEADERS = {"headers", "extra_headers", "default_headers"}

_LOOKED_AT = 4_000  # characters of a message
_LONGEST = 300
_SHORTEST_SECRET = 6
_SHORTEST_KEY = 16
_LIKE_A_KEY = re.compile(
    rf"(?=.*[A-Za-z])(?=.*\d).{{{_SHORTEST_KEY},}}", re.ASCII | re.DOTALL
)
# A variable with such a name holds a key, not a password, even if the value has no
# digits.
_NAME_OF_A_KEY = re.compile(r"(?:api_key|token)$", re.IGNORECASE)
_LONG_WORD = re.compile(rf"(?=.*[A-Za-z])\S{{{_SHORTEST_KEY},}}")
# Before `-` or `_`.
_PREFIXES = (
    "sk",
    "rk",
    "pk",
    "gsk",
    "xai",
    "hf",
    "r8",
    "nvapi",
    "pplx",
    "fw",
    "tgp",
    "csk",
)
_KEY_SHAPES = re.compile(
    rf"""
    (?P<before>
        \b(?:Bearer|Basic)\s+
      | [?&](?:key|api[-_]?key|token|access_token)=
      | \bapi[-_ ]?key["']?\s*[:=]\s*["']?
      | \bx-api-key["']?\s*[:=]\s*["']?
    )[^\s"'&,;]+
  | \b(?:{"|".join(_PREFIXES)})[-_][A-Za-z0-9*][\w*.-]{{3,}}
  | \bAIza[\w-]{{10,}}
  | (?<=://)[^\s/@]+@
    """,
    re.IGNORECASE | re.VERBOSE,
)
# Every shape has one of these in small letters; to look for them takes a hundredth of
# the time.
_SIGNS = (
    *("bearer", "basic", "key", "token=", "aiza", "@"),
    *(f"{prefix}{sign}" for prefix in _PREFIXES for sign in "-_"),
)


# --- requests -------------------------------------------------------------------------


def sent_of(model: Model, prompt: Prompt) -> Request:
    """The request as it is recorded: without the values of headers.

    Its parameters hold no keys, which are refused.
    """
    return Request(
        model=model.target,
        api_base=model.api_base,
        messages=list(model.said(prompt)),
        params=with_headers_hidden(model.params),
    )


def model_of(sent: Request) -> Model:
    """The model to which a request was sent."""
    return Model(sent.model, sent.model, sent.params, sent.api_base)


def is_secret(name: str) -> bool:
    """Whether a parameter, header or variable of this name holds a secret.

    `max_tokens` does not.
    """
    return name != _NO_SECRET and _SECRET_NAME.search(name) is not None


def refused_secrets(params: Mapping[str, Any]) -> Iterator[str]:
    """The names of secrets among request parameters, at every depth.

    They must not be given as options.
    """
    return (name for name, _ in _parameters(params) if is_secret(name))


def with_headers_hidden(params: Mapping[str, Any]) -> dict[str, Any]:
    """Request parameters for records: without the values of headers."""
    return {name: _hidden(name, value) for name, value in params.items()}


def header_values(params: Mapping[str, Any]) -> Iterator[str]:
    """The values of all headers, at every depth."""
    for name, value in _parameters(params):
        if name in _HEADERS:
            yield from texts_in(value)


def texts_in(value: Any) -> Iterator[str]:
    """All strings in a value."""
    if isinstance(value, str):
        yield value
    for inner in _parts_of(value):
        yield from texts_in(inner)


def _parameters(value: Any) -> Iterator[tuple[str, Any]]:
    """The name and value of each parameter, at every depth."""
    if isinstance(value, Mapping):
        yield from value.items()
    for inner in _parts_of(value):
        yield from _parameters(inner)


def _parts_of(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list) else ()


def _hidden(name: str, value: Any) -> Any:
    if isinstance(value, list):
        return [_hidden(name, one) for one in value]
    if isinstance(value, Mapping):
        if name in _HEADERS:
            return dict.fromkeys(value, HIDDEN)
        return {inner: _hidden(inner, deeper) for inner, deeper in value.items()}
    return HIDDEN if name in _HEADERS else value


# --- text -----------------------------------------------------------------------------


def one_line(
    text: str, environ: Mapping[str, str], more_secrets: Iterable[str] = ()
) -> str:
    """A foreign message as one bounded line without keys and control characters."""
    words = _printable(text[:_LOOKED_AT]).split()
    if len(text) > _LOOKED_AT and len(words) > 1:
        words.pop()  # it may be the first half of a key, which no pattern would match
    return with_end(hide_keys(" ".join(words), environ, more_secrets), "")


def with_end(line: str, end: str) -> str:
    """A line with an end that is kept if the line has to be shortened."""
    longest = _LONGEST - len(end)
    if len(line) > longest:
        line = f"{line[: longest - 1].rstrip()}…"
    return line + end


def hide_keys(
    text: str, environ: Mapping[str, str], more_secrets: Iterable[str] = ()
) -> str:
    """Replace the keys of this environment, and everything that looks like a key."""
    secrets = [*_secrets_of(environ).values(), *more_secrets]
    long_enough = [one for one in secrets if len(one) >= _SHORTEST_SECRET]
    return _KEY_SHAPES.sub(_hidden_shape, _without(text, long_enough))


def _without(text: str, secrets: Iterable[str]) -> str:
    # A secret may be a part of another one.
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return text


def _hidden_shape(shape: re.Match[str]) -> str:
    """What is shown in place of a text that looks like a key."""
    before = shape["before"] or ""
    after = "@" if shape[0].endswith("@") else ""
    return f"{before}{HIDDEN}{after}"


def without_known_keys(text: str, environ: Mapping[str, str]) -> str:
    """A reply without this environment's keys, which a provider or a proxy may echo.

    Passwords are kept, because a word such as `postgres` or `123456` may be the answer
    to grade.
    """
    if len(text) < _SHORTEST_KEY:  # as most replies; the environment is long
        return text
    secrets = _secrets_of(environ)
    keys = [one for name, one in secrets.items() if _looks_like_a_key(name, one)]
    return _without(text, keys)


def own_reply(answer: object, environ: Mapping[str, str]) -> Reply:
    """What a function of the user replied, without keys.

    Raises ValueError if it is no reply, with what it did.
    """
    if isinstance(answer, str):
        answer = Reply(answer)
    if not isinstance(answer, Reply):
        raise ValueError(f"returned {type(answer).__name__}; return the text as str")
    try:
        reply = convert(as_dict(answer), Reply)
    except (TypeError, ValueError) as error:
        why = one_line(text_of_error(error), environ)
        raise ValueError(f"returned a Reply that cannot be recorded: {why}") from None
    text = without_known_keys(reply.text, environ)
    reasoning = reply.reasoning and without_known_keys(reply.reasoning, environ)
    return structs.replace(reply, text=text, reasoning=reasoning)


def leaked_variable(text: str, environ: Mapping[str, str]) -> str | None:
    """The variable of this environment whose key is in the text, or None.

    Short values and numbers are ignored, because they occur in many texts.
    """
    for name, secret in _secrets_of(environ).items():
        is_usual = len(secret) < _SHORTEST_SECRET or secret.isdecimal()
        if not is_usual and secret in text:
            return name
    return None


def key_in(text: str) -> str | None:
    """The first text that has the shape of a key and its length, or None.

    Programs have short names that begin like keys.
    """
    small = text.lower()
    if not any(sign in small for sign in _SIGNS):
        return None
    for shape in _KEY_SHAPES.finditer(text):
        key = shape[0].removeprefix(shape["before"] or "")
        if key.endswith("@") or _LIKE_A_KEY.fullmatch(key):
            return key
    return None


def _looks_like_a_key(name: str, secret: str) -> bool:
    if _LIKE_A_KEY.fullmatch(secret):
        return True
    has_such_a_name = _NAME_OF_A_KEY.search(name) is not None
    return has_such_a_name and _LONG_WORD.fullmatch(secret) is not None


def _secrets_of(environ: Mapping[str, str]) -> dict[str, str]:
    """The secrets by variable.

    Looked up name by name, because pytest changes the environment during every test.
    """
    found = {}
    for name in list(environ):
        if is_secret(name):
            value = environ.get(name, "").strip()
            if value:
                found[name] = value
    return found


def _printable(text: str) -> str:
    control = {char for char in text if unicodedata.category(char).startswith("C")}
    return text.translate({ord(char): " " for char in control})
