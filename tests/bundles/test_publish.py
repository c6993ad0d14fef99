"""`llmarith publish` writes a run for others, without what identifies its author."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from pytest_llmarith.cli import main
from tests.runs_on_disk import asked, log_in, run_in


def a_run(folder: Path, text: str = "{}", **facts: object) -> Path:
    """A run of two trials, the second with this reply."""
    return run_in(folder, [asked("{}"), asked(text, trial=1)], **facts)


def published(run: Path, *options: str) -> int:
    return main(["publish", str(run), f"--output={run.parent / 'bundle'}", *options])


def test_a_bundle_has_the_run_its_page_and_a_hash_of_each_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = a_run(tmp_path / "run")
    assert published(run) == 0
    bundle = tmp_path / "bundle"
    for name in ("trials.jsonl", "summary.json"):
        assert (bundle / name).read_bytes() == (run / name).read_bytes()
    manifest = json.loads((bundle / "manifest.json").read_text("ascii"))
    assert sorted(manifest["files"]) == ["report.html", "summary.json", "trials.jsonl"]
    for name, digest in manifest["files"].items():
        assert digest == sha256((bundle / name).read_bytes()).hexdigest()
    assert manifest["sha256"] in capsys.readouterr().out


def test_the_same_run_has_the_same_bundle_in_every_folder(tmp_path: Path) -> None:
    for place in ("here", "there"):
        assert published(a_run(tmp_path / place / "run")) == 0
    here, there = (tmp_path / one / "bundle" for one in ("here", "there"))
    for path in here.iterdir():
        assert path.read_bytes() == (there / path.name).read_bytes(), path.name


def test_the_lock_of_the_current_folder_is_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("uv.lock").write_text("version = 1\n", "ascii")
    assert published(a_run(tmp_path / "a" / "run")) == 0
    assert (tmp_path / "a" / "bundle" / "uv.lock").read_text() == "version = 1\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("write to ada.lovelace@example.org", id="address"),
        pytest.param("File /home/ada/bench.py", id="home"),
        pytest.param("File /Users/ada/bench.py", id="home of macOS"),
        pytest.param(r"File C:\Users\ada\bench.py", id="home of Windows"),
        pytest.param("org-AbCdEfGhIjKlMnOpQrSt", id="organization"),
        pytest.param("sk-abcdefgh12345678ijkl", id="key"),
        pytest.param("Authorization: Bearer abcdefgh12345678ijkl", id="bearer"),
        pytest.param("http://ada:secret@example.org", id="password"),
        pytest.param("http://10.0.0.7:8000/v1", id="10.x"),
        pytest.param("http://192.168.1.4/v1", id="192.168.x"),
        pytest.param("tcp://172.31.0.1:8786", id="172.16-31.x"),
        pytest.param("http://[fd12:3456::1]:8000/v1", id="IPv6"),
        pytest.param("https://llm.example.internal/v1", id="internal"),
        pytest.param("http://studio.local:1234", id="local"),
        pytest.param("http://gpu-node-7:8000/v1", id="host"),
        pytest.param("it is correct-horse-battery", id="of the environment"),
    ],
)
def test_what_identifies_is_refused(
    text: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One line says where it is, and does not repeat a key."""
    monkeypatch.setenv("MY_API_KEY", "correct-horse-battery")
    assert published(a_run(tmp_path / "run", text)) == 4
    [line] = capsys.readouterr().err.splitlines()
    assert "trials.jsonl, line 2" in line
    for secret in ("abcdefgh12345678ijkl", "correct-horse-battery", "secret"):
        assert secret not in line
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_text_may_be_allowed(tmp_path: Path) -> None:
    run = a_run(tmp_path / "run", "ada@example.org")
    assert published(run, "--allow=@example.org") == 0


@pytest.mark.parametrize(
    "address",
    [
        *("http://localhost:8000/v1", "http://127.0.0.1:8000", "http://172.32.0.1/v1"),
        *("https://api.example.org/v1", "http://internal.example.org", "10.11.12"),
    ],
)
def test_public_addresses_stay(address: str, tmp_path: Path) -> None:
    assert published(a_run(tmp_path / "run", address)) == 0


def test_the_address_of_a_model_is_looked_at(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It stands in the summary alone if no reply has it."""
    model = {"name": "o4-mini", "api_base": "http://10.0.0.7:8000/v1"}
    assert published(a_run(tmp_path / "run", models=[model])) == 4
    [line] = capsys.readouterr().err.splitlines()
    assert "summary.json, line 1" in line
    assert "--allow=://10.0.0.7" in line


def test_programs_may_have_names_that_begin_like_keys(tmp_path: Path) -> None:
    assert published(a_run(tmp_path / "run", "pk_max = hf_total")) == 0


def test_only_a_whole_run_is_published(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    killed = tmp_path / "killed"
    log_in(killed, [asked("{}")])
    changed = a_run(tmp_path / "changed")
    with (changed / "trials.jsonl").open("a") as log:
        log.write(json.dumps(asked("{}", trial=2)) + "\n")
    summary = json.loads((changed / "summary.json").read_text())
    summary["log"] = {"size": 1, "sha256": "0" * 64}
    (changed / "summary.json").write_text(json.dumps(summary))
    part = a_run(tmp_path / "part", partial=True)
    for run, why in ((killed, "killed"), (changed, "changed"), (part, "merge")):
        assert published(run) == 4
        [line] = capsys.readouterr().err.splitlines()
        assert why in line


def test_a_folder_that_exists_is_never_replaced(tmp_path: Path) -> None:
    run = a_run(tmp_path / "run")
    (tmp_path / "bundle").mkdir()
    assert published(run) == 4
    assert list((tmp_path / "bundle").iterdir()) == []
