"""Collects the cases of the corpus: a reply, the expected number, and whether the reply
gives it as its answer.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from pytest_llmarith.exact.conformance import CorpusCase

Category = Literal["equivalence", "format", "distinction", "exploit"]


@dataclass
class Cases:
    """Collects the cases of one origin.

    A family's cases are numbered in the order in which they are added.
    """

    origin: Literal["random", "written"]
    cases: list[CorpusCase] = field(default_factory=list)
    numbers: Counter[str] = field(default_factory=Counter)

    def right(
        self,
        family: str,
        reply: str,
        expected: str,
        why: str,
        language: str = "en",
        *,
        same_spelling: bool = True,
    ) -> None:
        """A reply whose answer is the expected number."""
        self._add(
            "format" if same_spelling else "equivalence",
            family,
            reply,
            expected,
            why,
            language,
            True,
        )

    def wrong(
        self,
        family: str,
        reply: str,
        expected: str,
        why: str,
        language: str = "en",
        *,
        hostile: bool = False,
    ) -> None:
        """A reply whose answer is another number, or that gives none."""
        self._add(
            "exploit" if hostile else "distinction",
            family,
            reply,
            expected,
            why,
            language,
            False,
        )

    def _add(
        self,
        category: Category,
        family: str,
        reply: str,
        expected: str,
        why: str,
        language: str,
        expect: bool,
    ) -> None:
        assert Decimal(expected).is_finite()
        self.numbers[family] += 1
        name = f"{family}-{self.origin}-{self.numbers[family]:03}"
        self.cases.append(
            CorpusCase(
                name,
                category,
                family,
                language,
                expected,
                reply,
                expect,
                why,
                self.origin,
            )
        )
