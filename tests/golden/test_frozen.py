"""Every figure of ten runs, and what the terminal and a document show of them at 80
columns, are as they were when the files in `frozen/` were written.

Figures are kept as a digest for each measure of each result. If one changes, the test
names the measure and shows its rows as they are now; those before are shown by the same
command at an older commit. To write the files anew: `pytest tests/golden --refreeze`.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.golden import adapter, frozen
from tests.golden.replies import SEQUENCES, Replies
from tests.golden.test_golden import TRANSCRIPTS, needs_sandbox, needs_transcripts
from tests.llm_server import LlmServer

FOLDER = Path(__file__).parent / "frozen"
SCREENS: Mapping[str, Sequence[str]] = {
    "screen": (),
    "full screen": ("-v",),
    "document": ("--format=markdown",),
}
# One request at a time: which repeat gets which reply is then certain.
_IN_TURN = ("--llm-concurrency=1,fixed", "-ollm_retries=1")

pytestmark = pytest.mark.proof


@needs_sandbox
@pytest.mark.parametrize("name", [*adapter.RUNS, *frozen.RUNS])
def test_a_run(
    name: str,
    programs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.setenv(adapter.KEY, "sk-of-the-frozen-runs")
    adapter.prepare(tmp_path, None if name == "fakes" else SEQUENCES)
    bench, args = frozen.RUNS.get(name, (None, adapter.RUNS.get(name, ())))
    if name in frozen.RUNS:
        args = [bench_of(tmp_path, bench), f"--llm-model={adapter.FIRST}", *args]
    with LlmServer(Replies()) as server:
        url = None if name == "fakes" else server.base_url
        adapter.run(programs, tmp_path, [*args, *_IN_TURN], url)
    (run,) = (tmp_path / "reports").glob("*")
    check(name, programs, run, request)


def bench_of(folder: Path, bench: str | None) -> str:
    if bench is None:
        return "benches/test_arithmetic.py"
    (folder / "test_bench.py").write_text(bench, "utf-8")
    return "test_bench.py"


@needs_transcripts
@pytest.mark.parametrize("name", ["gpt-4o-mini", "o4-mini-medium"])
def test_a_transcript(
    name: str, programs: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    run = tmp_path / name
    run.mkdir()
    log = TRANSCRIPTS / f"{name}.jsonl"
    (run / log.name).write_bytes(log.read_bytes())
    check(f"transcript {name}", programs, run, request)


def check(name: str, programs: Path, run: Path, request: pytest.FixtureRequest) -> None:
    """Hold a run against its frozen file, or write that."""
    summary, measures = run / "summary.json", defaultdict[str, list[object]](list)
    if summary.exists():
        for measure, place, figures in frozen.rows(
            frozen.summary_of(summary.read_bytes())
        ):
            measures[measure].append([place, *figures])
        summary.write_text(frozen.steady_summary(summary.read_text("utf-8")), "utf-8")
    for log in run.glob("*.jsonl"):
        log.write_text(frozen.steady(log.read_text("utf-8")), "utf-8")
    lines = [
        f"{measure}: {len(found)} {digest(found)}"
        for measure, found in sorted(measures.items())
    ]
    for title, args in SCREENS.items():
        lines += [f"--- {title}", *shown(programs, run, args)]
    path = FOLDER / f"{name.replace(' ', '-')}.txt"
    if request.config.getoption("--refreeze", default=False):
        FOLDER.mkdir(exist_ok=True)
        path.write_text("\n".join(lines) + "\n", "utf-8")
    before = path.read_text("utf-8").splitlines()
    other = [line for line in lines if line not in set(before)]
    rows = {
        line: measures[measure]
        for line in other
        for measure in measures
        if line.startswith(f"{measure}: ")
    }
    assert lines == before, rows or other


def shown(programs: Path, run: Path, args: Sequence[str]) -> list[str]:
    done = subprocess.run(
        [programs / "llmarith", "report", run.name, *args],
        cwd=run.parent,
        env=os.environ | {"COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=True,
    )
    return frozen.undated(done.stdout).splitlines()


def digest(rows: Sequence[object]) -> str:
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:12]
