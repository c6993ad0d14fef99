"""Guards the clients of httpx and its successor, through which litellm and its SDKs
send everything.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, aclosing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from pytest_llmarith.models.provider_errors import (
    NoConnection,
    NotSent,
    UnreadableHeader,
    UnusableResponse,
    connection_error,
)
from pytest_llmarith.models.responses import (
    ACCEPTED_ENCODING,
    Response,
    reply_body,
    results_body,
)


@dataclass
class Exchange:
    """What the transport has done for one request: whether it was sent, and the body of
    a usable response.
    """

    only_once: bool = False
    sent: bool = False
    answer: bytes | None = None


_exchange: ContextVar[Exchange | None] = ContextVar("exchange", default=None)


@contextmanager
def watched(exchange: Exchange) -> Iterator[None]:
    """Note in `exchange` what the transport does within the context."""
    token = _exchange.set(exchange)
    try:
        yield
    finally:
        _exchange.reset(token)


def sent_once() -> AbstractContextManager[None]:
    """Send at most one request, as a second one would create a second batch."""
    return watched(Exchange(only_once=True))


def guard_transports() -> None:
    """Guard each of them that is installed."""
    for name in ("httpx", "httpx2"):
        if find_spec(name) is not None:
            _guard(import_module(name))


@cache
def _guard(transport: Any) -> None:
    """Bound what `AsyncClient.send` reads, and raise the errors of `provider_errors`
    for all but a usable response.

    litellm gets neither the body of an error, which it would search and copy for
    seconds, nor an error after which it sends a request again. Redirects are refused,
    as the client would send keys in headers other than `Authorization` to their host.
    """
    original = transport.AsyncClient.send

    async def send(client: Any, request: Any, **how: Any) -> Any:
        exchange = _exchange.get()
        if exchange is not None:
            if exchange.only_once and exchange.sent:
                # The cause is in the context.
                raise UnusableResponse("the connection was lost")
            exchange.sent = True
        request.headers["Accept-Encoding"] = ACCEPTED_ENCODING
        try:
            response = await original(
                client, request, **{**how, "stream": True, "follow_redirects": False}
            )
            try:
                response._content = await _body(response)
            finally:
                await response.aclose()
        except (
            transport.UnsupportedProtocol,
            transport.LocalProtocolError,
            transport.InvalidURL,
        ) as error:
            raise NotSent(f"the request cannot be sent: {error}") from error
        except (transport.ConnectTimeout, transport.PoolTimeout) as error:
            raise NoConnection("timed out", sent=False) from error
        except transport.TimeoutException as error:
            raise TimeoutError from error
        except (transport.RequestError, OSError) as error:
            sent = not isinstance(error, transport.ConnectError)
            raise connection_error(error, sent=sent) from error
        except UnicodeError as error:  # a header of the response that is not ASCII
            raise UnreadableHeader(
                "a header of the response cannot be read: it is not ASCII"
            ) from error
        if exchange is not None:
            exchange.answer = response._content
        return response

    transport.AsyncClient.send = send


async def _body(response: Any) -> bytes:
    """The inflated body; only the results of a batch are read with GET."""
    request = response.request
    async with aclosing(response.aiter_raw()) as pieces:
        received = Response(
            response.status_code, response.headers, str(request.url), pieces
        )
        if request.method == "GET":
            return await results_body(received)
        return await reply_body(received)
