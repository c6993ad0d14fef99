"""What could identify an account, a person or a key, and must not be published."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from pytest_llmarith.models.redact import is_secret, key_in, leaked_variable
from pytest_llmarith.results.log import lines
from pytest_llmarith.results.run_files import UsageError, name_of
from pytest_llmarith.safe_text import sanitize

_LONGEST = 80


class _Identity(NamedTuple):
    name: str
    # One of these is in every such text; to look for it takes a tenth of the time.
    signs: tuple[str, ...]
    pattern: re.Pattern[str]


_IDENTITIES = (
    _Identity(
        "an e-mail address",
        ("@",),
        re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}", re.ASCII),
    ),
    _Identity(
        "the path of a home folder",
        ("/home/", "/Users/", "/root/", "Users\\\\"),
        re.compile(
            r"(?<![\w.-])(?:/(?:home|Users)/[\w.-]+|/root/[\w.-]+"
            r"|[A-Za-z]:\\\\Users\\\\[\w.-]+)",
            re.ASCII,
        ),
    ),
    _Identity(
        "the id of an organization, a project or a user",
        ("org-", "proj_", "user-", "arn:aws"),
        re.compile(
            r"\b(?:org-|proj_|user-)[A-Za-z0-9]{16,}|\barn:aws[\w-]*:[^\s\"]+",
            re.ASCII,
        ),
    ),
)


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
    for kind in _IDENTITIES:
        if not any(sign in line for sign in kind.signs):
            continue
        for match in kind.pattern.finditer(line):
            text = match[0]
            if text not in allowed:
                shown = sanitize(text, _LONGEST)
                yield f"{kind.name} ({shown}; if it may be read, add --allow={shown})"
