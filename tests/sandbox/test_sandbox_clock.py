"""What counts of a term's time, and what others are to blame for."""

from __future__ import annotations

import os

import pytest

from pytest_llmarith.sandbox.inside.clock import counted_ns, machine_ns, taken_ns

CORES = len(os.sched_getaffinity(0))


@pytest.mark.parametrize(
    ("wall", "cpu", "waited", "late", "taken", "counted"),
    [
        (300, 300, 0, 0, 0, 300),  # at work all the time
        (400, 3, 0, 0, 0, 400),  # asleep
        (1000, 300, 700, 0, 0, 300),  # one of many
        (310, 300, 0, 10, 0, 300),  # its reader came late
        (600, 300, 0, 0, 300, 300),  # the hypervisor took half of the time
        (600, 300, 100, 0, 200, 300),
        (600, 300, 0, 0, 5000, 300),  # never less than it was at work
        (300, 290, 0, 200, 0, 290),
        (1000, 1000 * CORES, 900, 0, 0, 1000),  # its own threads crowd it out
    ],
)
def test_counted(wall: int, cpu: int, waited: int, late: int, taken: int, counted: int) -> None:
    """Waiting, a late reader and a hypervisor come off; work and its own threads do not."""
    assert counted_ns(wall, cpu, waited, late_ns=late, taken_ns=taken) == counted


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
