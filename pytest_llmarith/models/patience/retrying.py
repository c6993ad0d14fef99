"""Trying again. How often, how long between, and when it is not worth it. It knows neither litellm nor a loop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from tenacity import AsyncRetrying, RetryCallState, retry_if_result, wait_random_exponential

from pytest_llmarith.models.patience.failures import Diagnosis, Remedy
from pytest_llmarith.values import AskingLimits, Reply, Retry
from pytest_llmarith.values.asking import NEVER_ASKED

FIRST_PAUSE_S = 2.0
LONGEST_PAUSE_S = 60.0
# Limits are per minute, and of those who wait for the next one some miss it: a 429 is tried again so many times more
# often than an outage, for some minutes in all.
PATIENCE_FOR_429 = 4
# So long after a question's first attempt, no further one begins.
RETRY_TIME_S = 900.0

# How long to wait after the n-th attempt, given what the provider asked for.
PauseLength = Callable[[int, float | None], float]

_back_off = wait_random_exponential(multiplier=FIRST_PAUSE_S, max=LONGEST_PAUSE_S)


class Over(Exception):
    """It is not worth waiting any longer: the run ends, or the provider is down."""


class OverBudget(Exception):
    """A request could pass a cap; the message says which."""


@dataclass(frozen=True, slots=True)
class GivenUp:
    """No reply came: what is known of the last attempt, if there was one, and what was made of it."""

    diagnosis: Diagnosis | None
    attempts: int
    retries: tuple[Retry, ...]
    message: str


class Persistence:
    """Tries until there is a reply, or no hope, or enough was tried; `Over` from either deed ends it at once.

    `attempt` comes back with a reply or with what went wrong, `pause` waits so long because of that, `elapsed_s` says
    how long it has been since the first attempt.
    """

    def __init__(
        self,
        attempt: Callable[[], Awaitable[Reply | Diagnosis]],
        pause: Callable[[float, Diagnosis], Awaitable[None]],
        elapsed_s: Callable[[], float],
        limits: AskingLimits,
        pause_s: PauseLength | None = None,
    ) -> None:
        self._attempt = attempt
        self._pause = pause
        self._elapsed_s = elapsed_s
        self._limits = limits
        self._pause_s = pause_s
        self._last: Diagnosis | None = None
        self._attempts = 0
        self._throttled = 0
        self._retries: list[Retry] = []
        self._next: Retry | None = None
        self._over = False

    async def outcome(self) -> Reply | GivenUp:
        """Try. A retry is known by why the attempt before it failed, and how long it was waited."""
        trying = AsyncRetrying(
            retry=retry_if_result(lambda result: isinstance(result, Diagnosis) and result.remedy is Remedy.TRY_AGAIN),
            stop=self._is_enough,
            wait=self._wait_s,
            sleep=self._sleep,
            retry_error_callback=lambda state: state.outcome and state.outcome.result(),
        )
        try:
            result: Reply | Diagnosis = await trying(self._try_once)
        except Over:
            self._over = True
        except OverBudget as refusal:
            return GivenUp(None, self._attempts, tuple(self._retries), str(refusal))
        else:
            if isinstance(result, Reply):
                return replace(result, attempts=self._attempts, retries=tuple(self._retries))
        return GivenUp(self._last, self._attempts, tuple(self._retries), self._message())

    async def _try_once(self) -> Reply | Diagnosis:
        result = await self._attempt()
        self._attempts += 1
        if self._next is not None:
            self._retries.append(self._next)
        self._last = result if isinstance(result, Diagnosis) else None
        self._throttled += self._last is not None and self._last.throttled
        return result

    def _wait_s(self, state: RetryCallState) -> float:
        """What the provider asks for, else exponential with full jitter: who failed together comes back apart.

        A provider that goes on asking for too little is believed no more: then at least what it asks for.
        """
        asked = None if self._last is None else self._last.retry_after_s
        if self._pause_s is not None:
            return self._pause_s(state.attempt_number, asked)
        if asked is not None and self._attempts <= self._limits.retries:
            return asked
        return max(asked or 0.0, _back_off(state))

    def _is_enough(self, state: RetryCallState) -> bool:
        takes_too_long = self._elapsed_s() + state.upcoming_sleep > RETRY_TIME_S
        return self._tried_enough() or takes_too_long

    def _tried_enough(self) -> bool:
        """Whether what went wrong last has used up its retries. A 429 uses up none of an outage's."""
        throttled = self._last is not None and self._last.throttled
        if throttled:
            return self._throttled > self._limits.retries * PATIENCE_FOR_429
        return self._attempts - self._throttled > self._limits.retries

    async def _sleep(self, seconds: float) -> None:
        assert self._last is not None
        await self._pause(seconds, self._last)
        self._next = Retry(self._last.message, round(seconds, 3))

    def _message(self) -> str:
        """The last attempt's failure, and what was tried."""
        if self._last is None:
            return NEVER_ASKED.message
        notes = [f"{self._attempts} attempts"] if self._attempts > 1 else []
        could_go_on = self._last.remedy is Remedy.TRY_AGAIN and not self._tried_enough()
        if could_go_on and not self._over:
            notes += self._what_takes_too_long(self._last)
        return f"{self._last.message} ({', '.join(notes)})" if notes else self._last.message

    def _what_takes_too_long(self, last: Diagnosis) -> list[str]:
        asks = [] if last.retry_after_s is None else [f"it asks to wait {last.retry_after_s:,.0f} s"]
        return [*asks, f"retries end after {RETRY_TIME_S:g} s"]
