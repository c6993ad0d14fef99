"""The one door to litellm. It sends one request and says what came back; it never tries twice.

litellm costs seconds and hundreds of megabytes to import, so that happens in `prepare`, in one process of a run.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from inspect import isawaitable
from time import perf_counter
from typing import Any

from pytest_llmarith.models import warning_filter
from pytest_llmarith.models.fake import KnownSequences
from pytest_llmarith.models.our_requests import our_request
from pytest_llmarith.models.patience.failures import is_filtered
from pytest_llmarith.models.request import messages_of, sent_of
from pytest_llmarith.models.response import completion_tokens, filtered_reply, reply_from
from pytest_llmarith.models.spending.prices import listed_terms, tier_of
from pytest_llmarith.providers import key_variable
from pytest_llmarith.values import EMBEDDED_PROVIDER, Model, Reply, Terms

# The clients below litellm log what was sent and what came back, and some providers take the key in the URL.
_LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "openai", "httpx", "httpcore")
_FLUSH_S = 5.0
_OPENAI_KEY = "OPENAI_API_KEY"


class Client:
    """Sends requests through litellm, on the loop of whoever awaits it."""

    def __init__(self, known: KnownSequences = dict, bring_keys: Callable[[], object] = lambda: None) -> None:
        """`known` are the integer sequences that the fake models know; `bring_keys` puts providers' keys into the
        environment, at the first need for any.
        """
        self._known = known
        self._bring_keys = bring_keys
        self._preparing = threading.Lock()
        self._interrupted = False
        self._litellm: Any = None

    def prepare(self) -> None:
        """Import litellm, once. Do it on the main thread.

        litellm's first use warns dozens of times; filters for warnings belong to the whole process.
        """
        warning_filter.install()
        with self._preparing:
            if self._interrupted:
                raise ImportError("litellm was not imported: somebody stopped the run meanwhile")
            if self._litellm is None:
                self._litellm = self._imported()

    def _imported(self) -> Any:
        """Who presses Ctrl-C meanwhile wants to leave: then no other thread begins anew, and asks."""
        try:
            self._bring_keys()
            return _prepared(self._known)
        except KeyboardInterrupt:
            self._interrupted = True
            raise

    def terms(self, model: Model) -> Terms:
        """What litellm's list knows of a model."""
        self.prepare()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return listed_terms(self._litellm, model.target, tier_of(model.params))

    async def complete(self, model: Model, prompt: str, timeout_s: float) -> Reply:
        """Send one request. Raises whatever litellm raises; `failures.diagnose` knows what it means."""
        warning_filter.install()
        with our_request():
            return await self._complete(model, prompt, timeout_s)

    async def _complete(self, model: Model, prompt: str, timeout_s: float) -> Reply:
        sent = sent_of(model, prompt)
        asked_at = datetime.now(UTC).isoformat(timespec="milliseconds")
        began = perf_counter()
        try:
            response = await self._litellm.acompletion(**_arguments(model, prompt, timeout_s))
        except Exception as error:
            if not is_filtered(error):
                raise
            return filtered_reply(latency_s=perf_counter() - began, asked_at=asked_at, sent=sent)
        latency_s = perf_counter() - began
        self._price_all_tokens(response, model)
        reply = reply_from(response, simulated=model.simulated, latency_s=latency_s, asked_at=asked_at, sent=sent)
        tier = tier_of(model.params, getattr(response, "service_tier", None))
        if tier and listed_terms(self._litellm, model.target, tier).price is None:
            return replace(reply, cost_usd=None)  # litellm takes the usual price of a tier that it does not list
        return reply

    def _price_all_tokens(self, response: Any, model: Model) -> None:
        """litellm prices the tokens that a server counts as completion; those that stand in its total cost as much."""
        usage: Any = getattr(response, "usage", None)
        tokens = None if usage is None else completion_tokens(usage)
        if tokens is None or tokens == usage.completion_tokens or model.simulated:
            return
        usage.completion_tokens = tokens
        cost = None
        with suppress(Exception), warnings.catch_warnings():  # it raises a bare Exception for an unknown price
            warnings.simplefilter("ignore")
            cost = self._litellm.completion_cost(response, model=model.target, optional_params=dict(model.params))
        response._hidden_params["response_cost"] = cost

    async def close(self) -> None:
        """Leave nothing of litellm's on this loop: its logging tasks are drained, its connections closed.

        No test comes after it.
        """
        if self._litellm is None:
            return
        await asyncio.sleep(0)  # the last reply's logging task has yet to enter the queue
        await _drain_logging()
        for client in list(_clients_of_this_loop(self._litellm)):
            with suppress(Exception), our_request():
                await _close(client)
        # Looking for garbage among litellm's objects costs pytest and the interpreter seconds at their end. Not before:
        # a test may look for what refers to an object, as those of hypothesis do, and would find nothing.
        gc.freeze()


def _arguments(model: Model, prompt: str, timeout_s: float) -> dict[str, Any]:
    """Only what somebody asked for is sent; trying again is the broker's, so litellm and the SDKs must not.

    A server of the user's own may need no key, but OpenAI's client does: without one it gets a word in its place.
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


def _prepared(known: KnownSequences) -> Any:
    # Else it fetches its price list from the internet when it is imported; who wants that may say so.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    # In its other mode it reads the first `.env` in the folders above its own, whosever keys are in there.
    os.environ["LITELLM_MODE"] = "PRODUCTION"
    with warnings.catch_warnings(), _collector_at_rest():
        warnings.simplefilter("ignore")
        import litellm

        from pytest_llmarith.models import fake, transport

        litellm.suppress_debug_info = True
        transport.install()
        _parse_nothing_in_tracebacks()
        _silence_loggers()
        fake.register(known)
        _settle_first_use(litellm)
    return litellm


@contextmanager
def _collector_at_rest() -> Iterator[None]:
    """litellm makes 300,000 objects that stay: looking for garbage among them costs a second while they come to be."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _parse_nothing_in_tracebacks() -> None:
    """litellm formats a traceback of every failure, here in a thread of its own, and Python parses each line of it to
    place a caret. Before 3.11.8 that broke whatever pytest parsed at the same time (CPython's issue 106905).
    """
    if sys.version_info < (3, 11, 8):
        vars(traceback)["_extract_caret_anchors_from_line_segment"] = lambda segment: None


def _silence_loggers() -> None:
    """What goes wrong reaches people through the broker, once; who sets LITELLM_LOG wants to see more."""
    if "LITELLM_LOG" not in os.environ:
        for name in _LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _settle_first_use(litellm: Any) -> None:
    """pydantic builds its validators, with warnings, at the first response that it sees, and much is imported only
    then: half a second that would be counted as the first question's latency.
    """
    import openai.resources  # noqa: F401  # the SDK's own lazy import

    messages = [{"role": "user", "content": "1 + 1"}]
    litellm.completion(model="openai/settle", messages=messages, mock_response="2")
    litellm.completion(model=f"{EMBEDDED_PROVIDER}/exact", messages=messages)


async def _drain_logging() -> None:
    from litellm.litellm_core_utils.logging_worker import GLOBAL_LOGGING_WORKER as worker

    with suppress(Exception):
        await asyncio.wait_for(worker.flush(), _FLUSH_S)
    with suppress(Exception):
        await worker.stop()


def _clients_of_this_loop(litellm: Any) -> Iterator[Any]:
    """litellm caches a client per loop, with the loop's id at the end of its key; other loops' are not ours."""
    cache = litellm.in_memory_llm_clients_cache.cache_dict
    mine = f"-{id(asyncio.get_running_loop())}"
    for key in [key for key in cache if str(key).endswith(mine)]:
        yield cache.pop(key)


async def _close(client: Any) -> None:
    close = getattr(client, "close", None) or getattr(client, "aclose", None)
    closing = close() if close else None
    if isawaitable(closing):
        await closing
