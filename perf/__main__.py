"""Run every measurement and print one table; exit status 1 where a bound is missed."""

from __future__ import annotations

import sys

from tabulate import tabulate

from perf import guest, reading, throughput


def main() -> int:
    """Measure all, print all."""
    measures = [*reading.measure(), *guest.measure(), *throughput.measure()]
    print(tabulate([measure.row() for measure in measures], headers=("measure", "figure", "bound", "")))  # noqa: T201
    return 0 if all(measure.kept for measure in measures) else 1


if __name__ == "__main__":
    sys.exit(main())
