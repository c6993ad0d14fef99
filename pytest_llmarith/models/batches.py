"""Batches of providers: a file of questions is submitted, and its replies collected.

A question is reserved in the store before its batch is created, until its reply is
stored, or its batch has ended without one by results that agree with the provider's
count. Results that lack lines are late, and read again.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import TypeVar

from pytest_llmarith.models import redact
from pytest_llmarith.models.asking import ModelTerms
from pytest_llmarith.models.batch_providers import (
    BatchProvider,
    Unclear,
    Undecided,
    batch_provider,
    lines_in,
)
from pytest_llmarith.models.budget import searches_the_web, worst_case
from pytest_llmarith.models.client import Client
from pytest_llmarith.models.litellm_client import LitellmClient
from pytest_llmarith.models.provider_errors import Action, diagnose, may_be_done
from pytest_llmarith.models.providers import without_batches
from pytest_llmarith.models.question_files import QuestionFile
from pytest_llmarith.models.replies_in import Intake
from pytest_llmarith.models.reservations import Batch, Reservations
from pytest_llmarith.models.responses import LARGEST_RESULTS
from pytest_llmarith.models.retry import Attempts
from pytest_llmarith.models.store import minute
from pytest_llmarith.records import Request
from pytest_llmarith.types import Model, Price

# Of one batch. OpenAI allows 50,000 requests and 200 MB, Anthropic 100,000 and 256 MB;
# how many tokens may wait depends on the account.
_MOST_REQUESTS, _MOST_BYTES, _MOST_TOKENS = 10_000, 50_000_000, 2_000_000
_BYTES_PER_TOKEN = 5  # of a reply in the results
_RETRIES = 3
SETTLED_S = 60.0  # until a provider lists a batch whose creation was interrupted
POLL_S = 60.0
_LONG_AGO_S = 3600.0
_T = TypeVar("_T")


class BatchError(Exception):
    """Something cannot be done with batches; the message is one line."""


def name_of(batch: Batch) -> str:
    """The provider's id, safe to print, or the beginning of the intent."""
    return redact.one_line(batch.id or batch.intent[:8], os.environ)


@dataclass
class _Part:
    """Questions with their lines, their bytes and tokens, for one batch."""

    model: Model
    provider: BatchProvider
    most: int
    questions: dict[str, tuple[Request, bytes]] = field(default_factory=dict)
    size: int = 0
    tokens: int = 0

    def is_full(self, more: int, more_tokens: int) -> bool:
        """Whether no line of so many bytes and tokens has room."""
        return bool(self.questions) and (
            len(self.questions) >= self.most
            or self.size + more > _MOST_BYTES
            or self.tokens + more_tokens > _MOST_TOKENS
        )


class Batches:
    """The batches of a store. `say` is called with lines for the terminal.

    Methods raise BatchError, StoreError and QuestionsError.
    """

    def __init__(self, db: Reservations, say: Callable[[str], None]) -> None:
        self._db = db
        self._say = say
        self._client = Client()
        self._litellm = LitellmClient()

    async def close(self) -> None:
        await self._client.close()
        await self._litellm.close()

    def provider(self, batch: Batch) -> BatchProvider:
        return batch_provider(self._litellm, batch.model)

    # --- submit -----------------------------------------------------------------------

    async def submit(
        self,
        file: QuestionFile,
        most_usd: float | None = None,
        price: Price | None = None,
        most: int | None = None,
    ) -> None:
        """Submit the questions of a file that are neither stored nor in a batch, at
        most so many, if they cannot cost more; `price` is that of a model without a
        listed batch price. Raises Locked while another process submits.
        """
        keys = file.keys
        with self._db.submitting():
            awaited = self._db.awaited(keys)
            for batch in self._db.batches():
                if batch.id is None and awaited.keys() & self._db.questions(
                    batch.intent
                ):
                    await self._resolve(batch)
            free = self._db.free(keys)
            others = len(keys) - len(free)
            if others:
                self._say(f"{others:,} questions are stored or in batches already")
            sent = {key: request for key in free[:most] if (request := file.sent(key))}
            for request in sent.values():
                why = without_batches(redact.model_of(request), os.environ)
                if why is not None:
                    raise BatchError(why)
            if most_usd is not None:
                self._check(most_usd, price, sent)
            for model, part in self._parts(file, sent):
                await self._persistently(model, partial(self._create, model, part))

    def _check(
        self, most_usd: float, own: Price | None, sent: Mapping[str, Request]
    ) -> None:
        """Raises BatchError if questions may cost more."""
        needed = 0
        for request in sent.values():
            model = redact.model_of(request)
            if searches_the_web(model):
                raise BatchError(
                    f"--max-cost: {model.target} bills web searches, too, which no cap "
                    f"counts; submit without it"
                )
            listed = self._client.terms(model)
            price = listed.batch_price or own
            longest = model.reply_limit or listed.max_reply_tokens
            if price is None:
                raise BatchError(
                    f"the price of {model.target} in batches is unknown; write "
                    f"--price=IN,OUT in dollars per million tokens"
                )
            if longest is None:
                raise BatchError(
                    f"the maximum reply length of {model.target} is unknown; write the "
                    f"questions anew with --llm-param max_completion_tokens=N"
                )
            terms = ModelTerms(price, longest)
            most = worst_case(terms, model, tuple(request.messages))
            needed += most.picodollars
        usd = needed / 1e12
        if usd > most_usd:
            cents = -(-needed // 10**10)  # rounded up
            raise BatchError(
                f"--max-cost={most_usd:.10g}: the batches may take up to ${usd:,.4f}; "
                f"write --max-cost={cents / 100:.2f}, or shorten the replies with "
                f"--llm-param max_completion_tokens=N"
            )

    def _parts(
        self, file: QuestionFile, sent: Mapping[str, Request]
    ) -> Iterator[tuple[Model, dict[str, tuple[Request, bytes]]]]:
        """The questions with their lines, by what a batch may hold."""
        parts: dict[str, _Part] = {}  # by what the requests of a batch share
        for key, body in file.bodies():
            if key not in sent:
                continue
            model = redact.model_of(sent[key])
            shared = json.dumps([model.target, model.api_base, model.params])
            if shared not in parts:
                provider = batch_provider(self._litellm, model)
                parts[shared] = _Part(model, provider, self._most_requests(model))
            part = parts[shared]
            line = part.provider.line(key, body)
            tokens = model.about_tokens(tuple(sent[key].messages))
            if part.is_full(len(line), tokens):
                yield model, part.questions
                part.questions, part.size, part.tokens = {}, 0, 0
            part.questions[key] = sent[key], line
            part.size += len(line)
            part.tokens += tokens
        for part in parts.values():
            yield part.model, part.questions

    def _most_requests(self, model: Model) -> int:
        """How many requests a batch may have, so that its results can be read."""
        longest = model.reply_limit or self._client.terms(model).max_reply_tokens
        if not longest:
            return _MOST_REQUESTS
        return min(_MOST_REQUESTS, LARGEST_RESULTS // (_BYTES_PER_TOKEN * longest))

    async def _create(
        self, model: Model, part: Mapping[str, tuple[Request, bytes]]
    ) -> None:
        """Reserve these questions and create their batch."""
        provider = batch_provider(self._litellm, model)
        lines = [line for _, line in part.values()]
        intent = self._db.reserve({key: sent for key, (sent, _) in part.items()})
        if intent is None:
            raise BatchError(
                "a run has asked some of these questions meanwhile; rerun the "
                "command, which submits the others"
            )
        batch = self._batch(intent)
        try:
            uploaded = await self._persistently(
                model, lambda: provider.upload(model, lines)
            )
        except BatchError:
            self._db.release(batch)
            raise
        self._db.creating(intent)
        batch = self._batch(intent)
        try:
            state = await provider.create(model, intent, uploaded)
        except Exception as error:
            if not may_be_done(error):
                self._db.release(batch)
                raise
            why = diagnose(error, model).message
            self._say(f"{why}; looking whether the batch was created")
            await self._resolve(batch)
            if any(one.intent == intent for one in self._db.batches()):
                return
            raise
        self._note(batch, state.id)
        self._say(
            f"{model.target}: batch of {len(part):,} submitted "
            f"({name_of(replace(batch, id=state.id))})"
        )

    def _batch(self, intent: str) -> Batch:
        for batch in self._db.batches():
            if batch.intent == intent:
                return batch
        raise BatchError("all of these questions got replies meanwhile")

    def _note(self, batch: Batch, id_: str) -> None:
        """Write the id of a batch down, unless it holds a key: then the batch is looked
        for each time.
        """
        if redact.hide_keys(id_, os.environ) == id_:
            self._db.created(batch.intent, id_)

    async def _resolve(self, batch: Batch) -> str | None:
        """The id of a batch that was perhaps created. If it was not, its reservations
        end; if this cannot be known yet, nothing changes.
        """
        try:
            found = None
            if batch.creating_at is not None:
                found = await self._find(batch)
                if found is None and time.time() - batch.creating_at < _LONG_AGO_S:
                    self._say(
                        f"{batch.model.target}: looking for a batch of "
                        f"{batch.questions:,} for {SETTLED_S:g} s"
                    )
                    await asyncio.sleep(SETTLED_S)
                    found = await self._find(batch)
        except Undecided as why:
            self._say(
                f"{batch.model.target}: {batch.questions:,} questions may be in a "
                f"batch: {why}"
            )
            return None
        if found is None:
            self._db.release(batch)
            return None
        self._note(batch, found)
        self._say(
            f"{batch.model.target}: found the batch of {batch.questions:,} "
            f"({name_of(replace(batch, id=found))})"
        )
        return found

    async def _find(self, batch: Batch) -> str | None:
        """Look for a batch without an id at its provider."""
        provider, known = self.provider(batch), self._db.ids()
        keys = self._db.questions(batch.intent)
        try:
            return await self._persistently(
                batch.model, lambda: provider.find(batch, keys, known)
            )
        except (Unclear, BatchError) as why:
            raise BatchError(
                f"{batch.model.target}: whether a batch of {batch.questions:,} "
                f"questions was created at {minute(batch.made_at)} UTC is unknown "
                f"({why}); rerun the command, which looks again; if there is none, end "
                f"it with llmarith batch cancel --forget {batch.intent[:8]}"
            ) from why

    # --- collect ----------------------------------------------------------------------

    async def collect(self) -> int:
        """Take the replies of all batches that have ended.

        Returns how many batches are still running.
        """
        running = 0
        for batch in self._db.batches():
            try:
                found = batch
                if batch.id is None:
                    with self._db.submitting():
                        id_ = await self._resolve(batch)
                    if id_ is None:
                        continue
                    found = replace(batch, id=id_)
                running += not await self._collect(found)
            except BatchError as why:
                self._say(f"{why}; {_stays(batch)}")
        return running

    async def _collect(self, batch: Batch) -> bool:
        """Take the replies of a batch if it has ended; returns whether it has."""
        assert batch.id is not None
        id_, target, provider = batch.id, batch.model.target, self.provider(batch)
        state = await self._persistently(
            batch.model, lambda: provider.state(batch.model, id_)
        )
        if not state.ended:
            self._say(
                f"{target}: batch of {batch.questions:,} ({name_of(batch)}), "
                f"{state.done:,} done"
            )
            return False
        questions = self._db.questions(batch.intent)
        asked_at = datetime.fromtimestamp(batch.creating_at or 0, UTC)
        intake = Intake(
            self._client,
            self._db,
            questions.get,
            asked_at.isoformat(timespec="milliseconds"),
        )
        for name in state.results:
            read = partial(provider.result, batch.model, state, name)
            content = await self._persistently(batch.model, read)
            intake.take(lines_in(content))
        failed = len(intake.failures)
        without = len(questions) - len(intake.answered) - failed
        lacking = state.lacking(
            without=without, replies=len(intake.responses), damaged=intake.damaged
        )
        if lacking:
            why = f"{target}: the results lack {lacking:,} lines"
            if intake.damaged:
                why += f", and {intake.damaged:,} lines cannot be read"
            raise BatchError(why)
        self._db.release(batch)
        said = f"{target}: batch of {len(questions):,} ended, {len(intake.answered):,} replies"
        if failed or without:
            why = intake.why
            if state.reason and not failed:
                why = redact.one_line(f": {state.reason}", os.environ)
            said += (
                f"; {failed + without:,} without{why}; --llm-questions-out writes "
                f"them again"
            )
        self._say(said)
        return True

    async def _persistently(
        self, model: Model, call: Callable[[], Awaitable[_T]]
    ) -> _T:
        """The result of a call, which is repeated after an outage.

        Raises BatchError after the last call, or if calling again would not help.
        """
        attempts = Attempts(_RETRIES)
        while True:
            attempts.begin()
            try:
                return await call()
            except (BatchError, Unclear, Undecided):
                raise
            except Exception as error:
                diagnosis = diagnose(error, model)
                pause_s = attempts.pause_s(diagnosis)
                if diagnosis.action is not Action.RETRY or pause_s is None:
                    raise BatchError(diagnosis.message) from error
                await asyncio.sleep(pause_s)


def _stays(batch: Batch) -> str:
    forget = f"llmarith batch cancel --forget {name_of(batch)}"
    return (
        f"its {batch.questions:,} questions stay in the batch; collect again later, or "
        f"free them with {forget}, and they are paid for again"
    )
