"""Copies entries from the website of the OEIS or from a folder into the cache."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self

from pytest_llmarith.files import replace_file, retry_after_s
from pytest_llmarith.tasks.oeis.cache import (
    MAX_BYTES,
    BrokenEntry,
    decode,
    is_number,
    parse_entry,
    read_entry,
    read_text,
    seq_fields,
)

if TYPE_CHECKING:
    import httpx

NOTICE_FILE = "NOTICE.md"
OEIS = "https://oeis.org"
PACE_S = 1.0
ATTEMPTS = 4
FIRST_PAUSE_S = 2.0
_MAX_PAUSE_S = 300.0
_READ_TIMEOUT_S = 30.0
_MAX_FAILURES_IN_A_ROW = 3  # then the server is the cause
_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
_SUFFIXES = (".json", ".seq")  # the first one is preferred: it has more fields


class Unavailable(Exception):
    """An entry is not available; the message is one line.

    If `ends_sync`, other entries would fail, too.
    """

    def __init__(self, message: str, ends_sync: bool = False) -> None:
        super().__init__(message)
        self.ends_sync = ends_sync


class Source(Protocol):
    """Returns entries as unchecked JSON in UTF-8."""

    def read(self, number: str) -> tuple[str, bytes]:
        """The location of the entry, for messages, and its content.

        Raises Unavailable and BrokenEntry.
        """


class FolderSource:
    """A folder of files such as `A000045.json` or `A000045.seq`, at any depth."""

    def __init__(self, folder: Path) -> None:
        """Raises OSError if the folder cannot be listed."""
        os.listdir(folder)  # os.walk ignores errors
        self._folder = folder
        self._files: dict[str, Path] = {}
        found = []
        for parent, _, names in os.walk(folder):
            found += [Path(parent, name) for name in names]
        found.sort()
        for suffix in _SUFFIXES:
            for path in found:
                if path.suffix == suffix and is_number(path.stem):
                    self._files.setdefault(path.stem, path)

    def read(self, number: str) -> tuple[str, bytes]:
        if number not in self._files:
            raise Unavailable(
                f"neither {number}.json nor {number}.seq is in {str(self._folder)!r}"
            )
        path = self._files[number]
        try:
            text = read_text(path)
        except OSError as error:
            raise Unavailable(
                f"{str(path)!r} cannot be read: {error.strerror}"
            ) from error
        if path.suffix == ".seq":
            text = json.dumps([seq_fields(text, str(path), number)]) + "\n"
        return str(path), text.encode("utf-8")


@dataclass(frozen=True, slots=True)
class Synced:
    """How many entries were present, and how many were written.

    `failed` has those that failed, with the reason; `left` counts those not tried.
    """

    present: int
    written: int
    failed: tuple[tuple[str, str], ...]
    left: int = 0

    @property
    def is_complete(self) -> bool:
        return not self.failed and not self.left


def sync(
    numbers: Sequence[str],
    cache: Path,
    source: Source,
    notice: bytes,
    refresh: bool = False,
    on_entry: Callable[[str, int, int], None] = lambda number, done, total: None,
) -> Synced:
    """Write the entries of these A-numbers into the cache.

    With `refresh`, those that are present are replaced. Otherwise the same call resumes
    an interrupted one, as intact entries are not fetched again. `notice`, the license
    of the entries, is written beside them. `on_entry` is called before each entry with
    its number, how many are done, and how many there are. Raises OSError if the cache
    cannot be written.
    """
    cache.mkdir(parents=True, exist_ok=True)
    replace_file(cache / NOTICE_FILE, notice)
    files = {number: cache / f"{number}.json" for number in numbers}
    waiting = []
    for number, file in files.items():
        if refresh or not _is_intact(file):
            waiting.append(number)
    failed: list[tuple[str, str]] = []
    tried = 0
    for number in waiting:
        on_entry(number, tried, len(waiting))
        tried += 1
        try:
            where, content = source.read(number)
            parse_entry(decode(content, where), where, number)
            replace_file(files[number], content)
        except (BrokenEntry, Unavailable) as error:
            failed.append((number, str(error)))
            if isinstance(error, Unavailable) and error.ends_sync:
                break
    return Synced(
        present=len(files) - len(waiting),
        written=tried - len(failed),
        failed=tuple(failed),
        left=len(waiting) - tried,
    )


def _is_intact(path: Path) -> bool:
    try:
        read_entry(path)
    except (OSError, BrokenEntry):
        return False
    return True


# --- the website: one request at a time, at a fixed pace, retried after an outage -----


class Website:
    """A source of entries and a context manager.

    `on_retry` is called with a line before each retry.
    """

    def __init__(
        self,
        base_url: str = OEIS,
        pace_s: float = PACE_S,
        first_pause_s: float = FIRST_PAUSE_S,
        on_retry: Callable[[str], None] = lambda line: None,
    ) -> None:
        import httpx  # slow to import

        agent = f"pytest-llmarith/{version('pytest-llmarith')}"
        headers = {"User-Agent": agent, "Accept": "application/json"}
        self._client = httpx.Client(
            headers=headers, timeout=_READ_TIMEOUT_S, follow_redirects=False
        )
        self._base_url = base_url
        self._pace_s = pace_s
        self._first_pause_s = first_pause_s
        self._on_retry = on_retry
        self._next_at = time.monotonic()
        self._failed_in_a_row = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def read(self, number: str) -> tuple[str, bytes]:
        """The address and the JSON of an entry; transient failures are retried.

        Raises Unavailable.
        """
        url = f"{self._base_url}/search?q=id:{number}&fmt=json"
        try:
            body = self._read(number, url)
        except Unavailable as error:
            self._failed_in_a_row += 1
            error.ends_sync |= self._failed_in_a_row >= _MAX_FAILURES_IN_A_ROW
            raise
        self._failed_in_a_row = 0
        return url, body

    def _read(self, number: str, url: str) -> bytes:
        attempt = 0
        while True:
            attempt += 1
            time.sleep(max(0.0, self._next_at - time.monotonic()))
            self._next_at = time.monotonic() + self._pace_s
            try:
                return self._request(url)
            except _Transient as failure:
                if attempt == ATTEMPTS:
                    raise Unavailable(f"{failure} ({attempt} attempts)") from failure
                pause_s = failure.retry_after_s
                if pause_s is None:
                    pause_s = self._first_pause_s * 2.0 ** (attempt - 1)
                elif pause_s > _MAX_PAUSE_S:
                    message = f"{failure}; the server asks to wait {pause_s:.0f} s"
                    raise Unavailable(message, ends_sync=True) from failure
                self._on_retry(f"{number}: {failure}; retry in {pause_s:.0f} s")
            time.sleep(pause_s)

    def _request(self, url: str) -> bytes:
        """The JSON at an address.

        Raises Unavailable, or _Transient if another attempt may succeed.
        """
        import httpx

        try:
            with self._client.stream("GET", url) as response:
                body = _body(response)
        except httpx.HTTPError as error:
            raise _Transient(f"{type(error).__name__}: {error}") from error
        try:
            json.loads(body)
        except (ValueError, RecursionError):
            raise _Transient("the reply is not JSON") from None
        return body


class _Transient(Exception):
    """A failure that another attempt may not have."""

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


def _body(response: httpx.Response) -> bytes:
    if response.status_code in _RETRIED:
        raise _Transient(
            f"status {response.status_code}",
            retry_after_s(response.headers.get("Retry-After", "")),
        )
    if response.status_code != 200:  # a redirect, too, is not followed
        raise Unavailable(f"status {response.status_code}")
    content = bytearray()
    for chunk in response.iter_bytes():
        content += chunk
        if len(content) > MAX_BYTES:
            raise Unavailable(
                f"the reply is larger than {MAX_BYTES:,} bytes, the limit of an entry"
            )
    return bytes(content)
