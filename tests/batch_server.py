"""A server with batches in the form of OpenAI and of Anthropic, beside the single
questions of `llm_server`.

A question counts in `asked` when the batch with it is created, because it is billed
from then on.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import Any

from aiohttp import web

from tests.llm_server import Answer, Call, LlmServer

Lines = list[bytes]


@dataclass
class Made:
    """A batch; `end` is its status at the end, which comes after `polls` looks at
    it.
    """

    id: str
    calls: dict[str, Call]
    metadata: dict[str, str]
    end: str
    polls: int
    created_at: float = field(default_factory=time.time)
    form: str = "openai"
    rows: list[dict[str, Any]] = field(default_factory=list)

    @property
    def ended(self) -> bool:
        return self.polls <= 0


class BatchServer(LlmServer):
    """`happens` is called with each event before it is answered; if it returns True, no
    answer comes.

    The events are upload, create (before the batch exists), created, list, poll and
    download. `end` and `polls` are for the next batch, `change` may alter the lines of
    results, and `share` is the share of questions with an answer. Lists have pages of
    two batches; with `ignores_after`, always the first. `alter` is called with upload,
    create, list, poll or download and the answer, and returns what is sent instead,
    such as by one of `MISREAD` and `SHORT`.
    """

    def __init__(
        self, answer: Callable[[Call], Answer | str] = lambda call: Answer()
    ) -> None:
        super().__init__(answer)
        self.happens: Callable[[str], bool | None] = lambda event: None
        self.end, self.polls = "completed", 1
        self.errors: list[dict[str, Any]] = []
        self.has_error_file = False  # also without errors, as at Azure
        self.change: Callable[[Lines], Lines] = lambda lines: lines
        self.alter: Callable[[str, web.Response], web.Response] = lambda event, answer: (
            answer
        )
        self.share = 1.0
        self.ignores_after = False
        self.made: list[Made] = []
        self.events: list[str] = []
        self._files: dict[str, bytes] = {}
        self._numbers = count(1)

    def add_routes(self, app: web.Application) -> None:
        routes: dict[str, Callable[[web.Request], Any]] = {
            "POST /{any:.*}/messages/batches": self._create_messages,
            "GET /{any:.*}/messages/batches": self._list_messages,
            "GET /{any:.*}/messages/batches/{id}": self._poll_messages,
            "GET /{any:.*}/messages/batches/{id}/results": self._message_results,
            "POST /{any:.*}/messages/batches/{id}/cancel": self._cancel,
            "POST /{any:.*}/files": self._upload,
            "GET /{any:.*}/files/{id}/content": self._content,
            "GET /{any:.*}/batches/{id}/results": self._xai_results,
            "POST /{any:.*}/batches/{id}:cancel": self._cancel,
            **{
                f"{method} {path}{rest}": handler
                for path in ("/{any:.*}/batches", "/{any:.*}/batch/jobs")  # of Mistral
                for method, rest, handler in (
                    ("POST", "", self._create),
                    ("GET", "", self._list),
                    ("GET", "/{id}", self._poll),
                    ("POST", "/{id}/cancel", self._cancel),
                )
            },
        }
        for route, handler in routes.items():
            method, path = route.split()
            app.router.add_route(method, path, handler)

    # --- OpenAI's form ----------------------------------------------------------------

    async def _upload(self, request: web.Request) -> web.Response:
        form = await request.post()
        assert form["purpose"] == "batch"
        with form["file"].file as file:  # type: ignore[union-attr]
            content = file.read()
        await self._event("upload")
        name = f"file-{next(self._numbers)}"
        self._files[name] = content
        file = {
            "id": name,
            "object": "file",
            "bytes": 1,
            "created_at": 1,
            "filename": "in.jsonl",
            "purpose": "batch",
        }
        return self.alter("upload", web.json_response(file))

    async def _create(self, request: web.Request) -> web.Response:
        body = await request.json()
        file = (
            body["input_file_id"] if "input_file_id" in body else body["input_files"][0]
        )
        lines = [json.loads(line) for line in self._files[file].splitlines()]
        endpoint = body.get("endpoint", "/v1/chat/completions")
        assert {(line["method"], line["url"]) for line in lines} == {("POST", endpoint)}
        await self._event("create")
        metadata = (
            {"name": body["name"]} if "name" in body else body.get("metadata") or {}
        )
        made = self._make(
            [(line["custom_id"], line["body"]) for line in lines], metadata
        )
        made.form = (
            "xai"
            if "name" in body
            else "mistral"
            if "jobs" in request.path
            else "openai"
        )
        await self._event("created")
        return self.alter("create", web.json_response(self._openai(made)))

    async def _list(self, request: web.Request) -> web.Response:
        await self._event("list")
        page, has_more = self._page(
            request.query.get("after") or request.query.get("pagination_token")
        )
        listed = [self._openai(made) for made in page]
        if page and page[0].form == "xai":
            more = page[-1].id if has_more else None
            return self.alter(
                "list", web.json_response({"batches": listed, "pagination_token": more})
            )
        return self.alter(
            "list",
            web.json_response({"object": "list", "data": listed, "has_more": has_more}),
        )

    def _page(self, after: str | None) -> tuple[list[Made], bool]:
        newest = self.made[::-1]
        first = (
            0
            if after is None or self.ignores_after
            else [made.id for made in newest].index(after) + 1
        )
        return newest[first : first + 2], len(newest) > first + 2

    async def _poll(self, request: web.Request) -> web.Response:
        made = self._of(request)
        await self._event("poll")
        made.polls -= 1
        return self.alter("poll", web.json_response(self._openai(made)))

    async def _cancel(self, request: web.Request) -> web.Response:
        made = self._of(request)
        made.end, made.polls = "cancelled", 0
        is_openai = "messages" not in request.path
        return web.json_response(
            self._openai(made) if is_openai else self._message_batch(made)
        )

    async def _xai_results(self, request: web.Request) -> web.Response:
        made = self._of(request)
        results = [
            {
                "batch_request_id": row["custom_id"],
                "batch_result": {"response": {"chat": row["response"]["body"]}},
            }
            for row in self._rows(made)
        ]
        return web.json_response({"results": results, "pagination_token": None})

    async def _content(self, request: web.Request) -> web.Response:
        kind, _, id_ = request.match_info["id"].partition("-")
        made = next(made for made in self.made if made.id == id_)
        await self._event("download")
        rows = [
            row
            for row in self._rows(made)
            if (row["response"] or {}).get("status_code") == 200
        ]
        if kind == "errors":
            rows = [
                row
                for row in self._rows(made)
                if (row["response"] or {}).get("status_code") != 200
            ]
        return self._results(rows)

    def _rows(self, made: Made) -> list[dict[str, Any]]:
        made.rows = made.rows or list(self._made_rows(made))
        return made.rows

    def _made_rows(self, made: Made) -> Iterator[dict[str, Any]]:
        for number, (key, call) in enumerate(made.calls.items()):
            row = {"id": f"r-{key}", "custom_id": key, "response": None, "error": None}
            if number >= self.share * len(made.calls):
                yield row | {
                    "error": {
                        "code": f"batch_{made.end}",
                        "message": "not executed in 24 hours",
                    }
                }
                continue
            answer = self._of_call(call)
            response = {
                "status_code": answer.status,
                "request_id": "1",
                "body": json.loads(answer.payload(call)),
            }
            yield row | {"response": response}

    def _openai(self, made: Made) -> dict[str, Any]:
        status = made.end if made.ended else "in_progress"
        rows = [] if status in ("in_progress", "failed") else self._rows(made)
        good = sum((row["response"] or {}).get("status_code") == 200 for row in rows)
        if made.form == "xai":
            pending = 0 if made.ended else len(made.calls)
            state = {
                "num_requests": len(made.calls),
                "num_pending": pending,
                "num_success": good,
            }
            cancelled = {"cancel_time": "2026-11-23"} if made.end == "cancelled" else {}
            return {
                "batch_id": made.id,
                "name": made.metadata["name"],
                "state": state,
                **cancelled,
            }
        if made.form == "mistral":
            return {
                "id": made.id,
                "endpoint": "/v1/chat/completions",
                "status": "SUCCESS" if made.ended else "RUNNING",
                "created_at": int(made.created_at),
                "succeeded_requests": good,
                "total_requests": len(made.calls),
                "output_file": f"output-{made.id}" if good else None,
            }
        return {
            "id": made.id,
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "input_file_id": "file-1",
            "completion_window": "24h",
            "status": status,
            "created_at": int(made.created_at),
            "metadata": made.metadata or None,
            "output_file_id": f"output-{made.id}" if good else None,
            "error_file_id": f"errors-{made.id}"
            if len(rows) > good or self.has_error_file
            else None,
            "errors": {"object": "list", "data": self.errors}
            if self.errors and status == "failed"
            else None,
            "request_counts": {
                "total": len(made.calls),
                "completed": good,
                "failed": len(rows) - good,
            },
        }

    # --- Anthropic's form -------------------------------------------------------------

    async def _create_messages(self, request: web.Request) -> web.Response:
        body = await request.json()
        await self._event("create")
        made = self._make(
            [(one["custom_id"], one["params"]) for one in body["requests"]], {}
        )
        await self._event("created")
        return self.alter("create", web.json_response(self._message_batch(made)))

    async def _list_messages(self, request: web.Request) -> web.Response:
        await self._event("list")
        for made in self.made * ("after_id" not in request.query):
            made.polls -= 1
        page, has_more = self._page(request.query.get("after_id"))
        listed = {
            "data": [self._message_batch(made) for made in page],
            "has_more": has_more,
        }
        return self.alter("list", web.json_response(listed))

    async def _poll_messages(self, request: web.Request) -> web.Response:
        made = self._of(request)
        await self._event("poll")
        made.polls -= 1
        return self.alter("poll", web.json_response(self._message_batch(made)))

    async def _message_results(self, request: web.Request) -> web.Response:
        made = self._of(request)
        await self._event("download")
        return self._results(list(self._message_rows(made)))

    def _message_rows(self, made: Made) -> Iterator[dict[str, Any]]:
        for number, (key, call) in enumerate(made.calls.items()):
            answer = self._of_call(call)
            result: dict[str, Any] = {"type": "expired"}
            if made.end == "cancelled":
                result = {"type": "canceled"}
            elif number < self.share * len(made.calls) and answer.status >= 400:
                error = {
                    "type": "api_error"
                    if answer.status >= 500
                    else "invalid_request_error",
                    "message": "scripted",
                }
                result = {"type": "errored", "error": {"type": "error", "error": error}}
            elif number < self.share * len(made.calls):
                result = {"type": "succeeded", "message": message(answer, call)}
            yield {"custom_id": key, "result": result}

    def _message_batch(self, made: Made) -> dict[str, Any]:
        counts = dict.fromkeys(
            ("processing", "succeeded", "errored", "canceled", "expired"), 0
        )
        counts["succeeded" if made.ended else "processing"] = len(made.calls)
        return {
            "id": made.id,
            "type": "message_batch",
            "processing_status": "ended" if made.ended else "in_progress",
            "request_counts": counts,
            "created_at": datetime.fromtimestamp(made.created_at, UTC).isoformat(),
            "results_url": None,
        }

    # --- both -------------------------------------------------------------------------

    def _make(self, questions: list[tuple[str, Any]], metadata: dict[str, str]) -> Made:
        calls = {key: self._arrived(body, {}) for key, body in questions}
        self._count(-len(calls))
        made = Made(
            f"batch_{next(self._numbers)}", calls, metadata, self.end, self.polls
        )
        self.made.append(made)
        return made

    def _of(self, request: web.Request) -> Made:
        found = next(
            (made for made in self.made if made.id == request.match_info["id"]), None
        )
        if found is None:
            raise web.HTTPNotFound(
                text=json.dumps({"error": {"message": "no such batch"}}),
                content_type="application/json",
            )
        return found

    def _of_call(self, call: Call) -> Answer:
        answer = self._answer(call)
        return Answer(answer) if isinstance(answer, str) else answer

    def _results(self, rows: list[dict[str, Any]]) -> web.Response:
        lines = self.change([json.dumps(row).encode() for row in rows])
        return self.alter(
            "download", web.Response(body=b"".join(line + b"\n" for line in lines))
        )

    async def _event(self, event: str) -> None:
        self.events.append(event)
        if self.happens(event):
            await asyncio.sleep(3600)


# --- misbehaviour ---------------------------------------------------------------------

Fault = Callable[[web.Response], web.Response]


def times(
    most: float, event: str, fault: Fault
) -> Callable[[str, web.Response], web.Response]:
    """The fault in the first answers to an event, for `BatchServer.alter`."""
    numbers = count(1)
    return lambda what, answer: (
        fault(answer) if what == event and next(numbers) <= most else answer
    )


def status(code: int) -> Fault:
    """An error instead of the answer to a request that was carried out."""
    error = json.dumps({"error": {"type": "api_error", "message": f"scripted {code}"}})
    return lambda answer: web.Response(
        status=code, text=error, content_type="application/json"
    )


def body(content: bytes, content_type: str = "application/json") -> Fault:
    return lambda answer: web.Response(body=content, content_type=content_type)


def half_of_the_lines(answer: web.Response) -> web.Response:
    lines = _content(answer).splitlines(keepends=True)
    return web.Response(body=b"".join(lines[: len(lines) // 2]))


def cut_line(answer: web.Response) -> web.Response:
    return web.Response(body=_content(answer)[:-40])


def torn_gzip(share: float, tail: bytes = b"") -> Fault:
    """The beginning of compressed content, which is a clean response with
    `Content-Length`, and perhaps a tail.
    """

    def tear(answer: web.Response) -> web.Response:
        packed = gzip.compress(_content(answer), compresslevel=0)
        content = packed[: int(len(packed) * share)] + tail
        return web.Response(body=content, headers={"Content-Encoding": "gzip"})

    return tear


def in_progress(answer: web.Response) -> web.Response:
    """The state of a batch as if it had not ended."""
    batch = json.loads(_content(answer))
    name = "status" if "status" in batch else "processing_status"
    return web.json_response(batch | {name: "in_progress"})


def _content(answer: web.Response) -> bytes:
    assert isinstance(answer.body, bytes)
    return answer.body


MISREAD: dict[str, Fault] = {  # of status 200, instead of an answer of any kind
    "a page": body(b"<html>Sorry</html>", "text/html"),
    "a page that is called JSON": body(b"<html>Sorry</html>"),
    "nothing": body(b""),
    "no fields": body(b"{}"),
    "null": body(b"null"),
    "a list": body(b"[1]"),
    "an error": body(b'{"error": {"message": "busy"}}'),
    "torn gzip": torn_gzip(0.5),
    "bad gzip": torn_gzip(0.5, b"no gzip" * 100),
}
SHORT: dict[str, Fault] = {  # instead of results
    "half of the lines": half_of_the_lines,
    "a cut line": cut_line,
    "half of the gzip": torn_gzip(0.5),
}


def message(answer: Answer, call: Call) -> dict[str, Any]:
    """An answer as Anthropic's message."""
    tokens = answer.usage or {}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": call.body["model"],
        "content": [{"type": "text", "text": answer.text}],
        "stop_reason": "end_turn",
        "usage": {
            "input_tokens": tokens.get("prompt_tokens"),
            "output_tokens": tokens.get("completion_tokens"),
        },
    }
