"""`llmarith oeis sync` and `status`, as people use them: against a real server, killed,
stopped, and mistyped.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from pytest_llmarith.cli import WRONG_USAGE, main
from pytest_llmarith.tasks.oeis import sync
from pytest_llmarith.tasks.oeis.cache import Cache
from tests.oeis_site import Answer, Call, Site, entry

COMMAND = "from pytest_llmarith.cli import main; raise SystemExit(main())"
EASY = Cache(Path()).numbers("classic_easy")


@pytest.fixture(autouse=True)
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project of its own, and no proxy on the way to the test's server."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.setenv("NO_PROXY", "*")


def run(*arguments: str, site: Site | None = None) -> int:
    """The exit status, also where the parser leaves by itself; `site` stands in for
    oeis.org.
    """
    with pytest.MonkeyPatch.context() as patched:
        if site is not None:
            patched.setattr(sync, "OEIS", site.base_url)
            patched.setattr(sync, "PACE_S", 0)
        try:
            return main(["oeis", *arguments])
        except SystemExit as left:
            return left.code if isinstance(left.code, int) else -1


def entries(folder: Path) -> dict[str, bytes]:
    return {path.stem: path.read_bytes() for path in folder.glob("*.json")}


def test_what_could_not_be_fetched_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit status 1, the rest is there, and every number has its reason."""
    bad = {
        "A000003": Answer(status=404),
        "A000005": Answer(entry("A000005", data="1,x\x1b[2J")),
    }
    with Site(lambda call: bad.get(call.number, Answer(entry(call.number)))) as site:
        assert (
            run(
                "sync",
                *(f"A00000{digit}" for digit in range(1, 7)),
                "--cache=there",
                site=site,
            )
            == 1
        )
    out, err = capsys.readouterr()
    assert out == "4 written, 0 already there, 2 not fetched\n"
    assert "llmarith oeis sync: A000003: status 404\n" in err
    assert err.endswith("llmarith oeis sync: rerun the same command to continue\n")
    assert (tmp_path / "there/NOTICE.md").is_file()
    for line in ("OEIS cache: there", "A000001: 0 of 6 done"):
        assert f"{line}\n" in err
    assert re.search(r"A000005: http.*: malformed field `\$\.data`", err)
    assert "\x1b" not in err
    assert {*entries(tmp_path / "there")} == {
        "A000001",
        "A000002",
        "A000004",
        "A000006",
    }


class Stopping(Site):
    """Answers some requests and lets the next one wait for the end of the test."""

    def __init__(self, first: int) -> None:
        self.reached, self.over = threading.Event(), threading.Event()

        def answer(call: Call) -> Answer:
            if len(self.calls) > first and not self.over.is_set():
                self.reached.set()
                self.over.wait(60)
            return Answer(entry(call.number))

        super().__init__(answer)

    def stopped(self, with_signal: int, folder: Path) -> tuple[int, str]:
        """Starts a synchronisation, signals it in the middle of a request, and gives
        its status and stderr.
        """
        here = f"from pytest_llmarith.tasks.oeis import sync; sync.OEIS, sync.PACE_S = {self.base_url!r}, 0; "
        command = [
            sys.executable,
            "-c",
            here + COMMAND,
            "oeis",
            "sync",
            "classic_easy",
            f"--cache={folder}",
        ]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            assert self.reached.wait(60)
            process.send_signal(with_signal)
            _, err = process.communicate(timeout=60)
        self.over.set()
        return process.returncode, err


def test_a_killed_synchronisation_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was fetched is whole and never asked for again; a half file is neither an
    entry nor in the way.
    """
    cache = tmp_path / "cache"
    with Stopping(20) as site:
        assert site.stopped(signal.SIGKILL, cache)[0] == -signal.SIGKILL
        assert entries(cache) == {number: entry(number) for number in EASY[:20]}
        (cache / f".{EASY[20]}.json.1.tmp").write_bytes(entry(EASY[20])[:30])
        assert run("sync", "classic_easy", f"--cache={cache}", site=site) == 0
    assert capsys.readouterr().out == "230 written, 20 already there, 0 not fetched\n"
    assert entries(cache) == {number: entry(number) for number in EASY}
    assert {number for number, times in site.asked.items() if times > 1} == {EASY[20]}
    assert run("status", f"--cache={cache}") == 0


@pytest.mark.skipif(os.name == "nt", reason="Windows sends Ctrl-C otherwise")
def test_ctrl_c_is_one_line(tmp_path: Path) -> None:
    with Stopping(3) as site:
        status, err = site.stopped(signal.SIGINT, tmp_path / "cache")
    assert status == 130
    said = "llmarith oeis sync: stopped; fetched entries are kept, rerun the same command to continue"
    assert err.splitlines()[-1] == said
    assert "Traceback" not in err
    assert len(entries(tmp_path / "cache")) == 3


def test_status_is_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cache = tmp_path / "oeis_cache"
    (cache / "starter").mkdir(parents=True)
    for number in EASY[3:]:
        (cache / f"{number}.json").write_bytes(entry(number))
    (cache / f"{EASY[-1]}.json").write_bytes(entry(EASY[-1], offset="x"))
    (cache / "starter/A000045.json").write_bytes(entry("A000045"))
    os.utime(cache / f"{EASY[3]}.json", (0, 1_700_000_000))
    os.utime(cache / f"{EASY[4]}.json", (0, 1_900_000_000))
    os.utime(cache / "starter/A000045.json", (0, 1_700_000_000))
    assert run("status") == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == f"OEIS cache: {cache}"
    assert (
        "classic_easy 247 3 1 2023-11-14 2030-03-17 A000002, A000003, A000004" in lines
    )
    assert "classic_hard 0 250 0 - - A000001, A000043, A000066, ..." in lines
    assert "starter 1 0 0 2023-11-14 2023-11-14" in lines
    assert lines[-1] == f"{cache / f'{EASY[-1]}.json'}: malformed field `$.offset`"
    assert run("status", "--cache=none") == 0
    assert "OEIS cache: none\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "sync|status"),
        (["fetch"], "fetch"),
        (
            ["sync", "starter"],
            "starter comes with a project and is not fetched; name one of classic_easy, ",
        ),
        (
            ["sync", "clasic_easy"],
            "'clasic_easy' is neither an A-number such as A000045 nor one of classic_easy, ",
        ),
        (["sync", "../../A000045"], "neither"),
        (["sync", "A000045\n"], r"'A000045\n' is neither"),
        (["sync", "--from=none"], "none"),
        (["sync", "--from=pyproject.toml"], "pyproject.toml"),
        (["status", "classic_easy"], "classic_easy"),
    ],
)
def test_wrong_usage_is_one_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*arguments) == WRONG_USAGE
    out, err = capsys.readouterr()
    assert said in err
    assert (out, err.count("\n")) == ("", 1)
