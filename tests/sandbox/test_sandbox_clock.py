"""What counts of a term's time, and what others are to blame for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.sandbox.inside.clock import Waiting, machine_ns, taken_ns

MS = 1_000_000
# What a term with one thread does in 10 ms.
RUNS, WAITS, SLEEPS = (10, 0), (0, 10), (0, 0)


@pytest.mark.parametrize(
    ("looks", "processors", "ran", "waited"),
    [
        # One thread: the processor time of each look, and its running and waiting, in ms.
        ([(10, [RUNS])] * 30, 2, 300, 0),
        ([(0, [SLEEPS])] * 30, 2, 0, 0),
        ([(10, [RUNS]), (0, [WAITS])] * 15, 2, 150, 150),
        ([(5, [(5, 5)])] * 30, 2, 150, 150),
        # A wait is booked when it ends, and running at the next tick.
        ([(0, [SLEEPS]), (0, [SLEEPS]), (4, [(4, 26)])] * 10, 2, 40, 260),
        ([(6, [(6, 0)]), (14, [(14, 0)])] * 10, 2, 200, 0),
        # The first thread sleeps, the second one works.
        ([(5, [SLEEPS, (5, 5)])] * 30, 2, 150, 150),
        # One after the other.
        ([(5, [(5, 5), SLEEPS])] * 15 + [(5, [SLEEPS, (5, 5)])] * 15, 2, 150, 150),
        # They hand a lock to each other, and the others wake up to ask for it.
        ([(10, [(5, 0), (5, 0), (0, 8), (0, 8)])] * 30, 2, 300, 0),
        # Side by side: what one waits while another one runs is not taken off.
        ([(20, [(5, 5)] * 4)] * 30, 2, 300, 0),
        ([(10, [(10, 0), (0, 10)])] * 30, 2, 300, 0),
        # Side by side, had the machine let them: they count as if they were.
        ([(10, [(2.5, 7.5)] * 4)] * 30, 2, 150, 150),
        ([(9, [(2.25, 7.75)] * 4)] * 30, 3, 90, 210),
        # Never more than the processors could do.
        ([(20, [(0.5, 9.5)] * 40)] * 30, 2, 300, 0),
    ],
)
def test_waiting(looks: list[tuple[int, list[tuple[float, float]]]], processors: int, ran: int, waited: int) -> None:
    """What nobody but the machine is to blame for, look by look."""
    waiting = Waiting(processors)
    for number, (cpu, threads) in enumerate(looks, 1):
        counts = [(int(ran_ms * MS), int(waited_ms * MS)) for ran_ms, waited_ms in threads]
        waiting.add(number * 10 * MS, 10 * MS, cpu * MS, counts)
    assert (waiting.ran_ns, waiting.waited_ns) == (ran * MS, waited * MS)


@given(
    st.lists(
        st.tuples(st.integers(0, 40), st.lists(st.tuples(st.integers(-1, 40), st.integers(-1, 40)), max_size=5)),
        max_size=40,
    ),
    st.integers(1, 8),
)
def test_no_wait_is_longer_than_what_is_left_of_the_time(
    looks: list[tuple[int, list[tuple[int, int]]]], processors: int
) -> None:
    """Whatever the kernel says, in any order: running and waiting together are no longer than the term."""
    waiting = Waiting(processors)
    for number, (cpu, threads) in enumerate(looks, 1):
        waiting.add(number * 10, 10, cpu, threads)
    assert waiting.waited_ns >= 0
    assert waiting.ran_ns >= 0
    assert waiting.waited_ns + waiting.ran_ns <= 10 * len(looks)


@pytest.mark.parametrize(
    ("cpu", "worked", "stolen", "taken"),
    [
        (300, 300, 300, 300),  # alone at work
        (300, 600, 300, 150),  # one of two
        (0, 600, 300, 0),  # asleep
        (300, 0, 10, 10),  # the machine's count is coarser than the term's
        (0, 0, 10, 0),
        (300, 300, 0, 0),
    ],
)
def test_a_part_of_what_is_stolen(cpu: int, worked: int, stolen: int, taken: int) -> None:
    """Of the time that was stolen, as large a part is a term's as its work is of all work."""
    assert taken_ns(cpu, worked, stolen) == taken


def test_the_machines_counts_only_grow() -> None:
    """The machine's counts of work and of theft never fall, and are 0 where they are unknown."""
    before, after = machine_ns(), machine_ns()
    assert (0, 0) <= before <= after
