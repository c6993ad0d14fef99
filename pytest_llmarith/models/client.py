"""Sends single requests, without retries: to the fake models, directly to a server of
one's own, to llama.cpp's server for a model file, or through litellm.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cache, cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from msgspec import structs

from pytest_llmarith.models import fake
from pytest_llmarith.models.provider_errors import NotSent
from pytest_llmarith.models.providers import missing_key, provider_of, unusable_key
from pytest_llmarith.models.redact import sent_of
from pytest_llmarith.records import Reply
from pytest_llmarith.types import Model, ModelTerms, Prompt, Transport

if TYPE_CHECKING:
    from pytest_llmarith.models.direct import DirectClient
    from pytest_llmarith.models.litellm_client import LitellmClient
    from pytest_llmarith.models.llama import LlamaClient

    Way = DirectClient | LitellmClient | LlamaClient


class Client:
    """Chooses the way of each request, and times it.

    What a way needs is imported when it is first used.
    """

    def __init__(
        self, known: fake.KnownSequences = dict, transport: Transport = Transport.DIRECT
    ) -> None:
        """`known` are the integer sequences that the fake models know."""
        self._known = cache(known)
        self._transport = transport
        self._is_own = cache(_is_own_server)
        self._used: list[Way] = []

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
        """Send one request.

        Raises errors that `provider_errors.diagnose` interprets.
        """
        if not model.simulated:
            why = unusable_key(model.target, os.environ)
            if why is not None:
                raise NotSent(why)
            self._way(model).prepare()  # not a part of the latency
        asked_at = datetime.now(UTC).isoformat(timespec="milliseconds")
        began = perf_counter()
        if model.simulated:
            messages = model.messages(prompt)
            reply = fake.reply(model.target, messages, model.params, self._known)
        else:
            reply = await self._way(model).request(model, prompt, timeout_s)
        return structs.replace(
            reply,
            latency_s=perf_counter() - began,
            asked_at=asked_at,
            sent=sent_of(model, prompt),
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

    # --- batches ----------------------------------------------------------------------

    @property
    def litellm(self) -> Any:
        """litellm itself, for batches."""
        return self._through_litellm.litellm

    def reply_in_batch(self, model: Model, body: Mapping[str, Any]) -> Reply:
        """The reply in the body of a response of a batch.

        Without a batch price in litellm's list, its cost is None.
        """
        return self._through_litellm.reply_in_batch(model, body)

    # --- ways -------------------------------------------------------------------------

    def _way(self, model: Model) -> Way:
        if model.file is not None:
            return self._of_files
        is_own = self._is_own(model.target, model.api_base)
        if self._transport is Transport.DIRECT and is_own and not model.batched:
            return self._direct
        return self._through_litellm

    @cached_property
    def _direct(self) -> DirectClient:
        from pytest_llmarith.models.direct import DirectClient

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
    if prefix != "openai" or name.startswith("responses/") or api_base is None:
        return False
    host = urlsplit(api_base).hostname or ""
    return (
        not f".{host}".endswith(".openai.com")
        and provider_of(target, os.environ) == "openai"
    )
