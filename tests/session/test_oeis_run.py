"""Whole runs with programs: asked through litellm, run in the sandbox, judged through the same broker."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from pytest_llmarith.cli import main
from pytest_llmarith.records import as_dict
from pytest_llmarith.results.merge import merge
from pytest_llmarith.sandbox.isolation import UnavailableError, probe
from tests.llm_server import Answer, Call
from tests.oeis.hostile_sources import BOMBS, BOMBS_OF_SOME_VERSIONS
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


HOSTILE_BENCH = """
    import os
    from pathlib import Path
    import pytest
    from tests.oeis.hostile_sources import BOMBS, BOMBS_OF_SOME_VERSIONS, generated

    BOMBS_FIRST = [*BOMBS.values(), *BOMBS_OF_SOME_VERSIONS.values(), *generated(MANY)]
    REPLIES = dict(enumerate(BOMBS_FIRST, 1))

    class Hostile:
        name = "hostile"
        def reply(self, prompt):
            number = int(prompt.rpartition("Name: The number ")[2].split(".")[0])
            return "```\\n" + REPLIES.get(number, "print(int(input()))") + "\\n```"

    @pytest.fixture
    def model():
        return Hostile()

    @pytest.fixture(scope="session", autouse=True)
    def memory():
        yield
        status = Path("/proc/self/status").read_text().splitlines()
        peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
        Path(f"memory-{os.getpid()}").write_text(str(peak >> 10))

    @pytest.mark.oeis
    def test_oeis(problem, ask):
        ask(problem)
"""


@pytest.mark.parametrize(
    ("many", "args"),
    [
        (10, ["-n", "2"]),
        pytest.param(200, ["-p", "no:xdist"], marks=[pytest.mark.proof, pytest.mark.timeout(3600)]),
        pytest.param(200, ["-n", "4"], marks=[pytest.mark.proof, pytest.mark.timeout(3600)]),
    ],
)
def test_sources_that_harm_a_compiler_harm_no_run(oeis: Bench, many: int, args: list[str]) -> None:
    """Every item has its record, the processes of the run stay small, and programs among the bombs are right."""
    folder, numbers = oeis.pytester.path, range(1, many + len({**BOMBS, **BOMBS_OF_SOME_VERSIONS}) + 3)
    shutil.rmtree(folder / "oeis_cache")
    (folder / "oeis_cache" / "starter").mkdir(parents=True)
    for number in numbers:
        fields = {"number": number, "name": f"The number {number}.", "data": "0,1", "offset": "0,1", "keyword": "easy"}
        (folder / "oeis_cache" / "starter" / f"A{number:06}.json").write_text(json.dumps([fields]), encoding="utf-8")
    oeis.pytester.makepyfile(test_bench=HOSTILE_BENCH.replace("MANY", str(many)))
    oeis.pytester.syspathinsert(str(ROOT))
    oeis.pytester.runpytest_subprocess("-W", "error", "-q", *args)
    records = {int(record["problem"]["number"][1:]): record for record in oeis.records()}
    assert sorted(records) == [*numbers]
    assert {record["outcome"] for record in records.values()} <= {"nan", "deviate", "correct"}
    assert [records[number]["outcome"] for number in [*numbers][-2:]] == ["correct", "correct"]
    assert {records[number]["reason"] for number in range(1, len(BOMBS) + 1)} == {"uncompilable"}
    assert all(int(path.read_text()) < 500 for path in folder.glob("memory-*"))
    assert len([*folder.glob("memory-*")]) == (int(args[1]) if args[0] == "-n" else 1)


OUTCOMES = {"A000001": "correct", "A000002": "deviate", "A000003": "nan", "A000004": "cheat"}


def outcomes(bench: Bench) -> dict[str, str]:
    return {record["problem"]["number"]: record["outcome"] for record in bench.records()}


def timeless(one: dict[str, Any]) -> dict[str, Any]:
    """A set without what programs that run anew have otherwise."""
    return one | {"term_seconds": None}


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
        (("-k", "test_sum"), False),
        (("-k", "test_sum", "-n", "2"), False),
        (("--collect-only",), False),
        (("--llm-dry-run",), False),
        ((), True),
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


def test_a_prompt_holds_no_terms(oeis: Bench) -> None:
    """A prompt holds the name and the comments of a sequence, and none of its terms."""
    oeis.run("-k", "A000004")
    (call,) = oeis.server.requests
    assert "Name: The tables." in call.prompt
    assert not any(str(term) in call.prompt for term in terms("tables"))


def test_a_replay_asks_nothing(oeis: Bench) -> None:
    """Programs run again from stored replies, with other limits if one likes."""
    oeis.run()
    oeis.run("--oeis-limits=1", "--oeis-rules=paper", "-n", "2")
    assert len(oeis.server.requests) == 4
    assert outcomes(oeis) == OUTCOMES
    assert {record["oeis"]["rules"] for record in oeis.records()} == {"paper"}


def test_shards_of_sequences_are_the_whole(oeis: Bench) -> None:
    """Scores, their intervals and cheats of two machines' programs, run from the same replies, are those of one."""
    oeis.run()
    oeis.run("-n", "2")
    for index in (1, 2):
        oeis.run(f"--llm-shard={index}/2")
    assert len(oeis.server.requests) == 4
    merged = as_dict(merge(oeis.runs[-2:], oeis.pytester.path / "merged"))
    (expected,), (result,) = oeis.summary(1)["results"], merged["results"]
    sets = [[timeless(one) for one in of["sets"]] for of in (result, expected)]
    assert json.dumps(sets[0]) == json.dumps(sets[1])
    assert result | {"date": None, "sets": None} == expected | {"date": None, "sets": None}
    assert [oeis.summary(run)["run"]["selected"] for run in (-2, -1)] == [2, 2]


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


def test_a_run_of_another_machine_is_replayed_with_its_judge(oeis: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    """Its run log, once in the store, holds all that is asked, of the judge, too."""
    name = f"--oeis-judge=both:judge=openai/gpt-4o?api_base={oeis.server.base_url}"
    assert oeis.run(name).ret == 0
    (first,) = oeis.summary()["results"][0]["sets"]
    store = oeis.pytester.path / ".llmarith"
    shutil.rmtree(store)
    assert main(["store", "import", str(oeis.runs[0]), f"--store-dir={store}"]) == 0
    assert "7 replies taken\n" in capsys.readouterr().out
    assert oeis.run(name, "--llm-store=only", "-n", "2").ret == 0
    assert outcomes(oeis) == OUTCOMES
    (again,) = oeis.summary()["results"][0]["sets"]
    assert timeless(again) == timeless(first)
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


@pytest.mark.parametrize(
    "timeout", [("-p", "no:timeout"), ("--timeout=0",), ("--timeout=1",), ("--timeout-method=thread",)]
)
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


@pytest.mark.parametrize(
    ("model", "ret", "outcome"), [("llmarith/exact", 0, "correct"), ("openai/gpt-4o", 1, "unanswered")]
)
def test_a_busy_machine_fails_no_run_of_an_embedded_model(
    oeis: Bench, way: Way, model: str, ret: int, outcome: str
) -> None:
    """Its programs wait for a quiet moment; a real model's end unanswered at the first term that cannot be timed."""
    (oeis.pytester.path / "oeis_cache" / "starter" / "A000001.py").write_text("print(int(input()) ** 2)")
    oeis.pytester.makeconftest("""
        from dataclasses import replace
        from pytest_llmarith.sandbox import runner
        from pytest_llmarith.sandbox.zygote_client import ZygoteClient
        from pytest_llmarith.values import Ending

        asked = []
        run = ZygoteClient.run
        def run_on_a_busy_machine(self, number, stop_s, inconclusive_s):
            found = run(self, number, stop_s, inconclusive_s)
            if number != 3 or stop_s >= 10:  # the self-test has more time
                return found
            asked.append(number)
            return replace(found, ending=Ending.INCONCLUSIVE) if len(asked) <= 3 else found
        ZygoteClient.run = run_on_a_busy_machine
        runner._TRY_AGAIN_S = 0.0
    """)
    assert oeis.run("-k", "A000001", *way, model=model).ret == ret
    (record,) = oeis.records()
    assert record["outcome"] == outcome
    assert len(record["oeis"]["terms"]) == (6 if ret == 0 else 4)


def test_a_model_of_ones_own(oeis: Bench) -> None:
    """Without any option of ours, a fixture's programs are run and limited like any other's."""
    assert run_own_model(oeis, "print(int(input()) ** 2)").ret == 0
    assert Counter(outcomes(oeis).values()) == {"correct": 1, "deviate": 3}


def test_other_entries_on_another_host(oeis: Bench) -> None:
    """Workers that would ask about other sequences under the same names end the run in one line."""
    write_cache(oeis.pytester.path / "other", last=7)
    oeis.pytester.makeconftest("""
        import os
        def pytest_cmdline_main(config):
            pass
        def pytest_configure(config):
            if os.environ.get("PYTEST_XDIST_WORKER") == "gw1":
                from pytest_llmarith.session.begin import settings_of
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


def test_a_model_may_not_be_named_like_the_judge(oeis: Bench) -> None:
    """It would be asked in its place: wrong usage, and nobody is asked."""
    result = oeis.run("--oeis-judge=llm:llmarith/sloppy", model="judge:llmarith/sloppy=openai/gpt-4o")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --llm-model: 'judge:llmarith/sloppy' is the name of the judge; give *"])
    assert oeis.server.requests == []


def test_slots_that_cannot_be_had_leave_the_sequence_unanswered(oeis: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is wrong with this machine is not the model's fault: the reply is kept, and the reason told in one line."""
    slots = oeis.pytester.mkdir("temporary") / f"llmarith-slots-{os.geteuid()}"
    slots.mkdir()
    slots.chmod(0o777)
    monkeypatch.setenv("TMPDIR", str(slots.parent))
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    assert run_own_model(oeis, "print(int(input()) ** 2)", "-k", "A000001").ret == 1
    (record,) = oeis.records()
    assert record["outcome"] == "unanswered"
    assert record["reason"].startswith("the sandbox failed: ")
    assert record["reply"]["text"]


def test_a_run_that_cannot_be_written_down_fails(oeis: Bench) -> None:
    """A run whose log cannot be written fails without a broker, too: a full disk is no success."""
    oeis.pytester.makeconftest("""
        from pytest_llmarith.reports.logs.runlog import RunLog
        def full(self, record): raise OSError(28, "No space left on device")
        RunLog.append = full
    """)
    result = run_own_model(oeis, "print(int(input()) ** 2)", "-k", "A000001")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["llmarith: *: No space left on device"])


def test_a_crashed_worker(oeis: Bench) -> None:
    """An item whose worker died gets its line, with the prompt that was asked."""
    oeis.pytester.makepyfile(
        test_bench="""
        import os, pytest

        @pytest.mark.oeis
        def test_oeis(problem, ask):
            if problem.sequence.number == "A000001":
                os._exit(1)
            ask(problem)
    """
    )
    assert oeis.run("-n", "2").ret == 1
    crashed = next(record for record in oeis.records() if record["outcome"] == "unanswered")
    assert (crashed["reason"], crashed["problem"]["number"]) == ("worker crashed", "A000001")
    assert "Name: The squares." in crashed["prompt"]
