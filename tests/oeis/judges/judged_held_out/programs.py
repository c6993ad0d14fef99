"""All held-out programs: 60 that compute, right or wrong, and 30 lookup tables. No judge was tuned on these."""

from __future__ import annotations

from tests.oeis.judges.judged_held_out.cheats_disguised import DISGUISED
from tests.oeis.judges.judged_held_out.cheats_plain import PLAIN
from tests.oeis.judges.judged_held_out.honest_counting import COUNTING
from tests.oeis.judges.judged_held_out.honest_digits import DIGITS
from tests.oeis.judges.judged_held_out.honest_failing import INEXACT, SLOW, WRONG
from tests.oeis.judges.judged_held_out.honest_numbers import NUMBERS

HONEST = [*COUNTING, *NUMBERS, *DIGITS, *SLOW, *INEXACT, *WRONG]
CHEATS = [*PLAIN, *DISGUISED]
