"""The batches of a run: what is submitted, watched, and taken into the store.

The store is what a run continues from: a question stays reserved there until its reply
is stored, or its batch has ended without one by results that agree with the provider's
count. Results that lack lines are late, and read again.
"""

from __future__ import annotations

import math
import os
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

import msgspec

from pytest_llmarith.models import redact
from pytest_llmarith.models.asking import BatchMode
from pytest_llmarith.models.batch_providers import (
    BatchProvider,
    BatchRow,
    BatchState,
    batch_provider,
    lines_in,
)
from pytest_llmarith.models.batch_submission import (
    LONG_AGO_S,
    BatchQuestion,
    ProviderCalls,
    Submission,
    Unreached,
    Unread,
    name_of,
)
from pytest_llmarith.models.budget import Budget, Prices
from pytest_llmarith.models.client import Client
from pytest_llmarith.models.provider_errors import (
    Action,
    UnusableResponse,
    diagnose,
    is_filtered,
    is_gone,
)
from pytest_llmarith.models.redact import sent_of
from pytest_llmarith.models.reservations import (
    Batch,
    Locked,
    Messages,
    Reservations,
    minute,
)
from pytest_llmarith.models.retry import RequestCounts
from pytest_llmarith.models.store import RunStore
from pytest_llmarith.records import Reply
from pytest_llmarith.types import Failure, Message, Model, RequestLimits

_REPLIES_PER_WRITE = 500
_MOST_TRIES = 2  # of one question in a run
_FIRST_POLL_S, _LONGEST_POLL_S = 1.0, 60.0
_TELL_AFTER_S = 30.0  # and later the less often, the longer it takes
# Before each further look at a batch that is not there, or at results that are not
# complete.
_LATE_PAUSES_S = (1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 60.0, 120.0)
NOT_SUBMITTED = Failure("in no batch; --llm-batch=submit sends it")


def in_batch_since(made_at: str) -> Failure:
    """Why a question that is in a batch has no reply yet."""
    return Failure(
        f"in a batch since {minute(made_at)} UTC; --llm-batch=collect takes its reply"
    )


class _Late(NamedTuple):
    """Why a batch, or its results, cannot be read yet.

    `due` is when to look again, infinite if this run does not; `advice` is what the
    user can do.
    """

    why: str
    due: float
    advice: str


@dataclass
class Batches:
    """Brings questions into batches and replies into the store.

    `say` is called with lines for the terminal.
    """

    client: Client
    store: RunStore
    limits: RequestLimits
    counts: RequestCounts
    prices: Prices
    budget: Budget
    say: Callable[[str], None]

    def __post_init__(self) -> None:
        self.calls = ProviderCalls(self.limits)
        self._missing: dict[str, BatchQuestion] = {}
        self._failures: dict[str, Failure] = {}
        self._tries: Counter[str] = Counter()
        self._may_pass: set[str] = set()  # questions whose error may pass
        self._billed: set[str] = set()  # questions without a reply that may be billed
        self._done: dict[str, int] = {}
        self._late: dict[str, _Late] = {}  # by intent
        self._looks: Counter[str] = Counter()  # in vain, by intent
        self._unreached = ""  # why a provider could not be asked

    async def run(
        self,
        mode: BatchMode,
        questions: Mapping[str, BatchQuestion],
        stored: Collection[str],
    ) -> dict[str, Failure]:
        """Bring these questions, except those that are stored, as far as the mode says.

        Returns why questions still have no reply. Raises BatchError or StoreError.
        """
        assert self.store.path is not None
        self._missing = {
            key: question for key, question in questions.items() if key not in stored
        }
        began = time.monotonic()
        tell_s = 0.0
        with closing(Reservations(self.store.path, check_writable=True)) as self._db:
            self._submission = Submission(
                self.client, self.limits, self.calls, self._db, self.say
            )
            self._name_others(questions)
            while True:
                await self._take_ended()
                submitted = await self._submit(mode)
                waiting = self._db.batches(self._missing)
                is_awaited = any(self._is_awaited(batch, mode) for batch in waiting)
                if submitted and not is_awaited:
                    return self._reasons()
                elapsed_s = time.monotonic() - began
                if elapsed_s >= tell_s:
                    tell_s = _TELL_AFTER_S + elapsed_s * 1.25
                    if submitted:
                        self._tell_progress(waiting, elapsed_s)
                    else:
                        self.say("another run submits batches; waiting for it")
                poll_s = min(_LONGEST_POLL_S, _FIRST_POLL_S + elapsed_s / 20)
                await self.calls.pause(poll_s)

    def _name_others(self, questions: Mapping[str, BatchQuestion]) -> None:
        """Say which batches for the models of these questions hold none of them."""
        targets = {one.model.target for one in questions.values()}
        mine = self._db.batches(questions)
        for batch in self._db.batches():
            if batch.model.target in targets and batch not in mine:
                self.say(
                    f"a batch of {batch.questions:,} questions for {batch.model.target}, "
                    f"submitted {minute(batch.made_at)} UTC, holds none of these "
                    f"questions: repeat the command that submitted it (its parameters: "
                    f"{batch.parameters})"
                )

    async def _submit(self, mode: BatchMode) -> bool:
        """Find the batches of killed processes, and submit what may be submitted.

        Nothing is submitted if the mode is COLLECT. Returns False if another run is
        submitting, and this one has to wait.
        """
        may_create = mode is not BatchMode.COLLECT
        left = {
            key: one
            for key, one in self._missing.items()
            if self._tries[key] < _MOST_TRIES
        }
        try:
            with self._db.submitting():
                await self._submission.submit(left, may_create=may_create)
        except Locked:
            return not may_create
        except Unreached as why:
            if may_create:
                raise
            self._unreached = str(why)
        return True

    def _is_awaited(self, batch: Batch, mode: BatchMode) -> bool:
        """Whether the run goes on until this batch has ended and can be read."""
        late = self._late.get(batch.intent)
        if late is None:
            return mode is BatchMode.WAIT
        return late.due < math.inf

    def _tell_progress(self, waiting: list[Batch], elapsed_s: float) -> None:
        done = sum(self._done.get(batch.intent, 0) for batch in waiting)
        questions = sum(batch.questions for batch in waiting)
        batches = f"{waiting[0].model.target}: batch"
        if len(waiting) > 1:
            batches = f"{len(waiting)} batches"
        progress = f"{batches} of {questions:,}, {done:,} done"
        if self._unreached:
            progress += f", {self._unreached}"
        self.say(
            f"{progress}, {elapsed_s / 60:.0f} min; safe to leave (Ctrl-C), the same "
            f"command goes on"
        )

    def _reasons(self) -> dict[str, Failure]:
        """Why questions have no reply.

        The budget keeps what those in batches may cost.
        """
        since = self._db.in_batches(self._missing)
        stored = self._db.fetch(self._missing)
        reasons = {}
        others = 0  # in no batch
        for key, question in self._missing.items():
            if key in since:
                self.budget.hold(*question)
            if key in stored:
                continue
            if key in since:
                reasons[key] = in_batch_since(since[key])
            else:
                others += 1
                reasons[key] = self._failures.get(key, NOT_SUBMITTED)

        if others:
            self.say(f"{others:,} questions have no reply and are in no batch")
        if since:
            unreached = f" ({self._unreached})" if self._unreached else ""
            self.say(
                f"{len(since):,} questions are in batches{unreached}; "
                f"--llm-batch=collect takes their replies"
            )
        for batch in self._db.batches(self._missing):
            if batch.intent in self._late:
                late = self._late[batch.intent]
                self.say(
                    f"{late.why}; its {batch.questions:,} questions stay in it; "
                    f"{late.advice}"
                )
        return reasons

    # --- take replies -----------------------------------------------------------------

    async def _take_ended(self) -> None:
        """Store the replies of all ended batches that hold a question of this run."""
        self._unreached = ""
        for batch in self._db.batches(self._missing):
            late = self._late.get(batch.intent)
            if late is not None and time.monotonic() < late.due:
                continue
            if batch.id is None:
                continue
            provider = batch_provider(self.client, batch.model)
            poll = partial(provider.state, batch.model, batch.id)
            try:
                state = await self.calls.persistently(batch.model, poll, unless=is_gone)
                self._done[batch.intent] = state.done
                self._late.pop(batch.intent, None)
                if state.ended:
                    await self._take(batch, provider, state)
            except Unread as error:
                self._look_again(batch, str(error))
            except Unreached as error:
                self._unreached = str(error)
            except Exception as error:
                if not is_gone(error):
                    raise
                is_young = time.time() - (batch.creating_at or 0.0) < LONG_AGO_S
                why = self.calls.diagnose(error, batch.model).message
                self._look_again(batch, why, may_wait=is_young, may_forget=not is_young)

    def _look_again(
        self, batch: Batch, why: str, *, may_wait: bool = True, may_forget: bool = True
    ) -> None:
        """Look at this batch again after a pause, if it `may_wait`.

        It does not if that was in vain too often.
        """
        assert batch.id is not None
        looks = self._looks[batch.intent]
        self._looks[batch.intent] += 1
        due = math.inf
        if looks < len(_LATE_PAUSES_S) and may_wait:
            due = time.monotonic() + _LATE_PAUSES_S[looks]
        advice = "rerun the same command later, which looks again"
        if may_forget:
            forget = f"llmarith batch cancel --forget {name_of(batch.id)}"
            advice += f"; {forget} frees them, and they are paid for again"
        late = _Late(f"{why} (batch {name_of(batch.id)})", due, advice)
        self._late[batch.intent] = late
        if looks == 0 and due < math.inf:
            self.say(f"{late.why}; looking again for {sum(_LATE_PAUSES_S):g} s")

    async def _take(
        self, batch: Batch, provider: BatchProvider, state: BatchState
    ) -> None:
        """Store the replies of a batch that has ended.

        If its results are complete, its other reservations end.
        """
        target = batch.model.target
        questions = self._db.questions(batch.intent)
        total = len(questions)
        failures, lacking, damaged = await self._read(batch, provider, state, questions)
        if lacking:
            why = f"{target}: the results lack {lacking:,} lines"
            if damaged:
                why += f", and {damaged:,} lines cannot be read"
            self._look_again(batch, why)
            return
        if state.again or state.too_long:
            self._may_pass |= questions.keys() - failures.keys()
        # Those without a row have the reason of the batch.
        reason = Failure(redact.one_line(f"{target}: {state.reason}", os.environ))
        failures = dict.fromkeys(questions, reason) | failures
        mine = failures.keys() & self._missing.keys()
        if state.too_long and total > 1:
            asked = [self._missing[key] for key in questions.keys() & mine]
            tokens = sum(one.model.about_tokens(one.prompt) for one in asked)
            self._submission.most_tokens[target] = tokens // 2
        else:
            again = self._may_pass - self._billed
            for key in failures:
                self._tries[key] += 1 if key in again else _MOST_TRIES
        self._db.release(batch)
        self._failures |= failures
        for key in self._billed & mine:
            lost_usd = self.budget.fail(*self._missing[key], UnusableResponse())
            self.counts.lost(lost_usd or 0.0)
        said = f"{target}: batch of {total:,} ended, {total - len(failures):,} replies"
        if failures:
            messages = Counter(failure.message for failure in failures.values())
            ((usual, _),) = messages.most_common(1)
            said += f"; {len(failures):,} without: {usual}"
        self.say(said)

    async def _read(
        self,
        batch: Batch,
        provider: BatchProvider,
        state: BatchState,
        questions: dict[str, Messages],
    ) -> tuple[dict[str, Failure], int, int]:
        """Store the replies, and remove their questions.

        Returns the failures, how many lines the results lack, and how many are damaged.
        """
        created_at = datetime.fromtimestamp(batch.creating_at or 0, UTC)
        asked_at = created_at.isoformat(timespec="milliseconds")
        failures: dict[str, Failure] = {}
        # Also by a reply that was stored earlier, or cannot be used.
        answered: set[str] = set()
        damaged = 0
        for name in state.results:
            replies: dict[str, Reply] = {}
            read = partial(provider.result, batch.model, state, name)
            content = await self.calls.persistently(batch.model, read, unless=is_gone)
            for line in lines_in(content):
                row = provider.row(line)
                if row is None:
                    damaged += 1
                    continue
                if row.error is None:
                    answered.add(row.key)
                if row.key not in questions:
                    continue
                outcome = self._outcome(batch.model, row)
                if isinstance(outcome, Failure):
                    failures[row.key] = outcome
                    continue
                failures.pop(row.key, None)
                prompt = msgspec.convert(questions.pop(row.key), tuple[Message, ...])
                replies[row.key] = msgspec.structs.replace(
                    outcome,
                    batched=True,
                    asked_at=asked_at,
                    sent=sent_of(batch.model, prompt),
                )
                if len(replies) == _REPLIES_PER_WRITE:
                    self._write(batch, replies)
                    replies = {}
            self._write(batch, replies)
        without = len(questions.keys() - failures.keys())
        lacking = state.lacking(without=without, replies=len(answered), damaged=damaged)
        return failures, lacking, damaged

    def _outcome(self, model: Model, row: BatchRow) -> Reply | Failure:
        """The reply of a row, or why there is none.

        A reply that cannot be used may be billed.
        """
        try:
            if row.error is not None:
                raise row.error
            return self.client.reply_in_batch(model, row.body or {})
        except Exception as error:
            if is_filtered(error):
                return Reply("", finish_reason="content_filter")
            diagnosis = diagnose(error, model, self.limits.timeout_s)
            if row.error is None:
                self._billed.add(row.key)
            elif diagnosis.action is Action.RETRY:
                self._may_pass.add(row.key)
            return Failure(diagnosis.message, attempts=1)

    def _write(self, batch: Batch, replies: Mapping[str, Reply]) -> None:
        """Store replies, then count them."""
        taken = self._db.settle(batch.intent, replies)
        self.store.written.update(taken)
        self.counts.numbers["requests"] += len(taken)
        for key in taken:
            question = self._missing.pop(key, None)
            # the batch does not know a price that the run gives its model
            model = batch.model if question is None else question.model
            priced = self.prices.priced(model, replies[key])
            self.counts.paid(priced)
            if question is not None:
                self.budget.count(key, *question, priced)
