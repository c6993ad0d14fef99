"""What a record keeps of the replies of a search: bounded, whatever comes, and what was paid is never left out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_llmarith.records import Usage, as_dict
from pytest_llmarith.trials.kept import kept
from pytest_llmarith.values import Reply

ROOM = 4_000_000
SENT: dict[str, object] = {"model": "m", "api_base": None, "messages": [], "params": {}}
USAGE_AND_KEYS = 600  # characters of what stands for a reply that found no room


def many(text: str, reasoning: str | None = None, count: int = 80, **facts: object) -> list[Reply]:
    paid = {"prompt_tokens": 10, "completion_tokens": 9, "cost_usd": 0.25, "latency_s": 1.5} | facts
    return [Reply(text, reasoning, **paid)] * count  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "replies",
    [
        many("7", reasoning="\x01" * 1_000_000),
        many("\N{GRINNING FACE}" * 99_000),
        many("7", served_model="\x1b" * 1_000_000),
        many("7", finish_reason="x" * 1_000_000),
        many("7", sent=SENT | {"messages": [{"role": "user", "content": "\u202e" * 1_000_000}]}),
        many("7" * 99_000, count=1_000),
    ],
    ids=["reasoning", "escapes", "name", "reason", "sent", "many"],
)
def test_a_trail_can_be_read_again(replies: list[Reply]) -> None:
    """However long replies are and whatever in them is long, as JSON they are no longer than the room they have."""
    written = json.dumps([as_dict(part) for parts in kept(replies) for part in parts if part])
    assert len(written) <= ROOM + len(replies) * USAGE_AND_KEYS


def test_a_reply_without_room_keeps_what_it_cost() -> None:
    """It has no words, and says of itself whatever its sums are made of."""
    ((reply, usage),) = kept(many("7" * ROOM, count=1, served_model="m", asked_at="2026-11-22T00:31:07+00:00"))
    assert reply is None
    assert usage == Usage("m", 10, 9, None, 0.25, False, 1.5, 1, False, "2026-11-22T00:31:07+00:00")


@given(st.lists(st.sampled_from([1, 1_000, 300_000, 1_500_000, 4_000_000]), max_size=12))
@settings(max_examples=25, deadline=None)
def test_short_replies_are_kept_whatever_stands_before_them(lengths: list[int]) -> None:
    """A long reply that finds no room takes none from those behind it, and none is kept in part."""
    replies = [Reply("7" * length) for length in [*lengths, 1]]
    found = list(kept(replies))
    assert all(one is None or one.text == reply.text for (one, _), reply in zip(found, replies, strict=True))
    assert all((reply is None) == (usage is not None) for reply, usage in found)
    fits = sum(len(reply.text) + 1_000 for reply, _ in found[:-1] if reply) <= ROOM - 1_000
    assert found[-1][0] is not None or not fits
