"""Sends single requests, without retries: to the fake models, to functions, directly to
a server of one's own, to llama.cpp's server for a model file, or through litellm.

A server of one's own gets one POST of OpenAI's form for each question, with aiohttp.
The parameters that a user gives are sent as they are. Those that litellm would keep for
itself are in one table: they say where something is sent, or are refused.
"""

from __future__ import annotations

import json
import os
import ssl
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from msgspec import structs

from pytest_llmarith.models import fake, logprobs
from pytest_llmarith.models.asking import ModelTerms, Transport
from pytest_llmarith.models.provider_errors import (
    NoConnection,
    NotSent,
    UnreadableHeader,
    connection_error,
    is_filtered,
)
from pytest_llmarith.models.providers import (
    cost_in,
    listed,
    missing_key,
    of_openai,
    provider_of,
    terms_in,
    tier_of,
    tiers_of,
    unusable_key,
)
from pytest_llmarith.models.redact import sent_of
from pytest_llmarith.models.responses import (
    ACCEPTED_ENCODING,
    Response,
    TokenCounts,
    parsed,
    reply_body,
    reply_in,
    tokens_in,
)
from pytest_llmarith.records import Reply
from pytest_llmarith.types import COMPLETION_PREFIX, Model, Prompt

if TYPE_CHECKING:
    import aiohttp

    from pytest_llmarith.models.litellm_client import LitellmClient
    from pytest_llmarith.models.llama import LlamaClient
    from pytest_llmarith.models.python_model import FunctionClient

    Remote: TypeAlias = "DirectClient | LitellmClient | LlamaClient"
    Way: TypeAlias = "Remote | FunctionClient"

_CONNECT_S = 30.0
_TOKENIZE_S = 5.0
# Servers close idle connections, uvicorn after 5 s; a question that is sent at that
# moment would be lost.
_IDLE_S = 4.0
# Names that litellm reads itself: these are sent in the body or as headers, the others
# are refused.
_MORE_BODY = "extra_body"
_MORE_HEADERS = ("extra_headers", "headers")
_REFUSED = frozenset(
    [
        "additional_drop_params",
        "allowed_openai_params",
        "drop_params",
        "modify_params",
        "default_headers",
        "extra_query",
        "api_type",
        "api_version",
        "custom_llm_provider",
        "deployment_id",
        "organization",
        "region_name",
        "use_litellm_proxy",
        "base_model",
        "input_cost_per_token",
        "output_cost_per_token",
        "model_info",
        "metadata",
        "tags",
        "cache",
        "caching",
        "client",
        "shared_session",
        "ssl_verify",
        "force_timeout",
        "request_timeout",
        "stream_timeout",
        "litellm_metadata",
        "litellm_session_id",
        "litellm_trace_id",
        "merge_reasoning_content_in_choices",
        "provider_specific_header",
    ]
)


class Client:
    """Chooses the way of each request, and times it.

    What a way needs is imported when it is first used.
    """

    def __init__(self, transport: Transport = Transport.DIRECT) -> None:
        self._transport = transport
        self._is_own = cache(_is_own_server)
        self._used: list[Remote] = []
        # Targets and addresses that refuse to tell log probabilities.
        self._without_logprobs: set[tuple[str, str | None]] = set()
        self._in_flight = 0

    def prepare(self, *models: Model) -> None:
        """Import what asking these models needs; litellm takes seconds."""
        for model in models:
            if not model.simulated:
                self._way(model).prepare()

    def terms(self, model: Model) -> ModelTerms:
        """The model's terms in litellm's price list."""
        return self._way(model).terms(model)

    def unknown_parameter(self, model: Model) -> str | None:
        """Why a model cannot be asked: a parameter that cannot be sent to it; None if
        there is none.
        """
        if model.simulated:
            return None
        return self._way(model).unknown_parameter(model)

    def missing_key(self, model: Model) -> str | None:
        """That a model has no key, as far as this is certain without litellm."""
        return missing_key(model, os.environ)

    async def complete(self, model: Model, prompt: Prompt, timeout_s: float) -> Reply:
        """Send one request, and another one if the provider refuses to tell log
        probabilities; the reply says what was asked for.

        Raises errors that `provider_errors.diagnose` interprets.
        """
        if not model.simulated:
            why = unusable_key(model.target, os.environ)
            if why is not None:
                raise NotSent(why)
            self._way(model).prepare()  # not a part of the latency
        reply = await self._asked(model, prompt, timeout_s)
        return structs.replace(reply, sent=sent_of(model, prompt))

    async def _asked(self, model: Model, prompt: Prompt, timeout_s: float) -> Reply:
        if not model.params.get("logprobs"):
            return await self._timed(model, prompt, timeout_s)
        place = model.target, model.api_base
        if place not in self._without_logprobs:
            try:
                return await self._timed(model, prompt, timeout_s)
            except Exception as error:
                if not logprobs.may_refuse(error):
                    raise
        less = replace(model, params=logprobs.without(model.params))
        reply = await self._timed(less, prompt, timeout_s)
        self._without_logprobs.add(place)
        return reply

    async def _timed(self, model: Model, prompt: Prompt, timeout_s: float) -> Reply:
        asked_at = datetime.now(UTC).isoformat(timespec="milliseconds")
        began = perf_counter()
        in_flight = None
        if model.simulated:
            reply = fake.reply(model, prompt)
        else:
            self._in_flight += 1
            in_flight = self._in_flight
            try:
                reply = await self._way(model).request(model, prompt, timeout_s)
            finally:
                self._in_flight -= 1
        return structs.replace(
            reply,
            latency_s=perf_counter() - began,
            in_flight=in_flight,
            asked_at=asked_at,
        )

    async def serve(self, models: Iterable[Model]) -> str | None:
        """Start the servers of models of a file; returns why one cannot be started, or
        None.
        """
        return await self._of_files.serve(
            model.file for model in models if model.file is not None
        )

    async def close(self) -> None:
        """End what the ways have begun."""
        for way in self._used:
            await way.close()

    # --- files of questions and of replies --------------------------------------------

    def body(self, model: Model, prompt: Prompt) -> tuple[str, str]:
        """The path and the JSON of the body of a request, as it would be sent.

        Raises errors that `provider_errors.diagnose` interprets.
        """
        return self._remote(model).body(model, prompt)

    def read(self, model: Model, body: Mapping[str, Any]) -> Reply:
        """The reply in the body of a response that came in a file.

        It costs what it costs in a batch, if litellm's list says that.
        """
        reply = self._remote(model).read(model, body)
        price, cost_usd = self.terms(model).batch_price, None
        prompt, completion = reply.prompt_tokens, reply.completion_tokens
        if price is not None and prompt is not None and completion is not None:
            cost_usd = price.of(prompt, completion)
        return structs.replace(reply, cost_usd=cost_usd)

    # --- ways -------------------------------------------------------------------------

    def _way(self, model: Model) -> Way:
        if model.is_function:
            return self._of_functions
        return self._of_files if model.file is not None else self._remote(model)

    def _remote(self, model: Model) -> DirectClient | LitellmClient:
        is_own = self._is_own(model.target, model.api_base)
        if self._transport is Transport.DIRECT and is_own:
            return self._direct
        return self._through_litellm

    @cached_property
    def _direct(self) -> DirectClient:
        way = DirectClient()
        self._used.append(way)
        return way

    @cached_property
    def _of_files(self) -> LlamaClient:
        from pytest_llmarith.models.llama import LlamaClient

        way = LlamaClient(self._direct)
        self._used.append(way)
        return way

    @cached_property
    def _of_functions(self) -> FunctionClient:
        from pytest_llmarith.models.python_model import FunctionClient

        return FunctionClient()

    @cached_property
    def _through_litellm(self) -> LitellmClient:
        from pytest_llmarith.models.litellm_client import LitellmClient

        way = LitellmClient()
        self._used.append(way)
        return way


def _is_own_server(target: str, api_base: str | None) -> bool:
    """Whether a model is at a server that speaks OpenAI's protocol and is not
    OpenAI's.
    """
    prefix, _, name = target.partition("/")
    is_openais = prefix.removeprefix(COMPLETION_PREFIX) == "openai"
    if not is_openais or name.startswith("responses/") or api_base is None:
        return False
    host = urlsplit(api_base).hostname or ""
    return (
        not f".{host}".endswith(".openai.com")
        and provider_of(target, os.environ) == prefix
    )


# --- servers of one's own ------------------------------------------------------------


class Post(NamedTuple):
    """A request as it is sent."""

    address: str
    headers: Mapping[str, str]
    body: bytes


class DirectClient:
    """The way to servers of one's own, over one session of connections that lasts until
    `close`.
    """

    def __init__(self) -> None:
        self._session: aiohttp.ClientSession | None = None
        self._proxy = cache(_proxy)
        self._trusted = cache(_trusted)
        self._number_tokens_at: dict[tuple[str, str], str | None] = {}

    def prepare(self) -> None:
        """Read the price list."""
        listed()

    def terms(self, model: Model) -> ModelTerms:
        """The model's terms, if litellm's price list has a model of OpenAI with this
        name.
        """
        return terms_in(_entry(model), tier_of(model.params))

    def unknown_parameter(self, model: Model) -> str | None:
        """Why a model cannot be asked: a parameter that is litellm's; None if there is
        none.
        """
        for name, value in model.params.items():
            if name in _REFUSED:
                return (
                    f"{model.target}: {name} is a parameter of litellm, which does "
                    f"not ask a server of your own; "
                    "remove it, or write it into extra_body, or set -o "
                    "llm_transport=litellm"
                )
            if name == _MORE_BODY and not isinstance(value, dict):
                return (
                    f"{model.target}: {name} is no JSON object; write "
                    f'{name}={{"NAME":VALUE}}'
                )
            if name in _MORE_HEADERS and not _are_headers(value):
                return (
                    f"{model.target}: {name} is no JSON object of texts in one line; write "
                    f'{name}={{"NAME":"TEXT"}}'
                )
        return None

    async def request(self, model: Model, prompt: Prompt, timeout_s: float) -> Reply:
        """Send one request. Raises the errors of `provider_errors`."""
        asked = request_of(model, prompt)
        try:
            body = await self._post(asked, timeout_s)
        except Exception as error:
            if is_filtered(error):
                return Reply("", finish_reason="content_filter")
            raise
        response = parsed(body)
        tokens = tokens_in(response)
        reply = reply_in(response, tokens)
        cost_usd = _cost(model, reply, tokens)
        number_tokens = None
        if reply.logprobs:
            number_tokens = await self._number_tokens(model, asked)
        return structs.replace(reply, cost_usd=cost_usd, number_tokens=number_tokens)

    async def _number_tokens(self, model: Model, asked: Post) -> str | None:
        """How the server's tokenizer cuts a number, which is asked once; None if the
        server does not tell.
        """
        root = (model.api_base or "").rstrip("/").removesuffix("/v1")
        place = root, model.served_as
        if place not in self._number_tokens_at:
            self._number_tokens_at[place] = None
            body = json.dumps(logprobs.tokenizing(model.served_as)).encode()
            request = asked._replace(address=f"{root}/tokenize", body=body)
            with suppress(Exception):  # many servers have no such address
                said = json.loads(await self._post(request, _TOKENIZE_S))
                self._number_tokens_at[place] = logprobs.number_tokens_in(said)
        return self._number_tokens_at[place]

    def body(self, model: Model, prompt: Prompt) -> tuple[str, str]:
        """The path and the JSON of a request."""
        return f"/v1{model.path}", request_of(model, prompt).body.decode()

    def read(self, model: Model, response: Any) -> Reply:
        """The reply in the JSON of a response, without its cost.

        Raises UnusableResponse.
        """
        return reply_in(response)

    async def close(self) -> None:
        """Close its connections."""
        if self._session is not None:
            await self._session.close()

    async def _post(self, request: Post, timeout_s: float) -> bytes:
        """The body of the response, which begins like JSON."""
        import aiohttp

        try:
            async with self._opened().post(
                request.address,
                headers=request.headers,
                data=request.body,
                timeout=aiohttp.ClientTimeout(total=timeout_s, sock_connect=_CONNECT_S),
                allow_redirects=False,
                proxy=self._proxy(request.address),
                ssl=self._trusted() if request.address.startswith("https:") else True,
            ) as received:
                _check_header(received.headers)
                pieces = received.content.iter_any()
                return await reply_body(
                    Response(received.status, received.headers, request.address, pieces)
                )
        except aiohttp.InvalidURL as error:
            raise NotSent(f"the request cannot be sent: {error}") from error
        except aiohttp.ConnectionTimeoutError as error:
            raise NoConnection("timed out", sent=False) from error
        except TimeoutError:
            raise
        except (aiohttp.ClientError, OSError) as error:
            sent = not isinstance(error, aiohttp.ClientConnectorError)
            raise connection_error(error, sent=sent) from error

    def _opened(self) -> aiohttp.ClientSession:
        import aiohttp

        if self._session is None:
            # Its errors are those of the system, by which they are classified.
            resolver = aiohttp.ThreadedResolver()
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    limit=0, keepalive_timeout=_IDLE_S, resolver=resolver
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
            )
        return self._session


def request_of(model: Model, prompt: Prompt) -> Post:
    """The request for a prompt.

    A server that needs no key gets a placeholder, as OpenAI's clients send it.
    """
    headers = {
        "Authorization": f"Bearer {os.environ.get('OPENAI_API_KEY') or 'none'}",
        "Content-Type": "application/json",
        "Accept": "application/json",
        "User-Agent": "pytest-llmarith",
    }
    body: dict[str, Any] = {"model": model.served_as}
    messages = model.messages(prompt)
    if model.is_completion:
        body["prompt"] = messages[0]["content"]
    else:
        body["messages"] = messages
    for name, value in model.params.items():
        if name in _MORE_HEADERS:
            headers.update(value)
        elif name != _MORE_BODY and value is not None:
            body[name] = value
    body.update(model.params.get(_MORE_BODY, {}))
    headers["Accept-Encoding"] = ACCEPTED_ENCODING
    address = (model.api_base or "").rstrip("/") + model.path
    return Post(address, headers, json.dumps(body).encode())


def _are_headers(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(text, str) and not set(text) & {"\r", "\n"}
        for text in value.values()
    )


def _check_header(headers: Mapping[str, str]) -> None:
    for name, value in headers.items():
        if not (name.isascii() and value.isascii()):
            raise UnreadableHeader(
                "a header of the response cannot be read: it is not ASCII"
            )


def _proxy(address: str) -> str | None:
    """The proxy for an address, from the environment (HTTPS_PROXY, NO_PROXY and the
    like).
    """
    parts = urlsplit(address)
    if proxy_bypass(parts.hostname or ""):
        return None
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    return f"http://{proxy}" if proxy and "://" not in proxy else proxy


def _trusted() -> ssl.SSLContext:
    """The certificates that are trusted: those of SSL_CERT_FILE, or else those of the
    system and of certifi.
    """
    import certifi

    context = ssl.create_default_context()
    if not os.environ.get("SSL_CERT_FILE"):
        context.load_verify_locations(certifi.where())
    return context


def _entry(model: Model) -> Mapping[str, Any]:
    return of_openai(model.served_as)


def _cost(model: Model, reply: Reply, tokens: TokenCounts) -> float | None:
    if tokens.prompt is None or tokens.completion is None:
        return None
    return cost_in(
        _entry(model),
        tiers_of(model.params, reply.served_tier),
        tokens.prompt,
        tokens.cached,
        tokens.to_cache,
        tokens.completion,
    )
