"""The ways to read the CSV of trials that docs/reports.md shows: each gives back every
value as it was.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_llmarith.cli import main
from tests.documents.blocks import blocks, is_in
from tests.runs_on_disk import asked, run_in

# fmt: off
VALUES = (
    "1" * 30, "-" + "9" * 40, "= 408", "=1+1", "+1", "@SUM(A1)", "'quoted'", "1e5", "007", "-0", "0x10", "1_000",
    "364.00000000000006", "12,500.00", "TRUE", "2024-01-01", "12:30", "NA", "N/A", "nan", "NaN", "None", "null", "NULL",
    "", " ", " padded ", "\t", "a\nb", "a\r\nb", "a\rb", "\n", '"', '""', 'say "408"', "\\", '\\"', '\\",', "a,b;c|d",
    "#c", "\x1b[2J", "\u2028", "\ufeff408", "４０８", "= ４０８", "🙂", "\\boxed{408}", "7" * 100_000,
)
# fmt: on
SURROGATE = "408 \ud800"  # no UTF-8 can hold it


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The CSV of a run whose replies, operands and other texts are hostile or
    extreme.
    """
    folder = tmp_path_factory.mktemp("run")
    run_in(
        folder / "run",
        [hostile(text, trial) for trial, text in enumerate((*VALUES, SURROGATE))],
    )
    assert (
        main(
            [
                "export",
                str(folder / "run"),
                "--format=csv",
                f"--output={folder / 'trials.csv'}",
            ]
        )
        == 0
    )
    return folder / "trials.csv"


def hostile(text: str, trial: int) -> dict[str, object]:
    """A record with that text as reply, operand, truth and prompt."""
    record = asked("7", trial=trial)
    record["problem"] |= {"question": text, "expected": number_in(text)}
    record["problem"]["inputs"] |= {"lhs": number_in(text)}
    record["reply"] |= {"text": text}
    return record | {
        "prompt": [{"role": "user", "content": text}],
        "outcome": "nan",
        "reason": "unreadable",
        "grade": {"score": 0},
    }


def number_in(text: str) -> str:
    """The text where a problem may hold it, else another number."""
    return text if re.fullmatch(r"[+-]?[0-9.]+(e5)?", text) else "7"


@pytest.mark.proof
def test_every_value_is_read_back_unchanged(table: Path) -> None:
    """Replies, operands and truths, in the same rows; the outcome of a reply without an
    answer is no missing value.

    The reader runs in a process of its own, as it is slow to import and changes
    settings of its process.
    """
    (documented,) = (
        block for block in blocks() if is_in(block, "reports.md", "import pandas\n")
    )
    program = (
        f"{documented.text}\nimport json\nprint(json.dumps(table.to_dict('records')))"
    )
    command = [sys.executable, "-W", "error", "-c", program]
    ended = subprocess.run(
        command, cwd=table.parent, capture_output=True, text=True, timeout=120
    )
    assert ended.returncode == 0, ended.stderr
    rows = json.loads(ended.stdout)
    assert len(rows) == len(VALUES) + 1
    for row, text in zip(rows, (*VALUES, r"408 \ud800"), strict=True):
        assert [row[name] or "" for name in ("text", "prompt")] == [text] * 2
        assert [json.loads(row["inputs"])["lhs"], row["expected"] or ""] == [
            number_in(text)
        ] * 2
        assert row["outcome"] == "no_answer"
        assert row["depth"] == "3"
        assert row["cost_usd"] == "0.001"
        assert not row["error_class"]
