"""Writes the corpus:

`python -m conformance.corpus`. The same code always writes the same bytes.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from conformance.notations import notations
from conformance.written import written
from pytest_llmarith.exact.conformance import CorpusCase

FOLDER = Path(__file__).parents[1] / "pytest_llmarith" / "exact" / "corpus"


def all_cases() -> list[CorpusCase]:
    """Every case. Two cases never have both reply and expected number in common."""
    found: dict[tuple[str, str], CorpusCase] = {}
    for case in [*notations().cases, *written().cases]:
        before = found.setdefault((case.completion, case.reference), case)
        assert before.expect == case.expect, (before, case)
    return list(found.values())


def main() -> None:
    """Write the file."""
    lines = [
        json.dumps(asdict(case), ensure_ascii=False) + "\n" for case in all_cases()
    ]
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "cases.jsonl").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
