"""Runs with a model file: llama.cpp's server is started for the run, and ends with
it.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.cli import main
from tests.llama_stub import is_alive, logged, write_model, write_package
from tests.llm_server import PATIENCE_S
from tests.session.bench import WAYS, Bench

FILE = "tiny.gguf"
BENCH = """
    import pytest

    @pytest.mark.arithmetic(depths=[2], trials=2)
    def test_arithmetic(problem, ask):
        ask(problem)
"""
SELECTED = ("-k", "int_")
ITEMS = 8


@dataclass
class Files:
    """A bench, a model file, and what the servers have written about themselves."""

    bench: Bench
    log: Path

    def run(self, *args: str, model: str = f"gguf:{FILE}") -> pytest.RunResult:
        return self.bench.run(*SELECTED, *args, f"--llm-model={model}", model=None)

    def logged(self, name: str) -> list[Any]:
        return logged(self.log, name)


@pytest.fixture
def files(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Files:
    folder = bench.pytester.path
    bench.pytester.makepyfile(test_bench=BENCH)
    packages = folder / "packages"
    packages.mkdir()
    write_package(packages)
    write_model(folder / FILE)
    monkeypatch.setenv("PYTHONPATH", str(packages))
    monkeypatch.setenv("LLAMA_LOG", str(folder / "llama.log"))
    return Files(bench, folder / "llama.log")


def wait_until(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)


@pytest.mark.proof
@pytest.mark.parametrize("way", ["plain", "-n 2"])
def test_each_question_goes_to_the_server_of_the_run_once(
    files: Files, way: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither its port nor its key is kept or shown; the same command finds the
    replies, and starts no server.
    """
    result = files.run(
        *WAYS[way], model=f"gguf:{FILE}?temperature=0&threads=1&context=250"
    )
    assert result.ret == 0, result.outlines
    result.stdout.fnmatch_lines(["*: llama.cpp answers from tiny.gguf *, 1 thread, *"])
    assert files.logged("allowed") == [True] * ITEMS
    assert set(Counter(files.logged("prompt")).values()) == {1}
    assert {body["temperature"] for body in files.logged("body")} == {0}
    assert not {"threads", "context", "slots", "batch", "file"} & set(
        files.logged("body")[0]
    )
    assert {record["model"] for record in files.bench.records()} == {"tiny"}
    assert {record["reply"]["sent"]["model"] for record in files.bench.records()} == {
        "gguf/tiny"
    }
    served = {record["reply"]["served_model"] for record in files.bench.records()}
    assert served == {FILE}, "not the path, which depends on the machine"
    summary = files.bench.summary()
    assert [one["simulated"] for one in summary["results"]] == [False]
    (file,) = [model["file"] for model in summary["run"]["models"]]
    assert (file["path"], file["threads"], file["context"]) == (FILE, 1, 256)
    assert file["batch"] < 64, "replies would depend on the order of questions"
    shown_size = f"{file['size_bytes'] / 1e6:,.0f}"
    assert main(["report", str(files.bench.runs[-1]), "-v"]) == 0
    speed = capsys.readouterr().out.partition("tokens/s")[2].partition("\n\n")[0]
    assert re.search(rf"\b{shown_size}\s*$", speed, re.MULTILINE)
    (port,), (key,), (slots,) = (
        files.logged("port"),
        files.logged("key"),
        files.logged("slots"),
    )
    assert slots == file["slots"]
    written = [
        path.read_bytes()
        for path in files.bench.pytester.path.rglob("*")
        if path.is_file() and path != files.log
    ]
    shown = "\n".join([*result.outlines, *result.errlines]).encode()
    for text in (*written, shown):
        assert key.encode() not in text
        assert not re.search(rb"127\.0\.0\.1:%d\b" % port, text)
    again = files.run(
        *WAYS[way], model=f"gguf:{FILE}?temperature=0&threads=1&context=256"
    )
    assert again.ret == 0
    assert len(files.logged("started")) == 1
    assert {record["reply"]["stored"] for record in files.bench.records()} == {True}


@pytest.mark.proof
def test_other_weights_under_the_same_name_are_asked_anew(files: Files) -> None:
    assert files.run().ret == 0
    write_model(files.bench.pytester.path / FILE, b"others")
    assert files.run().ret == 0
    assert len(files.logged("prompt")) == 2 * ITEMS


def test_a_server_that_fails_at_the_start_is_told_in_a_line(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLAMA_FAULT", "die")
    result = files.run(*WAYS["plain"])
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = [line for line in result.errlines if line.strip()]
    assert "unknown model architecture" in line
    assert not any(map(is_alive, files.logged("pid")))


@pytest.mark.proof
def test_a_server_that_ends_stops_the_run(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLAMA_FAULT", "crash")
    result = files.run(*WAYS["plain"], "--llm-concurrency=1")
    assert result.ret == 6
    assert "out of luck" in "\n".join(result.outlines)
    monkeypatch.delenv("LLAMA_FAULT")
    assert files.run(*WAYS["plain"]).ret == 0
    assert len(files.logged("prompt")) == ITEMS + 1


def test_nothing_is_started_for_a_dry_run(files: Files) -> None:
    assert files.run("--llm-dry-run").ret == 0
    assert files.logged("started") == []


@pytest.mark.parametrize(
    "args", [("--llm-questions-out=q.jsonl",), ("--oeis-judge=llm:gguf:tiny.gguf",)]
)
def test_files_of_questions_and_judges_are_refused_in_a_line(
    files: Files, args: tuple[str, ...]
) -> None:
    result = files.run(*args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert len([line for line in result.errlines if line.strip()]) == 1


@pytest.mark.proof
@pytest.mark.timeout(1200)
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
def test_twenty_kills_leave_nothing(
    files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pytest or the broker's process is killed or interrupted, while the server starts
    or answers.
    """
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("LLAMA_FAULT", "slow")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        *SELECTED,
        f"--llm-model=gguf:{FILE}",
        "--llm-store=refresh",
    ]
    for turn in range(20):
        files.log.unlink(missing_ok=True)
        seen = "started" if turn % 2 else "prompt"
        with subprocess.Popen(
            command,
            cwd=files.bench.pytester.path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as process:
            wait_until(
                lambda seen=seen: bool(files.logged(seen)),  # type: ignore[misc]
                f"turn {turn}: {seen}",
            )
            (server, *_) = files.logged("pid")
            broker = parent_of(server)
            if turn % 4 < 2:
                process.kill()
            elif turn % 8 < 4:
                os.killpg(process.pid, signal.SIGINT)
            else:
                os.kill(broker, signal.SIGKILL)
            process.wait(PATIENCE_S)
        wait_until(
            lambda: not (is_alive(server) or is_alive(broker)),  # noqa: B023
            f"turn {turn}: {server} or {broker} lives",
        )
        for port in files.logged("port"):
            with (
                pytest.raises(ConnectionRefusedError),
                socket.create_connection(("127.0.0.1", port)),
            ):
                pass
        assert list(temporary.iterdir()) == []


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
