"""Whole runs with programs: asked through litellm, run in the sandbox, judged through the same broker."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from textwrap import dedent

import pytest

from pytest_llmarith.sandbox.isolation import UnavailableError, probe
from tests.llm_server import Answer, Call
from tests.session.bench import Bench, right

Way = tuple[str, ...]
ROOT = Path(__file__).parents[2]

BENCH = """
    import pytest

    @pytest.mark.oeis
    def test_oeis(problem, ask):
        ask(problem)
"""
TERMS = 6
SEQUENCES = {1: "squares", 2: "cubes", 3: "doubles", 4: "tables"}
FORMULAS = {"squares": "n * n", "cubes": "n ** 3", "doubles": "2 * n", "tables": "n * n + 41"}


def terms(name: str) -> list[int]:
    return [eval(FORMULAS[name], {"n": n}) for n in range(TERMS)]  # our own formulas


def write_cache(folder: Path, last: int | None = None) -> None:
    starter = folder / "starter"
    starter.mkdir(parents=True)
    for number, name in SEQUENCES.items():
        data = ",".join(map(str, [*terms(name)[:-1], terms(name)[-1] if last is None else last]))
        fields = {"number": number, "name": f"The {name}.", "data": data, "offset": "0,1", "keyword": "easy"}
        (starter / f"A{number:06}.json").write_text(json.dumps([fields]), encoding="utf-8")


def program(call: Call) -> str:
    """What the scripted model writes: squares are right, cubes wrong, doubles prose, tables a table."""
    if "look-up table to cheat" in call.prompt:
        return "1" if "][int(input())]" in call.prompt else "0"
    name = call.prompt.rpartition("Name: The ")[2].split(".")[0]
    code = {
        "squares": "print(int(input()) ** 2)",
        "cubes": "print(int(input()) ** 3 + 1)",
        "tables": f"print({terms('tables')}[int(input())])",
    }
    return f"Sure!\n```python\n{code[name]}\n```" if name in code else "I do not know this one."


@pytest.fixture
def oeis(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A bench of four sequences, in place of the ones that count, with processor slots of its own."""
    try:
        probe()
    except UnavailableError as error:
        pytest.skip(str(error))
    runtime = bench.pytester.mkdir("runtime")
    runtime.chmod(0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    bench.pytester.makepyfile(test_bench=BENCH)
    write_cache(bench.pytester.path / "oeis_cache")
    bench.script = program
    return bench


OWN_MODEL = """
    import time
    import pytest

    class Programmer:
        name = "programmer"
        def reply(self, prompt):
            time.sleep(DELAY)
            return "```\\n" + PROGRAM + "\\n```"

    @pytest.fixture
    def model():
        return Programmer()

    @pytest.mark.oeis
    def test_oeis(problem, ask):
        ask(problem)
"""


def run_own_model(oeis: Bench, code: str, *args: str, delay_s: float = 0.0) -> pytest.RunResult:
    """A run with a `model` fixture whose every reply is this program: for what does not depend on who was asked."""
    oeis.pytester.makepyfile(test_bench=OWN_MODEL.replace("PROGRAM", repr(code)).replace("DELAY", str(delay_s)))
    return oeis.pytester.runpytest_subprocess("-W", "error", *args)


OUTCOMES = {"A000001": "correct", "A000002": "deviate", "A000003": "nan", "A000004": "cheat"}


def outcomes(bench: Bench) -> dict[str, str]:
    return {record["problem"]["number"]: record["outcome"] for record in bench.records()}


def test_every_outcome(oeis: Bench, way: Way) -> None:
    """Every question is asked once; programs run, and the scores stand in log, summary and terminal."""
    result = oeis.run("-rA", *way)
    assert result.ret == 0
    assert outcomes(oeis) == OUTCOMES
    assert len(oeis.server.requests) == 4
    result.stdout.fnmatch_lines(["*sandbox *, holds *; 0.5 s, 4 s per term*"])
    result.stdout.fnmatch_lines(
        ["*CHEAT *A000004* - 6 of 6*", "*NAN *A000003* - no program*", "*DEVIATE *A000002* - 0 of 6*"]
    )
    result.stdout.fnmatch_lines(["*oeis: scores by set and limit per term", "starter *0.5 s* 4 * 25.0 *"])
    (one,) = oeis.summary()["results"][0]["sets"]
    assert [limit["perfect"] for limit in one["limits"]] == [1, 1]
    record = next(record for record in oeis.records() if record["outcome"] == "correct")
    assert record["oeis"]["machine"]["calibration_s"] > 0
    assert record["oeis"]["isolation"]["enforced"]
    assert [term["got"] for term in record["oeis"]["terms"]] == [str(term) for term in terms("squares")]


@pytest.mark.parametrize(
    ("args", "tested"),
    [
        (("-k", "test_sum", "-n", "2"), False),
        (("--llm-dry-run",), False),
        (("-n", "2"), True),
    ],
)
def test_the_sandbox_is_tested_for_programs_alone(oeis: Bench, args: tuple[str, ...], tested: bool) -> None:
    """A run without selected OEIS items runs no self-test and prints no line about sequences or the sandbox."""
    sums = "@pytest.mark.integer_addition(trials=1)\ndef test_sum(problem, ask): ask(problem)"
    oeis.pytester.makepyfile(test_bench=f"{dedent(BENCH)}\n{sums}")
    oeis.pytester.makeconftest("""
        from pytest_llmarith.sandbox import isolation

        real = isolation.probe

        def probe(asked):
            open("tested", "w").close()
            return real(asked)

        isolation.probe = probe
    """)
    oeis.script = lambda call: program(call) if "Name: The " in call.prompt else right(call)
    result = oeis.run(*args)
    assert result.ret == 0
    assert (oeis.pytester.path / "tested").exists() is tested
    lines = [line for line in result.outlines if line.startswith(("llmarith: OEIS", "llmarith: sandbox"))]
    assert len(lines) == (2 if tested else 0)


@pytest.mark.parametrize(("judge", "way"), [("llm", ("-p", "no:xdist")), ("both", ("-n", "2"))])
def test_a_model_judges_through_the_broker(oeis: Bench, judge: str, way: Way) -> None:
    """Its questions are asked once and stored like any other; with both judges their agreement is shown."""
    name = f"--oeis-judge={judge}:judge=openai/gpt-4o?api_base={oeis.server.base_url}"
    result = oeis.run(name, *way)
    assert (result.ret, outcomes(oeis)) == (0, OUTCOMES)
    questions = [call for call in oeis.server.requests if "look-up table to cheat" in call.prompt]
    assert len(questions) == 3  # prose is no program
    assert {call.body["temperature"] for call in questions} == {0}
    assert oeis.summary()["run"]["asking"]["judged"] == 3
    if judge == "both":
        result.stdout.fnmatch_lines(["*the judges agree on 3 of 3 programs, Cohen's kappa 1.00*"])
    assert oeis.run(name, *way).ret == 0
    assert len(oeis.server.requests) == 7


def test_a_judge_that_fails_leaves_the_sequence_unanswered(oeis: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """It never means "not cheating"; the reply is kept, and the same command asks the judge again, with its key."""
    monkeypatch.delenv("OPENAI_API_KEY")
    (oeis.pytester.path / ".env").write_text("OPENAI_API_KEY=sk-only-in-dotenv\n", encoding="utf-8")
    name = f"--oeis-judge=llm:judge=openai/gpt-4o?api_base={oeis.server.base_url}"
    oeis.script = lambda call: Answer(status=503) if "look-up table to cheat" in call.prompt else program(call)
    result = oeis.run(name, "--llm-retries=0")
    assert result.ret == 1
    assert Counter(outcomes(oeis).values()) == {"unanswered": 3, "nan": 1}
    result.stdout.fnmatch_lines(["unanswered: 3 x no verdict: *503*"])
    asked = len(oeis.server.requests)
    oeis.script = program
    assert oeis.run(name, "--llm-retries=0").ret == 0
    assert outcomes(oeis) == OUTCOMES
    assert len(oeis.server.requests) == asked + 3


@pytest.mark.parametrize("timeout", [("-p", "no:timeout"), ("--timeout=1", "--timeout-method=thread")])
def test_limits_hold_whatever_pytest_timeout_does(oeis: Bench, timeout: Way) -> None:
    """The sandbox stops what takes too long; waiting for a slow model is nobody's time."""
    loop = "n = int(input())\nwhile n == 3: pass\nprint(n * n)"
    assert run_own_model(oeis, loop, "--oeis-limits=0.4", "-k", "A000001", *timeout, delay_s=1.5).ret == 0
    (record,) = oeis.records()
    assert [term["status"] for term in record["oeis"]["terms"]] == ["ok", "ok", "ok", "late", "ok", "ok"]


def test_the_backstop_ends_what_does_not_end(oeis: Bench) -> None:
    """Should the sandbox itself hang, pytest-timeout's signal ends the item: unanswered, with its reply."""
    oeis.pytester.makeconftest("""
        import time
        from pytest_llmarith.sandbox.runner import Sandbox
        from pytest_llmarith.session import programs

        programs._longest_s = lambda limits, terms: 1.0
        programs.calibrate = None

        run = Sandbox.run
        def hang(self, program, inputs, on_run=None):
            if on_run is None:
                return run(self, program, inputs)
            time.sleep(60)
        Sandbox.run = hang
    """)
    assert run_own_model(oeis, "print(int(input()) ** 2)", "-k", "A000001").ret == 1
    (record,) = oeis.records()
    assert (record["outcome"], record["reason"]) == ("unanswered", "the sandbox failed: A000001 did not come to an end")
    assert record["reply"]["text"]


def test_other_entries_on_another_host(oeis: Bench) -> None:
    """Workers that would ask about other sequences under the same names end the run in one line."""
    write_cache(oeis.pytester.path / "other", last=7)
    oeis.pytester.makeconftest("""
        import os
        def pytest_cmdline_main(config):
            pass
        def pytest_configure(config):
            if os.environ.get("PYTEST_XDIST_WORKER") == "gw1":
                from pytest_llmarith.session.stash import settings_of
                settings = settings_of(config)
                object.__setattr__(settings.oeis, "cache", config.rootpath / "other")
    """)
    result = oeis.run("-n", "2")
    assert result.ret == 6
    result.stdout.fnmatch_lines(["*stopped: worker gw? has other OEIS entries than gw? (digest *"])


def test_no_sandbox_skips_the_items_before_they_are_paid_for(oeis: Bench, way: Way) -> None:
    """Where programs cannot be locked in, their items are skipped with the reason, and nobody is asked."""
    oeis.pytester.makeconftest("""
        from pytest_llmarith.sandbox import isolation
        def refuse(wanted=None):
            raise isolation.UnavailableError("programs can be locked in on Linux x86_64, and this is Plan 9")
        isolation.probe = refuse
    """)
    result = oeis.run("-rs", *way)
    result.assert_outcomes(skipped=4)
    result.stdout.fnmatch_lines(["*no sandbox: programs can be locked in on Linux x86_64, and this is Plan 9*"])
    assert oeis.server.requests == []
