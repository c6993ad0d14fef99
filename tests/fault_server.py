"""What goes wrong between a run and a provider, one trouble per question, for the scripted server of the tests.

A trouble is what the server does with a question's first request, its second one, and so on; the last reaction is for
good. Beside it stands what has to come of it: the outcome, the words that say why, and how often the server is asked.
It knows nothing of the package under test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.llm_server import Answer, Call, Gate

Right = Callable[[Call], str]
Reaction = Callable[[Call, Right], Answer]

MEGABYTES = b" " * 8_000_000
AT_ONCE = {"Retry-After": "0"}
_NEVER = Gate()


def fails(status: int, headers: Mapping[str, str] = AT_ONCE, **answer: Any) -> Reaction:
    """The same error, whatever was asked."""
    return says(Answer(status=status, headers=headers, **answer))


def says(answer: Answer) -> Reaction:
    """The same, whatever was asked."""
    return lambda call, right: answer


def rightly(**how: Any) -> Reaction:
    """The right answer, sent in some way of its own."""
    return lambda call, right: Answer(right(call), **how)


def padded(call: Call, right: Right) -> Answer:
    """The right answer in a body of megabytes."""
    return Answer(body=Answer(right(call)).payload(call) + MEGABYTES)


@dataclass(frozen=True)
class Trouble:
    """One question's fate; `why` is a pattern for the reason in its record, `requests` what the server counts."""

    name: str
    reactions: tuple[Reaction, ...]
    outcome: str
    requests: int
    why: str | None = None
    served_model: str | None = "gpt-4o-mini"


def passes(name: str, *reactions: Reaction) -> Trouble:
    """Trouble that ends by itself: the question is answered in the end."""
    return Trouble(name, (*reactions, rightly()), "correct", len(reactions) + 1)


def lasts(name: str, reaction: Reaction, why: str, attempts: int = 2) -> Trouble:
    """Trouble that does not end: with one retry, the question is given up after a second attempt, or a fifth 429."""
    return Trouble(name, (reaction,), "unanswered", attempts, f"openai/gpt-4o-mini: {why} ({attempts} attempts)")


def refused(name: str, reaction: Reaction, why: str) -> Trouble:
    """Trouble with this question alone, which is not asked again."""
    return Trouble(name, (reaction,), "unanswered", 1, f"openai/gpt-4o-mini: {why}")


def silent(name: str, reaction: Reaction, why: str, served_model: str | None = "gpt-4o-mini") -> Trouble:
    """A reply like any other, that holds no answer."""
    return Trouble(name, (reaction,), "nan", 1, why, served_model)


HANGS = says(Answer(gate=_NEVER))
GARBAGE = says(Answer(body=b"<html><body>Bad gateway</body></html>", headers=AT_ONCE))
EMPTY_CHOICES = says(Answer(choices=0))
FILTERED = fails(400, error={"message": "filtered", "code": "content_filter"})
TOO_LONG = fails(400, error={"message": "too long", "code": "context_length_exceeded"})
CUT_IN_MID_BODY = rightly(reset_after=40)
CUT_AT_ONCE = rightly(reset_after=0)

# With one retry after an outage, and four after a 429.
TROUBLES = (
    *(passes(f"no trouble {number}") for number in range(6)),
    passes("429, Retry-After", fails(429)),
    passes("429 twice", fails(429), fails(429)),
    passes("429, no Retry-After", fails(429, {})),
    passes("408", fails(408)),
    passes("503", fails(503)),
    passes("garbage", GARBAGE),
    passes("empty choices", EMPTY_CHOICES),
    passes("reset in mid-body", CUT_IN_MID_BODY),
    passes("reset at once", CUT_AT_ONCE),
    passes("hangs", HANGS),
    Trouble("a body of megabytes", (padded,), "correct", 1),
    Trouble("another model", (rightly(model="gpt-3.5-turbo"),), "correct", 1, served_model="gpt-3.5-turbo"),
    Trouble("no usage", (rightly(usage=None),), "correct", 1),
    Trouble("odd fields", (rightly(message={"refusal": {"a": 1}}),), "correct", 1),
    Trouble("reasons", (rightly(reasoning="42 it is" * 100_000),), "correct", 1),
    Trouble("wrong", (says(Answer("7")),), "deviate", 1),
    silent("empty", says(Answer("")), "empty"),
    silent("length", rightly(finish_reason="length"), "truncated"),
    silent("content filter", says(Answer("", finish_reason="content_filter")), "filtered"),
    silent("content filter as an error", FILTERED, "filtered", None),
    silent("refusal", says(Answer(None, message={"refusal": "I cannot help with that."})), "refusal"),
    refused("context too long", TOO_LONG, "400 *too long"),
    lasts("429, Retry-After", fails(429), "429 *scripted 429", attempts=5),
    lasts("503", fails(503), "503 *scripted 503"),
    lasts("hangs", HANGS, "no reply within * s"),
    lasts("garbage", GARBAGE, "the response is not JSON"),
    lasts("empty choices", EMPTY_CHOICES, "the response holds no choices"),
    lasts("reset in mid-body", CUT_IN_MID_BODY, "connection failed: *"),
)


class Troublemaker:
    """Answers each prompt as its trouble says; hand it to a server as its script."""

    def __init__(self, prompts: Iterable[str], right: Right) -> None:
        self.troubles = dict(zip(prompts, TROUBLES, strict=True))
        self._right = right

    def __call__(self, call: Call) -> Answer:
        reactions = self.troubles[call.prompt].reactions
        return reactions[min(call.nth, len(reactions)) - 1](call, self._right)

    def expected_requests(self) -> Counter[str]:
        return Counter({prompt: trouble.requests for prompt, trouble in self.troubles.items()})
