"""The website of the OEIS as a source of entries: one request at a time, at a fixed pace, retried after an outage."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import TYPE_CHECKING, Self

from pytest_llmarith.files import seconds_until
from pytest_llmarith.oeis.entries import MAX_BYTES
from pytest_llmarith.oeis.sync import Unavailable

if TYPE_CHECKING:
    import httpx

OEIS = "https://oeis.org"
PACE_S = 1.0
ATTEMPTS = 4
FIRST_PAUSE_S = 2.0
_MAX_PAUSE_S = 300.0
_READ_TIMEOUT_S = 30.0
_MAX_FAILURES_IN_A_ROW = 3  # then the server is the cause
_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
_SECONDS = re.compile(r"[0-9]{1,9}")


class Website:
    """A source of entries and a context manager; `on_retry` is called with a line before each retry."""

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
        self._client = httpx.Client(headers=headers, timeout=_READ_TIMEOUT_S, follow_redirects=False)
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
        """The address and the JSON of an entry; transient failures are retried. Raises Unavailable."""
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
        """The JSON at an address. Raises Unavailable, or _Transient if another attempt may succeed."""
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
        raise _Transient(f"status {response.status_code}", retry_after_s(response.headers.get("Retry-After", "")))
    if response.status_code != 200:  # a redirect, too, is not followed
        raise Unavailable(f"status {response.status_code}")
    content = bytearray()
    for chunk in response.iter_bytes():
        content += chunk
        if len(content) > MAX_BYTES:
            raise Unavailable(f"the reply is larger than {MAX_BYTES:,} bytes, the limit of an entry")
    return bytes(content)


def retry_after_s(header: str) -> float | None:
    """Seconds from `Retry-After`, which holds seconds or a date; None if it is empty or neither."""
    text = header.strip()
    return float(text) if _SECONDS.fullmatch(text) else seconds_until(text)
