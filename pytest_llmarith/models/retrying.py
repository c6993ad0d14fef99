"""Room: trying again. How often, how long between, and what is said in the end. It knows neither litellm nor a loop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from random import Random
from typing import Protocol

from pytest_llmarith.models.failures import Diagnosis, Remedy
from pytest_llmarith.values import Failure, Reply

FIRST_PAUSE_S = 2.0
LONGEST_PAUSE_S = 60.0
LONGEST_RETRY_AFTER_S = 300.0


class Pausing(Protocol):
    """Waits so many seconds; False means that it is not worth waiting any longer."""

    def __call__(self, seconds: float) -> Awaitable[bool]: ...


PauseLength = Callable[[int, float | None], float]


def pause_length(chance: Random) -> PauseLength:
    """How long to wait after the n-th attempt: what the provider asked for, else exponential with full jitter."""

    def seconds(attempt: int, retry_after_s: float | None) -> float:
        if retry_after_s is not None:
            return min(retry_after_s, LONGEST_RETRY_AFTER_S)
        return chance.uniform(0, min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** (attempt - 1)))

    return seconds


async def persist(
    attempt: Callable[[], Awaitable[Reply]],
    diagnose: Callable[[Exception], Diagnosis],
    pause: Pausing,
    pause_s: PauseLength,
    retries: int,
) -> Reply | Failure:
    """Try until there is a reply, or no hope, or `retries` further attempts were made."""
    for count in range(1, retries + 2):
        try:
            return replace(await attempt(), attempts=count)
        except Exception as error:
            diagnosis = diagnose(error)
        if diagnosis.remedy is not Remedy.TRY_AGAIN or count > retries:
            break
        if not await pause(pause_s(count, diagnosis.retry_after_s)):
            break
    return _failure(diagnosis, count)


def _failure(diagnosis: Diagnosis, attempts: int) -> Failure:
    tried = f" ({attempts} attempts)" if attempts > 1 else ""
    return Failure(f"{diagnosis.message}{tried}", attempts, stops_run=diagnosis.remedy is Remedy.STOP_RUN)
