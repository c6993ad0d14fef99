"""A measured value and its bounds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Measure:
    """`value` in `unit`; None is no bound."""

    name: str
    value: float
    unit: str
    at_least: float | None = None
    at_most: float | None = None

    @property
    def kept(self) -> bool:
        return (self.at_least is None or self.value >= self.at_least) and (
            self.at_most is None or self.value <= self.at_most
        )

    def row(self) -> tuple[str, str, str, str]:
        """The row of the table: name, figure, bound, result."""
        bound = next(
            (
                f"{sign} {x:g}"
                for sign, x in ((">=", self.at_least), ("<=", self.at_most))
                if x is not None
            ),
            "",
        )
        return (
            self.name,
            f"{self.value:,.2f} {self.unit}",
            bound,
            ("ok" if self.kept else "MISSED") if bound else "",
        )
