"""How single terms of sequences fared: by their place in the sequence, by what came of them, by how long they took.

It does not know which sequence a term is of, nor how it is judged.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable
from typing import Literal

from pytest_llmarith.records import Term
from pytest_llmarith.results.statistics import median_of_floats, quantile_of_sorted
from pytest_llmarith.values import TermStatus

MOST_PLACES = 100


class Terms:
    """Counts terms that were run. One that this machine was too busy to tell of is in no figure."""

    def __init__(self) -> None:
        self._right: Counter[int] = Counter()
        self._run: Counter[int] = Counter()
        self._statuses: Counter[TermStatus] = Counter()
        self._seconds = array("d")

    def add(self, terms: Iterable[Term]) -> None:
        """Take the terms of one program, in the order of the sequence."""
        for place, term in enumerate(terms, 1):
            if term.status is TermStatus.INCONCLUSIVE:
                continue
            self._statuses[term.status] += 1
            self._seconds.append(term.seconds)
            if place <= MOST_PLACES:
                self._run[place] += 1
                self._right[place] += term.status is TermStatus.OK

    @property
    def by_place(self) -> list[dict[Literal["term", "right", "run"], int]]:
        """How often the first term was right, the second, and so on."""
        return [{"term": place, "right": self._right[place], "run": self._run[place]} for place in sorted(self._run)]

    @property
    def statuses(self) -> dict[TermStatus, int]:
        """How many terms came to what; only what occurs."""
        return {status: self._statuses[status] for status in TermStatus if self._statuses[status]}

    @property
    def seconds(self) -> dict[Literal["median", "p90", "max"], float] | None:
        """How long terms took."""
        ordered = sorted(self._seconds)
        median, p90 = median_of_floats(ordered), quantile_of_sorted(ordered, 90)
        if median is None or p90 is None:
            return None
        return {"median": median, "p90": p90, "max": ordered[-1]}
