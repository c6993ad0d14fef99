"""Beside the newest versions of other plugins, each in a real run.

`make company` installs them; elsewhere these tests are skipped. docs/company.md says
what happens.
"""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest

from tests.golden.frozen import summary_of

pytestmark = pytest.mark.company

OURS = (
    *("-p", "llmarith", "-p", "xdist", "-p", "timeout", "-p", "pytest_jsonreport"),
    *("-p", "no:randomly", "-W", "ignore::pytest.PytestUnknownMarkWarning"),
)
WAYS = {"plain": (), "-n 2": ("-n", "2")}
BENCH = """
    import pytest

    @pytest.mark.integer_addition(trials=10)
    def test_add(problem, ask):
        ask(problem)
"""
# The first reply to a question is of one kind, each later one is right.
OWN_MODEL = """
    import pytest

    asked = set()

    class Own:
        name = "own"
        def reply(self, prompt):
            if prompt not in asked:
                asked.add(prompt)
                {first}
            _, int1, _, int2, _ = prompt.split('"')
            return str(int(int1) + int(int2))

    @pytest.fixture
    def model():
        return Own()
"""
WRONG = "return '-1'"
OUTAGE = "raise ConnectionError('no route')"

Run = Callable[..., pytest.RunResult]


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A run beside the plugins of a distribution, without all others."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-tests")
    pytester.makepyfile(test_bench=BENCH)

    def run(distribution: str, plugins: Sequence[str], *args: str) -> pytest.RunResult:
        needs(distribution)
        names = [part for name in plugins for part in ("-p", name)]
        return pytester.runpytest_subprocess(*OURS, *names, *args)

    return run


def needs(distribution: str) -> None:
    try:
        version(distribution)
    except PackageNotFoundError:
        pytest.skip(f"{distribution} is not installed; make company")


def records(folder: Path) -> list[dict[str, Any]]:
    (log,) = folder.glob("reports/*/trials.jsonl")
    return [json.loads(line) for line in log.read_text().splitlines()]


def outcomes(folder: Path) -> Counter[str]:
    """The outcomes of the log, which has one record an item, as the summary has."""
    found = records(folder)
    assert len({record["nodeid"] for record in found}) == len(found)
    (summary,) = folder.glob("reports/*/summary.json")
    counted = Counter[str]()
    for result in summary_of(summary.read_bytes())["results"]:
        counted.update(result["outcomes"])
    in_log = Counter(record["outcome"] for record in found)
    assert +counted == in_log
    return in_log


def last_line(result: pytest.RunResult) -> dict[str, int]:
    line = re.sub(r"\x1b\[[0-9;]*m", "", result.outlines[-1])
    return {word: int(count) for count, word in re.findall(r"(\d+) ([a-z]+)", line)}


# --- an item is run again -------------------------------------------------------------

AGAIN = [
    ("pytest-rerunfailures", ["rerunfailures"], ["--reruns=1"], {"rerun": 10}),
    ("pytest-retry", ["pytest-retry"], ["--retries=1"], {"retried": 10}),
    ("flaky", ["flaky"], ["--force-flaky", "--no-flaky-report"], {}),
]
IDS = [row[0] for row in AGAIN]


@pytest.mark.parametrize(("name", "plugins", "args", "more"), AGAIN, ids=IDS)
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_an_outage_is_tried_again(
    run: Run,
    pytester: pytest.Pytester,
    way: Sequence[str],
    name: str,
    plugins: list[str],
    args: list[str],
    more: dict[str, int],
) -> None:
    pytester.makeconftest(OWN_MODEL.format(first=OUTAGE))
    result = run(name, plugins, *args, *way, "--llm-reports=reports")
    assert result.ret == 0
    result.stdout.no_fnmatch_line("*ask once per test*")
    assert outcomes(pytester.path) == {"correct": 10}
    assert last_line(result).items() >= {**more, "correct": 10}.items()
    assert "unanswered" not in last_line(result)


@pytest.mark.parametrize(("name", "plugins", "args", "more"), AGAIN, ids=IDS)
def test_a_wrong_answer_stays_wrong(
    run: Run,
    pytester: pytest.Pytester,
    name: str,
    plugins: list[str],
    args: list[str],
    more: dict[str, int],
) -> None:
    """A rerun gets the first reply, which --llm-strict fails again."""
    pytester.makeconftest(OWN_MODEL.format(first=WRONG))
    result = run(name, plugins, *args, "--llm-strict", "--llm-reports=reports")
    assert result.ret == 1
    assert outcomes(pytester.path) == {"deviate": 10}
    assert last_line(result)["deviate"] == 10


REPEATS = [
    ("pytest-repeat", ["pytest_repeat"], ["--count=2"]),
    ("pytest-flakefinder", ["flakefinder"], ["--flake-finder", "--flake-runs=2"]),
]


@pytest.mark.parametrize(
    ("name", "plugins", "args"), REPEATS, ids=[r[0] for r in REPEATS]
)
def test_items_that_are_multiplied_are_the_same_questions(
    run: Run, pytester: pytest.Pytester, name: str, plugins: list[str], args: list[str]
) -> None:
    """Each has its item and record, and is counted once."""
    result = run(name, plugins, *args, "--llm-model=llmarith/oracle")
    assert result.ret == 0
    assert len(records(pytester.path)) == 20
    (summary,) = pytester.path.glob("reports/*/summary.json")
    found = json.loads(summary.read_text())
    assert (found["answered"], found["duplicates"]) == (10, 10)


# --- no run, or another selection -----------------------------------------------------


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_forked(run: Run, way: Sequence[str]) -> None:
    """Refused before anything is asked."""
    result = run("pytest-forked", ["pytest_forked"], "--forked", "--llm-model=m", *way)
    assert result.ret == 4
    assert "--forked" in "".join(result.errlines)


def test_a_gate_without_a_measurement(run: Run, pytester: pytest.Pytester) -> None:
    """pytest-testmon deselects what has not changed, and sets exit status 0."""
    args = ("--testmon", "--llm-model=llmarith/oracle", "--llm-fail-under=80")
    assert run("pytest-testmon", ["pytest-testmon"], *args).ret == 0
    result = run("pytest-testmon", ["pytest-testmon"], *args)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["--llm-fail-under: nothing was answered*"])


@pytest.mark.parametrize(
    ("name", "plugins", "groups"),
    [
        (
            "pytest-split",
            ["pytest-split"],
            [("--splits=2", "--group=1"), ("--splits=2", "--group=2")],
        ),
        (
            "pytest-shard",
            ["pytest_shard.pytest_shard"],
            [("--num-shards=2", "--shard-id=0"), ("--num-shards=2", "--shard-id=1")],
        ),
    ],
    ids=["pytest-split", "pytest-shard"],
)
def test_groups_are_not_shards(
    run: Run,
    pytester: pytest.Pytester,
    name: str,
    plugins: list[str],
    groups: list[tuple[str, ...]],
) -> None:
    """They cannot be merged, and the refusal says what can."""
    for args in groups:
        assert run(name, plugins, "--llm-model=llmarith/oracle", *args).ret == 0
    runs = [str(path.parent) for path in pytester.path.glob("reports/*/trials.jsonl")]
    command = "from pytest_llmarith.cli import main; raise SystemExit(main())"
    done = subprocess.run(
        [sys.executable, "-c", command, "merge", *runs, "--output=all"],
        cwd=pytester.path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "--llm-shard" in done.stderr) == (4, True), done.stderr


# --- the network ----------------------------------------------------------------------

BLOCKED = [
    ("pytest-socket", ["socket"], ["--disable-socket"], "--force-enable-socket"),
    ("pytest-socket", ["socket"], ["--allow-hosts=1.2.3.4"], "--force-enable-socket"),
    ("pytest-recording", ["recording"], ["--block-network"], "remove --block-network"),
]


@pytest.mark.parametrize(("name", "plugins", "args", "how"), BLOCKED)
def test_a_blocked_network_asks_no_model(
    run: Run, name: str, plugins: list[str], args: list[str], how: str
) -> None:
    """One line on stderr says how to allow it; fake models are asked."""
    result = run(name, plugins, *args, "--llm-model=openai/m")
    (line,) = filter(None, result.errlines)
    assert (result.ret, how in line) == (4, True), line
    assert run(name, plugins, *args, "--llm-model=llmarith/oracle").ret == 0


def test_programs_run_without_sockets(run: Run, pytester: pytest.Pytester) -> None:
    """The sandbox's own pair of sockets is no network."""
    pytester.makepyfile(
        test_bench="""
        import pytest

        @pytest.mark.oeis
        def test_oeis(problem, ask):
            ask(problem)
    """
    )
    root = Path(__file__).parents[2]
    args = ("--disable-socket", "--llm-model=llmarith/oracle", "--oeis-terms=3")
    cache = f"-ooeis_cache={root / 'oeis_cache'}"
    run("pytest-socket", ["socket"], *args, cache, "-k", "A000040 or A000045")
    assert outcomes(pytester.path) == {"correct": 2}


# --- the clock ------------------------------------------------------------------------

FROZEN = [
    ("freezegun", "import freezegun; freezegun.freeze_time('2001-01-01').start()"),
    (
        "time-machine",
        "import time_machine; time_machine.travel('2001-01-01', tick=False).start()",
    ),
]


@pytest.mark.parametrize(("name", "freeze"), FROZEN, ids=[row[0] for row in FROZEN])
def test_a_frozen_clock_dates_no_run(
    run: Run, pytester: pytest.Pytester, name: str, freeze: str
) -> None:
    pytester.makeconftest(freeze)
    assert run(name, [], "--llm-model=llmarith/oracle").ret == 0
    (folder,) = (path.parent for path in pytester.path.glob("reports/*/summary.json"))
    run_facts = json.loads((folder / "summary.json").read_text())["run"]
    for date in (folder.name, run_facts["started_at"], run_facts["finished_at"]):
        assert not date.startswith("2001")


# --- reports --------------------------------------------------------------------------


def wrong_one(folder: Path) -> dict[str, Any]:
    return next(one for one in records(folder) if one["outcome"] == "deviate")


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_html(run: Run, pytester: pytest.Pytester, way: Sequence[str]) -> None:
    """A column with the outcome, and the answer among the links and in the log."""
    args = ("--html=all.html", "--self-contained-html", "--llm-model=llmarith/sloppy")
    result = run("pytest-html", ["html", "html_fixtures", "metadata"], *args, *way)
    assert result.ret == 0
    page = (pytester.path / "all.html").read_text()
    expected = wrong_one(pytester.path)["problem"]["expected"]
    assert f"expected {expected}" in page
    assert page.count("col-llmarith") >= 10
    assert "col-llmarith\\&quot;&gt;deviate" in page or "deviate" in page


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_allure(run: Run, pytester: pytest.Pytester, way: Sequence[str]) -> None:
    """Labels, parameters and the status text say what happened; no parameter is the
    repr of an internal class.
    """
    run(
        "allure-pytest",
        ["allure_pytest"],
        "--alluredir=allure",
        "--llm-model=llmarith/sloppy",
        *way,
    )
    files = (pytester.path / "allure").glob("*-result.json")
    found = [json.loads(path.read_text()) for path in files]
    assert len(found) == 10
    counted = Counter[str]()
    for one in found:
        labels = {label["name"]: label["value"] for label in one["labels"]}
        counted[labels["llmarith_outcome"]] += 1
        parameters = {each["name"]: each["value"] for each in one["parameters"]}
        assert parameters["outcome"] == labels["llmarith_outcome"]
        for name in ("llm_model", "problem"):
            assert parameters[name].startswith("<")
        if labels["llmarith_outcome"] == "deviate":
            message = one["statusDetails"]["message"]
            assert f"expected {parameters['expected']}" in message
            assert parameters["answer"] in message
    assert counted == outcomes(pytester.path)


def test_teamcity(run: Run, pytester: pytest.Pytester) -> None:
    """The standard output of a wrong test says what was expected."""
    result = run(
        "teamcity-messages",
        ["pytest-teamcity"],
        "--teamcity",
        "--llm-model=llmarith/sloppy",
    )
    expected = wrong_one(pytester.path)["problem"]["expected"]
    result.stdout.fnmatch_lines([f"*testStdOut*deviate: got *expected {expected}*"])


@pytest.mark.parametrize(
    ("name", "plugins", "args"),
    [
        ("pytest-rich", ["pytest_rich.plugin"], ["--rich"]),
        ("pytest-sugar", ["sugar"], ["--force-sugar"]),
        ("pytest-instafail", ["instafail"], ["--instafail"]),
    ],
    ids=["pytest-rich", "pytest-sugar", "pytest-instafail"],
)
def test_other_reporters(
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    plugins: list[str],
    args: list[str],
) -> None:
    """On a terminal, in place of pytest's reporter: no error, and the results."""
    needs(name)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(test_bench=BENCH)
    names = [part for one in plugins for part in ("-p", one)]
    command = [sys.executable, "-m", "pytest", *OURS, *names, *args]
    printed = on_a_terminal([*command, "--llm-model=llmarith/sloppy"], pytester.path)
    assert "INTERNALERROR" not in printed
    assert "llmarith: results" in printed
    assert len(records(pytester.path)) == 10


def on_a_terminal(command: list[str], folder: Path) -> str:
    """What a command prints if its standard output is a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, cwd=folder, stdout=theirs, stderr=theirs)
    os.close(theirs)
    printed = b""
    try:
        while part := os.read(ours, 65536):
            printed += part
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    process.wait()
    return printed.decode("utf-8", "replace")
