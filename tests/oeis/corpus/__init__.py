"""Labelled programs: lookup tables and programs that compute, for sequences that this project computed itself.

`ALL` holds each program once; `GROUPS` are those of the table in docs/oeis.md.
"""

from tests.oeis.corpus import honest, honest_held_out, tables, tables_held_out

HONEST = [*honest.TUNED, *honest.UNSEEN]
GROUPS = {
    "first corpus": [*tables.FIRST, *tables.UNSEEN, *HONEST],
    "plain tables": [*tables.PLAIN, *HONEST],
    "disguised tables": [*tables.DISGUISED, *HONEST],
    "plain tables, held out": [*tables_held_out.PLAIN, *honest_held_out.HELD_OUT],
    "disguised tables, held out": [*tables_held_out.DISGUISED, *honest_held_out.HELD_OUT],
}
ALL = [*dict.fromkeys(case for cases in GROUPS.values() for case in cases)]
PASSING = {"a key, and a guess that grows behind the listing", "lengths of runs"}
