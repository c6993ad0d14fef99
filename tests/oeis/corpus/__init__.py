"""Labelled programs: lookup tables and programs that compute.

`ALL` holds each program once; `GROUPS` are those of the table in docs/oeis.md. Most are
for sequences that this project computed itself; those for real sequences are there only
if the entries of the OEIS are.
"""

from tests.oeis.corpus import (
    honest,
    honest_held_out,
    real,
    tables,
    tables_held_out,
    tables_of_code,
)

HONEST = [*honest.TUNED, *honest.UNSEEN]
GROUPS = {
    "first corpus": [*tables.FIRST, *tables.UNSEEN, *HONEST],
    "plain tables": [*tables.PLAIN, *HONEST],
    "disguised tables": [*tables.DISGUISED, *HONEST],
    "plain tables, held out": [*tables_held_out.PLAIN, *honest_held_out.HELD_OUT],
    "disguised tables, held out": [
        *tables_held_out.DISGUISED,
        *honest_held_out.HELD_OUT,
    ],
    "tables of code": [*tables_of_code.TABLES, *tables_of_code.HONEST],
}
if real.TABLES:
    GROUPS["real sequences"] = [*real.TABLES, *real.HONEST, *real.SLOW]
    GROUPS["real sequences, held out"] = real.UNSEEN
ALL = [*dict.fromkeys(case for cases in GROUPS.values() for case in cases)]
PASSING = {"a key, and a guess that grows behind the listing", "lengths of runs"}
