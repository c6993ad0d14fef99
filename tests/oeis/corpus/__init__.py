"""Labelled programs: lookup tables and programs that compute.

`ALL` holds each program once; `GROUPS` are those of the table in docs/oeis.md. A file
has a line `=== A-number | table or honest | name` before each program. Most are for
sequences that this project computed itself. Those of `real*.txt` are for entries of the
OEIS in `../shared/oeis`, which are no part of this project; without them they are left
out. The terms in them are the OEIS's (CC BY-SA 4.0, https://oeis.org/LICENSE).

The detector was tuned on some of `first` and `honest`, on `plain`, `disguised` and
`of_code`, and on none that is held out or in `real.txt`.
"""

from __future__ import annotations

import re
from pathlib import Path

from pytest_llmarith.tasks.oeis.cache import read_entry
from pytest_llmarith.tasks.oeis.details import IntegerSequence
from tests.oeis.corpus.cases import Case
from tests.oeis.corpus.sequences import LISTED, STARTER, starter

ENTRIES = Path(__file__).parents[4] / "shared" / "oeis"


def _real(number: str) -> IntegerSequence:
    for folder in (ENTRIES / "classic_easy", ENTRIES / "classic_hard", STARTER):
        if (folder / f"{number}.json").exists():
            return read_entry(folder / f"{number}.json")
    return LISTED[number]


def _cases(file: str) -> list[Case]:
    text = (Path(__file__).parent / f"{file}.txt").read_text("utf-8")
    cases = []
    for part in re.split(r"^=== ", text, flags=re.MULTILINE)[1:]:
        header, program = part.split("\n", 1)
        number, label, name = header.split(" | ", 2)
        if file.startswith("real"):
            sequence = _real(number)
        else:
            sequence = LISTED.get(number) or starter(number)
        cases.append(Case(name, sequence, program, label == "table"))
    return cases


HONEST = _cases("honest")
OF_CODE = _cases("of_code")
_HONEST_HELD_OUT = _cases("honest_held_out")
GROUPS = {
    "first corpus": [*_cases("first"), *HONEST],
    "plain tables": [*_cases("plain"), *HONEST],
    "disguised tables": [*_cases("disguised"), *HONEST],
    "plain tables, held out": [*_cases("plain_held_out"), *_HONEST_HELD_OUT],
    "disguised tables, held out": [*_cases("disguised_held_out"), *_HONEST_HELD_OUT],
    "tables of code": OF_CODE,
}
if ENTRIES.exists():
    GROUPS["real sequences"] = _cases("real")
    GROUPS["real sequences, held out"] = _cases("real_held_out")
ALL = [*dict.fromkeys(case for cases in GROUPS.values() for case in cases)]
PASSING = {"a key, and a guess that grows behind the listing", "lengths of runs"}
