"""A real OpenAI-compatible HTTP server on loopback, in a thread of its own, that
answers as a test tells it.

    with LlmServer(lambda call: Answer("42", status=429)) as server:
        ...  # talk to server.base_url
    assert server.asked["6 * 7"] == 2

It knows nothing of the package under test.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import web

PATIENCE_S = 120.0


class Gate:
    """Holds answers back until the test opens it."""

    def __init__(self) -> None:
        self._opened: Future[None] = Future()

    def open(self) -> None:
        if not self._opened.done():
            self._opened.set_result(None)

    async def passed(self) -> None:
        """Shielded: a client that hangs up must not shut the gate for the others."""
        await asyncio.shield(asyncio.wrap_future(self._opened))


@dataclass(frozen=True)
class Call:
    """One request as it arrived; `nth` counts the requests with this prompt, from 1."""

    prompt: str
    nth: int
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    path: str = ""


@dataclass(frozen=True)
class Answer:
    """What the server does with one request.

    `error` fills an OpenAI error body, `body` replaces the whole body as it is,
    `message` adds to the assistant's message, `more` to the body, `drip_s` is a pause
    after every byte of the body, `reset_after` cuts the connection after so many bytes.
    """

    text: str | None = "42"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    finish_reason: str = "stop"
    logprobs: Any = None
    reasoning: str | None = None
    message: Mapping[str, Any] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)
    usage: Mapping[str, Any] | None = field(default_factory=lambda: usage(7, 3))
    model: str | None = None
    fingerprint: str | None = None
    choices: int = 1
    error: Mapping[str, Any] | None = None
    body: bytes | None = None
    gate: Gate | None = None
    delay_s: float = 0.0
    drip_s: float = 0.0
    reset_after: int | None = None

    def payload(self, call: Call) -> bytes:
        if self.body is not None:
            return self.body
        if self.error is not None or self.status >= 400:
            return json.dumps(
                {"error": self.error or {"message": f"scripted {self.status}"}}
            ).encode()
        is_text = "prompt" in call.body
        said = self._text_completion(call) if is_text else self._completion(call)
        return json.dumps(said).encode()

    def _text_completion(self, call: Call) -> dict[str, Any]:
        """As `/v1/completions` answers."""
        said = self._completion(call) | {"id": "cmpl-1", "object": "text_completion"}
        for choice in said["choices"]:
            del choice["message"]
            choice["text"] = self.text
        return said

    def _completion(self, call: Call) -> dict[str, Any]:
        message = {"role": "assistant", "content": self.text, **self.message}
        if self.reasoning is not None:
            message["reasoning_content"] = self.reasoning
        choice = {"index": 0, "message": message, "finish_reason": self.finish_reason}
        if self.logprobs is not None:
            choice["logprobs"] = self.logprobs
        completion = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": self.model or call.body.get("model", "unknown"),
            "choices": [{**choice} for _ in range(self.choices)],
        }
        if self.fingerprint is not None:
            completion["system_fingerprint"] = self.fingerprint
        completion |= self.more
        return (
            completion
            if self.usage is None
            else completion | {"usage": dict(self.usage)}
        )


def usage(prompt: int, completion: int, reasoning: int | None = None) -> dict[str, Any]:
    """The token counts of a reply."""
    counts: dict[str, Any] = {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }
    if reasoning is not None:
        counts["completion_tokens_details"] = {"reasoning_tokens": reasoning}
    return counts


class LlmServer:
    """Serves between `with` and its end; `answer` is called once per request, in the
    server's thread.

    `answered` are the requests whose answer was sent to its last byte, so far as a
    server can know.
    """

    def __init__(
        self, answer: Callable[[Call], Answer | str] = lambda call: Answer()
    ) -> None:
        self._answer = answer
        self._changed = threading.Condition()
        self.requests: list[Call] = []
        self.answered: list[Call] = []
        self.asked: Counter[str] = Counter()
        self.in_flight = 0
        self.peak_in_flight = 0
        self.tokens: object = None  # what it says of its tokens, if it is known
        self.tokenized: list[Mapping[str, Any]] = []  # what was asked of them
        self.port = 0

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def wait_for_requests(self, count: int) -> None:
        """Return once so many requests have arrived in all."""
        self.wait_until(lambda: len(self.requests) >= count, f"{count} requests")

    def wait_until(self, condition: Callable[[], bool], wanted: str) -> None:
        """Return once something holds; it is looked at whenever a request comes or
        goes.
        """
        with self._changed:
            if not self._changed.wait_for(condition, PATIENCE_S):
                raise TimeoutError(
                    f"waited {PATIENCE_S} s for {wanted}: {len(self.requests)} came, {self.in_flight} stay"
                )

    def go_away(self, back_after_s: float | None = None) -> None:
        """Break every connection and refuse new ones, as a server that was killed; for
        any thread.
        """
        asyncio.run_coroutine_threadsafe(self._break_off(back_after_s), self._loop)

    def come_back(self) -> None:
        """Listen again, at the same port; not for the server's own thread."""
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(PATIENCE_S)

    def __enter__(self) -> Self:
        started: Future[int] = Future()
        self._loop = asyncio.new_event_loop()
        self._ended = asyncio.Event()
        self._thread = threading.Thread(
            target=self._run, args=(started,), name="llm-server"
        )
        self._thread.start()
        self.port = started.result(PATIENCE_S)
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join(PATIENCE_S)

    def _run(self, started: Future[int]) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve(started))

    async def _serve(self, started: Future[int]) -> None:
        app = web.Application(client_max_size=2**30)
        self.add_routes(app)
        app.router.add_post("/tokenize", self._tokenize)
        app.router.add_post(
            "/{path:.*}", self._handle
        )  # whatever the providers' protocols call it
        self._runner = web.AppRunner(
            app, handler_cancellation=True, shutdown_timeout=0.1
        )
        await self._runner.setup()
        await self._listen()
        started.set_result(self._runner.addresses[0][1])
        await self._ended.wait()
        await self._runner.cleanup()

    def add_routes(self, app: web.Application) -> None:
        """Answer other requests than single questions."""

    async def _tokenize(self, request: web.Request) -> web.Response:
        self.tokenized.append(await request.json())
        return web.json_response(
            self.tokens, status=404 if self.tokens is None else 200
        )

    async def _listen(self) -> None:
        site = web.TCPSite(self._runner, "127.0.0.1", self.port)
        await site.start()

    async def _break_off(self, back_after_s: float | None) -> None:
        for site in self._runner.sites:
            await site.stop()
        assert self._runner.server is not None
        for connection in self._runner.server.connections:
            if connection.transport is not None:
                connection.transport.abort()
        if back_after_s is not None:
            await asyncio.sleep(back_after_s)
            await self._listen()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        call = self._arrived(await request.json(), request.headers, request.path)
        try:
            return await self._respond(request, call)
        finally:
            self._count(-1)

    async def _respond(self, request: web.Request, call: Call) -> web.StreamResponse:
        answer = self._answer(call)
        answer = Answer(answer) if isinstance(answer, str) else answer
        if answer.gate is not None:
            await answer.gate.passed()
        await asyncio.sleep(answer.delay_s)
        payload = answer.payload(call)
        if answer.reset_after is not None:
            return await self._reset(
                request, answer.status, payload, answer.reset_after
            )
        headers = {
            "Content-Type": "application/json",
            "Content-Length": str(len(payload)),
            **answer.headers,
        }
        response = web.StreamResponse(status=answer.status, headers=headers)
        await response.prepare(request)
        for piece in _pieces(payload, answer.drip_s):
            await response.write(piece)
            await asyncio.sleep(answer.drip_s)
        await response.write_eof()
        self.answered.append(call)
        return response

    async def _reset(
        self, request: web.Request, status: int, payload: bytes, after: int
    ) -> web.StreamResponse:
        response = web.StreamResponse(
            status=status, headers={"Content-Length": str(len(payload))}
        )
        if after:
            await response.prepare(request)
            await response.write(payload[:after])
        if request.transport is not None:
            request.transport.abort()
        return response

    def _arrived(
        self, body: Mapping[str, Any], headers: Mapping[str, str], path: str = ""
    ) -> Call:
        prompt = prompt_in(body)
        self.asked[prompt] += 1
        call = Call(prompt, self.asked[prompt], body, headers, path)
        with self._changed:
            self.requests.append(call)
        self._count(+1)
        return call

    def _count(self, step: int) -> None:
        with self._changed:
            self.in_flight += step
            self.peak_in_flight = max(self.peak_in_flight, self.in_flight)
            self._changed.notify_all()


def prompt_in(body: Mapping[str, Any]) -> str:
    """What was asked; of protocols other than OpenAI's it is the whole body."""
    if isinstance(body.get("prompt"), str):  # of a completion
        return str(body["prompt"])
    messages = body.get("messages")
    content = messages[-1].get("content") if messages else None
    if (
        isinstance(content, list) and len(content) == 1 and "text" in content[0]
    ):  # Anthropic's
        content = content[0]["text"]
    return content if isinstance(content, str) else json.dumps(body)


def _pieces(payload: bytes, drip_s: float) -> list[bytes]:
    return (
        [payload]
        if not drip_s
        else [payload[at : at + 1] for at in range(len(payload))]
    )
