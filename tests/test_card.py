"""The card of the project, statement by statement."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from tests.llm_server import LlmServer
from tests.session.bench import right

ROOT = Path(__file__).parents[1]
PACKAGES = {
    "pytest": "import pytest",
    "pytest-xdist": "xdist",
    "hypothesis": "from hypothesis",
    "litellm": "import litellm",
    "pytest-timeout": "pytest_timeout",
    "pytest-json-report": "json_report",
}


def test_its_six_packages_are_dependencies_and_used() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    names = {
        re.split(r"[^A-Za-z0-9-]", requirement)[0]
        for requirement in project["dependencies"]
    }
    assert PACKAGES.keys() <= names
    code = "".join(
        path.read_text("utf-8") for path in (ROOT / "pytest_llmarith").rglob("*.py")
    )
    assert [package for package, use in PACKAGES.items() if use not in code] == []


@pytest.fixture
def benches(pytester: pytest.Pytester) -> pytest.Pytester:
    """The benches and their sequences, as they are in the repository."""
    pytester.copy_example(str(ROOT / "benches"))
    (pytester.path / "oeis_cache").symlink_to(ROOT / "oeis_cache")
    return pytester


def collected(benches: pytest.Pytester, *args: str) -> list[str]:
    result = benches.runpytest_inprocess(
        "--collect-only", "-q", "-p", "no:cacheprovider", *args
    )
    return [line for line in result.outlines if "::" in line]


def test_one_item_per_operation_dtype_depth_trial_and_per_sequence(
    benches: pytest.Pytester,
) -> None:
    items = collected(benches, "--llm-model=o4-mini")
    cells = Counter(
        re.findall(
            r"\[o4-mini-((?:int|float)_(?:add|sub|mul|div))-depth_(\d+)-trial_\d\]",
            "\n".join(items),
        )
    )
    assert len(cells) == 2 * 4 * 9
    assert set(cells.values()) == {10}
    entries = len(list((ROOT / "oeis_cache" / "starter").glob("A*.json")))
    assert sum("[o4-mini-starter-A" in item for item in items) == entries > 0


def test_models_are_fixtures_chosen_by_an_option(benches: pytest.Pytester) -> None:
    cell = collected(
        benches,
        "--llm-model=o4-mini",
        "--llm-model=llmarith/oracle",
        "-k",
        "int_div and depth_7",
    )
    assert (
        len([item for item in cell if "[o4-mini-int_div-depth_7-trial_" in item]) == 10
    )
    assert (
        len(
            [item for item in cell if "[llmarith/oracle-int_div-depth_7-trial_" in item]
        )
        == 10
    )
    assert len(cell) == 20


@pytest.mark.proof
def test_eight_workers_report_custom_outcomes_in_report_json(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    pytester.makepyfile(
        test_bench="""
        import pytest

        @pytest.mark.arithmetic(depths=[2], trials=2)
        def test_arithmetic(problem, ask, model):
            assert model.name == "o4-mini"
            ask(problem)
        """
    )
    replies = {"+": "7", "*": "I cannot tell."}

    def script(call: object) -> str:
        prompt = call.prompt.splitlines()[-1].split()  # type: ignore[attr-defined]
        return replies.get(prompt[1]) or right(call)  # type: ignore[arg-type]

    with LlmServer(script) as server:
        result = pytester.runpytest_subprocess(
            "--llm-model=o4-mini", "-n", "8", f"--llm-api-base={server.base_url}"
        )
    assert result.ret == 0
    assert result.parseoutcomes() == {"correct": 8, "deviate": 4, "nan": 4}
    (report,) = (pytester.path / "reports").glob("*/report.json")
    tests = json.loads(report.read_text("utf-8"))["tests"]
    assert Counter(test["outcome"] for test in tests) == {
        "correct": 8,
        "deviate": 4,
        "nan": 4,
    }


def test_half_a_second_and_four_are_timeout_marks_enforced_in_subprocesses(
    pytester: pytest.Pytester,
) -> None:
    """The mark of every item is the largest limit, 4 s; a term is scored at 0.5 s and
    at 4 s, whatever else happens.
    """
    pytest.importorskip("pytest_llmarith.sandbox.isolation").probe()
    starter = pytester.mkdir("oeis_cache") / "starter"
    starter.mkdir()
    fields = {
        "number": 1,
        "name": "The squares.",
        "data": "0,1,4,9",
        "offset": "0,1",
        "keyword": "easy",
    }
    (starter / "A000001.json").write_text(json.dumps([fields]), encoding="utf-8")
    pytester.makepyfile("""
        import os
        import pytest

        PROGRAM = "\\n".join([
            "import time",
            "n = int(input())",
            "while n == 3 or n == 2 and time.process_time() < 1: pass",
            "print(n * n)",
        ])

        @pytest.fixture
        def model():
            class Mine:
                name = "mine"
                def reply(self, prompt):
                    return f"```python\\n{PROGRAM}```"
            return Mine()

        @pytest.mark.oeis
        def test_oeis(problem, ask, request):
            assert request.node.get_closest_marker("timeout").args == (4.0,)
            ask(problem)
    """)
    assert pytester.runpytest_subprocess("-p", "no:xdist").ret == 0
    (log,) = (pytester.path / "reports").glob("*/trials.jsonl")
    grade = json.loads(log.read_text("utf-8"))["grade"]
    program = grade["details"]["values"]
    assert program["limits"] == [0.5, 4.0]
    assert [term["status"] for term in program["terms"]] == ["ok", "ok", "ok", "late"]
    assert 0.5 < program["terms"][2]["seconds"] <= 4
    assert grade["scores"]["0.5"] < grade["scores"]["4"]
