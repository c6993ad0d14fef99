"""The way of one question, from `ask` to its line in trials.jsonl: how many modules of
the package it enters.
"""

from __future__ import annotations

import sys

import pytest

from tests.llm_server import LlmServer
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
