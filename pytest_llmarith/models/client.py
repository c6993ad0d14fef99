"""The client that sends single requests through litellm, without retries. Only this module imports litellm.

It runs in the broker's process and configures litellm, its HTTP transport and its loggers there.
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, aclosing, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from time import perf_counter
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote

from pytest_llmarith.models import fake
from pytest_llmarith.models.parameters import unknown_parameter
from pytest_llmarith.models.provider_errors import (
    EndlessResponse,
    NoConnection,
    NotSent,
    Redirected,
    UnreadableHeader,
    UnusableResponse,
    error_in_reply,
    is_filtered,
    no_key,
    refusal,
    words_of,
)
from pytest_llmarith.models.providers import key_variable
from pytest_llmarith.models.redact import sent_of, without_known_keys
from pytest_llmarith.types import Model, ModelTerms, Price, Prompt, Reply

# These libraries log requests and responses, and some providers take the key in the URL.
_LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "openai", "httpx", "httpcore")
_OPENAI_KEY = "OPENAI_API_KEY"
LARGEST = 2**25  # bytes of a decompressed response, a hundred times the longest replies
LARGEST_RESULTS = 2**29  # bytes of the results of a batch, which alone are read with GET
LARGEST_ERROR = 2**16  # bytes of an error that are read
_ERROR_S = 5.0  # to read them
_STEP = 2**16  # bytes that are inflated at once
_USUAL_TIERS = ("auto", "default", "standard", "standard_only", "on_demand")
# litellm would send a request to these providers to look up a model.
_ASK_A_SERVER = ("huggingface", "lemonade", "ollama", "ollama_chat")
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


@dataclass
class Exchange:
    """What the transport has done for one request: whether it was sent, and whether a usable response came."""

    only_once: bool = False
    sent: bool = False
    answered: bool = False


_exchange: ContextVar[Exchange | None] = ContextVar("exchange", default=None)


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
        return _listed_terms(self._litellm, model.target, tier_of(model.params))

    def unknown_parameter(self, model: Model) -> str | None:
        """Why a model cannot be asked: a parameter that its provider does not have; None if there is none."""
        if not model.params or model.simulated or model.api_base is not None:
            return None
        return unknown_parameter(self.litellm, model)

    @property
    def litellm(self) -> Any:
        """litellm itself, for batches."""
        self.prepare()
        return self._litellm

    def reply_in_batch(self, model: Model, body: Mapping[str, Any]) -> Reply:
        """The reply in the body of a response of a batch. Without a batch price in litellm's list, its cost is None."""
        response = _parsed(self.litellm, model, body)
        self._price_all_tokens(response, model)
        response._hidden_params["response_cost"] = None
        if self.terms(model).batch_price is not None:
            with suppress(Exception):  # the response has no usage
                costs = self._litellm.cost_calculator.batch_cost_calculator(usage=response.usage, model=model.target)
                response._hidden_params["response_cost"] = sum(costs)
        return _reply_from(response)

    async def complete(self, model: Model, prompt: Prompt, timeout_s: float) -> Reply:
        """Send one request. Raises litellm's errors, which `provider_errors.diagnose` interprets."""
        if not model.simulated:
            self.prepare()
        asked_at, began = datetime.now(UTC).isoformat(timespec="milliseconds"), perf_counter()
        if model.simulated:
            reply = fake.reply(model.target, model.messages(prompt), model.params, self._known)
        else:
            reply = await self._request(model, prompt, timeout_s)
        return replace(reply, latency_s=perf_counter() - began, asked_at=asked_at, sent=sent_of(model, prompt))

    async def _request(self, model: Model, prompt: Prompt, timeout_s: float) -> Reply:
        exchange = Exchange()
        try:
            with _watched(exchange):
                response = await self._litellm.acompletion(**_arguments(model, prompt, timeout_s))
        except Exception as error:
            if is_filtered(error) or isinstance(error, self._litellm.ContentPolicyViolationError):
                return Reply("", finish_reason="content_filter")
            if exchange.answered:
                raise UnusableResponse(f"the response cannot be read: {words_of(error)}") from error
            if not exchange.sent and (why := self._why_not_sent(model, error)) is not None:
                raise why from error
            raise
        self._price_all_tokens(response, model)
        reply = _reply_from(response)
        if tier_of(model.params) and self.terms(model).price is None:
            return replace(reply, cost_usd=None)  # litellm uses the default price for an unlisted tier
        return reply

    def _why_not_sent(self, model: Model, error: Exception) -> NotSent | None:
        """Why litellm sent nothing; None if it is not known."""
        if isinstance(error, ImportError | UnicodeError):
            return None
        try:
            name, provider, *_ = self._litellm.get_llm_provider(model.target)
        except Exception:  # litellm raises several
            return NotSent("litellm knows no such model; write PROVIDER/MODEL, or openai/MODEL with --llm-api-base=URL")
        if isinstance(error, self._litellm.UnsupportedParamsError):
            taken = self._litellm.get_supported_openai_params(name, provider) or ()
            known = self._litellm.OPENAI_CHAT_COMPLETION_PARAMS
            refused = ", ".join(param for param in model.params if param in known and param not in taken)
            said = f"takes no {refused}" if refused else words_of(error)
            return NotSent(f"{said}; remove it, or choose another model")
        return no_key(model)

    def _price_all_tokens(self, response: Any, model: Model) -> None:
        """Price reasoning tokens that the server counts only in the total, which litellm leaves out."""
        usage: Any = getattr(response, "usage", None)
        tokens = None if usage is None else _completion_tokens(usage)
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


def _arguments(model: Model, prompt: Prompt, timeout_s: float) -> dict[str, Any]:
    """The arguments of litellm: the user's parameters, without retries of litellm and the SDKs.

    OpenAI's client requires a key even for a server that needs none; it then gets a placeholder.
    """
    arguments = {
        **model.params,
        "model": model.target,
        "messages": model.messages(prompt),
        "timeout": timeout_s,
        "max_retries": 0,
        "num_retries": 0,
    }
    if model.api_base is not None:
        arguments["api_base"] = model.api_base
        if not os.environ.get(_OPENAI_KEY) and key_variable(model.target, os.environ) == _OPENAI_KEY:
            arguments["api_key"] = "none"
    return arguments


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
    _guard_transports()
    # pydantic builds its validators for the first response, which takes 0.5 s and would count as latency.
    litellm.completion(model="openai/first", messages=[{"role": "user", "content": "1 + 1"}], mock_response="2")
    return litellm


# --- a response becomes a reply -------------------------------------------------------------------------------------
#
# litellm reports 0 tokens and a price of 0 if the provider gives none; both become None. So does a negative or absurdly
# large count, which would defeat the budget.


def _reply_from(response: Any) -> Reply:
    """The reply, with all data of the response. A refusal may be in a separate field."""
    if not (choices := getattr(response, "choices", None)):
        raise UnusableResponse("the response holds no choices")
    message, usage = choices[0].message, _usage(response)
    specific = getattr(message, "provider_specific_fields", None) or {}
    return Reply(
        text=_written(message.content or getattr(message, "refusal", None) or specific.get("refusal")) or "",
        reasoning=_written(getattr(message, "reasoning_content", None)) or None,
        finish_reason=_finish_reason(choices[0]),
        served_model=_written(getattr(response, "model", None)),
        system_fingerprint=_written(getattr(response, "system_fingerprint", None)),
        prompt_tokens=getattr(usage, "prompt_tokens", None),
        completion_tokens=None if usage is None else _completion_tokens(usage),
        reasoning_tokens=_reasoning_tokens(usage),
        cost_usd=None if usage is None else _cost(response),
    )


def _parsed(litellm: Any, model: Model, body: Mapping[str, Any]) -> Any:
    """The response to a single request with this body, as litellm returns it."""
    import httpx

    name, provider, *_ = litellm.get_llm_provider(model.target)
    config = litellm.OpenAIGPTConfig()
    if provider in ("anthropic", "mistral", "xai"):
        config = litellm.utils.ProviderConfigManager.get_provider_chat_config(
            name, litellm.types.utils.LlmProviders(provider)
        )
    return config.transform_response(
        model=name,
        raw_response=httpx.Response(200, json=body),
        model_response=litellm.ModelResponse(),
        logging_obj=SimpleNamespace(post_call=lambda **said: None, model_call_details={}),
        request_data={},
        messages=[],
        optional_params={},
        litellm_params={},
        encoding=None,
    )


def _written(text: Any) -> str | None:
    """Text without known keys; None for any other type."""
    return without_known_keys(text, os.environ) if isinstance(text, str) else None


def _finish_reason(choice: Any) -> Any:
    """The finish reason by the provider's own value, as litellm maps errors and unknown reasons to `stop`."""
    said = getattr(choice, "provider_specific_fields", None) or {}
    native, fault = said.get("native_finish_reason"), said.get("error")
    if fault or (isinstance(native, str) and native.lower() in _BROKEN_OFF):
        words = (fault.get("message") or fault) if isinstance(fault, Mapping) else fault
        raise UnusableResponse(f"the provider interrupted the reply: {words or native}")
    known = _FINISH_REASONS.get(native.lower()) if isinstance(native, str) else None
    return known or choice.finish_reason


def _usage(response: Any) -> Any:
    """The token counts; None if one of them is invalid, as then neither the others nor the price can be trusted."""
    usage = getattr(response, "usage", None)
    if not (getattr(usage, "total_tokens", 0) or getattr(usage, "completion_tokens", 0)):
        return None
    counts = (getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None))
    return usage if all(map(_is_count, (*counts, _reasoning_tokens(usage)))) else None


def _completion_tokens(usage: Any) -> int | None:
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


# --- the price list -------------------------------------------------------------------------------------------------


def tier_of(params: Mapping[str, Any]) -> str | None:
    """The separately priced service tier that a request asks for; None means the default price."""
    tier = params.get("service_tier")
    return tier.lower() if isinstance(tier, str) and tier.lower() not in _USUAL_TIERS else None


def _listed_terms(litellm: Any, target: str, tier: str | None) -> ModelTerms:
    """The terms in litellm's list. Its functions return 0 for a missing price, so the entry itself is read."""
    provider = target.partition("/")[0]
    try:
        key = target if provider in _ASK_A_SERVER else litellm.get_model_info(target)["key"]
    except Exception:  # litellm raises a bare Exception for an unlisted model
        return ModelTerms()
    entry: Mapping[str, Any] = litellm.model_cost.get(key) or {}
    most = entry.get("max_output_tokens") or entry.get("max_tokens")
    return ModelTerms(
        price=_price(entry, tier),
        batch_price=_price(entry, "batches") if tier is None else None,
        max_reply_tokens=most if isinstance(most, int) else None,
        reasons=bool(entry.get("supports_reasoning")),
    )


def _price(entry: Mapping[str, Any], tier: str | None) -> Price | None:
    suffix = f"_{tier}" if tier else ""
    prompt, completion = (entry.get(f"{way}_cost_per_token{suffix}") for way in ("input", "output"))
    if not isinstance(prompt, int | float) or not isinstance(completion, int | float):
        return None
    reasoning = entry.get("output_cost_per_reasoning_token")  # of a few models, and higher
    return Price(prompt * 1e6, max(completion, reasoning if isinstance(reasoning, int | float) else 0) * 1e6)


# --- the transport --------------------------------------------------------------------------------------------------


def _guard_transports() -> None:
    """Guard the clients of httpx and its successor, through which litellm and its SDKs send everything."""
    for name in ("httpx", "httpx2"):
        if find_spec(name) is not None:
            _guard(import_module(name))


@cache
def _guard(transport: Any) -> None:
    """Bound what `AsyncClient.send` reads, and raise the errors of `provider_errors` for all but a usable response.

    litellm gets neither the body of an error, which it would search and copy for seconds, nor an error after which it
    sends a request again. Redirects are refused, as the client would send keys in headers other than `Authorization` to
    their host.
    """
    original = transport.AsyncClient.send

    async def send(client: Any, request: Any, **how: Any) -> Any:
        exchange = _exchange.get()
        if exchange is not None:
            if exchange.only_once and exchange.sent:
                raise UnusableResponse("the connection was lost")  # the cause is in the context
            exchange.sent = True
        request.headers["Accept-Encoding"] = "gzip"  # others can be decompressed to any length at once
        try:
            response = await original(client, request, **{**how, "stream": True, "follow_redirects": False})
            try:
                response._content = await _checked(response)
            finally:
                await response.aclose()
        except (transport.UnsupportedProtocol, transport.LocalProtocolError, transport.InvalidURL) as error:
            raise NotSent(f"the request cannot be sent: {error}") from error
        except transport.TimeoutException as error:
            if isinstance(error, transport.ConnectTimeout | transport.PoolTimeout):
                raise NoConnection("timed out", sent=False) from error
            raise TimeoutError from error
        except (transport.RequestError, OSError) as error:
            raise NoConnection(str(error), sent=not isinstance(error, transport.ConnectError)) from error
        except UnicodeError as error:  # a header of the response that is not ASCII
            raise UnreadableHeader(f"a header of the response cannot be read: {error}") from error
        if exchange is not None:
            exchange.answered = True
        return response

    transport.AsyncClient.send = send


async def _checked(response: Any) -> bytes:
    """The body of a response, inflated. Raises an error of `provider_errors` if it is no reply."""
    request = response.request
    if (following := response.next_request) is not None:
        raise Redirected(f"redirected to {unquote(str(following.url))}; if that is right, set --llm-api-base")
    if response.status_code >= 400:
        raise refusal(response.status_code, response.headers, await _beginning(response), str(request.url))
    most = LARGEST_RESULTS if request.method == "GET" else LARGEST
    pieces: list[bytes] = []
    try:
        has_more = await _read(response, most, pieces)
    except zlib.error as error:
        raise UnusableResponse(f"the response cannot be decompressed: {error}") from error
    if has_more:
        raise EndlessResponse(f"the response is longer than {most:,} bytes")
    if request.method != "GET":
        beginning = next((piece.lstrip() for piece in pieces if piece.strip()), b"")
        if not beginning.startswith((b"{", b"[")):
            raise UnusableResponse("the response is no JSON object")
    body = b"".join(pieces)
    if request.method != "GET" and len(body) <= LARGEST_ERROR and b'"error"' in body:
        refused = error_in_reply(body, str(request.url))
        if refused is not None:
            raise refused
    return body


async def _beginning(response: Any) -> bytes:
    """What arrives of the body of an error, which may be cut short, damaged or endless."""
    pieces: list[bytes] = []
    with suppress(Exception):
        async with asyncio.timeout(_ERROR_S):
            await _read(response, LARGEST_ERROR, pieces)
    return b"".join(pieces)[:LARGEST_ERROR]


async def _read(response: Any, most: int, pieces: list[bytes]) -> bool:
    """Add about the first `most` bytes of the inflated body; whether there are more. Raises zlib.error.

    A few kilobytes may inflate to many megabytes, so that other requests go on between the steps. The pieces are joined
    once, as copying megabytes takes long.
    """
    is_gzip = response.headers.get("Content-Encoding", "").strip().lower() == "gzip"
    inflater = zlib.decompressobj(wbits=31) if is_gzip else None
    size = 0
    async with aclosing(response.aiter_raw()) as received:
        async for piece in received:
            pieces.append(piece if inflater is None else inflater.decompress(piece, _STEP))
            size += len(pieces[-1])
            while inflater is not None and inflater.unconsumed_tail and size <= most:
                await asyncio.sleep(0)
                pieces.append(inflater.decompress(inflater.unconsumed_tail, _STEP))
                size += len(pieces[-1])
            if size > most:
                return True
    if inflater is not None and not inflater.eof and pieces:
        raise zlib.error("it is incomplete")
    return False


@contextmanager
def _watched(exchange: Exchange) -> Iterator[None]:
    token = _exchange.set(exchange)
    try:
        yield
    finally:
        _exchange.reset(token)


def sent_once() -> AbstractContextManager[None]:
    """Send at most one request, as a second one would create a second batch."""
    return _watched(Exchange(only_once=True))
