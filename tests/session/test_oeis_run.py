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
BENCH = """
    import pytest

    @pytest.mark.oeis
    def test_oeis(problem, ask):
        ask(problem)
"""
TERMS = 6
FORMULAS = {"squares": "n * n", "cubes": "n ** 3", "doubles": "2 * n", "tables": "n * n + 41", "bombs": "n + 5"}


def terms(name: str) -> list[int]:
    return [eval(FORMULAS[name], {"n": n}) for n in range(TERMS)]


def write_cache(folder: Path, last: int | None = None) -> None:
    starter = folder / "starter"
    starter.mkdir(parents=True)
    for number, name in enumerate(FORMULAS, 1):
        data = ",".join(map(str, [*terms(name)[:-1], terms(name)[-1] if last is None else last]))
        fields = {"number": number, "name": f"The {name}.", "data": data, "offset": "0,1", "keyword": "easy"}
        (starter / f"A{number:06}.json").write_text(json.dumps([fields]), encoding="utf-8")


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
    """What the scripted model writes: squares are right, cubes wrong, doubles prose, tables a table, bombs a bomb."""
    if "look-up table to cheat" in call.prompt:
        return "1" if "][int(input())]" in call.prompt else "0"
    name = call.prompt.rpartition("Name: The ")[2].split(".")[0]
    return f"Sure!\n```python\n{PROGRAMS[name]}\n```" if name in PROGRAMS else "I do not know this one."


@pytest.fixture
def oeis(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A bench of five sequences, in place of the ones that count, with processor slots of its own."""
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
    """A run with a `model` fixture whose every reply is this program."""
    oeis.pytester.makepyfile(test_bench=OWN_MODEL.replace("PROGRAM", repr(code)).replace("DELAY", str(delay_s)))
    return oeis.pytester.runpytest_subprocess("-W", "error", "-k", "A000001", *args)


def check_outcomes(bench: Bench) -> None:
    found = {record["problem"]["number"]: (record["outcome"], record["reason"]) for record in bench.records()}
    assert {number: outcome for number, (outcome, _) in found.items()} == {n: one for n, (one, _) in OUTCOMES.items()}
    assert all(reason in (None, found[number][1]) for number, (_, reason) in OUTCOMES.items()), found


def test_every_outcome(oeis: Bench, way: Way) -> None:
    """Every question is asked once; programs run, and the scores stand in log, summary and terminal."""
    result = oeis.run("-rA", *way)
    assert result.ret == 0
    check_outcomes(oeis)
    assert len(oeis.server.requests) == 5
    result.stdout.fnmatch_lines(["*sandbox *, holds *; 0.5 s, 4 s per term*"])
    result.stdout.fnmatch_lines(
        ["*CHEAT *A000004* - 6 of 6*", "*NAN *A000003* - no program*", "*DEVIATE *A000002* - *"]
    )
    result.stdout.fnmatch_lines(["*oeis: scores by set and limit per term", "starter *0.5 s* 5 * 20.0 *"])
    (one,) = oeis.summary()["results"][0]["sets"]
    assert [limit["perfect"] for limit in one["limits"]] == [1, 1]
    record = next(record for record in oeis.records() if record["outcome"] == "correct")
    assert record["oeis"]["machine"]["calibration_s"] > 0
    assert record["oeis"]["isolation"]["enforced"]
    assert [term["got"] for term in record["oeis"]["terms"]] == [str(term) for term in terms("squares")]


def test_a_model_judges_through_the_broker(oeis: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its failure never means "not cheating": the same command asks it again, once, with its key; both then agree."""
    monkeypatch.delenv("OPENAI_API_KEY")
    (oeis.pytester.path / ".env").write_text("OPENAI_API_KEY=sk-only-in-dotenv\n", encoding="utf-8")
    args = (f"--oeis-judge=both:judge=openai/gpt-4o?api_base={oeis.server.base_url}", "-ollm_retries=0", "-n", "2")
    oeis.script = lambda call: Answer(status=503) if "look-up table to cheat" in call.prompt else program(call)
    result = oeis.run(*args)
    assert result.ret == 1
    assert Counter(record["outcome"] for record in oeis.records()) == {"unanswered": 3, "nan": 2}
    result.stdout.fnmatch_lines(["unanswered: 3 x no verdict: *503*"])
    asked = len(oeis.server.requests)
    oeis.script = program
    result = oeis.run(*args)
    assert result.ret == 0
    check_outcomes(oeis)
    result.stdout.fnmatch_lines(["*the judges agree on 3 of 3 programs, Cohen's kappa 1.00*"])
    questions = oeis.server.requests[asked:]
    assert len(questions) == 3  # prose and bombs are no programs
    assert {(call.headers["Authorization"], call.body["temperature"]) for call in questions} == {
        ("Bearer sk-only-in-dotenv", 0)
    }
    assert oeis.summary()["run"]["asking"]["judged"] == 3


def test_limits_hold_whatever_pytest_timeout_does(oeis: Bench) -> None:
    """The sandbox stops what takes too long; the wait for a slow model counts for no limit."""
    loop = "n = int(input())\nwhile n == 3: pass\nprint(n * n)"
    timeout = ("--timeout=1", "--timeout-method=thread")
    assert run_own_model(oeis, loop, "--oeis-limits=0.4", *timeout, delay_s=1.5).ret == 0
    (record,) = oeis.records()
    assert [term["status"] for term in record["oeis"]["terms"]] == ["ok", "ok", "ok", "late", "ok", "ok"]


def test_the_backstop_ends_what_does_not_end(oeis: Bench) -> None:
    """Should the sandbox itself hang, pytest-timeout's signal ends the item: unanswered, with its reply."""
    oeis.pytester.makeconftest("""
        import time
        from pytest_llmarith.sandbox.runner import Sandbox
        from pytest_llmarith.session import programs

        programs._longest_s = lambda limits, terms: 1.0
        run = Sandbox.run

        def hang(self, program, inputs, on_run=None):
            if on_run is None:
                return run(self, program, inputs)
            time.sleep(60)

        Sandbox.run = hang
    """)
    assert run_own_model(oeis, "print(int(input()) ** 2)").ret == 1
    (record,) = oeis.records()
    assert (record["outcome"], record["reason"]) == ("unanswered", "the sandbox failed: A000001 did not end")
    assert record["reply"]["text"]


def test_other_entries_on_another_worker(oeis: Bench) -> None:
    """Workers that would ask about other sequences under the same names end the run in one line."""
    write_cache(oeis.pytester.path / "other", last=7)
    oeis.pytester.makeconftest("""
        import os

        def pytest_configure(config):
            if os.environ.get("PYTEST_XDIST_WORKER") == "gw1":
                from pytest_llmarith.session import settings_of
                object.__setattr__(settings_of(config).oeis, "cache", config.rootpath / "other")
    """)
    result = oeis.run("-n", "2")
    assert result.ret == 6
    result.stdout.fnmatch_lines(["*stopped: worker gw? has different OEIS entries than gw? (digest*"])


def test_where_programs_cannot_be_isolated(oeis: Bench) -> None:
    """Their items are skipped with the reason before they are paid for; a run without them probes no sandbox."""
    sums = "@pytest.mark.integer_addition(trials=1)\ndef test_sum(problem, ask): ask(problem)"
    oeis.pytester.makepyfile(test_bench=f"{dedent(BENCH)}\n{sums}")
    oeis.pytester.makeconftest("""
        from pytest_llmarith.sandbox import isolation

        def refuse(wanted=None):
            open("probed", "w").close()
            raise isolation.UnavailableError("programs can be isolated on Linux x86_64 only, and this is Plan 9")

        isolation.probe = refuse
    """)
    oeis.script = right
    result = oeis.run("-k", "test_sum", "-n", "2")
    assert (result.ret, (oeis.pytester.path / "probed").exists()) == (0, False)
    result.stdout.no_fnmatch_line("*llmarith: OEIS*")
    result = oeis.run("-rs", "-k", "test_oeis")
    result.assert_outcomes(skipped=5)
    result.stdout.fnmatch_lines(["*no sandbox: programs can be isolated on Linux x86_64 only, and this is Plan 9*"])
    assert len(oeis.server.requests) == 1
