"""Whole runs with programs: asked through litellm, run in the sandbox, judged through
the same broker.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from pytest_llmarith.sandbox.isolation import UnavailableError, probe
from tests.llm_server import Answer, Call
from tests.session.bench import Bench

Way = tuple[str, ...]
BENCH = """
    import pytest

    @pytest.mark.oeis
    def test_oeis(problem, ask):
        ask(problem)
"""
TERMS = 6
FORMULAS = {
    "squares": "n * n",
    "cubes": "n ** 3",
    "doubles": "2 * n",
    "tables": "n * n + 41",
    "bombs": "n + 5",
}


def terms(name: str) -> list[int]:
    return [eval(FORMULAS[name], {"n": n}) for n in range(TERMS)]


def write_cache(folder: Path, last: int | None = None) -> None:
    starter = folder / "starter"
    starter.mkdir(parents=True)
    for number, name in enumerate(FORMULAS, 1):
        data = ",".join(
            map(str, [*terms(name)[:-1], terms(name)[-1] if last is None else last])
        )
        fields = {
            "number": number,
            "name": f"The {name}.",
            "data": data,
            "offset": "0,1",
            "keyword": "easy",
        }
        (starter / f"A{number:06}.json").write_text(
            json.dumps([fields]), encoding="utf-8"
        )


PROGRAMS = {
    "squares": "print(int(input()) ** 2)",
    "cubes": "print(int(input()) ** 3 + 1)",
    "tables": f"print({terms('tables')}[int(input())])",
    "bombs": "a" + "\u0316\u0300" * 25_000 + " = 1",  # takes minutes to compile
}
OUTCOMES = {
    "A000001": ("correct", None),
    "A000002": ("deviate", "0 of 6 terms right; n = 0: expected 0, got 1"),
    "A000003": ("nan", "no program"),
    "A000004": ("cheat", None),
    "A000005": ("nan", "uncompilable"),
}


def program(call: Call) -> str:
    """What the scripted model writes: squares are right, cubes wrong, doubles prose,
    tables a table, bombs a bomb.
    """
    if "look-up table to cheat" in call.prompt:
        return "1" if "][int(input())]" in call.prompt else "0"
    name = call.prompt.rpartition("Name: The ")[2].split(".")[0]
    return (
        f"Sure!\n```python\n{PROGRAMS[name]}\n```"
        if name in PROGRAMS
        else "I do not know this one."
    )


@pytest.fixture
def oeis(bench: Bench) -> Bench:
    """A bench of five sequences, in place of the ones that count."""
    try:
        probe()
    except UnavailableError as error:
        pytest.skip(str(error))
    bench.pytester.makepyfile(test_bench=BENCH)
    write_cache(bench.pytester.path / "oeis_cache")
    bench.script = program
    return bench


@pytest.mark.proof
def test_every_outcome(oeis: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs run, a model judges through the broker, and the scores stand in log,
    summary and terminal.

    A judge's failure never means "not cheating": the same command asks it again, once,
    with its key.
    """
    monkeypatch.setenv("OPENAI_API_KEY", "")  # which hides none
    (oeis.pytester.path / ".env").write_text(
        "OPENAI_API_KEY=sk-only-in-dotenv\n", encoding="utf-8"
    )
    args = (
        f"--oeis-judge=both:judge=openai/gpt-4o?api_base={oeis.server.base_url}",
        "-ollm_retries=0",
    )
    oeis.script = lambda call: (
        Answer(status=503) if "look-up table to cheat" in call.prompt else program(call)
    )
    result = oeis.run(*args)
    assert result.ret == 1
    assert Counter(record["outcome"] for record in oeis.records()) == {
        "unanswered": 3,
        "nan": 2,
    }
    result.stdout.fnmatch_lines(["unanswered: 3 x no verdict: *503*"])
    asked = len(oeis.server.requests)
    oeis.script = program
    oeis.pytester.makeconftest(
        "from pytest_llmarith.session import console; console._LINE_EVERY_S = 0"
    )
    result = oeis.run(*args, "-rA")
    assert result.ret == 0
    found = {
        record["problem"]["inputs"]["number"]: (record["outcome"], record["reason"])
        for record in oeis.records()
    }
    assert {number: outcome for number, (outcome, _) in found.items()} == {
        n: one for n, (one, _) in OUTCOMES.items()
    }
    assert all(
        reason in (None, found[number][1]) for number, (_, reason) in OUTCOMES.items()
    ), found
    questions = oeis.server.requests[asked:]
    assert len(questions) == 3  # prose and bombs are no programs
    assert {
        (call.headers["Authorization"], call.body["temperature"]) for call in questions
    } == {("Bearer sk-only-in-dotenv", 0)}
    assert oeis.summary()["run"]["asking"]["by_graders"] == 3
    result.stdout.fnmatch_lines(
        [
            "*CHEAT *A000004* - *",
            "*NAN *A000003* - no program*",
            "*DEVIATE *A000002* - *",
            "*starter*",
        ]
    )
    (one,) = oeis.summary()["results"][0]["variants"]
    assert [(score["name"], score["perfect"]) for score in one["scores"]] == [
        ("0.5", 1),
        ("4", 1),
    ]
    programs = one["programs"]
    assert programs["term_statuses"] == {"ok": 6, "wrong": 6}
    result.stdout.fnmatch_lines(
        [
            "llmarith: [1-5] of 5 answered, [1-4] of 5 graded*",
        ]
    )
    assert (programs["judges"]["judged"], programs["judges"]["kappa"]) == (3, 1)
    record = next(record for record in oeis.records() if record["outcome"] == "correct")
    assert record["grade"]["details"]["values"]["machine"]["calibration_s"] > 0
    assert record["grade"]["details"]["values"]["isolation"]["enforced"]
    assert [term["got"] for term in record["grade"]["details"]["values"]["terms"]] == [
        str(term) for term in terms("squares")
    ]


@pytest.mark.proof
def test_other_entries_on_another_worker(oeis: Bench) -> None:
    write_cache(oeis.pytester.path / "other", last=7)
    oeis.pytester.makeconftest("""
        import os

        def pytest_configure(config):
            if os.environ.get("PYTEST_XDIST_WORKER") == "gw1":
                from pytest_llmarith.session.items import settings_of
                object.__setattr__(settings_of(config).oeis, "cache", config.rootpath / "other")
    """)
    result = oeis.run("-n", "2")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = [line for line in result.errlines if line]
    assert re.search("task oeis: workers gw. and gw. make different problems", line)
    assert "oeis_cache" in line
    assert oeis.server.requests == []


@pytest.fixture
def without_sandbox(oeis: Bench) -> None:
    oeis.pytester.makeconftest("""
        from pytest_llmarith.sandbox import isolation

        def refuse(wanted=None):
            raise isolation.UnavailableError("programs can be isolated on Linux x86_64 only, and this is Plan 9")

        isolation.probe = refuse
    """)


@pytest.mark.proof
@pytest.mark.usefixtures("without_sandbox")
@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_level_that_was_asked_for_and_is_missing(oeis: Bench, workers: str) -> None:
    result = oeis.run("-n", workers, "--oeis-sandbox=strict")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = [line for line in result.errlines if line]
    assert line.startswith("ERROR: --oeis-sandbox=strict: ")
    assert "this is Plan 9" in line
    assert oeis.server.requests == []


@pytest.mark.proof
@pytest.mark.usefixtures("without_sandbox")
def test_a_level_that_no_selected_item_needs(oeis: Bench) -> None:
    """Other tasks are asked, and a dry run shows the forecast of all."""
    oeis.pytester.makepyfile(
        test_sums="""
        import pytest

        @pytest.mark.integer_addition(trials=1)
        def test_sums(problem, ask):
            ask(problem)
    """
    )
    result = oeis.run("--oeis-sandbox=strict", "-k", "test_sums")
    assert result.ret == pytest.ExitCode.OK
    assert len(oeis.server.requests) == 1
    dry = oeis.run("--oeis-sandbox=strict", "--llm-dry-run")
    assert dry.ret == pytest.ExitCode.OK


@pytest.mark.proof
@pytest.mark.usefixtures("without_sandbox")
def test_items_with_a_condition_for_skipping_need_a_sandbox(oeis: Bench) -> None:
    """As that condition is false, their questions would be paid for."""
    oeis.pytester.makepyfile(
        test_bench=BENCH.replace(
            "@pytest.mark.oeis", "@pytest.mark.oeis\n    @pytest.mark.skipif('False')"
        )
    )
    oeis.run().assert_outcomes(skipped=5)
    result = oeis.run("--oeis-sandbox=strict")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert oeis.server.requests == []


@pytest.mark.proof
@pytest.mark.usefixtures("without_sandbox")
def test_where_programs_cannot_be_isolated(oeis: Bench) -> None:
    result = oeis.run("-rs")
    result.assert_outcomes(skipped=5)
    result.stdout.fnmatch_lines(
        [
            "*no sandbox: programs can be isolated on Linux x86_64 only, and this is Plan 9*"
        ]
    )
    assert oeis.server.requests == []
