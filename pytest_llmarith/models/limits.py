"""When a request may be sent: concurrency, requests per minute, circuit breaker.

All classes belong to the broker's event loop. Models with the same target and address
share an `Endpoint`, which has a limit and a breaker for each of its servers.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Container, Sequence
from contextlib import suppress
from itertools import count
from typing import NamedTuple

from pytest_llmarith.models.addresses import CurrentAddresses
from pytest_llmarith.models.provider_errors import Action, Diagnosis
from pytest_llmarith.types import RequestLimits, Servers, Throttled

Clock = Callable[[], float]

_MAX_ROUNDS = 64
# Of so many requests a provider may refuse one by chance, without a limit behind it.
_CHANCE = 0.1
_MANY = 2.0  # refusals in excess of that

DOWN_AFTER_FAILURES = 20
DOWN_AFTER_S = 60.0
REFUSED_AFTER_S = 5.0
PROBE_EVERY_S = 3.0
_LOOK_AGAIN_S = 1.0


class Closed(Exception):
    """The endpoint sends no further requests: the run ends, or the provider is down."""


class ConcurrencyLimit:
    """The number of requests to one endpoint that may be in flight.

    It is at most `most`, and unless it is `fixed`, adapted to the provider. More 429s
    than one in ten halve it: a cumulative sum of their excess tells those of a limit,
    which come together, from a few at random. After a round of replies at a limit, it
    is raised by one. If that is refused, the limit goes back to the last accepted
    value, and the next raise waits for twice as many rounds. Requests sent before the
    limit was lowered no longer count.
    """

    def __init__(self, most: int, *, fixed: bool = False) -> None:
        self.allowed = most
        self.lowest = most
        self.in_flight = 0
        self.lowered = 0  # how often
        self.excess = 0.0  # of refusals, over those by chance
        self._most = most
        self._fixed = fixed
        self._peak = 0
        self._peak_of_replies = 0  # since the last refusal
        self._taken = 0  # the highest limit that the provider has accepted
        self._replies = 0  # at this limit, without a refusal
        self._rounds = 1  # of replies before the next raise

    def begin(self) -> int:
        """Count a request that is sent; pass the result to `replied` or `refused`."""
        self.in_flight += 1
        self._peak = max(self._peak, self.in_flight)
        self._peak_of_replies = max(self._peak_of_replies, self.in_flight)
        return self.lowered

    def end(self) -> None:
        self.in_flight -= 1

    def refused(self, began: int) -> bool:
        """Count a 429. Returns whether it lowered the limit."""
        used = min(self.allowed, self._peak)
        if self._fixed or began != self.lowered or used <= 1:
            return False
        self._replies = 0
        self._peak_of_replies = self.in_flight - 1
        self.excess += 1 - _CHANCE
        if self.excess < _MANY:
            return False
        if used // 2 <= self._taken < used:
            self.allowed = self._taken
            self._rounds = min(2 * self._rounds, _MAX_ROUNDS)
        else:
            self.allowed, self._taken = used // 2, 0
        self.excess = 0.0
        self._peak = self.in_flight - 1
        self.lowered += 1
        self.lowest = min(self.lowest, self.allowed)
        return True

    def replied(self, began: int) -> None:
        """Count a reply."""
        if began != self.lowered:
            return
        self.excess = max(0.0, self.excess - _CHANCE)
        if self.allowed == self._most:
            return
        self._replies += 1
        if self._replies >= self.allowed:
            self._taken = max(self._taken, min(self.allowed, self._peak_of_replies))
        if self._replies >= self.allowed * self._rounds:
            self.allowed += 1
            self._replies = 0


class CircuitBreaker:
    """Whether a provider is down, by consecutive failures.

    A provider is down after 20 consecutive failures over at least a minute. From the
    20th failure on, requests are sent a few seconds apart, so that an outage of less
    than a minute loses no question. A provider is never down while requests from before
    the first failure are in flight. A server that refuses connections and has never
    replied is down after a few seconds.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._since = 0.0
        self._sent_at = clock()
        self._numbers = count()
        self._in_flight: set[int] = set()
        self._older: set[int] = set()
        self._refused = False
        self.has_replied = False
        self.failures = 0

    @property
    def failing_s(self) -> float:
        """Seconds since the first of the consecutive failures."""
        return self._clock() - self._since if self.failures else 0.0

    @property
    def is_down(self) -> bool:
        if self._older:
            return False
        if self._refused and not self.has_replied and self.failing_s >= REFUSED_AFTER_S:
            return True
        return self.failures >= DOWN_AFTER_FAILURES and self.failing_s >= DOWN_AFTER_S

    def wait_s(self, after_failures: int = DOWN_AFTER_FAILURES) -> float:
        """Seconds until the next request may be sent; from so many failures on, a
        request is sent now and then.
        """
        if self.failures < after_failures:
            return 0.0
        return max(0.0, self._sent_at + PROBE_EVERY_S - self._clock())

    def begin(self) -> int:
        """Count a request that is sent; pass the result to `end`."""
        self._sent_at = self._clock()
        number = next(self._numbers)
        self._in_flight.add(number)
        return number

    def end(self, number: int) -> None:
        self._in_flight.discard(number)
        self._older.discard(number)

    def failed(self, requests: int = 1, *, refused: bool = False) -> None:
        """Count a failed request, or a question given up after so many requests."""
        self._refused = refused
        if not self.failures:
            self._since = self._clock()
            self._older = set(self._in_flight)
        self.failures += requests

    def replied(self) -> None:
        self.failures = 0
        self.has_replied = True


class SharedLimits:
    """The limits that the endpoints of a run share.

    They are requests in flight, and requests per minute without bursts.
    """

    def __init__(self, limits: RequestLimits) -> None:
        self.clock = asyncio.get_running_loop().time
        self.most = limits.concurrency
        self.fixed = limits.fixed
        self.endpoints: list[Endpoint] = []
        self._in_flight = 0
        self._every_s = 0.0
        if limits.requests_per_minute:
            self._every_s = 60.0 / limits.requests_per_minute
        self._next_at = self.clock()

    def wait_s(self) -> float:
        """Seconds until the next request may be sent; infinite until one ends."""
        if self._in_flight >= self.most:
            return math.inf
        return max(0.0, self._next_at - self.clock())

    def begin(self) -> None:
        self._in_flight += 1
        self._next_at = max(self._next_at, self.clock()) + self._every_s

    def end(self) -> None:
        """Wake the requests that wait."""
        self._in_flight -= 1
        for endpoint in self.endpoints:
            endpoint.changed.set()


class ServerLimits:
    """One address; None is the one that the provider's client knows."""

    def __init__(self, address: str | None, shared: SharedLimits, most: int) -> None:
        self.address = address
        self.limit = ConcurrencyLimit(most, fixed=shared.fixed)
        self.breaker = CircuitBreaker(shared.clock)

    @property
    def is_healthy(self) -> bool:
        """Whether its last request has not failed."""
        return not self.breaker.failures

    def wait_s(self, *, is_needed: bool) -> float:
        """Seconds until it may be sent a request, infinite until one ends.

        If a healthy one is there, one that fails is tried now and then, by one request.
        """
        in_flight = self.limit.in_flight
        if in_flight >= self.limit.allowed:
            return math.inf
        if is_needed or self.is_healthy:
            return self.breaker.wait_s()
        return math.inf if in_flight else self.breaker.wait_s(1)


class Attempt(NamedTuple):
    """A request that was sent: its numbers at the breaker and the concurrency limit of
    its server.
    """

    server: ServerLimits
    number: int
    began: int


class Endpoint:
    """One target, at one address or at several servers.

    It sends requests in the order of their arrival, each to the server with the fewest
    in flight, which gets `most` at once.

    `questions` counts the questions in progress, including those that wait for a retry.
    """

    def __init__(
        self, target: str, shared: SharedLimits, most: int, servers: Servers | None
    ) -> None:
        self.target = target
        self.questions = 0
        self.down: str | None = None
        self.changed = asyncio.Event()
        self._most = most
        self._shared = shared
        self._listed = None if servers is None else CurrentAddresses(servers)
        self._known: dict[str | None, ServerLimits] = {}
        self._send_lock = asyncio.Lock()
        self._closed = asyncio.Event()
        shared.endpoints.append(self)

    @property
    def closed(self) -> bool:
        return self._closed.is_set()

    def has_capacity(self) -> bool:
        """Whether it can take another question.

        A closed endpoint takes every question and refuses it.
        """
        servers = self._servers()
        healthy = [server for server in servers if server.is_healthy]
        allowed = sum(server.limit.allowed for server in healthy or servers)
        return self.closed or self.questions < allowed

    def close(self) -> None:
        """Send no more requests; those in flight may still finish."""
        self._closed.set()
        self.changed.set()

    async def pause(self, seconds: float) -> None:
        """Wait; raises Closed if the endpoint is closed meanwhile."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._closed.wait()
        self._raise_if_closed()

    async def begin(self, tried: Container[ServerLimits] = ()) -> Attempt:
        """Wait until a request may be sent, to a server that was not `tried` if one is
        free; `end` has to follow. Raises Closed.
        """
        async with self._send_lock:
            self._raise_if_closed()
            server, seconds = self._next(tried)
            while seconds > 0:
                self.changed.clear()
                limit = None if math.isinf(seconds) else seconds
                with suppress(TimeoutError):
                    async with asyncio.timeout(limit):
                        await self.changed.wait()
                self._raise_if_closed()
                server, seconds = self._next(tried)
            self._shared.begin()
            return Attempt(server, server.breaker.begin(), server.limit.begin())

    def end(self, attempt: Attempt) -> None:
        attempt.server.breaker.end(attempt.number)
        attempt.server.limit.end()
        self._shared.end()

    def replied(self, attempt: Attempt) -> None:
        attempt.server.limit.replied(attempt.began)
        attempt.server.breaker.replied()

    def failed(self, attempt: Attempt, diagnosis: Diagnosis) -> Throttled | None:
        """Count a failure that can be retried.

        Returns the concurrency limit if the failure lowered it.
        """
        attempt.server.breaker.end(attempt.number)
        limit = attempt.server.limit
        if diagnosis.throttled:
            if limit.refused(attempt.began):
                return Throttled(self.target, limit.lowered, limit.lowest, self._most)
        elif diagnosis.action is Action.RETRY:
            self._count_failure(attempt, diagnosis)
        return None

    def was_in_burst(self, attempt: Attempt) -> bool:
        """Whether a refusal came after another one that says the same.

        A refused request may then be retried at once: the limit was or will be lowered.
        """
        limit = attempt.server.limit
        return attempt.began != limit.lowered or limit.excess > 1

    def has_other(self, tried: Container[ServerLimits]) -> bool:
        """Whether a healthy server was not tried."""
        return any(one.is_healthy and one not in tried for one in self._servers())

    def gave_up(self, last: Attempt, diagnosis: Diagnosis, attempts: int) -> None:
        """Count a question that was given up because of 429.

        A provider that refuses every request counts as down.
        """
        if diagnosis.throttled:
            self._count_failure(last, diagnosis, attempts)

    def _count_failure(
        self, attempt: Attempt, diagnosis: Diagnosis, attempts: int = 1
    ) -> None:
        breaker = attempt.server.breaker
        breaker.failed(attempts, refused=diagnosis.refused)
        is_down = all(server.breaker.is_down for server in self._servers())
        if is_down and not self.closed:
            lasting = (
                f"{breaker.failures} failures in {breaker.failing_s:.0f} s "
                f"without a reply"
            )
            self.down = f"{self.target} is down: {diagnosis.reason} ({lasting})"
            self.close()

    def _servers(self) -> list[ServerLimits]:
        """The servers as they are listed now."""
        addresses: Sequence[str | None] = (None,)
        if self._listed is not None:
            addresses = self._listed.read()
        for address in addresses:
            if address not in self._known:
                self._known[address] = ServerLimits(address, self._shared, self._most)
        return [self._known[address] for address in addresses]

    def _next(self, tried: Container[ServerLimits]) -> tuple[ServerLimits, float]:
        """The server of the next request, and the seconds until it may be sent;
        infinite until a request ends.
        """
        servers = self._servers()
        is_needed = not any(server.is_healthy for server in servers)

        def order(server: ServerLimits) -> tuple[float, bool, int]:
            wait_s = server.wait_s(is_needed=is_needed)
            return wait_s, server in tried, server.limit.in_flight

        first = min(servers, key=order)
        seconds = max(first.wait_s(is_needed=is_needed), self._shared.wait_s())
        # The list may change meanwhile.
        return first, seconds if self._listed is None else min(seconds, _LOOK_AGAIN_S)

    def _raise_if_closed(self) -> None:
        if self.closed:
            raise Closed
