"""What could identify an account, a person or a key, and must not be published."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from pytest_llmarith.models.redact import is_secret, key_in, leaked_variable
from pytest_llmarith.results.log import lines
from pytest_llmarith.results.run_files import UsageError, name_of
from pytest_llmarith.safe_text import sanitize

_LONGEST = 80


# Each begins with what is rare: to look for another text takes ten times as long.
_IDENTITIES = {
    "an e-mail address": re.compile(r"@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}", re.ASCII),
    "a home folder": re.compile(
        r"/(?:home|Users|root)/[\w.-]+|\\Users\\\\[\w.-]+", re.ASCII
    ),
    "the id of an organization, a project or a user": re.compile(
        r"(?:\borg-|\bproj_|\buser-)[A-Za-z0-9]{16,}|\barn:aws[^\s\"]+", re.ASCII
    ),
    "an address in a private network": re.compile(
        r"://(?:(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+|\[f[cde][\da-f]{2}:"
        r"[\da-f:]*\]|[\w.-]+\.(?:local|internal)\b)",
        re.ASCII | re.IGNORECASE,
    ),
    "the name of a host": re.compile(
        r"https?://(?!localhost\b)[\w-]+(?![\w.-])", re.ASCII | re.IGNORECASE
    ),
}


def refuse_identities(
    files: Mapping[str, Path], environ: Mapping[str, str], allowed: frozenset[str]
) -> None:
    """Raise UsageError for the first text that must not be published; a key is not
    shown.

    `files` are text, by their names in the bundle; `allowed` are texts that may stay.
    """
    secrets = {name: value for name, value in environ.items() if is_secret(name)}
    for name, path in files.items():
        for number, line in lines(path):
            for what in _found(line, secrets, allowed):
                raise UsageError(
                    f"{name_of(path)}, line {number}: {what} would be published in "
                    f"{name}; nothing was written"
                )


def _found(
    line: str, secrets: Mapping[str, str], allowed: frozenset[str]
) -> Iterator[str]:
    variable = leaked_variable(line, secrets)
    if variable is not None:
        yield f"the value of the environment variable {sanitize(variable, _LONGEST)}"
    if key_in(line) is not None:
        yield "a text like a key"
    for kind, pattern in _IDENTITIES.items():
        for match in pattern.finditer(line):
            if match[0] not in allowed:
                shown = sanitize(match[0], _LONGEST)
                yield f"{kind} ({shown}; if it may be read, add --allow={shown})"
