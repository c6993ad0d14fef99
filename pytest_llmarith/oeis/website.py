"""The source that is the OEIS itself: its JSON interface, asked politely. It does not know what an entry looks like.

One request at a time, at a pace; an outage is waited out, as long as the server asks for or a little longer each time.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from types import TracebackType
from typing import TYPE_CHECKING, Self

from pytest_llmarith.oeis.entryfiles import LARGEST_BYTES
from pytest_llmarith.oeis.retry_after import retry_after_s
from pytest_llmarith.oeis.sources import Unavailable

if TYPE_CHECKING:
    import httpx

OEIS = "https://oeis.org"
PACE_S = 1.0
ATTEMPTS = 4
FIRST_PAUSE_S = 2.0
LONGEST_PAUSE_S = 300.0
_SILENCE_S = 30.0
_LONGEST_BODY_S = 120.0
_MOST_REDIRECTS = 3
_FAILURES_IN_A_ROW = 3  # then it is not the entries
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})


class Website:
    """A source, open within a `with` block; `told` gets a line for every pause that is not the usual one."""

    def __init__(
        self,
        base_url: str = OEIS,
        pace_s: float = PACE_S,
        first_pause_s: float = FIRST_PAUSE_S,
        told: Callable[[str], None] = lambda line: None,
    ) -> None:
        """Raises ValueError where `base_url` is no address of a web server."""
        import httpx  # a third of a second

        try:
            self._base = httpx.URL(base_url.rstrip("/"))
        except httpx.InvalidURL as error:
            raise ValueError(f"{base_url!r} is no address: {error}; write it as {OEIS}") from None
        if self._base.scheme not in ("http", "https") or not self._base.host:
            raise ValueError(f"{base_url!r} is no address of a web server; write it as {OEIS}")
        self._pace_s = pace_s
        self._first_pause_s = first_pause_s
        self._told = told
        self._next_at = time.monotonic()
        self._failed_in_a_row = 0

    def __enter__(self) -> Self:
        import httpx

        headers = {"User-Agent": _user_agent(), "Accept": "application/json", "Accept-Encoding": "identity"}
        self._client = httpx.Client(headers=headers, timeout=_SILENCE_S, follow_redirects=False)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self._client.close()

    def read(self, number: str) -> tuple[str, bytes]:
        """The address and the JSON of one entry, asked for again where the failure may pass. Raises Unavailable."""
        url = f"{self._base}/search?q=id:{number}&fmt=json"
        try:
            body = self._persist(number, url)
        except Unavailable as error:
            self._failed_in_a_row += 1
            error.hopeless |= self._failed_in_a_row >= _FAILURES_IN_A_ROW
            raise
        self._failed_in_a_row = 0
        return url, body

    def _persist(self, number: str, url: str) -> bytes:
        for attempt in count(1):
            self._keep_pace()
            try:
                return self._attempt(url)
            except _Passing as failure:
                pause_s = self._pause_s(attempt, failure)
                self._told(f"{number}: {failure}; again in {pause_s:.0f} s")
                time.sleep(pause_s)
        raise AssertionError("there is always another attempt")

    def _pause_s(self, attempt: int, failure: _Passing) -> float:
        """How long to wait before the next attempt; raises Unavailable where none is worth it."""
        if attempt == ATTEMPTS:
            raise Unavailable(f"{failure} ({attempt} attempts)", hopeless=failure.nobody_there) from failure
        if failure.retry_after_s is None:
            return self._first_pause_s * 2.0 ** (attempt - 1)
        if failure.retry_after_s > LONGEST_PAUSE_S:
            wait = f"the server asks to be left alone for {failure.retry_after_s:.0f} s"
            raise Unavailable(f"{failure}; {wait}", hopeless=True) from failure
        return failure.retry_after_s

    def _keep_pace(self) -> None:
        time.sleep(max(0.0, self._next_at - time.monotonic()))
        self._next_at = time.monotonic() + self._pace_s

    def _attempt(self, url: str) -> bytes:
        with _explained():
            body = self._fetch(url)
        try:
            json.loads(body)
        except (ValueError, RecursionError):
            raise _Passing("the server sent something else than JSON") from None
        return body

    def _fetch(self, url: str, redirects: int = 0) -> bytes:
        with self._client.stream("GET", url) as response:
            if response.next_request is None:
                _check(response)
                return _body(response)
            target = response.next_request.url
        if redirects == _MOST_REDIRECTS or not self._is_same_host(target):
            raise Unavailable(f"the server sends us on to {str(target)[:100]!r}, where we do not go")
        return self._fetch(str(target), redirects + 1)

    def _is_same_host(self, url: httpx.URL) -> bool:
        """The same server; it may insist on encryption, and not take it away."""
        if url.scheme == "https" and self._base.scheme == "http":
            return url.host == self._base.host
        return (url.scheme, url.host, url.port) == (self._base.scheme, self._base.host, self._base.port)


class _Passing(Exception):
    """A failure that may pass. Where `nobody_there`, no server was reached."""

    def __init__(self, message: str, retry_after_s: float | None = None, nobody_there: bool = False) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s
        self.nobody_there = nobody_there


@contextmanager
def _explained() -> Iterator[None]:
    """What went wrong on the way to the server and back, as a failure that may pass."""
    import httpx

    try:
        yield
    except httpx.ConnectError as error:
        raise _Passing(f"no connection: {error}", nobody_there=True) from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise _Passing(f"{type(error).__name__}: {error}") from error


def _check(response: httpx.Response) -> None:
    if response.status_code in _PASSING:
        raise _Passing(f"status {response.status_code}", retry_after_s(response.headers.get("Retry-After")))
    if response.status_code != 200:
        raise Unavailable(f"status {response.status_code}")
    if response.headers.get("Content-Encoding", "identity") != "identity":  # it might be small and unpack to anything
        raise Unavailable("the server sent a compressed reply, which nobody asked for")


def _body(response: httpx.Response) -> bytes:
    content = bytearray()
    give_up_at = time.monotonic() + _LONGEST_BODY_S
    for chunk in response.iter_raw():
        content += chunk
        if len(content) > LARGEST_BYTES:
            raise Unavailable(f"the server sent more than {LARGEST_BYTES:,} bytes, which no entry has")
        if time.monotonic() > give_up_at:
            raise _Passing(f"the reply did not end within {_LONGEST_BODY_S:.0f} s")
    return bytes(content)


def _user_agent() -> str:
    from importlib.metadata import PackageNotFoundError, version

    name = "pytest-llmarith"
    try:
        return f"{name}/{version(name)}"
    except PackageNotFoundError:  # a copy that was never installed
        return name
