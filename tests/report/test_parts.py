"""Stored replies graded again by parts: whatever ends in the middle, each part is done
once, and says what the whole says.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_llmarith.cli import main
from pytest_llmarith.report.parts import in_processes, parts_of, regrade_part
from pytest_llmarith.results.regrade import RegradedCounts
from tests.cluster import cluster
from tests.runs_on_disk import ROW, added, asked, lines_of, programmed, run_in, searched

COMMAND = (
    sys.executable,
    "-c",
    "import sys; from pytest_llmarith.cli import main; sys.exit(main())",
)
REPLIES = ("{}", "It is {}.", "7", "no number", None, "", "<think>7</think>{}", "-{}")
# Reads a reply, and ends its process at the reply 5, once.
DEADLY = """
import os, pathlib, signal
from pytest_llmarith import Problem, Task
mark = pathlib.Path(__file__).with_name("deadly")
def read(text, problem):
    if text == "5" and mark.exists():
        mark.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return text
own = Task("own", [Problem({"n": n}, str(n), str(n)) for n in range(12)], str, read)
"""

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def stale_run(name: str = "run", count: int = 40) -> Path:
    """A run with some grades that today's rules would not give."""
    records = [asked(REPLIES[n % 8], trial=n, depth=2 + n % 3) for n in range(count)]
    for record in records[::5]:
        if record["reply"]:
            record |= {"outcome": "nan", "reason": "unreadable", "answer": None}
            record |= {"grade": {"score": 0.0}}
    records += [added("{}"), programmed("A000045"), searched()]
    return run_in(Path(name), records)


def own_files() -> str:
    """A dozen files with a reply each to the task that ends its process."""
    Path("own.py").write_text(DEADLY, "utf-8")
    Path("replies").mkdir()
    for n in range(12):
        problem = {"label": str(n), "seed": 0, "variant": None, "depth": None}
        problem |= {"trial": 0, "inputs": {"n": n}, "expected": str(n)}
        record = asked(str(n)) | {"task": "own", "problem": problem, "reading": None}
        Path(f"replies/{n}.jsonl").write_text(lines_of([record]), "ascii")
    Path("deadly").touch()
    return f"regrade replies --parts=out --task={Path('own.py').absolute()}:own"


def outputs() -> dict[str, str]:
    """What is seen in the folder of parts."""
    return {
        file.name: file.read_text("ascii")
        for file in sorted(Path("out").iterdir())
        if not file.name.startswith(".")
    }


def every_reply_once() -> None:
    assert sorted(outputs()) == sorted(f"{n}.jsonl" for n in range(12))
    for name, text in outputs().items():
        (line,) = text.splitlines()
        record = json.loads(line)
        assert (record["reply"]["text"], record["outcome"]) == (name[:-6], "correct")
    hidden = [one.name for one in Path("out").iterdir() if one.name.startswith(".")]
    assert hidden == [".regraded"]


def test_parts_of_jsonl_are_the_whole(capsys: Captured) -> None:
    """Cut anywhere, with a line that a kill has torn, and rows of llm_arithmetic."""
    run = stale_run()
    with (run / "trials.jsonl").open("a") as log:
        log.write('{"format": 1, "run": nu')
    Path("rows.jsonl").write_text(lines_of([ROW] * 9), "ascii")
    files = [run, Path("rows.jsonl")]
    assert main(["regrade", "run", "rows.jsonl", "--output=whole.jsonl"]) == 0
    whole = capsys.readouterr()
    for size in (1, 5_000, 1 << 20):
        folder = Path(f"parts of {size}")
        parts = parts_of(files, folder, part_bytes=size)
        counts = RegradedCounts()
        for part in parts:
            counts.merge(regrade_part(part))
        text = "".join(Path(part.output).read_text() for part in parts)
        assert text == Path("whole.jsonl").read_text()
        assert counts.transitions["nan->correct"] == 3
        assert f"{counts.transitions.total()} replies" in whole.out
        assert len(counts.notes) == 1
        assert "cut when the run was killed" in counts.notes[0]
    assert main(["regrade", "run", "rows.jsonl", "--parts=out", "--workers=2"]) == 0
    assert capsys.readouterr().out == whole.out
    assert "".join(outputs().values()) != ""


def test_parts_of_parquet_are_the_whole(capsys: Captured) -> None:
    """Columns that no grade has stay as they are."""
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    stale_run()
    main(["regrade", "run", "--output=new.jsonl"])
    matrix = capsys.readouterr().out
    Path("parts").mkdir()
    for source, target in (("run", "parts/a.parquet"), ("new.jsonl", "new.parquet")):
        export = ["export", source, "--format=parquet", f"--output={target}"]
        assert main(export) == 0
    asked_for = parquet.read_table("parts/a.parquet")
    mine = asked_for.append_column("mine", pyarrow.array(range(len(asked_for))))
    parquet.write_table(mine, "parts/a.parquet")
    assert main(["regrade", "parts", "--parts=out", "--workers=1"]) == 0
    assert capsys.readouterr().out == matrix
    again = parquet.read_table("out/a.parquet")
    assert again.schema.names == mine.schema.names
    same = [name for name in again.schema.names if name not in ("mine", "run")]
    expected = parquet.read_table("new.parquet").select(same).to_pylist()
    assert again.select(same).to_pylist() == expected
    assert again["mine"].equals(mine["mine"])


def test_a_process_that_is_killed_loses_nothing(capsys: Captured) -> None:
    command = [*own_files().split(), "--workers=2"]
    assert main(command) == 6
    out, err = capsys.readouterr()
    assert (out, err.splitlines()[-1].count("rerun the same command")) == ("", 1)
    seen = outputs()
    assert "5.jsonl" not in seen
    written = {name: Path("out", name).stat().st_mtime_ns for name in seen}
    assert main(command) == 0
    every_reply_once()
    for name, time_ns in written.items():
        assert Path("out", name).stat().st_mtime_ns == time_ns
    assert "12 replies" in capsys.readouterr().out
    assert main(command) == 0  # nothing is left to do
    assert "12 replies" in capsys.readouterr().out


def test_a_part_that_is_wrong_stops_in_one_line(capsys: Captured) -> None:
    """What was done stays, and the same command continues when it is corrected."""
    Path("replies").mkdir()
    for name in ("a", "b"):
        Path(f"replies/{name}.jsonl").write_text(lines_of([asked("{}")]), "ascii")
    with Path("replies/b.jsonl").open("a") as file:
        file.write('{"no": "record"}\n')
    assert main(["regrade", "replies", "--parts=out", "--workers=1"]) == 4
    err = capsys.readouterr().err
    assert "b.jsonl, line 2: " in err.splitlines()[-1]
    assert list(outputs()) == ["a.jsonl"]
    Path("replies/b.jsonl").write_text(lines_of([asked("7")]), "ascii")
    assert main(["regrade", "replies", "--parts=out", "--workers=1"]) == 0
    assert list(outputs()) == ["a.jsonl", "b.jsonl"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("replies --match=strict", "with other options"),
        ("replies/a.jsonl other/a.jsonl", "both would become"),
        ("replies --parts=replies", "holds other files"),
        ("replies --parts=old.txt", "cannot be written"),
        ("empty", "neither .parquet nor .jsonl"),
        ("old.txt", "neither .jsonl nor .parquet"),
        ("bad.parquet --parts=new", "bad.parquet"),
        ("replies --show=nan->nan", "remove --show"),
        ("replies --workers=2 --scheduler=tcp://127.0.0.1:1", "remove --workers"),
        ("replies --workers=0", "number from 1 to"),
        ("replies --scheduler=", "write tcp://"),
        ("replies --scheduler=head", "write tcp://"),
    ],
)
def test_wrong_parts_are_refused_in_one_line(
    arguments: str, said: str, capsys: Captured
) -> None:
    for folder in ("replies", "other", "empty"):
        Path(folder).mkdir()
    for file in ("replies/a.jsonl", "other/a.jsonl"):
        Path(file).write_text(lines_of([asked("{}")]), "ascii")
    for file in ("old.txt", "bad.parquet"):
        Path(file).write_text("mine", "ascii")
    for part in parts_of([Path("replies")], Path("out")):
        regrade_part(part)
    before = outputs()
    capsys.readouterr()
    try:
        status: object = main(["regrade", "--parts=out", *arguments.split()])
    except SystemExit as left:
        status = left.code
    out, err = capsys.readouterr()
    assert (status, out, err.count("\n")) == (4, "", 1)
    assert said in err
    assert outputs() == before


def test_an_input_that_has_changed_is_no_longer_the_part() -> None:
    Path("a.jsonl").write_text(lines_of([asked("{}")]), "ascii")
    (part,) = parts_of([Path("a.jsonl")], Path("out"))
    with Path("a.jsonl").open("a") as file:
        file.write(lines_of([asked("7")]))
    with pytest.raises(Exception, match="changed meanwhile"):
        regrade_part(part)
    assert outputs() == {}


def test_a_command_that_is_killed_leaves_no_process() -> None:
    """Its processes end with it, and the drafts that they leave are never seen."""
    command = own_files().split()
    Path("own.py").write_text(DEADLY.replace("os.getpid()", "os.getppid()"), "utf-8")
    command = [*COMMAND, *command, "--workers=1"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == -9
    assert "5.jsonl" not in outputs() or json.loads(outputs()["5.jsonl"])
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (again.returncode, "12 replies" in again.stdout) == (0, True)
    every_reply_once()


# --- a cluster ------------------------------------------------------------------------


@pytest.mark.proof
def test_a_worker_of_a_cluster_that_is_killed_loses_nothing() -> None:
    pytest.importorskip("distributed")
    command = own_files().split()
    with cluster() as (address, _):
        done = subprocess.run(
            [*COMMAND, *command, f"--scheduler={address}"],
            capture_output=True,
            text=True,
            check=False,
        )
    assert (done.returncode, "12 replies" in done.stdout) == (0, True), done.stderr
    assert not Path("deadly").exists()
    every_reply_once()


@pytest.mark.proof
@pytest.mark.parametrize(
    ("versions", "said"),
    [(["0.0.1"], "0.0.1"), ([""], "lacks pytest-llmarith"), (None, "no Dask")],
)
def test_a_cluster_that_will_not_do_is_refused_in_one_line(
    versions: list[str] | None, said: str
) -> None:
    """Of another version, without the package, and none at all."""
    pytest.importorskip("distributed")
    command = [*COMMAND, *own_files().split()]
    if versions is None:
        done = _run([*command, "--scheduler=tcp://127.0.0.1:9"])
    else:
        with cluster(*versions) as (address, _):
            done = _run([*command, f"--scheduler={address}"])
    assert (done.returncode, done.stderr.count("\n")) == (4, 1), done.stderr
    assert said in done.stderr
    assert outputs() == {}


@pytest.mark.proof
def test_a_cluster_that_is_lost_stops_in_one_line() -> None:
    pytest.importorskip("distributed")
    command = [*COMMAND, *own_files().split()]
    with cluster() as (address, process):
        Path("own.py").write_text(
            DEADLY.replace("os.getpid()", str(process.pid)), "utf-8"
        )
        done = _run([*command, f"--scheduler={address}"])
    assert (done.returncode, done.stdout) == (6, ""), done.stderr
    assert "rerun the same command" in done.stderr.splitlines()[-1]
    done = _run([*command, "--workers=2"])
    assert (done.returncode, "12 replies" in done.stdout) == (0, True)
    every_reply_once()


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=120
    )


def test_memory_does_not_grow_with_the_replies() -> None:
    """A part at a time: the counts of a hundred parts are as large as of one."""
    Path("a.jsonl").write_text(lines_of([asked("{}")] * 100), "ascii")
    parts = parts_of([Path("a.jsonl")], Path("out"), part_bytes=1)
    assert len(parts) == 100
    counts = list(in_processes(parts, 2))
    assert len(counts) == 100
    assert {counted.transitions["correct->correct"] for counted in counts} == {1}
