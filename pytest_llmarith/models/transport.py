"""What a connection may bring to one of our requests: nothing of another host's, and nothing without end.

httpx follows a redirect with every header but `Authorization`, and providers take keys in others. It also reads, and
inflates, for as long as something comes. litellm and the SDKs below it all send through `AsyncClient.send`, and leave
no other place that is the same for each of them. Importing this module imports httpx: only the client does it.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import cache, partial, wraps
from typing import Any

import httpx

from pytest_llmarith.models.our_requests import in_our_request
from pytest_llmarith.models.patience.failures import EndlessResponse, Redirected, UnusableResponse

LARGEST = 2**25  # bytes, inflated; a hundred times what models write at most
_PIECE = 2**16

_Send = Callable[..., Awaitable[httpx.Response]]


@cache
def install() -> None:
    """Once. Whoever else uses httpx in this process sees no difference."""
    httpx.AsyncClient.send = _careful(httpx.AsyncClient.send)  # type: ignore[method-assign]  # see above


def _careful(send: _Send) -> Any:
    @wraps(send)
    async def sent(client: httpx.AsyncClient, request: httpx.Request, *, stream: bool = False, **how: Any) -> Any:
        if not in_our_request():
            return await send(client, request, stream=stream, **how)
        request.headers["Accept-Encoding"] = "gzip"  # what else there is cannot be inflated piece by piece
        response = await _arrived(send, client, request, {**how, "stream": True, "follow_redirects": False})
        try:
            response.stream = _Body(response)
            if not stream:
                await response.aread()
        except BaseException:
            await response.aclose()
            raise
        return response

    return sent


async def _arrived(send: _Send, client: httpx.AsyncClient, request: httpx.Request, how: Any) -> httpx.Response:
    """The response at the end of all redirects, which lead to no other host."""
    for _ in range(1 + client.max_redirects):
        response = await send(client, request, **how)
        if (following := response.next_request) is None:
            return response
        await response.aclose()
        _refuse_another_host(request.url, following.url)
        request = following
    raise httpx.TooManyRedirects(f"redirected {client.max_redirects} times", request=request)


def _refuse_another_host(asked: httpx.URL, named: httpx.URL) -> None:
    """The same host may have moved to https."""
    if (named.host, named.port) != (asked.host, asked.port) or named.scheme not in (asked.scheme, "https"):
        there = f"{named.scheme}://{named.netloc.decode('ascii', 'replace')}"
        raise Redirected(f"redirected to {there}, where no key is sent; if that is right, give it as --llm-api-base")


class _Body(httpx.AsyncByteStream):
    """A response's body, inflated; httpx would inflate a piece whatever comes of it."""

    def __init__(self, response: httpx.Response) -> None:
        assert isinstance(response.stream, httpx.AsyncByteStream)
        self._packed = response.stream
        self._inflate = _inflating(response.headers.pop("Content-Encoding", "identity"))

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for packed in self._packed:
            for piece in self._inflate(packed):
                size += len(piece)
                if size > LARGEST:
                    raise EndlessResponse(f"the response is longer than {LARGEST:,} bytes")
                yield piece

    async def aclose(self) -> None:
        await self._packed.aclose()


def _inflating(encoding: str) -> Callable[[bytes], Iterator[bytes]]:
    """Whatever else a server says that it did is taken as it is, as httpx does: some say `utf-8`."""
    if encoding.strip().lower() not in ("gzip", "x-gzip"):
        return lambda packed: iter((packed,))
    return partial(_gunzipped, zlib.decompressobj(zlib.MAX_WBITS | 16))


def _gunzipped(gunzip: Any, packed: bytes) -> Iterator[bytes]:
    """A little at a time, however much there is in it."""
    try:
        while packed and not gunzip.eof:
            yield gunzip.decompress(packed, _PIECE)
            packed = gunzip.unconsumed_tail
    except zlib.error as error:
        raise UnusableResponse(f"the response cannot be inflated: {error}") from error
