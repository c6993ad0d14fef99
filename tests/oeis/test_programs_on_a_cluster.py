"""Programs of a run that are graded on a Dask cluster."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cluster import cluster

pytest.importorskip("distributed")
pytestmark = pytest.mark.proof

BENCH = """
import pytest

@pytest.mark.oeis
def test_oeis(problem, ask):
    ask(problem)
"""
OPTIONS = (
    "--llm-model=llmarith/oracle",
    "--oeis-terms=4",
    "-k",
    "A000040 or A000045 or A000010",
)


@pytest.fixture
def bench(pytester: pytest.Pytester) -> pytest.Pytester:
    cache = Path(__file__).parents[2] / "oeis_cache"
    pytester.makeini(f"[pytest]\noeis_cache = {cache}")
    pytester.makepyfile(BENCH)
    return pytester


def records_in(folder: Path) -> list[dict[str, Any]]:
    (log,) = folder.glob("reports/*/trials.jsonl")
    return [json.loads(line) for line in log.read_text("ascii").splitlines()]


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_programs_run_on_the_workers_of_a_cluster(
    bench: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    with cluster() as (address, _):
        result = bench.runpytest_subprocess(
            *OPTIONS, *workers, f"--oeis-scheduler={address}"
        )
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*2 workers of a Dask cluster*"])
    found = records_in(bench.path)
    assert len(found) == 3
    for record in found:
        assert record["outcome"] == "correct"
        machine = record["grade"]["details"]["values"]["machine"]
        assert machine["worker"].startswith("tcp://127.0.0.1:")
        assert machine["calibration_s"] > 0


@pytest.mark.parametrize(
    ("versions", "said"),
    [(["0.0.1"], "0.0.1"), ([""], "lacks pytest-llmarith"), (None, "no Dask")],
)
def test_a_cluster_that_will_not_do_is_refused_before_a_question(
    bench: pytest.Pytester, versions: list[str] | None, said: str
) -> None:
    if versions is None:
        result = bench.runpytest_subprocess(
            *OPTIONS, "--oeis-scheduler=tcp://127.0.0.1:9"
        )
    else:
        with cluster(*versions) as (address, _):
            result = bench.runpytest_subprocess(*OPTIONS, f"--oeis-scheduler={address}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = [one for one in result.errlines if one.startswith("ERROR")]
    assert "--oeis-scheduler" in line
    assert said in line


REPLIES = r"""
PROGRAMS = [
    "while True:\n    pass",
    "import os\nos.kill(os.getppid(), 9)\nwhile True:\n    os.fork()",
    "open('here', 'w').write('x' * 10**7)\nprint(open('/etc/passwd').read())",
]

def reply(prompt):
    return f"```python\n{PROGRAMS.pop()}\n```"
"""


def test_hostile_and_endless_programs_end_there(bench: pytest.Pytester) -> None:
    """Their worker grades the next ones, and the right answers of another model."""
    bench.makepyfile(replies=REPLIES)
    with cluster() as (address, _):
        bad = bench.runpytest_subprocess(
            "--llm-model=python:replies:reply",
            *OPTIONS[1:],
            f"--oeis-scheduler={address}",
        )
        good = bench.runpytest_subprocess(
            *OPTIONS, f"--oeis-scheduler={address}", "--llm-reports=good"
        )
    assert bad.ret == good.ret == 0
    found = records_in(bench.path)
    assert [one["outcome"] for one in found] == ["deviate"] * 3
    (endless,) = (
        one for one in found if "while True:\n    pass" in one["reply"]["text"]
    )
    terms = endless["grade"]["details"]["values"]["terms"]
    assert {term["status"] for term in terms} == {"late"}
    good.stdout.fnmatch_lines(["*3 correct*"])


def test_a_worker_that_is_killed_loses_no_program(bench: pytest.Pytester) -> None:
    """Its programs go to another worker; Dask starts it again."""
    bench.makeconftest(
        """
        import os
        from pathlib import Path
        import threading
        import time

        def kill():
            time.sleep(1)
            for process in Path("/proc").glob("[0-9]*"):
                parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
                command = (process / "cmdline").read_text()
                if parent == os.environ["CLUSTER"] and "spawn_main" in command:
                    os.kill(int(process.name), 9)
                    Path("killed").touch()
                    return

        def pytest_runtest_call(item):
            if "A000045" in item.name:
                threading.Thread(target=kill).start()
        """
    )
    bench.makepyfile(
        replies="""
        def reply(prompt):
            return "```python\\nimport time\\ntime.sleep(0.4)\\nprint(1)\\n```"
        """
    )
    with cluster() as (address, process), pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLUSTER", str(process.pid))
        result = bench.runpytest_subprocess(
            *("--llm-model=python:replies:reply", "-p", "no:xdist", *OPTIONS[1:]),
            f"--oeis-scheduler={address}",
        )
    assert result.ret == 0
    assert Path(bench.path, "killed").exists()
    assert [one["outcome"] for one in records_in(bench.path)] == ["deviate"] * 3


def test_a_cluster_that_is_lost_leaves_replies_for_the_next_run(
    bench: pytest.Pytester,
) -> None:
    bench.makeconftest(
        """
        import os
        import pytest

        @pytest.hookimpl(tryfirst=True)
        def pytest_runtest_call(item):
            if "A000045" in item.name:
                os.kill(int(os.environ["CLUSTER"]), 9)
        """
    )
    with cluster() as (address, process), pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLUSTER", str(process.pid))
        lost = bench.runpytest_subprocess(
            *OPTIONS, f"--oeis-scheduler={address}", "-p", "no:xdist"
        )
    assert lost.ret == pytest.ExitCode.TESTS_FAILED
    lost.stdout.fnmatch_lines(["*the cluster was lost*"])
    Path(bench.path, "conftest.py").unlink()
    again = bench.runpytest_subprocess(*OPTIONS, "--llm-store=only")
    assert again.ret == 0
