"""How far two judges agree. It does not know what they judge."""

from __future__ import annotations

from fractions import Fraction


def kappa(both: int, first: int, second: int, neither: int) -> float | None:
    """Cohen's kappa of two judges (Cohen 1960): agreement beyond chance, from -1 to 1.

    Counts of cases that both, only the first, only the second, and neither of them found. None where it is undefined:
    nothing was judged, or both say the same of everything.
    """
    total = both + first + second + neither
    if total == 0:
        return None
    agreed = Fraction(both + neither, total)
    yes, also = Fraction(both + first, total), Fraction(both + second, total)
    chance = yes * also + (1 - yes) * (1 - also)
    return None if chance == 1 else float((agreed - chance) / (1 - chance))
