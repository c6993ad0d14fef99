"""The recipes for many machines do what docs/scale.md says, as far as one machine can
tell.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
import yaml

from tests.cluster import cluster
from tests.documents.blocks import ROOT
from tests.documents.test_document_commands import output_of

RECIPES = ROOT / "docs" / "scale"
BIN = str(Path(sys.executable).parent)
CHOSEN = "-k int_add and depth_2"


def run(command: list[str], folder: Path, **variables: str) -> str:
    path = os.pathsep.join([BIN, os.environ["PATH"]])
    return output_of(command, folder, os.environ | {"PATH": path} | variables)


def merged(folder: Path, count: int) -> None:
    """All shards are there, whichever of them was started twice."""
    shards = sorted(map(str, folder.glob(f"shards/*/reports/*_shard-*-of-{count}")))
    assert len(shards) == count
    assert "all 10 answered" in run(
        ["llmarith", "merge", *shards, "--output=all"], folder
    )


@pytest.mark.proof
def test_a_slurm_array_is_a_run(tmp_path: Path) -> None:
    for task in ("1", "2", "2"):
        run(
            ["bash", str(RECIPES / "slurm.sh"), "--llm-model=llmarith/oracle", CHOSEN],
            tmp_path,
            SLURM_ARRAY_TASK_ID=task,
            SLURM_ARRAY_TASK_COUNT="2",
        )
    merged(tmp_path, 2)


@pytest.mark.proof
def test_a_kubernetes_job_is_a_run(tmp_path: Path) -> None:
    """Its pods run one command, with an index."""
    text = (RECIPES / "kubernetes.yaml").read_text("utf-8")
    job = yaml.safe_load(text)["spec"]
    assert job["completionMode"] == "Indexed"
    (pod,) = job["template"]["spec"]["containers"]
    (argument,) = pod["args"]
    assert argument.endswith(f'/{job["completions"]}"')
    assert "key" not in str(pod["env"]).lower()
    (tmp_path / "shards").mkdir()
    argument = argument.replace(f'/{job["completions"]}"', f"/2\" '{CHOSEN}'")
    for index in ("0", "1"):
        run(
            [*pod["command"], argument],
            tmp_path / "shards",
            JOB_COMPLETION_INDEX=index,
            LLMARITH_MODEL="llmarith/oracle",
        )
    merged(tmp_path, 2)


def parts_in(folder: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    for name in ("parts", "new"):
        (folder / name).mkdir()
    for number in range(4):
        replies = {"reply": ["It is 42.", "7", None], "expected": ["42"] * 3}
        parquet.write_table(pyarrow.table(replies), folder / f"parts/{number}.parquet")


def graded_in(folder: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    files = sorted((folder / "new").iterdir())
    assert [file.name for file in files] == [f"{n}.parquet" for n in range(4)]
    for file in files:
        assert parquet.read_table(file)["correct"].to_pylist() == [True, False, None]


@pytest.mark.proof
def test_parts_on_dask(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    parts_in(tmp_path)
    with cluster() as (address, _):
        script = [sys.executable, str(RECIPES / "dask_parts.py"), "parts", "new"]
        assert run([*script, address], tmp_path) == "12 replies\n"
    graded_in(tmp_path)


@pytest.mark.proof
def test_parts_on_ray(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    parts_in(tmp_path)
    script = [sys.executable, str(RECIPES / "ray_parts.py"), "parts", "new"]
    assert "12 replies\n" in run(script, tmp_path)
    graded_in(tmp_path)
