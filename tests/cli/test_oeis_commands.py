"""`llmarith oeis sync` and `status`, as people use them: against a real server, killed, stopped, and mistyped."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from pytest_llmarith.cli import WRONG_USAGE, main
from pytest_llmarith.cli.meter import Meter
from pytest_llmarith.oeis import website
from pytest_llmarith.oeis.sets import numbers
from tests.oeis_site import Answer, Call, Site, entry

# A test run in the background may have inherited that Ctrl-C is ignored.
COMMAND = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from pytest_llmarith.cli import main; raise SystemExit(main())"
)
EASY = numbers("classic_easy", Path())
AT_ONCE = {"Retry-After": "0"}


@pytest.fixture(autouse=True)
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project of its own, and no proxy on the way to the test's server."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.setenv("NO_PROXY", "*")


def run(*arguments: str, site: Site | None = None) -> int:
    """The exit status, also where the parser leaves by itself; `site` stands in for oeis.org."""
    with pytest.MonkeyPatch.context() as patched:
        if site is not None:
            patched.setattr(website, "OEIS", site.base_url)
            patched.setattr(website, "PACE_S", 0)
        try:
            return main(["oeis", *arguments])
        except SystemExit as left:
            return left.code if isinstance(left.code, int) else -1


def entries(folder: Path) -> dict[str, bytes]:
    return {path.stem: path.read_bytes() for path in folder.glob("*.json")}


def test_a_set_is_fetched_through_trouble(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """250 entries from a server that throttles, fails and sends rubbish now and then: all arrive."""
    trouble = [
        Answer(status=429, headers=AT_ONCE),
        Answer(status=503, headers=AT_ONCE),
        Answer(b"<html>", status=502, headers=AT_ONCE),
    ]

    def answer(call: Call) -> Answer:
        nth = EASY.index(call.number)
        return trouble[nth % 3] if call.nth == 1 and nth % 10 == 0 else Answer(entry(call.number))

    with Site(answer) as site:
        assert run("sync", "classic_easy", site=site) == 0
        assert run("sync", "classic_easy", site=site) == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "250 written, 0 were there, 0 not fetched",
        "0 written, 250 were there, 0 not fetched",
    ]
    assert entries(tmp_path / "oeis_cache") == {number: entry(number) for number in EASY}
    assert (tmp_path / "oeis_cache/NOTICE.md").is_file()
    assert sum(site.asked.values()) == 275
    assert f"OEIS cache: {tmp_path / 'oeis_cache'}\n" in err
    assert "A000002: 0 of 250 done\n" in err
    assert "A000002: status 429; again in 0 s\n" in err


def test_what_could_not_be_fetched_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit status 1, the rest is there, and every number has its reason."""
    bad = {"A000003": Answer(status=404), "A000005": Answer(entry("A000005", data="1,x\x1b[2J"))}
    with Site(lambda call: bad.get(call.number, Answer(entry(call.number)))) as site:
        names = [f"A00000{digit}" for digit in range(1, 7)]
        assert run("sync", *names, "--cache=there", site=site) == 1
    out, err = capsys.readouterr()
    assert out == "4 written, 0 were there, 2 not fetched\n"
    assert "llmarith oeis sync: A000003: status 404\n" in err
    assert err.endswith("llmarith oeis sync: the same command goes on from here\n")
    assert re.search(r"A000005: http.*: the field 'data' has '1?x\\x1b\[2J' as term 2", err)
    assert "\x1b" not in err
    assert {*entries(tmp_path / "there")} == {"A000001", "A000002", "A000004", "A000006"}


def test_an_outage_stops_with_the_way_on(capsys: pytest.CaptureFixture[str]) -> None:
    """After three failed entries in a row the other 247 are not tried, and the last line says how to go on."""
    with Site(lambda call: Answer(status=503, headers=AT_ONCE)) as site:
        assert run("sync", "classic_easy", site=site) == 1
    out, err = capsys.readouterr()
    assert out == "0 written, 0 were there, 250 not fetched\n"
    assert err.endswith("llmarith oeis sync: stopped, with 247 not tried; the same command goes on from here\n")
    assert len(site.asked) == 3


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
        """Starts a synchronisation, signals it in the middle of a request, and gives its status and stderr."""
        arguments = ["oeis", "sync", "classic_easy", f"--cache={folder}"]
        here = f"from pytest_llmarith.oeis import website; website.OEIS, website.PACE_S = {self.base_url!r}, 0; "
        command = [sys.executable, "-c", here + COMMAND, *arguments]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert self.reached.wait(60)
            process.send_signal(with_signal)
            _, err = process.communicate(timeout=60)
        self.over.set()
        return process.returncode, err


def test_a_killed_synchronisation_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was fetched is whole and never asked for again."""
    with Stopping(20) as site:
        assert site.stopped(signal.SIGKILL, tmp_path / "cache")[0] == -signal.SIGKILL
        before = entries(tmp_path / "cache")
        assert before == {number: entry(number) for number in EASY[:20]}
        again = ["sync", "classic_easy", f"--cache={tmp_path / 'cache'}"]
        assert run(*again, site=site) == 0
    assert capsys.readouterr().out == "230 written, 20 were there, 0 not fetched\n"
    assert entries(tmp_path / "cache") == {number: entry(number) for number in EASY}
    assert {number for number, times in site.asked.items() if times > 1} == {EASY[20]}


def test_a_kill_between_two_bytes_leaves_no_entry(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A half file of another process is neither an entry nor in the way."""
    (tmp_path / "oeis_cache").mkdir()
    (tmp_path / "oeis_cache/.A000045.json.1.tmp").write_bytes(entry("A000045")[:30])
    with Site() as site:
        assert run("sync", "A000045", site=site) == 0
    assert capsys.readouterr().out.startswith("1 written, 0 were there")
    assert run("status") == 0


@pytest.mark.skipif(os.name == "nt", reason="Windows sends Ctrl-C otherwise")
def test_ctrl_c_is_one_line(tmp_path: Path) -> None:
    """Ctrl-C ends a sync without a traceback, and its last line says how to go on."""
    with Stopping(3) as site:
        status, err = site.stopped(signal.SIGINT, tmp_path / "cache")
    assert status == 130
    assert err.splitlines()[-1] == (
        "llmarith oeis sync: stopped; what is there stays, and the same command goes on from here"
    )
    assert "Traceback" not in err
    assert len(entries(tmp_path / "cache")) == 3


def test_a_folder_is_imported_without_network(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both classic sets by default; what the folder lacks is counted, and the first ones are named."""
    (tmp_path / "shelf").mkdir()
    for number in EASY:
        (tmp_path / f"shelf/{number}.json").write_bytes(entry(number))
    assert run("sync", "--from=shelf") == 1
    out, err = capsys.readouterr()
    assert out == "250 written, 0 were there, 250 not fetched\n"
    assert "A000001: neither A000001.json nor A000001.seq is in 'shelf'\n" in err
    assert "and 240 others: A000" in err


def test_status_is_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is there, missing and broken, and from when; broken entries have a line each."""
    cache = tmp_path / "oeis_cache"
    (cache / "starter").mkdir(parents=True)
    for number in EASY[3:]:
        (cache / f"{number}.json").write_bytes(entry(number))
    os.utime(cache / f"{EASY[3]}.json", (0, 1_700_000_000))
    os.utime(cache / f"{EASY[4]}.json", (0, 1_900_000_000))
    (cache / f"{EASY[-1]}.json").write_bytes(entry(EASY[-1], offset="x"))
    (cache / "starter/A000045.json").write_bytes(entry("A000045"))
    os.utime(cache / "starter/A000045.json", (0, 1_700_000_000))
    assert run("status") == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == f"OEIS cache: {cache}"
    assert "classic_easy 247 3 1 2023-11-14 2030-03-17 A000002, A000003, A000004" in lines
    assert "classic_hard 0 250 0 - - A000001, A000043, A000066, ..." in lines
    assert "starter 1 0 0 2023-11-14 2023-11-14" in lines
    assert lines[-1] == f"{cache / f'{EASY[-1]}.json'}: the field 'offset' is 'x', not two whole numbers such as 1,3"


def test_status_of_nothing_is_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    """The status of a cache that is not there is that of one without entries."""
    assert run("status", "--cache=none") == 0
    assert "OEIS cache: none\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "sync|status"),
        (["fetch"], "fetch"),
        (["sync", "starter"], "starter comes with a project and is not fetched; name one of classic_easy, "),
        (["sync", "clasic_easy"], "'clasic_easy' is neither an A-number such as A000045 nor one of classic_easy, "),
        (["sync", "A45"], "'A45' is neither"),
        (["sync", "../../A000045"], "neither"),
        (["sync", "A000045\n"], r"'A000045\n' is neither"),
        (["sync", "--from=none"], "none"),
        (["sync", "--from=pyproject.toml"], "pyproject.toml"),
        (["status", "classic_easy"], "classic_easy"),
    ],
)
def test_wrong_usage_is_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Wrong usage is one line that says what to write instead, and exit status 4."""
    assert run(*arguments) == WRONG_USAGE
    out, err = capsys.readouterr()
    assert said in err
    assert (out, err.count("\n")) == ("", 1)


def test_a_cache_that_cannot_be_written_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Where a file stands in place of the cache's folder, one line says that it cannot be written."""
    assert run("sync", "A000045", "--from=.", "--cache=pyproject.toml") == 1
    assert "llmarith oeis sync: the cache cannot be written: " in capsys.readouterr().err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def meter(file: io.StringIO) -> None:
    """Five steps of four seconds each, and a line that stays."""
    now = iter(range(0, 1_000, 4))
    shown = Meter(file, clock=lambda: next(now))
    for done in range(5):
        shown.step(f"A00000{done}", done, 500)
    shown.say("again in 2 s\x1b[2J")
    shown.close()


def test_a_terminal_sees_one_line() -> None:
    """It is written over at every step, lines that stay stay above it, and it is gone in the end."""
    meter(terminal := Terminal())
    shown = terminal.getvalue()
    assert "A000001: 1 of 500 done, about 67 min left" in shown
    assert shown.count("\n") == 1
    assert "again in 2 s\\x1b[2J\n" in shown
    assert shown.endswith("\r\x1b[K")
    assert shown.count("\r\x1b[K") == 7


def test_a_file_sees_a_line_from_time_to_time() -> None:
    """In a file progress is plain text, with fewer lines than there are steps."""
    meter(file := io.StringIO())
    assert file.getvalue().splitlines() == [
        "A000000: 0 of 500 done",
        "A000003: 3 of 500 done, about 44 min left",
        "again in 2 s\\x1b[2J",
    ]


def test_the_commands_cost_nothing_before_they_run() -> None:
    """The modules of the commands load neither httpx nor anything else that is slow."""
    code = (
        "import sys, pytest_llmarith.cli, pytest_llmarith.oeis.website, pytest_llmarith.oeis.cache; print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"httpx", "tabulate", "pytest", "litellm"} & {*loaded}
