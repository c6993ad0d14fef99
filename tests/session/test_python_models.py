"""Runs whose model is a function in Python: `--llm-model=python:module:function`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tests.session.bench import WAYS

BENCH = """
    import pytest
    from pytest_llmarith import Problem, Task

    problems = [Problem({"n": n}, str(2 * n), label=f"n_{n}") for n in range(4)]
    double = Task("test_double", problems, lambda problem: f"Twice {problem['n']}?")
    talk = Task(
        "talk",
        [Problem({}, "user: Hi, assistant: Hello, user: And?")],
        lambda problem: [
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": "Hello"},
            {"role": "user", "content": "And?"},
        ],
    )

    @pytest.mark.llmarith_task(double)
    def test_double(problem, ask):
        ask(problem)

    @pytest.mark.llmarith_task(talk)
    def test_talk(problem, ask):
        ask(problem)
"""
FUNCTIONS = """
    import os
    import sys
    import time
    from pathlib import Path

    from pytest_llmarith.records import Reply

    CALLS = Path(__file__).parent / "calls"


    def right(prompt, factor=2):
        with CALLS.open("a") as file:
            file.write("call\\n")
        if not isinstance(prompt, str):
            return ", ".join(f"{one['role']}: {one['content']}" for one in prompt)
        return str(factor * int(prompt.split()[1][:-1]))


    async def soon(prompt):
        return right(prompt)


    class Solver:
        def __call__(self, prompt):
            sys.stdin.read()  # the controller's messages are elsewhere
            print("solved")
            return Reply(right(prompt), prompt_tokens=7, completion_tokens=2)


    solver = Solver()


    def hard(prompt):
        raise ValueError("too hard\\nfor me")


    def leaves(prompt):
        sys.exit(3)


    def stops(prompt):
        next(iter(()))


    def counts(prompt):
        return 4


    def echoes(prompt):
        return os.environ["OPENAI_API_KEY"] + prompt


    class Busy(Exception):
        status_code = 429


    def busy_first(prompt):
        number = right(prompt)
        if len(CALLS.read_text().splitlines()) == 1:
            raise Busy("come back")
        return number


    def lost(prompt):
        right(prompt)
        raise ConnectionResetError("by peer")


    def sleeps(prompt):
        right(prompt)
        time.sleep(60)
"""
BROKEN = "raise RuntimeError('no weights')"


@dataclass
class Functions:
    """A bench, and a package with functions that are asked."""

    pytester: pytest.Pytester
    programs: Path

    def run(self, names: Sequence[str], *args: str) -> pytest.RunResult:
        """A run that asks these functions."""
        models = [f"--llm-model=python:pack.functions:{name}" for name in names]
        return self.pytester.run(self.programs / "pytest", *models, *args)

    @property
    def calls(self) -> int:
        path = self.pytester.path / "pack" / "calls"
        return len(path.read_text().splitlines()) if path.exists() else 0

    def records(self) -> list[dict[str, Any]]:
        folders = sorted((self.pytester.path / "reports").iterdir())
        lines = (folders[-1] / "trials.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]


@pytest.fixture
def functions(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, programs: Path
) -> Functions:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-tests-0123456789")
    pytester.makepyfile(
        test_bench=BENCH,
        **{"pack/__init__": "", "pack/functions": FUNCTIONS, "pack/broken": BROKEN},
    )
    with ZipFile(pytester.path / "zipped.zip", "w") as archive:
        archive.writestr("zipped.py", "def f(prompt): return '4'")
    return Functions(pytester, programs)


@pytest.mark.parametrize("way", ["plain", "-n 2"])
def test_functions_reply(functions: Functions, way: str) -> None:
    """Each question is asked once, and found in the store by the same command."""
    named = "--llm-model=named=python:pack.functions:right?factor=2"
    args = (["right", "soon", "solver"], named, *WAYS[way])
    result = functions.run(*args)
    assert result.ret == 0, result.outlines
    assert functions.calls == len(functions.records()) == 20
    assert {record["model"] for record in functions.records()} >= {
        "pack.functions:right",
        "named",
    }
    assert functions.run(*args).ret == 0
    assert functions.calls == 20


def test_parameters_and_code_are_in_the_key(functions: Functions) -> None:
    """Other ones are asked again."""
    functions.run(["right?factor=3"], "-k", "test_double")
    records = functions.records()
    assert Counter(one["outcome"] for one in records) == {"correct": 1, "deviate": 3}
    (address,) = {one["reply"]["sent"]["api_base"] for one in records}
    assert address.startswith("python:sha256=")
    assert records[0]["reply"]["sent"]["params"] == {"factor": 3}
    functions.run(["right?factor=2"], "-k", "test_double")
    assert functions.calls == 8
    with (functions.pytester.path / "pack" / "functions.py").open("a") as file:
        file.write("\n# changed\n")
    functions.run(["right?factor=2"], "-k", "test_double")
    assert functions.calls == 12


@pytest.mark.parametrize("way", ["plain", "-n 2"])
def test_a_failed_call_is_no_answer(functions: Functions, way: str) -> None:
    """It is made once, and told in one line without a traceback."""
    said = {
        "hard": "ValueError: too hard for me",
        "leaves": "SystemExit: 3",
        "stops": "StopIteration:",
        "counts": "the function returned int; return the text as str",
    }
    result = functions.run([*said], "-k", "n_2", *WAYS[way])
    assert result.ret == 1, result.outlines
    shown = " ".join(f"{result.stdout}{result.stderr}".split())
    for name, why in said.items():
        assert f"python:pack.functions:{name}: {why}" in shown
    assert "Traceback" not in shown
    assert "billed" not in shown
    records = functions.records()
    assert {one["outcome"] for one in records} == {"unanswered"}
    assert {one["reply"] for one in records} == {None}


def test_what_calls_itself_transient_is_retried(functions: Functions) -> None:
    result = functions.run(["busy_first"], "-k", "n_2", "-o", "llm_retries=1")
    assert result.ret == 0, result.outlines
    assert functions.calls == 2
    result = functions.run(["lost"], "-k", "n_3", "-o", "llm_retries=1")
    assert result.ret == 1
    assert "ConnectionResetError: by peer (2 attempts)" in str(result.stdout)
    assert functions.calls == 4


def test_a_call_that_hangs_ends(functions: Functions) -> None:
    args = ("-o", "llm_timeout=1", "-o", "llm_retries=0")
    result = functions.run(["sleeps"], "-k", "test_double", *args)
    assert result.ret == 1
    assert "no reply within 1 s" in str(result.stdout)
    assert functions.calls == 4
    assert result.duration < 30


def test_a_reply_holds_no_key(functions: Functions) -> None:
    functions.run(["echoes"], "-k", "n_2")
    (record,) = functions.records()
    assert record["reply"]["text"] == "[hidden]Twice 2?"


@pytest.mark.parametrize(
    ("model", "args", "said"),
    [
        ("python:pack.functions:none", (), "functions.py has no function 'none'"),
        ("python:pack.none:f", (), "there is no module 'pack.none'"),
        ("python:none.functions:f", (), "there is no module 'none.functions'"),
        (
            "python:zipped:f",
            ("-o", "pythonpath=zipped.zip"),
            "zipped.py is inside an archive; unpack it",
        ),
        ("python:pack.functions", (), "names no function"),
        ("python:pack.functions:a b", (), "names no function"),
        ("python:pack.broken:f", (), "pack.broken raises RuntimeError: no weights"),
        ("python:pack.functions:soon?factor=2", (), "unexpected keyword argument"),
        ("python:pack.functions:right?api_base=http://a", (), "remove api_base"),
        ("python:pack.functions:right?n=2", (), "several replies"),
        ("python:pack.functions:right", ("--llm-logprobs",), "'logprobs'"),
        (
            "python:pack.functions:right",
            ("--llm-questions-out=questions.jsonl",),
            "asked by this machine alone",
        ),
    ],
)
def test_what_cannot_be_called_is_refused(
    functions: Functions, model: str, args: tuple[str, ...], said: str
) -> None:
    result = functions.run([], f"--llm-model={model}", *args)
    errors = [line for line in result.errlines if line]
    assert result.ret == 4, result.outlines
    assert said in errors[-1]
    assert len(errors) == 1
    assert functions.calls == 0


def test_a_cap_of_dollars_lets_a_function_reply(functions: Functions) -> None:
    result = functions.run(["right"], "--llm-max-cost=0.01")
    assert result.ret == 0, result.outlines
    assert functions.calls == 5
