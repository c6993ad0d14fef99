"""A zygote and the socket to it. What it says is not trusted: a wrong word, or none, and it is gone."""

from __future__ import annotations

import socket
import struct
import subprocess
import time
from dataclasses import dataclass
from typing import Self

from pytest_llmarith.sandbox import jail, parcel
from pytest_llmarith.sandbox.inside import wire
from pytest_llmarith.values import Level, ProgramLimits

_START_S = 30.0
_GRACE_S = 5.0
_END_S = 2.0
_NS = 1e-9


class ZygoteLost(Exception):
    """A zygote died, hung or babbled over a term."""


@dataclass(frozen=True, slots=True)
class Answer:
    """How a term ended: a code of `inside.wire`, and an exit status or a signal; and whether its zygote ends, too."""

    code: int
    number: int
    ends: bool
    seconds: float
    wall_s: float
    cpu_s: float
    waited_s: float
    stdout: bytes
    stderr: bytes


class Conversation:
    """The zygote of one program: started when first asked, and again after it was lost or has ended."""

    def __init__(self, level: Level, program: str, limits: ProgramLimits) -> None:
        self._level = level
        self._limits = limits
        self._parcel = parcel.pack(level, program, limits)
        self._zygote: _Zygote | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def ask(self, stdin: bytes, stop_s: float, patience_s: float) -> Answer:
        """Run one term; raises ZygoteLost, and OSError where no zygote starts or none can lock a term in."""
        if self._zygote is None:
            self._zygote = _Zygote(self._level, self._parcel)
        try:
            answer = self._zygote.ask(stdin, stop_s, patience_s, self._limits)
        except BaseException:
            self._end()
            raise
        if answer.ends:
            self._end()
        return answer

    def _end(self) -> None:
        if self._zygote is not None:
            self._zygote.end()
            self._zygote = None


class _Zygote:
    def __init__(self, level: Level, parcel: bytes) -> None:
        self._socket, control = socket.socketpair()
        try:
            with control:
                self._process = jail.start(level, control.fileno())
        except BaseException:
            self._socket.close()
            raise
        try:
            self._introduce(parcel)
        except BaseException:
            self.end()
            raise

    def ask(self, stdin: bytes, stop_s: float, patience_s: float, limits: ProgramLimits) -> Answer:
        until = time.monotonic() + max(patience_s, stop_s * wire.SLOWEST) + _GRACE_S
        try:
            self._send(wire.REQUEST.pack(stop_s, patience_s, len(stdin)) + stdin, until)
            answer = self._answer(limits, until)
        except (OSError, struct.error) as error:
            raise ZygoteLost(f"{error}") from None
        if answer.code == wire.NOT_CONFINED:
            raise OSError(f"a program could not be locked in: {answer.stderr.decode('utf-8', 'replace')}")
        return answer

    def end(self) -> None:
        """Leave nothing behind: a zygote goes when its socket does, else it is made to."""
        self._socket.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _introduce(self, parcel: bytes) -> None:
        until = time.monotonic() + _START_S
        try:
            self._send(wire.LENGTH.pack(len(parcel)) + parcel, until)
            ready, length = wire.GREETING.unpack(self._receive(wire.GREETING.size, until))
            trouble = self._receive(length, until).decode("utf-8", "replace")
        except OSError as error:
            raise OSError(f"the sandbox does not start: {self._last_words() or error}") from None
        if not ready:
            raise OSError(f"the sandbox does not start: {trouble}")

    def _answer(self, limits: ProgramLimits, until: float) -> Answer:
        fields = self._receive(wire.ANSWER.size, until)
        code, number, ends, counted, wall, cpu, waited, of_stdout, of_stderr = wire.ANSWER.unpack(fields)
        if code not in wire.CODES or of_stdout > limits.stdout_bytes or of_stderr > max(limits.stderr_bytes, 1000):
            raise ConnectionError("an answer that makes no sense")
        stdout = self._receive(of_stdout, until)
        stderr = self._receive(of_stderr, until)
        return Answer(code, number, ends, counted * _NS, wall * _NS, cpu * _NS, waited * _NS, stdout, stderr)

    def _send(self, message: bytes, until: float) -> None:
        self._socket.settimeout(max(0.001, until - time.monotonic()))
        self._socket.sendall(message)

    def _receive(self, length: int, until: float) -> bytes:
        parts = bytearray()
        while len(parts) < length:
            self._socket.settimeout(max(0.001, until - time.monotonic()))
            part = self._socket.recv(length - len(parts))
            if not part:
                raise ConnectionError("it ended without a word")
            parts += part
        return bytes(parts)

    def _last_words(self) -> str:
        """What the jail's own tools complained of, in one line."""
        self._process.kill()
        assert self._process.stdout is not None
        words = self._process.stdout.read(10_000).decode("utf-8", "replace").strip().splitlines()
        return words[-1] if words else ""
