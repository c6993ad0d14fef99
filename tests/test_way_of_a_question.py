"""How many modules of the package a question enters, from `ask` to its line in
trials.jsonl, and a figure from there to a cell of the page.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.llm_server import LlmServer
from tests.runs_on_disk import added, log_in
from tests.session.bench import right

MOST = 25
PROFILE = """
import sys, threading

def profile(frame, event, arg, entered=set()):
    module = frame.f_globals.get("__name__", "")
    if event == "call" and module.startswith("pytest_llmarith") and module not in entered and is_recording():
        entered.add(module)
        with open({path!r}, "a") as file:
            file.write(f"{{module}}\\n")
"""
# In pytest's process: from the call of the last test until its line is in the log.
CONFTEST = """
from pathlib import Path
import pytest

began = []  # how long the log was then

def length():
    return sum(path.stat().st_size for path in Path("reports").glob("*/trials.jsonl"))

def is_recording():
    return bool(began) and length() == began[0]

sys.executable = {broker!r}
threading.setprofile(profile)

@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item):
    if item.session.items[-1] is item:
        began.append(length())
        sys.setprofile(profile)
    return (yield)

@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_logreport(report):
    try:
        return (yield)
    finally:
        sys.setprofile(None)
"""
# In the broker's process: from the announcement on, by which the questions go to their
# model.
BROKER = """\
#!{python} -P
from pytest_llmarith.models import broker

def is_recording():
    return True

received = broker.Server._received

def record(self, kind, *said):
    if kind == "announce":
        threading.setprofile(profile)
        sys.setprofile(profile)
    received(self, kind, *said)

broker.Server._received = record
broker.main()
"""


@pytest.mark.proof
def test_a_question_enters_few_modules(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of pytest's process and of the broker's together, for a question whose reply
    comes from a model.
    """
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    entered, broker = pytester.path / "entered", pytester.path / "broker"
    profile = PROFILE.format(path=str(entered))
    first, rest = BROKER.format(python=sys.executable).split("\n", 1)
    broker.write_text(f"{first}\n{profile}{rest}")
    broker.chmod(0o700)
    pytester.makeconftest(profile + CONFTEST.format(broker=str(broker)))
    pytester.makepyfile(
        test_bench="""
        import pytest

        @pytest.mark.arithmetic(depths=[2], trials=1)
        def test_arithmetic(problem, ask):
            ask(problem)
        """
    )
    with LlmServer(right) as server:
        result = pytester.runpytest_subprocess(
            "-p",
            "no:xdist",
            "--llm-model=openai/gpt-4o-mini",
            f"--llm-api-base={server.base_url}",
        )
    assert result.ret == 0
    modules = sorted(set(entered.read_text().split()))
    assert {
        "pytest_llmarith.session.ask",
        "pytest_llmarith.models.client",
        "pytest_llmarith.records",
    } <= {*modules}
    assert len(modules) <= MOST, "\n".join(modules)


MOST_TO_THE_CELL = 18
# Seven of twelve are correct: which modules have the record, the figure or its text.
REPORT = """
import sys
from pytest_llmarith.cli import main

def holds(value, depth=3):
    if isinstance(value, float):
        return value == 58.3333
    if isinstance(value, str):
        return "58.3" in value
    if type(value).__name__ == "Record":
        return True
    if isinstance(value, dict):
        value = list(value.values())
    if depth and isinstance(value, (list, tuple)):
        return any(holds(one, depth - 1) for one in value)
    return False

def profile(frame, event, arg):
    module = frame.f_globals.get("__name__", "")
    if event == "return" and module.startswith("pytest_llmarith.") and holds(arg):
        entered.add(module)

entered = set()
sys.argv = ["llmarith", "report", "trials.jsonl", "--format=html", "--output=page.html"]
sys.setprofile(profile)
try:
    main()
finally:
    sys.setprofile(None)
    print(*sorted(entered))
"""


def test_a_figure_passes_few_modules(tmp_path: Path) -> None:
    """From its line in the log to a cell of the page."""
    replies = ["{}"] * 7 + ["1"] * 5
    log = log_in(tmp_path, (added(text, trial) for trial, text in enumerate(replies)))
    told = subprocess.run(
        [sys.executable, "-c", REPORT],
        cwd=log.parent,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "58.3" in (log.parent / "page.html").read_text("utf-8")
    assert "pytest_llmarith.report.render.html" in told
    assert len(told.split()) <= MOST_TO_THE_CELL, told
