"""Labelled programs for real sequences: entries of the OEIS in `../shared/oeis`, which
are no part of this project.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from pytest_llmarith.tasks.oeis.cache import read_entry
from pytest_llmarith.types import IntegerSequence
from tests.oeis.corpus import honest_real, tables_real, unseen_real
from tests.oeis.corpus.cases import Case
from tests.oeis.corpus.sequences import LISTED, STARTER

ENTRIES = Path(__file__).parents[4] / "shared" / "oeis"


@cache
def real(number: str) -> IntegerSequence:
    """The OEIS's entry of this number, or else the starter set's or that of the other
    corpora.
    """
    for folder in (ENTRIES / "classic_easy", ENTRIES / "classic_hard", STARTER):
        if (folder / f"{number}.json").exists():
            return read_entry(folder / f"{number}.json")
    return LISTED[number]


def _honest(text: str) -> dict[bool, list[Case]]:
    """The programs that compute, by whether they are slow."""
    cases: dict[bool, list[Case]] = {False: [], True: []}
    for header, program in re.findall(
        r"^=== (.*)\n((?:(?!=== ).*\n)*)", text, re.MULTILINE
    ):
        name, number, *slow = header.split(" | ")
        sequence = real(number)
        primes = [p for p in range(2, 300) if all(p % d for d in range(2, p))]
        program = program.replace("[<primes below 300>]", str(primes)).replace(
            r"\"", '"'
        )
        program = program.replace("<terms>", ", ".join(sequence.terms))
        cases[bool(slow)].append(Case(name, sequence, program, False))
    return cases


TABLES: list[Case] = []
HONEST: list[Case] = []
SLOW: list[Case] = []
UNSEEN: list[Case] = []
if ENTRIES.exists():
    TABLES += tables_real.build(real)
    HONEST += _honest(honest_real.PROGRAMS)[False]
    SLOW += _honest(honest_real.PROGRAMS)[True]
    UNSEEN += unseen_real.build(real)
    UNSEEN += [case for cases in _honest(unseen_real.HONEST).values() for case in cases]
