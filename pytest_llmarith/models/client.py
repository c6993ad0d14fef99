"""The client that sends single requests through litellm, without retries. Only this module imports litellm.

It runs in the broker's process and configures litellm, its HTTP transport and its loggers there.
"""

from __future__ import annotations

import logging
import math
import os
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, partial
from time import perf_counter
from typing import Any

from pytest_llmarith.models import fake
from pytest_llmarith.models.budget import listed_terms, tier_of
from pytest_llmarith.models.provider_errors import EndlessResponse, Redirected, UnusableResponse, is_filtered
from pytest_llmarith.models.redact import without_known_keys
from pytest_llmarith.models.request import key_variable, messages_of, sent_of
from pytest_llmarith.types import Model, ModelTerms, Reply

# These libraries log requests and responses, and some providers take the key in the URL.
_LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "openai", "httpx", "httpcore")
_OPENAI_KEY = "OPENAI_API_KEY"
LARGEST = 2**25  # bytes of a decompressed response, a hundred times the longest replies
_PIECE = 2**16
_MAX_COUNTED = 10**8  # tokens or US dollars of one reply; more would block the rate limit for days
# Finish reasons of interrupted replies: OpenRouter and Mistral; Zhipu; DeepSeek; vLLM.
_BROKEN_OFF = {"error", "network_error", "insufficient_system_resource", "abort"}
# OpenAI's finish reasons by the names of Mistral, Anthropic and the Responses API, in lower case.
_FINISH_REASONS = {
    "length": "length",
    "model_length": "length",
    "model_context_window_exceeded": "length",
    "max_output_tokens": "length",
    "content_filter": "content_filter",
}


class Client:
    """Sends requests through litellm or to the fake models."""

    def __init__(self, known: fake.KnownSequences = dict) -> None:
        """`known` are the integer sequences that the fake models know."""
        self._known = cache(known)
        self._litellm: Any = None

    def prepare(self) -> None:
        """Import litellm once, which takes seconds."""
        if self._litellm is None:
            self._litellm = _imported()

    def terms(self, model: Model) -> ModelTerms:
        """The model's terms in litellm's price list."""
        self.prepare()
        return listed_terms(self._litellm, model.target, tier_of(model.params))

    async def complete(self, model: Model, prompt: str, timeout_s: float) -> Reply:
        """Send one request. Raises litellm's errors, which `provider_errors.diagnose` interprets."""
        if not model.simulated:
            self.prepare()
        sent = sent_of(model, prompt)
        asked_at = datetime.now(UTC).isoformat(timespec="milliseconds")
        began = perf_counter()
        if model.simulated:
            reply = fake.complete(model.target, sent["messages"], model.params, self._known)
            return replace(reply, latency_s=perf_counter() - began, asked_at=asked_at, sent=sent)
        try:
            response = await self._litellm.acompletion(**_arguments(model, prompt, timeout_s))
        except Exception as error:
            if not is_filtered(error):
                raise
            return filtered_reply(latency_s=perf_counter() - began, asked_at=asked_at, sent=sent)
        latency_s = perf_counter() - began
        self._price_all_tokens(response, model)
        reply = reply_from(response, latency_s=latency_s, asked_at=asked_at, sent=sent)
        tier = tier_of(model.params, getattr(response, "service_tier", None))
        if tier and listed_terms(self._litellm, model.target, tier).price is None:
            return replace(reply, cost_usd=None)  # litellm uses the default price for an unlisted tier
        return reply

    def _price_all_tokens(self, response: Any, model: Model) -> None:
        """Price reasoning tokens that the server counts only in the total, which litellm leaves out."""
        usage: Any = getattr(response, "usage", None)
        tokens = None if usage is None else completion_tokens(usage)
        if tokens is None or tokens == usage.completion_tokens:
            return
        usage.completion_tokens = tokens
        cost = None
        with suppress(Exception):  # litellm raises a bare Exception for an unknown price
            cost = self._litellm.completion_cost(response, model=model.target, optional_params=dict(model.params))
        response._hidden_params["response_cost"] = cost

    async def close(self) -> None:
        """Stop litellm's logging tasks."""
        if self._litellm is not None:
            from litellm.litellm_core_utils.logging_worker import GLOBAL_LOGGING_WORKER as worker

            with suppress(Exception):
                await worker.stop()


def _arguments(model: Model, prompt: str, timeout_s: float) -> dict[str, Any]:
    """The arguments of litellm: the user's parameters, without retries of litellm and the SDKs.

    OpenAI's client requires a key even for a server that needs none; it then gets a placeholder.
    """
    arguments = {
        **model.params,
        "model": model.target,
        "messages": messages_of(model, prompt),
        "timeout": timeout_s,
        "max_retries": 0,
        "num_retries": 0,
    }
    if model.api_base is None:
        return arguments
    keyless = key_variable(model.target, os.environ) == _OPENAI_KEY and not os.environ.get(_OPENAI_KEY)
    return {**({"api_key": "none"} if keyless else {}), **arguments, "api_base": model.api_base}


def _imported() -> Any:
    # Otherwise litellm downloads its price list on import; a user may ask for that.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    # Otherwise litellm reads the first `.env` in the folders above its own.
    os.environ["LITELLM_MODE"] = "PRODUCTION"
    import litellm
    import openai.resources  # noqa: F401  # else imported during the first request, as part of its latency

    litellm.suppress_debug_info = True
    if "LITELLM_LOG" not in os.environ:
        for name in _LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    _guard_transport()
    # pydantic builds its validators for the first response, which takes 0.5 s and would count as latency.
    litellm.completion(model="openai/first", messages=[{"role": "user", "content": "1 + 1"}], mock_response="2")
    return litellm


# --- a response becomes a reply -------------------------------------------------------------------------------------
#
# litellm reports 0 tokens and a price of 0 if the provider gives none; both become None. So does a negative or absurdly
# large count, which would defeat the budget.


def reply_from(response: Any, *, latency_s: float, asked_at: str, sent: Mapping[str, Any]) -> Reply:
    """The reply, with all data of the response."""
    choice = _choice(response)
    usage = _usage(response)
    return Reply(
        text=_written(_text(choice.message)) or "",
        reasoning=_written(getattr(choice.message, "reasoning_content", None)) or None,
        finish_reason=_finish_reason(choice),
        served_model=_written(getattr(response, "model", None)),
        prompt_tokens=getattr(usage, "prompt_tokens", None),
        completion_tokens=None if usage is None else completion_tokens(usage),
        reasoning_tokens=_reasoning_tokens(usage),
        cost_usd=None if usage is None else _cost(response),
        latency_s=latency_s,
        asked_at=asked_at,
        sent=sent,
    )


def filtered_reply(*, latency_s: float, asked_at: str, sent: Mapping[str, Any]) -> Reply:
    """The reply if the provider reports its content filter as an error."""
    return Reply("", finish_reason="content_filter", latency_s=latency_s, asked_at=asked_at, sent=sent)


def _written(text: Any) -> str | None:
    """Text without known keys; None for any other type."""
    return without_known_keys(text, os.environ) if isinstance(text, str) else None


def _choice(response: Any) -> Any:
    choices = getattr(response, "choices", None)
    if not choices:
        raise UnusableResponse("the response holds no choices")
    return choices[0]


def _finish_reason(choice: Any) -> Any:
    """The finish reason by the provider's own value, as litellm maps errors and unknown reasons to `stop`."""
    said = getattr(choice, "provider_specific_fields", None) or {}
    native, fault = said.get("native_finish_reason"), said.get("error")
    if fault or (isinstance(native, str) and native.lower() in _BROKEN_OFF):
        raise UnusableResponse(f"the provider interrupted the reply: {_words(fault) or native}")
    known = _FINISH_REASONS.get(native.lower()) if isinstance(native, str) else None
    return known or choice.finish_reason


def _words(fault: Any) -> str:
    return str(fault.get("message") or fault) if isinstance(fault, Mapping) else str(fault or "")


def _text(message: Any) -> Any:
    """The text of the message; a refusal may be in a separate field."""
    refusal = getattr(message, "refusal", None) or (getattr(message, "provider_specific_fields", None) or {}).get(
        "refusal"
    )
    return message.content or refusal


def _usage(response: Any) -> Any:
    """The token counts; None if one of them is invalid, as then neither the others nor the price can be trusted."""
    usage = getattr(response, "usage", None)
    if not (getattr(usage, "total_tokens", 0) or getattr(usage, "completion_tokens", 0)):
        return None
    counts = (getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None))
    return usage if all(map(_is_count, (*counts, _reasoning_tokens(usage)))) else None


def completion_tokens(usage: Any) -> int | None:
    """All tokens that the model wrote; some servers, such as xAI's, count reasoning only in the total."""
    written, total, prompt = (getattr(usage, f"{name}_tokens", None) for name in ("completion", "total", "prompt"))
    if type(total) is int and type(prompt) is int and _is_count(total) and _is_count(prompt):
        return max(written or 0, total - prompt)
    return written


def _reasoning_tokens(usage: Any) -> int | None:
    return getattr(getattr(usage, "completion_tokens_details", None), "reasoning_tokens", None)


def _is_count(tokens: Any) -> bool:
    return tokens is None or (type(tokens) is int and 0 <= tokens <= _MAX_COUNTED)


def _cost(response: Any) -> float | None:
    cost = (getattr(response, "_hidden_params", None) or {}).get("response_cost")
    usd = float(cost) if isinstance(cost, int | float) else 0.0
    return usd if math.isfinite(usd) and 0 < usd <= _MAX_COUNTED else None


# --- redirects and long responses -----------------------------------------------------------------------------------
#
# On a redirect, httpx drops only the header `Authorization`, but some providers take keys in other headers. It also
# decompresses responses of any length. litellm and its SDKs all send through `AsyncClient.send`, which is wrapped.


@cache
def _guard_transport() -> None:
    import httpx

    original = httpx.AsyncClient.send

    async def send(client: httpx.AsyncClient, request: httpx.Request, *, stream: bool = False, **how: Any) -> Any:
        request.headers["Accept-Encoding"] = "gzip"  # the other encodings cannot be decompressed in bounded chunks
        response = await _redirected(original, client, request, {**how, "stream": True, "follow_redirects": False})
        try:
            response.stream = _Body(response)
            if not stream:
                await response.aread()
        except BaseException:
            await response.aclose()
            raise
        return response

    class _Body(httpx.AsyncByteStream):
        """The decompressed body of a response, up to a maximum length."""

        def __init__(self, response: httpx.Response) -> None:
            assert isinstance(response.stream, httpx.AsyncByteStream)
            self._packed = response.stream
            self._inflate = _inflating(response.headers.pop("Content-Encoding", "identity"))

        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for packed in self._packed:
                for piece in self._inflate(packed):
                    size += len(piece)
                    if size > LARGEST:
                        raise EndlessResponse(f"the response is longer than {LARGEST:,} bytes")
                    yield piece

        async def aclose(self) -> None:
            await self._packed.aclose()

    httpx.AsyncClient.send = send  # type: ignore[method-assign, assignment]


async def _redirected(send: Callable[..., Awaitable[Any]], client: Any, request: Any, how: dict[str, Any]) -> Any:
    """The response after all redirects, which may change http to https but not the host."""
    for _ in range(1 + client.max_redirects):
        response = await send(client, request, **how)
        following = response.next_request
        if following is None:
            return response
        await response.aclose()
        asked, named = request.url, following.url
        if (named.host, named.port) != (asked.host, asked.port) or named.scheme not in (asked.scheme, "https"):
            there = f"{named.scheme}://{named.netloc.decode('ascii', 'replace')}"
            raise Redirected(f"redirected to {there}, where no key is sent; if this host is right, set --llm-api-base")
        request = following
    import httpx

    raise httpx.TooManyRedirects(f"redirected {client.max_redirects} times", request=request)


def _inflating(encoding: str) -> Callable[[bytes], Iterator[bytes]]:
    """Decompress gzip. Other values are ignored, as in httpx: some servers send `utf-8`."""
    if encoding.strip().lower() not in ("gzip", "x-gzip"):
        return lambda packed: iter((packed,))
    return partial(_gunzipped, zlib.decompressobj(zlib.MAX_WBITS | 16))


def _gunzipped(gunzip: Any, packed: bytes) -> Iterator[bytes]:
    try:
        while packed and not gunzip.eof:
            yield gunzip.decompress(packed, _PIECE)
            packed = gunzip.unconsumed_tail
    except zlib.error as error:
        raise UnusableResponse(f"the response cannot be decompressed: {error}") from error
