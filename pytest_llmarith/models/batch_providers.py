"""Batches at a provider: how they are created, found, watched and read.

There are two forms: OpenAI's, through litellm, and Anthropic's, whose batches litellm
cannot create.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol, TypeVar
from urllib.parse import quote

from pytest_llmarith.models.httpx_guard import sent_once
from pytest_llmarith.models.litellm_client import LitellmClient
from pytest_llmarith.models.provider_errors import UnusableResponse
from pytest_llmarith.models.providers import (
    key_variable,
    provider_of,
    unusable_key,
)
from pytest_llmarith.models.reservations import Batch
from pytest_llmarith.types import Model

_UPLOAD_S, _CALL_S = 600.0, 120.0
_ANTHROPIC = {"anthropic-version": "2023-06-01"}
_NOT_ASKED = ("batch_expired", "request_timeout")  # OpenAI's codes
# Anthropic's types of errors.
_MAY_PASS = ("api_error", "overloaded_error", "rate_limit_error", "timeout_error")
_T = TypeVar("_T")


class Unclear(Exception):
    """Whether a batch exists cannot be known; the message says what to do."""


class Undecided(Exception):
    """Whether a batch exists is known when other batches have ended.

    The message says how many.
    """


class ProviderError(Exception):
    """A provider refused a request or a question of a batch.

    503 stands for a question that was not asked.
    """

    def __init__(
        self, message: str, status_code: int = 503, body: object = None
    ) -> None:
        super().__init__(message)
        self.status_code = status_code
        self.body = body


class BatchState(NamedTuple):
    """A batch at its provider.

    `done` counts requests that have ended, `total` all; 0 if that is not known yet.

    `label` holds the intent, unless the provider keeps no metadata. If the batch has
    ended, `results` names what holds its rows, and `reason` says why questions may have
    no row. A batch that is `completed` has a row for each of its questions; `replies`
    counts the requests with a response, None if the provider does not.
    """

    id: str
    ended: bool
    total: int
    label: str = ""
    done: int = 0
    results: tuple[str, ...] = ()
    reason: str = ""
    completed: bool = False
    replies: int | None = None

    def lacking(self, *, without: int, replies: int, damaged: int) -> int:
        """How many rows the results of a batch that has ended lack.

        That is by the provider's own word. The results have a number of `replies` and
        of `damaged` lines, and no row for a number of questions `without`.
        """
        if self.completed:
            return without
        if self.replies is None:
            return min(without, damaged)
        return max(0, self.replies - replies)


_Listing = tuple[list[BatchState], str | None]  # batches, and where more begin


class BatchRow(NamedTuple):
    """A line of the results: the body of a response, or an error."""

    key: str
    body: Mapping[str, Any] | None
    error: ProviderError | None = None


class BatchProvider(Protocol):
    """The batches of one provider.

    Methods raise what `provider_errors.diagnose` interprets.
    """

    _client: LitellmClient

    def __init__(self, client: LitellmClient) -> None:
        self._client = client

    async def find(
        self, batch: Batch, keys: Collection[str], known: Collection[str]
    ) -> str | None:
        """The id of a batch that was perhaps created; None if it was not.

        `known` are the ids of other batches. A batch without metadata is recognized by
        the questions in its results. Raises Undecided if such batches have not ended,
        and Unclear if several have these questions or the provider does not list all
        batches.
        """
        unnamed = []
        for one in await self._all(batch.model, batch.intent):
            if batch.intent in one.label:
                return one.id
            is_unknown = not one.label and one.id not in known
            has_its_size = one.total in (0, batch.questions)
            # Not by its date, as a provider's clock may be days behind.
            if is_unknown and has_its_size and (one.results or not one.ended):
                unnamed.append(one)
        running = sum(not one.ended for one in unnamed)
        if running:
            raise Undecided(f"{running} batches of this size there have not ended")
        found = []
        for one in unnamed:
            asked = await self._keys_in(batch.model, one)
            if not asked and one.lacking(without=batch.questions, replies=0, damaged=0):
                raise UnusableResponse(
                    f"the results of {one.id}, which may be this batch, cannot be read"
                )
            if asked and asked <= set(keys):
                found.append(one.id)
        if len(found) > 1:
            raise Unclear(f"{len(found)} batches there have these questions")
        return found[0] if found else None

    async def _all(self, model: Model, label: str) -> list[BatchState]:
        """The batches at the provider, each once, up to a page with this label."""
        listed: dict[str, BatchState] = {}
        after = None
        while True:
            page, after = await self.listed(model, after)
            is_repeated = all(one.id in listed for one in page)
            listed |= {one.id: one for one in page}
            if after is None or any(label in one.label for one in page):
                return list(listed.values())
            if is_repeated:
                raise Unclear("the pages of the list of batches there repeat")

    async def _keys_in(self, model: Model, state: BatchState) -> set[str]:
        """The keys of the questions in the results of a batch that has ended."""
        keys = set()
        for name in state.results:
            for line in lines_in(await self.result(model, state, name)):
                row = row_of(line)
                if row is not None:
                    keys.add(row.key)
        return keys

    def line(self, key: str, body: str) -> bytes:
        """A question, with the JSON of its request, as a line of a batch."""

    async def upload(self, model: Model, lines: Collection[bytes]) -> Any:
        """Send the lines, which costs nothing; `create` gets the result."""

    async def create(self, model: Model, intent: str, uploaded: Any) -> BatchState:
        """Create a batch. Only this request makes the provider ask the model."""

    async def listed(self, model: Model, after: str | None) -> _Listing:
        """A page of the batches at the provider, and `after` for the next.

        Raises Unclear if it cannot be asked.
        """

    async def state(self, model: Model, id_: str) -> BatchState: ...

    async def result(self, model: Model, state: BatchState, name: str) -> bytes:
        """One of the results of a batch that has ended, with a row per line."""

    async def cancel(self, model: Model, id_: str) -> None: ...


def batch_provider(client: LitellmClient, model: Model) -> BatchProvider:
    """The provider of a model that `providers.without_batches` accepts."""
    unusable_key(model.target, os.environ)  # removes the spaces around it
    if provider_of(model.target, os.environ) == "anthropic":
        return Anthropic(client)
    return LikeOpenai(client)


@contextmanager
def _reading() -> Iterator[None]:
    """Read an answer.

    Raises UnusableResponse if it lacks the form of such an answer, as the page of a
    proxy does.
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
        # litellm and OpenAI's client call it a lost connection.
        if isinstance(cause, UnusableResponse):
            raise cause from error
        raise


def lines_in(content: bytes) -> Iterator[bytes]:
    """The lines of a result that are not empty."""
    return (line for line in io.BytesIO(content) if line.strip())


# --- results --------------------------------------------------------------------------


def row_of(line: bytes) -> BatchRow | None:
    """A line of results, in OpenAI's form or Anthropic's; None if it cannot be read."""
    try:
        row = json.loads(line)
        read = _anthropic_row if "result" in row else _openai_row
        found = read(row)
    except Exception:  # damaged or hostile
        return None
    return found if isinstance(found.key, str) else None


def _openai_row(row: Any) -> BatchRow:
    key = row["custom_id"]
    response = row.get("response") or {}
    if response.get("status_code") == 200:
        return BatchRow(key, dict(response["body"]))
    error = response.get("body")
    if isinstance(error, dict):
        error = error.get("error")
    error = error or row.get("error") or "no reason given"
    code, message = None, error
    if isinstance(error, dict):
        code, message = error.get("code"), error.get("message")
    status = response.get("status_code")
    if not status:
        status = 503 if code in _NOT_ASKED else 400
    return BatchRow(key, None, ProviderError(str(message or code), int(status), error))


def _anthropic_row(row: Any) -> BatchRow:
    key, result = row["custom_id"], row["result"]
    kind = result["type"]
    if kind == "succeeded":
        return BatchRow(key, dict(result["message"]))
    if kind != "errored":
        status = {"canceled": 400, "expired": 503}[kind]
        return BatchRow(key, None, ProviderError(f"the batch was {kind}", status))
    error = result["error"].get("error") or result["error"]
    status = 500 if error.get("type") in _MAY_PASS else 400
    return BatchRow(key, None, ProviderError(str(error["message"]), status, error))


# --- OpenAI's form --------------------------------------------------------------------


class LikeOpenai(BatchProvider):
    """A file of requests is uploaded, of which a batch is created.

    The batch has metadata, by which it is found again.
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

    async def create(self, model: Model, intent: str, uploaded: Any) -> BatchState:
        # xAI keeps the name only.
        metadata = {"llmarith": intent, "name": f"llmarith-{intent}"}
        with sent_once():
            return await self._call(
                "acreate_batch",
                model,
                _state,
                completion_window="24h",
                endpoint="/v1/chat/completions",
                input_file_id=uploaded,
                metadata=metadata,
            )

    async def listed(self, model: Model, after: str | None) -> _Listing:
        if provider_of(model.target, os.environ) == "mistral":
            raise Unclear("litellm cannot list batches of Mistral; look for it there")
        # For Azure litellm drops `after` and `limit`.
        return await self._call("alist_batches", model, _page, after=after, limit=100)

    async def state(self, model: Model, id_: str) -> BatchState:
        return await self._call("aretrieve_batch", model, _state, batch_id=id_)

    async def result(self, model: Model, state: BatchState, name: str) -> bytes:
        return await self._call(
            "afile_content", model, _content, _UPLOAD_S, file_id=name
        )

    async def cancel(self, model: Model, id_: str) -> None:
        await self._call("acancel_batch", model, _state, batch_id=id_)

    async def _call(
        self,
        name: str,
        model: Model,
        read: Callable[[Any], _T],
        timeout_s: float | None = None,
        **arguments: Any,
    ) -> _T:
        """Call litellm, and `read` its answer.

        It is called without retries, as a second `create` would be a second batch.
        """
        provider = provider_of(model.target, os.environ)
        key = os.environ.get(key_variable(model.target, os.environ) or "")
        if key:
            arguments["api_key"] = key
        elif model.api_base:
            arguments["api_key"] = "none"
        if model.api_base is not None:
            arguments["api_base"] = model.api_base
        for parameter in ("api_version", "organization"):
            if model.params.get(parameter) is not None:
                arguments[parameter] = model.params[parameter]
        if provider == "mistral":
            arguments["model"] = model.target
        call = getattr(self._client.litellm, name)
        if timeout_s is None:
            timeout_s = _CALL_S
        async with asyncio.timeout(timeout_s):
            with _reading():
                answer = await call(
                    **arguments,
                    custom_llm_provider=provider,
                    timeout=timeout_s,
                    max_retries=0,
                    # Else it downloads results for its log.
                    litellm_metadata={"batch_ignore_default_logging": True},
                )
                return read(answer)


def _file_id(file: Any) -> str:
    return _written(file.id)


def _content(file: Any) -> bytes:
    content: bytes = file.content
    return content


def _page(page: Any) -> _Listing:
    states = [_state(one) for one in page.data]
    if not page.has_more:
        return states, None
    token = getattr(page, "next_page_token", None)  # of xAI
    return states, token or states[-1].id


def _state(batch: Any) -> BatchState:
    """The state of litellm's batch."""
    status = _written(batch.status)
    errors = list(getattr(batch.errors, "data", None) or ())
    said = dict.fromkeys(str(error.message or error.code) for error in errors[:3])
    reasons = {
        "expired": "the batch expired",
        "cancelled": "the batch was cancelled",
        "failed": f"the batch failed: {'; '.join(said) or 'no reason given'}",
    }
    total = done = 0
    replies = None
    counts = batch.request_counts
    if counts:
        replies = counts.completed or 0
        done = replies + (counts.failed or 0)
        total = counts.total or 0
    metadata = batch.metadata or {}
    output = batch.output_file_id
    # Of xAI's batches litellm names the results of completed ones only.
    if not output and replies and set(metadata) == {"name"}:
        output = batch.id
    return BatchState(
        id=_written(batch.id),
        ended=status == "completed" or status in reasons,
        total=total,
        label=" ".join(map(str, metadata.values())),
        done=done,
        results=tuple(file for file in (output, batch.error_file_id) if file),
        reason=reasons.get(status, ""),
        completed=status == "completed",
        replies=replies,
    )


def _written(text: Any) -> str:
    """A text of an answer. Raises ValueError if it is none."""
    if not isinstance(text, str) or not text:
        raise ValueError
    return text


# --- Anthropic's form -----------------------------------------------------------------


class Anthropic(BatchProvider):
    """A batch is created by one request, and has no metadata.

    It is found again by its questions.
    """

    def line(self, key: str, body: str) -> bytes:
        return f'{{"custom_id": {json.dumps(key)}, "params": {body}}}'.encode()

    async def upload(self, model: Model, lines: Collection[bytes]) -> Any:
        return b'{"requests": [' + b",".join(lines) + b"]}"

    async def create(self, model: Model, intent: str, uploaded: Any) -> BatchState:
        raw = self._client.raw_request(model, [{"role": "user", "content": "1"}])
        beta = {}
        for name, value in (raw.get("raw_request_headers") or {}).items():
            if name.lower() == "anthropic-beta":
                beta[name] = value
        return await self._json(
            "POST",
            model,
            "",
            _anthropic_state,
            content=uploaded,
            timeout=_UPLOAD_S,
            headers=beta,
        )

    async def listed(self, model: Model, after: str | None) -> _Listing:
        params = {"limit": "100"}
        if after:
            params["after_id"] = after
        return await self._json("GET", model, "", _anthropic_page, params=params)

    async def state(self, model: Model, id_: str) -> BatchState:
        return await self._json(
            "GET", model, f"/{quote(id_, safe='')}", _anthropic_state
        )

    async def result(self, model: Model, state: BatchState, name: str) -> bytes:
        response = await self._send(
            "GET", model, f"/{quote(state.id, safe='')}/{name}", timeout=_UPLOAD_S
        )
        return _content(response)

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

        # Its import guards httpx, which then raises Refused for an error.
        _ = self._client.litellm
        key = os.environ.get("ANTHROPIC_API_KEY")
        if not key:
            raise ProviderError("Missing Anthropic API Key", 401)
        base = model.api_base or "https://api.anthropic.com"
        base = base.rstrip("/").removesuffix("/v1/messages")
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


def _anthropic_page(page: Any) -> _Listing:
    states = [_anthropic_state(one) for one in page["data"]]
    after = states[-1].id if page["has_more"] else None
    return states, after


def _anthropic_state(batch: Any) -> BatchState:
    """The state of Anthropic's batch.

    One that has ended has a row for each of its questions, also for those that expired
    or were cancelled.
    """

    counts = batch.get("request_counts") or {}
    ended = _written(batch["processing_status"]) == "ended"
    return BatchState(
        id=_written(batch["id"]),
        ended=ended,
        total=sum(counts.values()),
        done=sum(count for name, count in counts.items() if name != "processing"),
        results=("results",) if ended and not batch.get("archived_at") else (),
        completed=ended,
    )
