"""Submits questions in batches, and finds the batches of a process that was killed.

A question is reserved in the store before its batch is created; the order of these
steps is in `models.reservations`.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar

from pytest_llmarith.models import redact
from pytest_llmarith.models.batch_providers import (
    BatchState,
    ProviderError,
    Unclear,
    Undecided,
    batch_provider,
    bodies,
)
from pytest_llmarith.models.client import Client
from pytest_llmarith.models.provider_errors import (
    Action,
    Diagnosis,
    UnusableResponse,
    diagnose,
    may_be_done,
)
from pytest_llmarith.models.reservations import Batch, Messages, Reservations
from pytest_llmarith.models.responses import LARGEST_RESULTS
from pytest_llmarith.models.retry import Attempts
from pytest_llmarith.types import Model, Prompt, RequestLimits

# Of one batch. OpenAI allows 50,000 requests and 200 MB, Anthropic 100,000 and 256 MB;
# how many tokens may wait depends on the account, so a batch that is refused for them
# is split.
_MOST_REQUESTS, _MOST_BYTES, _MOST_TOKENS = 10_000, 50_000_000, 2_000_000
_BYTES_PER_TOKEN = 5  # of a reply in the results
SETTLED_S = 60.0  # until a provider lists a batch whose creation was interrupted
LONG_AGO_S = 3600.0
_T = TypeVar("_T")


class BatchError(Exception):
    """The batches of a run cannot go on; the message is one line."""


class Unreached(BatchError):
    """The provider could not be reached; the message is one line."""


class Unread(Unreached):
    """The provider answered, but not as it should; the message is one line."""


class BatchQuestion(NamedTuple):
    """A question for a batch.

    The model is marked as batched, and has the question's system prompt.
    """

    model: Model
    prompt: Prompt


def name_of(id_: str) -> str:
    """The id of a batch as text that is safe to print."""
    return redact.one_line(id_, os.environ)


class ProviderCalls:
    """Calls of a provider, repeated after an outage until the run ends."""

    def __init__(self, limits: RequestLimits) -> None:
        self._limits = limits
        self._halted = asyncio.Event()

    def halt(self) -> None:
        """Begin no further call; batches go on at their providers."""
        self._halted.set()

    async def persistently(
        self,
        model: Model,
        call: Callable[[], Awaitable[_T]],
        unless: Callable[[BaseException], bool] = lambda error: False,
    ) -> _T:
        """The result of a call, which is repeated after an outage.

        An error that `unless` accepts is raised as it is. Raises Unreached or Unread
        after the last call, and BatchError if calling again would not help.
        """
        attempts = Attempts(self._limits.retries)
        while True:
            self._raise_if_halted()
            attempts.begin()
            try:
                return await call()
            except (Unclear, Undecided):
                raise
            except Exception as error:
                if unless(error):
                    raise
                diagnosis = self.diagnose(error, model)
                if diagnosis.action is not Action.RETRY:
                    raise BatchError(diagnosis.message) from error
                pause_s = attempts.pause_s(diagnosis)
                if pause_s is None:
                    kind = Unread if isinstance(error, UnusableResponse) else Unreached
                    raise kind(diagnosis.message) from error
                await self.pause(pause_s)

    async def pause(self, seconds: float) -> None:
        """Wait. Raises BatchError if the run ends meanwhile."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._halted.wait()
        self._raise_if_halted()

    def _raise_if_halted(self) -> None:
        if self._halted.is_set():
            raise BatchError("the run ended while its batches went on")

    def diagnose(self, error: BaseException, model: Model) -> Diagnosis:
        """What the error of a call means."""
        return diagnose(error, model, self._limits.timeout_s)


@dataclass
class Submission:
    """Brings questions of a run into batches.

    `say` is called with lines for the terminal.

    `most_tokens` limits the tokens of a batch by target, after the provider refused one
    for its tokens; such batches are created one after the other.
    """

    client: Client
    limits: RequestLimits
    calls: ProviderCalls
    db: Reservations
    say: Callable[[str], None]
    most_tokens: dict[str, int] = field(default_factory=dict)
    _undecided: set[str] = field(default_factory=set)
    _failures: int = 0  # of creations

    async def submit(
        self, missing: Mapping[str, BatchQuestion], *, may_create: bool
    ) -> None:
        """Find the batches of a process that was killed, and perhaps create batches.

        These are of the questions that are in none. The store has to be locked with
        `submitting`.
        """
        has_created = True
        while has_created:
            has_created = False
            for batch in self.db.batches(missing):
                if batch.id is None:
                    await self._resolve(batch)
            if not may_create:
                return
            pending = dict(missing)
            for key in self.db.in_batches(missing):
                del pending[key]
            for model, part in self._parts(pending):
                if self._may_create(model) and await self._create(model, part):
                    has_created = True

    def _may_create(self, model: Model) -> bool:
        """Whether no other batch has to end before, as its tokens count, too."""
        if model.target not in self.most_tokens:
            return True
        return all(one.model.target != model.target for one in self.db.batches())

    def _parts(
        self, pending: Mapping[str, BatchQuestion]
    ) -> Iterator[tuple[Model, dict[str, tuple[Messages, bytes]]]]:
        """The questions with their lines, by what a batch may hold."""
        groups: dict[str, dict[str, BatchQuestion]] = {}
        for key, question in pending.items():
            model = question.model
            shared = [model.target, model.api_base, model.params]
            group = groups.setdefault(json.dumps(shared, sort_keys=True), {})
            group[key] = question
        for group in groups.values():
            model = next(iter(group.values())).model
            provider = batch_provider(self.client, model)
            most_tokens = self.most_tokens.get(model.target, _MOST_TOKENS)
            most_requests = self._most_requests(model)
            part: dict[str, tuple[Messages, bytes]] = {}
            size = tokens = 0
            messages = {
                key: one.model.messages(one.prompt) for key, one in group.items()
            }
            try:
                for key, body in bodies(self.client, model, messages.items()):
                    line = provider.line(key, body)
                    more_tokens = group[key].model.about_tokens(group[key].prompt)
                    is_full = (
                        len(part) >= most_requests
                        or size + len(line) > _MOST_BYTES
                        or tokens + more_tokens > most_tokens
                    )
                    if part and is_full:
                        yield model, part
                        part = {}
                        size = tokens = 0
                    part[key] = messages[key], line
                    size += len(line)
                    tokens += more_tokens
            except ProviderError as error:
                raise BatchError(self.calls.diagnose(error, model).message) from error
            yield model, part

    def _most_requests(self, model: Model) -> int:
        """How many requests a batch may have, so that its results can be read."""
        most = model.reply_limit or self.client.terms(model).max_reply_tokens
        if not most:
            return _MOST_REQUESTS
        return min(_MOST_REQUESTS, LARGEST_RESULTS // (_BYTES_PER_TOKEN * most))

    async def _create(
        self, model: Model, part: Mapping[str, tuple[Messages, bytes]]
    ) -> bool:
        """Reserve the free questions among these, and create their batch.

        Returns whether there were any.
        """
        wanted = {key: messages for key, (messages, _) in part.items()}
        free = self.db.reserve(model, wanted)
        if not free:
            return False
        lines = [line for key, (_, line) in part.items() if key in free]
        (batch,) = self.db.batches([next(iter(free))])
        provider = batch_provider(self.client, model)

        async def create() -> BatchState:
            self.db.creating(batch.intent)
            return await provider.create(model, batch.intent, uploaded)

        try:
            uploaded = await self.calls.persistently(
                model, lambda: provider.upload(model, lines)
            )
            state = await self.calls.persistently(model, create, unless=may_be_done)
        except BatchError:  # nothing was created
            self.db.release(batch)
            raise
        except Exception as error:
            await self._look_for(batch, error)
            return True
        self.db.created(batch.intent, state.id)
        self.say(
            f"{model.target}: batch of {len(free):,} submitted ({name_of(state.id)})"
        )
        return True

    async def _look_for(self, batch: Batch, error: Exception) -> None:
        """Look for a batch whose creation had an error.

        Raises that error if creating it again does not help.
        """
        why = self.calls.diagnose(error, batch.model)
        self._failures += 1
        self.say(f"{why.message}; looking whether the batch was created")
        await self._resolve(replace(batch, creating_at=time.time()))
        is_free = all(one.intent != batch.intent for one in self.db.batches())
        may_retry = why.action is Action.RETRY and self._failures <= self.limits.retries
        if is_free and not may_retry:
            raise BatchError(why.message) from error

    async def _resolve(self, batch: Batch) -> None:
        """Find a batch without an id; if it was not created, end its reservations.

        If this cannot be known yet, nothing changes. Raises BatchError if it can never
        be known.
        """
        try:
            if batch.creating_at is not None:
                is_young = time.time() - batch.creating_at < LONG_AGO_S
                if not await self._find(batch) and is_young:
                    self.say(
                        f"{batch.model.target}: looking for a batch of "
                        f"{batch.questions:,} for {SETTLED_S:g} s"
                    )
                    await self.calls.pause(SETTLED_S)
                    await self._find(batch)
            self.db.release(batch)  # changes nothing if it was found
        except Undecided as why:
            if batch.intent not in self._undecided:
                self.say(
                    f"{batch.model.target}: {batch.questions:,} questions may be in a "
                    f"batch: {why}"
                )
            self._undecided.add(batch.intent)

    async def _find(self, batch: Batch) -> bool:
        """Look for a batch without an id at its provider."""
        provider = batch_provider(self.client, batch.model)
        known = self.db.ids()
        keys = self.db.questions(batch.intent)
        try:
            found = await self.calls.persistently(
                batch.model, lambda: provider.find(batch, keys, known)
            )
        except Unreached as why:
            again = "rerun the same command, which looks whether the batch was created"
            raise type(why)(f"{why}; {again}") from why
        except (Unclear, BatchError) as why:
            raise BatchError(
                f"{batch.model.target}: whether a batch of {batch.questions:,} "
                f"questions was created at {batch.made_at[:16]} UTC is unknown "
                f"({why}); if there is none, end it with llmarith batch cancel "
                f"--forget {batch.intent[:8]}, then rerun"
            ) from why
        if found is not None:
            self.db.created(batch.intent, found)
            self.say(
                f"{batch.model.target}: found the batch of {batch.questions:,} "
                f"({name_of(found)})"
            )
        return found is not None
