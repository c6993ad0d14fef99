"""Text from outside made fit to show: without keys, without control characters, in one bounded line.

It knows how keys look and where they live, not who sends them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from pytest_llmarith.credentials import HIDDEN, header_values, is_secret, secrets_among, without_secrets

# Whoever answers with megabytes gets this much of them looked at.
_LOOKED_AT = 20_000
_LONGEST = 300

_SHORTEST_SECRET = 6
_LIKE_A_KEY = re.compile(r"(?=.*[A-Za-z])(?=.*\d).{16,}", re.ASCII | re.DOTALL)
# No password has such a name, and so no word that a reply could mean: one without digits is a key there, too.
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


def one_line(text: str, environ: Mapping[str, str], more_secrets: Iterable[str] = ()) -> str:
    """Make a message from outside fit to show to people and to write down."""
    words = _printable(text[:_LOOKED_AT]).split()
    if _cuts_a_word(text) and len(words[-1]) < _LONGEST:
        words.pop()  # it may be the first half of a key, which nobody would know for one
    line = hide_keys(" ".join(words), environ, more_secrets)
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1].rstrip()}…"


def hide_keys(text: str, environ: Mapping[str, str], more_secrets: Iterable[str] = ()) -> str:
    """Replace what is a key in this environment, and what looks like one."""
    for secret in sorted({*_secrets_in(environ).values(), *more_secrets}, key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, HIDDEN)
    return _KEY_SHAPES.sub(lambda shape: (shape["before"] or "") + HIDDEN + "@" * shape[0].endswith("@"), text)


def without_known_keys(text: str, environ: Mapping[str, str]) -> str:
    """A reply without the keys of this environment, which a provider or a proxy may echo; nothing else is touched.

    A reply is going to be graded: a password such as `postgres` or `123456` may be what it has to say.
    """
    keys = {secret for name, secret in _secrets_in(environ).items() if _looks_like_a_key(name, secret)}
    for secret in sorted(keys, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return text


def variable_told(text: str, environ: Mapping[str, str]) -> str | None:
    """The variable of this environment whose key a text holds; None where it holds none."""
    return next((name for name, secret in _known_keys(environ).items() if secret in text), None)


def secrets_in(params: Mapping[str, Any]) -> list[str]:
    """The keys and credentials that stand among request parameters."""
    return [*(str(value) for _, value in secrets_among(params)), *header_values(without_secrets(params))]


def without_userinfo(url: str) -> str:
    """A URL as it may be written down: user and password are credentials."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _known_keys(environ: Mapping[str, str]) -> dict[str, str]:
    """What is a key wherever it stands, by its variable: no word that is as short as any other, and no number."""
    found = _secrets_in(environ).items()
    return {name: value for name, value in found if len(value) >= _SHORTEST_SECRET and not value.isdecimal()}


def _looks_like_a_key(name: str, secret: str) -> bool:
    by_its_name = _NAME_OF_A_KEY.search(name) and _LONG_WORD.fullmatch(secret)
    return bool(by_its_name or _LIKE_A_KEY.fullmatch(secret))


def _secrets_in(environ: Mapping[str, str]) -> dict[str, str]:
    """Looked up name by name: another thread may change the environment meanwhile, as pytest does for every test."""
    return {name: value for name in list(environ) if is_secret(name) and (value := environ.get(name))}


def _cuts_a_word(text: str) -> bool:
    """Whether what is looked at ends within a word."""
    around = _printable(text[_LOOKED_AT - 1 : _LOOKED_AT + 1])
    return len(around) == 2 and not any(map(str.isspace, around))


def _printable(text: str) -> str:
    return "".join(" " if unicodedata.category(char).startswith("C") else char for char in text)
