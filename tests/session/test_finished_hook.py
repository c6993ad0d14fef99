"""The hook that is called when the files of a run are written."""

from __future__ import annotations

import json

import pytest

from tests.documents.blocks import blocks
from tests.session.bench import WAYS, Bench

SEEN = """
import json

def pytest_llmarith_run_finished(run):
    rows = list(run.figures("correct_percentage"))
    whole = [row for row in rows if row["variant"] is row["depth"] is None]
    files = sorted(file.name for file in run.folder.iterdir())
    seen = {
        "whole": {row["task"]: [row["value"], row["low"] < row["high"]] for row in whole},
        "files": files,
        "complete": run.complete,
        "simulated": [row["simulated"] for row in whole],
        "parameters": dict(run.parameters),
    }
    with open("seen.jsonl", "a") as file:
        print(json.dumps(seen), file=file)
"""


@pytest.mark.parametrize("way", WAYS)
def test_it_gets_a_run_with_all_files_once(bench: Bench, way: str) -> None:
    bench.pytester.makeconftest(SEEN)
    assert bench.run(*WAYS[way], model="openai/gpt-4o-mini?temperature=0").ret == 0
    (line,) = (bench.pytester.path / "seen.jsonl").read_text("utf-8").splitlines()
    seen = json.loads(line)
    assert seen["whole"] == {"arithmetic": [100, True], "integer_addition": [100, True]}
    expected = {"report.html", "report.json", "summary.json", "trials.jsonl"}
    assert set(seen["files"]) == expected
    assert seen["complete"] is True
    assert seen["simulated"] == [False, False]
    (parameters,) = seen["parameters"].values()
    assert parameters["temperature"] == 0


def test_what_it_raises_fails_the_run_and_loses_nothing(bench: Bench) -> None:
    bench.pytester.makeconftest(
        "def pytest_llmarith_run_finished(run):\n    raise OSError('no such\\nserver')"
    )
    result = bench.run(*WAYS["plain"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        ["*pytest_llmarith_run_finished raised *no such*server*; all files are*"]
    )
    assert "Traceback" not in result.stdout.str() + result.stderr.str()
    assert len(bench.records()) == 20


@pytest.mark.parametrize("arguments", [("--collect-only",), ("-k", "nothing")])
def test_it_is_not_called_without_a_run(
    bench: Bench, arguments: tuple[str, ...]
) -> None:
    bench.pytester.makeconftest(SEEN)
    bench.run(*WAYS["plain"], *arguments)
    assert not (bench.pytester.path / "seen.jsonl").exists()


@pytest.mark.proof
def test_the_recipe_for_mlflow(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the document has it, with a store of files."""
    mlflow = pytest.importorskip("mlflow")
    (recipe,) = (one.text for one in blocks() if one.text.startswith("import mlflow"))
    store = (bench.pytester.path / "runs").as_uri()
    monkeypatch.setenv("MLFLOW_TRACKING_URI", store)
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    bench.pytester.makeconftest(recipe)
    bench.cold = True
    assert bench.run("-W", "default").ret == 0
    client = mlflow.MlflowClient(store)
    (run,) = client.search_runs(["0"])
    assert run.data.metrics["correct_percentage.arithmetic.int_add.2"] == 100
    names = {one.path for one in client.list_artifacts(run.info.run_id)}
    assert "trials.jsonl" in names
