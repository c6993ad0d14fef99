"""Run the measurements, all or those that are named, and print one table; exit status 1
if a bound is missed.
"""

from __future__ import annotations

import argparse
import sys

from perf import (
    bridges,
    floor,
    model_file,
    own_server,
    pauses,
    programs,
    reading,
    reports,
    scale,
    startup,
    throughput,
)
from pytest_llmarith.report.render.terminal import draw

_ALL = {
    "reading": reading,
    "startup": startup,
    "bridges": bridges,
    "throughput": throughput,
    "own-server": own_server,
    "floor": floor,
    "model": model_file,
    "pauses": pauses,
    "programs": programs,
    "scale": scale,
    "reports": reports,
}


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m perf", description=__doc__)
    parser.add_argument(
        "names", nargs="*", choices=[*_ALL, []], metavar="NAME", help=" or ".join(_ALL)
    )
    names = parser.parse_args().names or _ALL
    measures = [measure for name in names for measure in _ALL[name].measure()]
    table = draw(
        ("measure", "figure", "bound", ""),
        [measure.row() for measure in measures],
    )
    print("\n".join(table))  # noqa: T201
    return 0 if all(measure.kept for measure in measures) else 1


if __name__ == "__main__":
    sys.exit(main())
