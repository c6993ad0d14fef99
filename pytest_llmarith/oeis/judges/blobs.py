"""Hidden data: what encoded and compressed texts hold, and the digits of long integers. It does not know terms.

Every decoder is tried on every text, some layers deep; what is decoded is capped, so a bomb stays small.
"""

from __future__ import annotations

import base64
import bz2
import lzma
import re
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

SHORTEST_BLOB = 16
_MOST_DECODED = 1 << 14
DEEPEST = 4

# Names that a program needs to get at hidden data; without one of them nothing is decoded here either.
UNPACKERS = frozenset({"from_bytes", "unpack", "iter_unpack", "unpack_from", "array", "memoryview", "cast"})
DECODERS = UNPACKERS | {
    *("base64", "binascii", "zlib", "lzma", "bz2", "gzip", "codecs", "pickle", "marshal", "importlib", "struct"),
    *("b64decode", "b85decode", "fromhex", "unhexlify", "decompress", "loads", "decode"),
    *("exec", "eval", "compile", "__import__", "getattr", "__builtins__", "globals"),
}

_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{16,}={0,2}")
_LAYOUTS = ("<b", "<h", ">h", "<H", ">H", "<i", ">i", "<I", ">I", "<q", ">q", "<Q", ">Q")
_MOST_BITS = 14_280  # about 4299 digits: `str` refuses more than 4300


class Blob(NamedTuple):
    """Bytes that came out of a text, by the decoders in `by`."""

    by: tuple[str, ...]
    data: bytes


def _base64(data: bytes) -> bytes:
    if not _BASE64.fullmatch(data):
        raise ValueError("no base64")
    plain = data.rstrip(b"=").translate(bytes.maketrans(b"-_", b"+/"))
    return base64.b64decode(plain + b"=" * (-len(plain) % 4))


def _decompressed(decompressor: Callable[[], zlib._Decompress]) -> Callable[[bytes], bytes]:
    return lambda data: decompressor().decompress(data, _MOST_DECODED)


_DECODERS: tuple[tuple[str, Callable[[bytes], bytes]], ...] = (
    ("base64", _base64),
    ("base32", base64.b32decode),
    ("hexadecimal", lambda data: bytes.fromhex(data.decode("ascii"))),
    ("base85", base64.b85decode),
    ("ascii85", base64.a85decode),
    ("zlib", _decompressed(lambda: zlib.decompressobj(zlib.MAX_WBITS | 32))),
    ("deflate", _decompressed(lambda: zlib.decompressobj(-zlib.MAX_WBITS))),
    ("bzip2", lambda data: bz2.BZ2Decompressor().decompress(data, _MOST_DECODED)),
    ("lzma", lambda data: lzma.LZMADecompressor(memlimit=1 << 26).decompress(data, _MOST_DECODED)),
)


def decoded(data: bytes, by: tuple[str, ...] = (), deepest: int = DEEPEST) -> Iterator[Blob]:
    """All that the data may be an encoding of, `deepest` layers deep, without the data itself."""
    if not SHORTEST_BLOB <= len(data) <= _MOST_DECODED or len(by) == deepest:
        return
    for name, decoder in _DECODERS:
        try:
            inside = decoder(data)
        except (ValueError, zlib.error, lzma.LZMAError, OSError, EOFError, struct.error):
            continue
        # Almost any bytes are the beginning of a deflate stream; what is hidden there is longer than nothing.
        if len(inside) >= SHORTEST_BLOB // 2 and inside != data:
            yield Blob((*by, name), inside)
            yield from decoded(inside, (*by, name), deepest)


def packed(data: bytes) -> Iterator[list[int]]:
    """The integers that the bytes hold, in every layout of `struct`."""
    yield [*data]
    for layout in _LAYOUTS:
        size = struct.calcsize(layout)
        whole = data[: len(data) // size * size]
        yield [value for (value,) in struct.iter_unpack(layout, whole)]


def digits(number: int, bases: Iterable[int]) -> Iterator[list[int]]:
    """The digits of a long integer in powers of two, powers of ten and `bases`, the last digit first."""
    number = abs(number)
    bits = f"{number:b}"[-_MOST_DECODED:]
    for width in (*range(1, 33), 40, 48, 64):
        yield [int(bits[max(0, end - width) : end], 2) for end in range(len(bits), 0, -width)]
    if number.bit_length() > _MOST_BITS:
        return
    decimal = str(number)
    for width in range(1, 31):
        yield [int(decimal[max(0, end - width) : end]) for end in range(len(decimal), 0, -width)]
    for base in bases:
        yield _in_base(number, base)


def _in_base(number: int, base: int) -> list[int]:
    found = []
    while number:
        number, digit = divmod(number, base)
        found.append(digit)
    return found
