"""The program does what it did when the files in `expected/` were written.

They hold, item by item, what the benches make of a stub server's replies and of the
fake models (the same plain and with `-n 2`), the numbers of comparisons, exit statuses,
and what is read in 9,360 real replies. No times. `test_frozen.py` holds summaries. Only
`adapter.py` names fields, options and commands of the program; where a name changes, it
follows. To rewrite them:

    pytest tests/golden --refreeze

and say in the commit which change of the program changes an expected value.
The fake models reply what is in `recorded/`.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.golden import adapter
from tests.golden.replies import SEQUENCES, Replies
from tests.llm_server import LlmServer

EXPECTED = Path(__file__).parent / "expected"
TRANSCRIPTS = Path(__file__).parents[3] / "shared" / "transcripts"
SHOWN = 60  # lines of a difference

Hold = Callable[..., None]
Made = tuple[int, Path]

needs_sandbox = pytest.mark.skipif(
    not adapter.can_run_programs(), reason="no program can be run here"
)
needs_transcripts = pytest.mark.skipif(
    not TRANSCRIPTS.is_dir(), reason="the transcripts are not beside the project"
)


@pytest.fixture
def hold(request: pytest.FixtureRequest) -> Hold:
    """Holds lines against the golden files of these names, or writes them."""

    def held(files: Mapping[str, Sequence[str]], may_write: bool = True) -> None:
        differences: list[str] = []
        for name, found in files.items():
            path = EXPECTED / f"{name}.txt"
            if may_write and request.config.getoption("--refreeze", default=False):
                path.write_text("".join(f"{line}\n" for line in found), "utf-8")
            expected = path.read_text("utf-8").splitlines()
            differences += difflib.unified_diff(
                expected, found, path.name, "found", lineterm="", n=0
            )
        assert not differences, "\n".join(differences[:SHOWN])

    return held


@pytest.fixture
def made(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Made]:
    """Makes a run with a server of its own, and says how it ended and where it lies."""
    monkeypatch.setenv(adapter.KEY, "sk-of-the-golden-runs")

    def run(name: str, args: Sequence[str]) -> Made:
        (folder := tmp_path / name).mkdir()
        adapter.prepare(folder, None if name == "fakes" else SEQUENCES)
        with LlmServer(Replies()) as server:
            return adapter.run(
                programs, folder, args, None if name == "fakes" else server.base_url
            ), folder

    return run


@pytest.mark.proof
@needs_sandbox
def test_runs_and_comparisons(
    hold: Hold, made: Callable[..., Made], programs: Path
) -> None:
    """Every trial and every comparison of the golden runs is as it was."""
    runs = {name: made(name, args) for name, args in adapter.RUNS.items()}
    files = {
        file: lines
        for name, run in runs.items()
        for file, lines in _of_run(name, *run).items()
    }
    files["comparisons"] = []
    for name, (sides, args) in adapter.COMPARISONS.items():
        files["comparisons"] += _compared(
            name, programs, [runs[side][1] for side in sides], args
        )
    files["sloppy-compared"] = _compared(
        "fakes", programs, [runs["fakes"][1]], adapter.FAKES_COMPARED
    )
    hold(files)


@pytest.mark.proof
@needs_sandbox
@pytest.mark.parametrize("name", adapter.RUNS)
def test_runs_of_two_workers(hold: Hold, made: Callable[..., Made], name: str) -> None:
    """With two workers, the same trials come to the same."""
    hold(_of_run(name, *made(name, [*adapter.RUNS[name], "-n", "2"])), False)


@pytest.mark.proof
@needs_transcripts
def test_real_replies(hold: Hold, programs: Path, tmp_path: Path) -> None:
    """What is read in every reply of the transcripts, and what the runs come to."""
    files = sorted(TRANSCRIPTS.glob("*.jsonl"))
    rows: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for model, row in adapter.regrade(programs, files, tmp_path):
        rows[model].append(
            {
                name: row.get(name)
                for name in ("outcome", "tolerant", "strict", "error", "size", "why")
            }
        )
    lines = [
        f"{model}: {json.dumps(_rounded(figures))}"
        for model, figures in adapter.imported(programs, TRANSCRIPTS)
    ]
    for model, read in rows.items():
        counts = {
            name: Counter(row[name] for row in read if row[name])
            for name in ("outcome", "error", "why")
        }
        answers = (
            sum(row["tolerant"] is not None for row in read),
            sum(row["strict"] is not None for row in read),
        )
        lines.append(
            f"{model}: {json.dumps(counts, sort_keys=True)} answers {answers} all {_digest(read)}"
        )
    hold({"transcripts": lines})


def _of_run(name: str, status: int, folder: Path) -> dict[str, list[str]]:
    """The lines of the golden files of one run: those of the oracle stand in
    a file of their own.
    """
    lines = [
        f"exit status: {status}",
        *(
            json.dumps(_rounded(row), ensure_ascii=False)
            for row in adapter.rows(folder)
        ),
    ]
    if name != "fakes":
        return {name: lines}
    oracle = [line for line in lines if adapter.FAKES[0] in line]
    return {"oracle": oracle, "sloppy": [line for line in lines if line not in oracle]}


def _compared(
    name: str, programs: Path, runs: Sequence[Path], args: Sequence[str]
) -> list[str]:
    status, comparisons = adapter.compare(programs, runs, args)
    shown = (
        [] if name.startswith("gate") else comparisons
    )  # its numbers are those of the comparison without a gate
    return [
        f"{name}: exit status {status}",
        *(line for one in shown for line in _flat(one, name)),
    ]


def _flat(numbers: Any, name: str = "") -> list[str]:
    if isinstance(numbers, Mapping) and any(
        isinstance(value, Mapping | list) for value in numbers.values()
    ):
        return [
            line
            for key, value in numbers.items()
            for line in _flat(value, f"{name} > {key}" if name else f"{key}")
        ]
    return (
        []
        if numbers in (None, [], {})
        else [f"{name}: {json.dumps(_rounded(numbers))}"]
    )


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]


def _rounded(value: Any) -> Any:
    """Floats to nine digits: sums in another order differ in their last digits."""
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, Mapping):
        return {key: _rounded(each) for key, each in value.items()}
    return (
        [_rounded(each) for each in value] if isinstance(value, list | tuple) else value
    )
