"""A real HTTP server on loopback, in a thread of its own, that speaks the OEIS's JSON
interface as a test tells it.

    with Site(lambda call: Answer(entry(call.number))) as site:
        ...  # talk to site.base_url
    assert site.asked["A000045"] == 2

It knows nothing of the package under test.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit


def fields(number: str, /, **changes: Any) -> dict[str, Any]:
    """An entry of our own as the interface gives it, with some fields changed; None
    leaves a field out.
    """
    entry = {
        "number": int(number[1:]),
        "data": "0,1,1,2,3,5,-8",
        "name": f"Made for tests: {number}.",
        "comment": ["First.", "  Second, indented."],
        "offset": "0,4",
        "keyword": "sign,easy",
        "author": "nobody",
    }
    return {
        name: value for name, value in (entry | changes).items() if value is not None
    }


def entry(number: str, /, **changes: Any) -> bytes:
    return json.dumps([fields(number, **changes)]).encode()


@dataclass(frozen=True)
class Call:
    """One request as it arrived; `nth` counts the requests for this number, from 1."""

    number: str
    nth: int
    path: str
    headers: Mapping[str, str]
    at: float


@dataclass(frozen=True)
class Answer:
    """What the server does with one request; `cut` announces more bytes than it
    sends.
    """

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False


class Site:
    """Runs within its `with` block; `calls` holds all requests in the order of their
    arrival.
    """

    def __init__(
        self, answer: Callable[[Call], Answer] = lambda call: Answer(entry(call.number))
    ) -> None:
        self._answer = answer
        self.asked: Counter[str] = Counter()
        self.calls: list[Call] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.01,), daemon=True
        )

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                query = parse_qs(urlsplit(self.path).query)
                number = query.get("q", ["id:?"])[0].removeprefix("id:")
                site.asked[number] += 1
                call = Call(
                    number,
                    site.asked[number],
                    self.path,
                    dict(self.headers),
                    time.monotonic(),
                )
                site.calls.append(call)
                answer = site._answer(call)
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body) + answer.cut))
                self.end_headers()
                with suppress(OSError):  # the client may have seen enough
                    self.wfile.write(answer.body)

            def log_message(self, *_: object) -> None:
                pass

        return Handler
