"""Reads the bodies of responses, bounded while they are inflated; raises what a
response is if it is no reply.
"""

from __future__ import annotations

import asyncio
import json
import re
import zlib
from collections.abc import AsyncIterable, Mapping
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import unquote, urljoin

from pytest_llmarith.models.error_bodies import error_in_reply, refusal
from pytest_llmarith.models.provider_errors import (
    EndlessResponse,
    Redirected,
    UnusableResponse,
)

LARGEST = 2**25  # bytes of a decompressed response, a hundred times the longest replies
LARGEST_RESULTS = 2**29  # bytes of the results of a batch
LARGEST_ERROR = 2**16  # bytes of an error that are read
# Others can be decompressed to any length at once.
ACCEPTED_ENCODING = "gzip"
_ERROR_S = 5.0  # to read them
_STEP = 2**16  # bytes that are inflated at once
_JSON = re.compile(rb"\s*[{\[]")
_REDIRECTS = (301, 302, 303, 307, 308)


class Response(NamedTuple):
    """A response whose header has arrived.

    `pieces` are those of its body, as they were sent; `address` was asked.
    """

    status: int
    headers: Mapping[str, str]
    address: str
    pieces: AsyncIterable[bytes]


async def reply_body(response: Response) -> bytes:
    """The inflated body of a reply, which begins like JSON, in UTF-8.

    Raises an error of `provider_errors` if it is none.
    """
    body = _as_utf8(b"".join(await _pieces(response, LARGEST)))
    if not _JSON.match(body):
        raise UnusableResponse("the response is no JSON object")
    if b'"error"' in body:
        with suppress(ValueError, RecursionError):  # who reads the reply says it
            refused = error_in_reply(json.loads(body), response.address)
            if refused is not None:
                raise refused
    return body


def _as_utf8(body: bytes) -> bytes:
    """JSON without a byte order mark; that in UTF-16 or UTF-32 is converted. Empty if
    it cannot be read.
    """
    encoding = json.detect_encoding(body)
    if encoding == "utf-8":
        return body
    try:
        return body.decode(encoding, "surrogatepass").encode("utf-8", "surrogatepass")
    except UnicodeError:
        return b""


async def results_body(response: Response) -> bytes:
    """The inflated results of a batch. Raises an error of `provider_errors`."""
    return b"".join(await _pieces(response, LARGEST_RESULTS))


async def _pieces(response: Response, most: int) -> list[bytes]:
    """The pieces of an inflated body.

    They are joined once, as copying megabytes takes long.
    """
    status, headers, address = response.status, response.headers, response.address
    place = headers.get("Location")
    if status in _REDIRECTS and place:
        following = unquote(urljoin(address, place))
        raise Redirected(
            f"redirected to {following}; if that is right, set --llm-api-base"
        )
    if status >= 400:
        body = await _beginning(response)
        raise refusal(status, headers, _as_utf8(body) or body, address)
    pieces: list[bytes] = []
    try:
        has_more = await _read(response, most, pieces)
    except zlib.error as error:
        raise UnusableResponse(
            f"the response cannot be decompressed: {error}"
        ) from error
    if has_more:
        raise EndlessResponse(f"the response is longer than {most:,} bytes")
    return pieces


async def _beginning(response: Response) -> bytes:
    """What arrives of the body of an error, which may be cut short, damaged or
    endless.
    """
    pieces: list[bytes] = []
    with suppress(Exception):
        async with asyncio.timeout(_ERROR_S):
            await _read(response, LARGEST_ERROR, pieces)
    return b"".join(pieces)[:LARGEST_ERROR]


async def _read(response: Response, most: int, pieces: list[bytes]) -> bool:
    """Add about the first `most` bytes of the inflated body; whether there are more.

    Raises zlib.error.

    A few kilobytes may inflate to many megabytes, so that other requests go on between
    the steps.
    """
    is_gzip = response.headers.get("Content-Encoding", "").strip().lower() == "gzip"
    inflater = zlib.decompressobj(wbits=31) if is_gzip else None
    size = 0
    async for piece in response.pieces:
        if inflater is None:
            pieces.append(piece)
        else:
            pieces.append(inflater.decompress(piece, _STEP))
        size += len(pieces[-1])
        while inflater is not None and inflater.unconsumed_tail and size <= most:
            await asyncio.sleep(0)
            pieces.append(inflater.decompress(inflater.unconsumed_tail, _STEP))
            size += len(pieces[-1])
        if size > most:
            return True
    if inflater is not None and not inflater.eof and pieces:
        raise zlib.error("it is incomplete")
    return False
