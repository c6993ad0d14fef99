"""The addresses of a model's servers: one, a list, or a file that may change."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from pytest_llmarith.types import Servers

# What records and keys of the store have in place of several addresses, so that other
# servers of the same model find its replies.
SERVERS = "servers"
_BASE_URL = re.compile(
    r"https?://(?:[\w.-]+|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?(?:/[^\s?#@]*)?", re.ASCII
)


def place_of(given: Any, *, reads: bool = True) -> tuple[str | None, Servers | None]:
    """The base URL in `URL`, or servers in `URL,URL` or `@FILE`; without `reads` the
    file is left to others. Raises ValueError.
    """
    if isinstance(given, str) and given.startswith("@"):
        file = str(Path(given[1:]).expanduser().absolute())
        return SERVERS, Servers(_addresses_in(file) if reads else (), file)
    if isinstance(given, str) and "," in given:
        return SERVERS, Servers(_checked(given.split(",")))
    return base_url(given), None


def base_url(url: Any) -> str | None:
    """Check a provider's base URL.

    One that may hold a key is refused, because it is written to files.
    """
    if url is None:
        return None
    if isinstance(url, str) and ("@" in url or "?" in url):
        raise ValueError(
            "a base URL with a user, a password or a query could write a key into "
            "files; remove them"
        )
    if not isinstance(url, str) or not _BASE_URL.fullmatch(url):
        raise ValueError(
            f"{url!r:.80} is not a base URL; write http://localhost:8000/v1"
        )
    return url


class CurrentAddresses:
    """The addresses of servers as they are now.

    A file that cannot be read, as while it is written, changes nothing.
    """

    def __init__(self, servers: Servers) -> None:
        self._addresses = servers.addresses
        self._file = servers.file
        self._seen: tuple[int, int] | None = None

    def read(self) -> tuple[str, ...]:
        """The addresses; a file is read again if it has changed."""
        if self._file is not None:
            with suppress(OSError, ValueError):
                facts = os.stat(self._file)
                seen = facts.st_mtime_ns, facts.st_size
                if seen != self._seen:
                    self._addresses = _addresses_in(self._file)
                    self._seen = seen
        return self._addresses


def _addresses_in(file: str) -> tuple[str, ...]:
    try:
        lines = Path(file).read_text("utf-8").split()
    except OSError as error:
        raise ValueError(f"{file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError(f"{file}: it is not UTF-8 text") from None
    if not lines:
        raise ValueError(f"{file}: it is empty; write a base URL a line")
    try:
        return _checked(lines)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def _checked(texts: list[str]) -> tuple[str, ...]:
    found = dict[str, None]()
    for text in texts:
        address = (base_url(text.strip()) or "").rstrip("/")
        if address in found:
            raise ValueError(f"{address} is there twice; remove one")
        found[address] = None
    return tuple(found)
