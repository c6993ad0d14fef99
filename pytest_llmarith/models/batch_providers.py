"""Batches at a provider: how they are created, found, watched and read.

There are two forms: OpenAI's, through litellm, and Anthropic's, whose batches litellm
cannot create. The bodies of their requests are what litellm would send for single
questions.
"""

from __future__ import annotations

import asyncio
import io
import json
import math
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NamedTuple, Protocol, TypeVar
from urllib.parse import quote

from pytest_llmarith.models.client import Client
from pytest_llmarith.models.httpx_guard import sent_once
from pytest_llmarith.models.provider_errors import UnusableResponse
from pytest_llmarith.models.providers import key_variable, provider_of
from pytest_llmarith.models.reservations import Batch, Messages
from pytest_llmarith.types import Model

_UPLOAD_S, _CALL_S = 600.0, 120.0
# between this machine's clock and a provider's, whose time zone may be wrong
_CLOCKS_S = 86_400
_MARKER = "the text of the question, 8f1d0c26"
_ANTHROPIC = {"anthropic-version": "2023-06-01"}
_NOT_ASKED = ("batch_expired", "request_timeout")  # OpenAI's codes
_MAY_PASS = (
    "api_error",
    "overloaded_error",
    "rate_limit_error",
    "timeout_error",
)  # Anthropic's
_T = TypeVar("_T")


class Unclear(Exception):
    """Whether a batch exists cannot be known; the message says what to do."""


class Undecided(Exception):
    """Whether a batch exists is known when other batches have ended; the message says
    how many.
    """


class ProviderError(Exception):
    """A provider refused a request or a question of a batch; 503 stands for a question
    that was not asked.
    """

    def __init__(
        self, message: str, status_code: int = 503, body: object = None
    ) -> None:
        super().__init__(message)
        self.status_code = status_code
        self.body = body


class State(NamedTuple):
    """A batch at its provider.

    `done` counts requests that have ended, `total` all; 0 if that is not known yet.

    `label` holds the intent, unless the provider keeps no metadata. If the batch has
    ended, `results` names what holds its rows, and `reason` says why questions may have
    no row, which may be asked again if `again` is set. With `too_long`, more tokens
    were waiting than the provider allows. A batch that is `completed` has a row for
    each of its questions; `replies` counts the requests with a response, None if the
    provider does not.
    """

    id: str
    ended: bool
    created_at: float
    total: int
    label: str = ""
    done: int = 0
    results: tuple[str, ...] = ()
    reason: str = ""
    again: bool = False
    too_long: bool = False
    completed: bool = False
    replies: int | None = None

    def lacking(self, *, without: int, replies: int, damaged: int) -> int:
        """How many rows the results of a batch that has ended lack by the provider's
        own word.

        The results have a number of `replies` and of `damaged` lines, and no row for a
        number of questions `without`.
        """
        if self.completed:
            return without
        if self.replies is None:
            return min(without, damaged)
        return max(0, self.replies - replies)


class Row(NamedTuple):
    """A line of the results: the body of a response, or an error."""

    key: str
    body: Mapping[str, Any] | None
    error: ProviderError | None = None


class BatchProvider(Protocol):
    """The batches of one provider.

    Methods raise what `provider_errors.diagnose` interprets.
    """

    _client: Client

    def __init__(self, client: Client) -> None:
        self._client = client

    async def find(
        self, batch: Batch, keys: Collection[str], known: Collection[str]
    ) -> str | None:
        """The id of a batch that was perhaps created; None if it was not.

        `known` are the ids of other batches.

        A batch without metadata is recognized by the questions in its results. Raises
        Undecided if such batches have not ended, and Unclear if several have these
        questions or the provider does not list all batches.
        """
        since, after = (batch.creating_at or 0) - _CLOCKS_S, None
        listed: dict[str, State] = {}
        found: list[str] = []
        while True:
            page, after = await self.listed(batch.model, after)
            for one in page:
                if batch.intent in one.label:
                    return one.id
            if after is not None and all(one.id in listed for one in page):
                raise Unclear("the pages of the list of batches there repeat")
            listed |= {one.id: one for one in page}
            if after is None:
                break
        young = [
            one
            for one in listed.values()
            if one.created_at >= since and not one.label and one.id not in known
        ]
        unnamed = [one for one in young if one.total in (0, batch.questions)]
        if running := sum(not one.ended for one in unnamed):
            raise Undecided(
                f"{running} batches of this size were begun there since then and have "
                f"not ended"
            )
        for one in unnamed:
            contents = [
                await self.result(batch.model, one, name) for name in one.results
            ]
            rows = [
                row
                for content in contents
                for line in lines_in(content)
                if (row := self.row(line))
            ]
            if not rows and one.lacking(without=batch.questions, replies=0, damaged=0):
                raise UnusableResponse(
                    f"the results of {one.id}, which may be this batch, cannot be read"
                )
            if rows and {row.key for row in rows} <= set(keys):
                found.append(one.id)
        if len(found) > 1:
            raise Unclear(f"{len(found)} batches there have these questions")
        return found[0] if found else None

    def row(self, line: bytes) -> Row | None:
        """A line of the results; None if it cannot be read."""
        try:
            row = self._read(json.loads(line))
        except Exception:  # damaged or hostile
            return None
        return row if isinstance(row.key, str) else None

    def line(self, key: str, body: str) -> bytes:
        """A question, with the JSON of its request, as a line of a batch."""

    async def upload(self, model: Model, lines: Collection[bytes]) -> Any:
        """Send the lines, which costs nothing; `create` gets the result."""

    async def create(self, model: Model, intent: str, uploaded: Any) -> State:
        """Create a batch. Only this request makes the provider ask the model."""

    async def listed(
        self, model: Model, after: str | None
    ) -> tuple[list[State], str | None]:
        """A page of the batches at the provider, and `after` for the next.

        Raises Unclear if it cannot be asked.
        """

    async def state(self, model: Model, id_: str) -> State: ...

    async def result(self, model: Model, state: State, name: str) -> bytes:
        """One of the results of a batch that has ended, with a row per line."""

    async def cancel(self, model: Model, id_: str) -> None: ...

    def _read(self, row: Any) -> Row: ...


def batch_provider(client: Client, model: Model) -> BatchProvider:
    """The provider of a model that `providers.without_batches` accepts."""
    return (
        Anthropic(client)
        if provider_of(model.target, os.environ) == "anthropic"
        else LikeOpenai(client)
    )


@contextmanager
def _reading() -> Iterator[None]:
    """Read an answer.

    Raises UnusableResponse if it has not the form of such an answer, as the page of a
    proxy.
    """
    try:
        yield
    except UnicodeEncodeError:  # an error of the request
        raise
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise UnusableResponse(
            "the answer cannot be read; it may be that of a proxy"
        ) from error
    except Exception as error:
        cause = error.__cause__ or error.__context__
        if isinstance(
            cause, UnusableResponse
        ):  # litellm and OpenAI's client call it a lost connection
            raise cause from error
        raise


def lines_in(content: bytes) -> Iterator[bytes]:
    """The lines of a result that are not empty."""
    return (line for line in io.BytesIO(content) if line.strip())


# --- requests -------------------------------------------------------------------------


def bodies(
    client: Client, model: Model, questions: Iterable[tuple[str, Messages]]
) -> Iterator[tuple[str, str]]:
    """The body of each question's single request, as JSON by key.

    litellm makes the first body for each system prompt, and the prompt is then
    replaced, because litellm takes milliseconds.
    """
    known: dict[str, str] = {}
    for key, messages in questions:
        prompt, system = messages[-1]["content"], json.dumps(messages[:-1])
        if not prompt or prompt != prompt.strip():  # litellm may change it
            yield key, _body(client, model, messages)
            continue
        if system not in known:
            known[system] = _body(
                client, model, [*messages[:-1], {**messages[-1], "content": _MARKER}]
            )
        yield key, known[system].replace(json.dumps(_MARKER), json.dumps(prompt))


def _body(client: Client, model: Model, messages: Messages) -> str:
    raw = _raw_request(client, model, messages)
    if "messages" not in (body := raw.get("raw_request_body") or {}):
        raise ProviderError(
            str(
                raw.get("error")
                or "litellm asks this model at another endpoint, without batches"
            ),
            400,
        )
    more = body.pop("extra_body", None) or {}  # OpenAI's client merges it
    return json.dumps({**body, **more})


def _raw_request(client: Client, model: Model, messages: Messages) -> Any:
    """The single request that litellm would send."""
    litellm = client.litellm
    arguments = {
        **model.params,
        "model": model.target,
        "messages": messages,
        "max_retries": 0,
    }
    if model.api_base is not None:
        arguments["api_base"] = model.api_base
    return litellm.utils.return_raw_request(
        litellm.types.utils.CallTypes.completion, arguments
    )


# --- OpenAI's form --------------------------------------------------------------------


class LikeOpenai(BatchProvider):
    """A file of requests is uploaded; a batch of it has metadata, by which it is found
    again.
    """

    def line(self, key: str, body: str) -> bytes:
        fields = (
            f'"custom_id": {json.dumps(key)}, "method": "POST", "url": '
            f'"/v1/chat/completions", "body": {body}'
        )
        return f"{{{fields}}}\n".encode()

    async def upload(self, model: Model, lines: Collection[bytes]) -> Any:
        file = ("llmarith.jsonl", b"".join(lines))
        return await self._call(
            "acreate_file", model, _file_id, _UPLOAD_S, file=file, purpose="batch"
        )

    async def create(self, model: Model, intent: str, uploaded: Any) -> State:
        with sent_once():
            return await self._call(
                "acreate_batch",
                model,
                _state,
                completion_window="24h",
                endpoint="/v1/chat/completions",
                input_file_id=uploaded,
                metadata={
                    "llmarith": intent,
                    "name": f"llmarith-{intent}",
                },  # xAI keeps the name only
            )

    async def listed(
        self, model: Model, after: str | None
    ) -> tuple[list[State], str | None]:
        if provider_of(model.target, os.environ) == "mistral":
            raise Unclear("litellm cannot list batches of Mistral; look for it there")
        return await self._call(
            "alist_batches", model, _page, after=after, limit=100
        )  # for Azure litellm drops both

    async def state(self, model: Model, id_: str) -> State:
        return await self._call("aretrieve_batch", model, _state, batch_id=id_)

    async def result(self, model: Model, state: State, name: str) -> bytes:
        return await self._call(
            "afile_content", model, _content, _UPLOAD_S, file_id=name
        )

    def _read(self, row: Any) -> Row:
        response = row.get("response") or {}
        if response.get("status_code") == 200:
            return Row(row["custom_id"], dict(response["body"]))
        body = response.get("body") or {}
        error = (
            (body.get("error") if isinstance(body, dict) else body)
            or row.get("error")
            or "no reason given"
        )
        code, message = (
            (error.get("code"), error.get("message"))
            if isinstance(error, dict)
            else (None, error)
        )
        status = response.get("status_code") or (503 if code in _NOT_ASKED else 400)
        return Row(
            row["custom_id"],
            None,
            ProviderError(str(message or code), int(status), error),
        )

    async def cancel(self, model: Model, id_: str) -> None:
        await self._call("acancel_batch", model, _state, batch_id=id_)

    async def _call(
        self,
        name: str,
        model: Model,
        read: Callable[[Any], _T],
        timeout_s: float = 0.0,
        **arguments: Any,
    ) -> _T:
        """Call litellm without retries, as a second `create` would be a second batch,
        and `read` its answer.
        """
        timeout_s = timeout_s or _CALL_S
        provider = provider_of(model.target, os.environ)
        key = os.environ.get(key_variable(model.target, os.environ) or "") or (
            "none" if model.api_base else None
        )
        more: dict[str, Any] = {
            "api_base": model.api_base,
            "api_key": key,
            "api_version": None,
        }
        more |= {
            name: model.params[name]
            for name in ("api_version", "organization")
            if name in model.params
        }
        if provider == "mistral":
            more["model"] = model.target
        call = getattr(self._client.litellm, name)
        async with asyncio.timeout(timeout_s):
            with _reading():
                answer = await call(
                    **arguments,
                    **{
                        name: value for name, value in more.items() if value is not None
                    },
                    custom_llm_provider=provider,
                    timeout=timeout_s,
                    max_retries=0,
                    litellm_metadata={
                        "batch_ignore_default_logging": True
                    },  # else it downloads results for its log
                )
                return read(answer)


def _file_id(file: Any) -> str:
    return _written(file.id)


def _content(file: Any) -> bytes:
    content: bytes = file.content
    return content


def _page(page: Any) -> tuple[list[State], str | None]:
    states = [_state(one) for one in page.data]
    token = getattr(page, "next_page_token", None)  # of xAI
    return states, (token or states[-1].id) if page.has_more else None


def _state(batch: Any) -> State:
    """The state of litellm's batch."""
    errors = [error for error in getattr(batch.errors, "data", None) or ()]
    said = "; ".join(
        dict.fromkeys(str(error.message or error.code) for error in errors[:3])
    )
    reasons = {
        "expired": "the batch expired",
        "cancelled": "the batch was cancelled",
        "failed": f"the batch failed: {said or 'no reason given'}",
    }
    status, counts = _written(batch.status), batch.request_counts
    replies, failed = (counts.completed or 0, counts.failed or 0) if counts else (0, 0)
    output = batch.output_file_id
    if not output and replies and set(batch.metadata or ()) == {"name"}:
        output = (
            batch.id
        )  # for xAI, of which litellm names the results of completed batches only
    return State(
        id=_written(batch.id),
        ended=status == "completed" or status in reasons,
        created_at=batch.created_at or math.inf,
        total=(counts and counts.total) or 0,
        label=" ".join(map(str, (batch.metadata or {}).values())),
        done=replies + failed,
        results=tuple(file for file in (output, batch.error_file_id) if file),
        reason=reasons.get(status, ""),
        again=status == "expired",
        too_long=status == "failed"
        and any(error.code == "token_limit_exceeded" for error in errors),
        completed=status == "completed",
        replies=replies if counts else None,
    )


def _written(text: Any) -> str:
    """A text of an answer. Raises ValueError if it is none."""
    if not isinstance(text, str) or not text:
        raise ValueError
    return text


# --- Anthropic's form -----------------------------------------------------------------


class Anthropic(BatchProvider):
    """A batch is created by one request, and has no metadata: it is found again by its
    questions.
    """

    def line(self, key: str, body: str) -> bytes:
        return f'{{"custom_id": {json.dumps(key)}, "params": {body}}}'.encode()

    async def upload(self, model: Model, lines: Collection[bytes]) -> Any:
        return b'{"requests": [' + b",".join(lines) + b"]}"

    async def create(self, model: Model, intent: str, uploaded: Any) -> State:
        raw = _raw_request(self._client, model, [{"role": "user", "content": _MARKER}])
        headers = raw.get("raw_request_headers") or {}
        beta = {
            name: value
            for name, value in headers.items()
            if name.lower() == "anthropic-beta"
        }
        request = {"content": uploaded, "timeout": _UPLOAD_S, "headers": beta}
        return await self._json("POST", model, "", _anthropic_state, **request)

    async def listed(
        self, model: Model, after: str | None
    ) -> tuple[list[State], str | None]:
        params = {"limit": "100"} | ({"after_id": after} if after else {})
        return await self._json("GET", model, "", _anthropic_page, params=params)

    async def state(self, model: Model, id_: str) -> State:
        return await self._json(
            "GET", model, f"/{quote(id_, safe='')}", _anthropic_state
        )

    async def result(self, model: Model, state: State, name: str) -> bytes:
        response = await self._send(
            "GET", model, f"/{quote(state.id, safe='')}/{name}", timeout=_UPLOAD_S
        )
        return _content(response)

    def _read(self, row: Any) -> Row:
        key, result = row["custom_id"], row["result"]
        kind = result["type"]
        if kind == "succeeded":
            return Row(key, dict(result["message"]))
        if kind != "errored":
            status = {"canceled": 400, "expired": 503}[kind]
            return Row(key, None, ProviderError(f"the batch was {kind}", status))
        error = result["error"].get("error") or result["error"]
        status = 500 if error.get("type") in _MAY_PASS else 400
        return Row(key, None, ProviderError(str(error["message"]), status, error))

    async def cancel(self, model: Model, id_: str) -> None:
        await self._json(
            "POST", model, f"/{quote(id_, safe='')}/cancel", _anthropic_state
        )

    async def _json(
        self,
        method: str,
        model: Model,
        path: str,
        read: Callable[[Any], _T],
        **request: Any,
    ) -> _T:
        response = await self._send(method, model, path, **request)
        with _reading():
            return read(response.json())

    async def _send(self, method: str, model: Model, path: str, **request: Any) -> Any:
        import httpx

        _ = (
            self._client.litellm
        )  # its import guards httpx, which then raises Refused for an error
        base = (
            (model.api_base or "https://api.anthropic.com")
            .rstrip("/")
            .removesuffix("/v1/messages")
        )
        if not (key := os.environ.get("ANTHROPIC_API_KEY")):
            raise ProviderError("Missing Anthropic API Key", 401)
        headers = {
            "x-api-key": key,
            "content-type": "application/json",
            **_ANTHROPIC,
            **request.pop("headers", {}),
        }
        async with httpx.AsyncClient(timeout=request.pop("timeout", _CALL_S)) as http:
            return await http.request(
                method, f"{base}/v1/messages/batches{path}", headers=headers, **request
            )


def _anthropic_page(page: Any) -> tuple[list[State], str | None]:
    states = [_anthropic_state(one) for one in page["data"]]
    return states, states[-1].id if page["has_more"] else None


def _anthropic_state(batch: Any) -> State:
    """A batch that has ended has a row for each of its questions, also for those that
    expired or were cancelled.
    """
    counts = batch.get("request_counts") or {}
    ended = _written(batch["processing_status"]) == "ended"
    return State(
        id=_written(batch["id"]),
        ended=ended,
        created_at=datetime.fromisoformat(batch["created_at"]).timestamp(),
        total=sum(counts.values()),
        done=sum(count for name, count in counts.items() if name != "processing"),
        results=("results",) if ended else (),
        completed=ended,
    )
