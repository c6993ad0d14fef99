"""llama.cpp's servers of a run, one for each model file, and the client that asks them.

They run in processes of their own, which end with the broker's process. Their addresses
and keys are new in each run and stay in the broker's process: records, keys of the
store and messages have the address of the file instead.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from msgspec import structs

from pytest_llmarith.installation import install_extra
from pytest_llmarith.models import redact
from pytest_llmarith.models.asking import ModelTerms
from pytest_llmarith.models.model_file import free_memory
from pytest_llmarith.models.provider_errors import (
    NoConnection,
    NotSent,
    is_connection_lost,
)
from pytest_llmarith.records import Reply
from pytest_llmarith.types import Model, ModelFile, Price, Prompt

READY_S = 60.0
_KEY_VARIABLE = (
    "LLMARITH_SERVER_KEY"  # messages hide the values of variables with such names
)
_LONGEST_WORDS = 300
_GB = 1e9


class ServerError(Exception):
    """A server cannot be started or has ended; the message is one line."""


class LlamaServer:
    """llama.cpp's server for one file.

    It is started on the main thread, with which it would be killed.
    """

    def __init__(self, file: ModelFile, key: str) -> None:
        self._file = file
        self._key = key
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115  # `close` closes it
        self._process: asyncio.subprocess.Process | None = None
        self.address = ""

    async def start(self) -> None:
        """Wait until the server is ready. Raises ServerError."""
        name = Path(self._file.path).name
        if find_spec("xllamacpp") is None:
            raise ServerError(
                f"{name}: llama.cpp's server is not installed; install it: "
                f"{install_extra('gguf')}"
            )
        free = free_memory()
        if free is not None and self._file.memory_bytes > free:
            needed = self._file.memory_bytes / _GB
            raise ServerError(
                f"{name}: {self._file.slots} slots of {self._file.context:,} tokens "
                f"take about {needed:.1f} GB of memory, and {free / _GB:.1f} GB are "
                f"free; write a smaller slots= or context=, or take a smaller file"
            )
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "pytest_llmarith.models.llama_server"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        said = {
            "path": self._file.path,
            "key": self._key,
            "context": self._file.context,
            "slots": self._file.slots,
            "threads": self._file.threads,
            "batch": self._file.batch,
        }
        self._process.stdin.write(f"{json.dumps(said)}\n".encode())
        try:
            async with asyncio.timeout(READY_S):
                line = await self._process.stdout.readline()
        except TimeoutError:
            raise ServerError(
                f"llama.cpp's server is not ready after {READY_S:g} s: "
                f"{self.last_words()}"
            ) from None
        self.address = line.decode("utf-8", "replace").strip()
        if not self.address:
            await self._process.wait()
            raise ServerError(self.last_words())

    @property
    def has_ended(self) -> bool:
        return self._process is not None and self._process.returncode is not None

    def last_words(self) -> str:
        """How the server ended, and its first error or else its last line, in one
        line.
        """
        self._stderr.seek(0)
        printed = self._stderr.read().decode("utf-8", "replace")
        said = "it says nothing"
        for line in printed.splitlines():
            _, is_error, error = line.strip().partition(" E ")
            if is_error:
                said = error
                break
            if line.strip():
                said = line.strip()
        words = redact.one_line(said, os.environ)[:_LONGEST_WORDS]
        name = Path(self._file.path).name
        status = self._process.returncode if self._process else None
        if status is None:
            return f"{name}: {words}"
        if status < 0:
            return (
                f"{name}: llama.cpp's server was killed by signal {-status}, maybe "
                f"for want of memory: {words}"
            )
        return f"{name}: llama.cpp's server ended with status {status}: {words}"

    async def close(self) -> None:
        """Kill the process."""
        if self._process is not None:
            with suppress(ProcessLookupError):  # it has ended
                self._process.kill()
            await self._process.wait()
        self._stderr.close()


class Direct(Protocol):
    """The way to a server of one's own."""

    def prepare(self) -> None: ...
    def unknown_parameter(self, model: Model) -> str | None: ...
    async def request(
        self, model: Model, prompt: Prompt, timeout_s: float
    ) -> Reply: ...


class LlamaClient:
    """The way to models of a file: servers of this run, which are asked directly."""

    def __init__(self, direct: Direct) -> None:
        self._direct = direct
        self._servers: dict[ModelFile, LlamaServer] = {}
        self._starting = asyncio.Lock()
        self._failed: dict[ModelFile, str] = {}
        self._key = secrets.token_hex(16)

    async def serve(self, files: Iterable[ModelFile]) -> str | None:
        """Start the servers of these files; returns why one cannot be started, or
        None.
        """
        try:
            for file in files:
                await self._server(file)
        except ServerError as error:
            return str(error)
        return None

    def prepare(self) -> None:
        self._direct.prepare()

    def terms(self, model: Model) -> ModelTerms:
        """A file costs nothing."""
        return ModelTerms(Price(0.0, 0.0))

    def unknown_parameter(self, model: Model) -> str | None:
        return self._direct.unknown_parameter(model)

    async def request(self, model: Model, prompt: Prompt, timeout_s: float) -> Reply:
        """Send one request. Raises the errors of `provider_errors`."""
        assert model.file is not None
        try:
            server = await self._server(model.file)
        except ServerError as error:
            raise NotSent(str(error)) from None
        headers = {
            **model.params.get("extra_headers", {}),
            "Authorization": f"Bearer {self._key}",
        }
        served = replace(
            model,
            target=f"openai/{model.target.partition('/')[2]}",
            api_base=f"{server.address}/v1",
            params={**model.params, "extra_headers": headers},
            file=None,
        )
        try:
            reply = await self._direct.request(served, prompt, timeout_s)
        except Exception as error:
            if server.has_ended:
                raise NotSent(server.last_words()) from None
            if is_connection_lost(error):
                raise NoConnection(
                    "llama.cpp's server closed the connection", sent=True
                ) from None
            raise
        return structs.replace(reply, cost_usd=0.0)

    async def close(self) -> None:
        for server in self._servers.values():
            await server.close()

    async def _server(self, file: ModelFile) -> LlamaServer:
        """The server of a file, which is started once. Raises ServerError."""
        async with self._starting:
            if file in self._failed:
                raise ServerError(self._failed[file])
            if file not in self._servers:
                _keep_from_proxies()
                os.environ[_KEY_VARIABLE] = self._key
                self._servers[file] = LlamaServer(file, self._key)
                try:
                    await self._servers[file].start()
                except ServerError as error:
                    self._failed[file] = str(error)
                    await self._servers.pop(file).close()
                    raise
            return self._servers[file]


def _keep_from_proxies() -> None:
    """Ask servers of this run directly, although a proxy may be set."""
    for name in ("no_proxy", "NO_PROXY"):
        hosts = os.environ.get(name, "")
        os.environ[name] = f"{hosts},127.0.0.1" if hosts else "127.0.0.1"
