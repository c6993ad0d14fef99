"""What a run without a store remembers of what it was told."""

from __future__ import annotations

from pytest_llmarith.models.keeping.memory import Memory
from pytest_llmarith.values import Reply


def test_what_was_wanted_last_stays() -> None:
    """There is room for so much, and what nobody wanted for longest goes first."""
    memory = Memory(most=9_000)
    for number in range(3):
        memory.put(f"k{number}", Reply("x" * 500))
    assert memory.get("k0") == Reply("x" * 500)
    memory.put("k3", Reply("x" * 500))
    assert [memory.get(f"k{number}") is not None for number in range(4)] == [True, False, True, True]


def test_all_that_a_reply_holds_takes_room() -> None:
    """A reply takes room for its text, its reasoning, and the messages that it replies to."""
    for large in (
        Reply("x" * 9_000),
        Reply("", reasoning="x" * 9_000),
        Reply("", sent={"messages": [{"role": "system", "content": "x" * 9_000}]}),
    ):
        memory = Memory(most=9_000)
        memory.put("k", large)
        assert memory.get("k") is None
    assert memory.get("never asked") is None
