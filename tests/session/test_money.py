"""What a run may cost: said before, kept to meanwhile, and gone on from later."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.llm_server import Answer, usage
from tests.session.bench import Bench, right
from tests.session.test_oeis_run import write_cache

Way = tuple[str, ...]

SUMS = 16  # items of the arithmetic test
# A reply of 100 and 50 tokens costs 2 dollars at this price, and a request at most about 3.50.
PRICE = "--llm-price=10000,20000"
BOUNDED = ("--llm-param=max_tokens=50", "-k", "test_arithmetic")
UNPRICED = "openai/nobody-knows-its-price"

WITHOUT_LITELLM = """
    import os, sys

    def pytest_unconfigure(config):
        if "litellm" in sys.modules:
            open(f"litellm-{os.getpid()}", "w").close()
"""


def test_a_cap_holds_and_a_higher_one_goes_on(bench: Bench, way: Way) -> None:
    """No request is begun that could pass the cap; the rest is unanswered, and what was paid for is paid once."""
    bench.script = lambda call: Answer(right(call), usage=usage(100, 50), delay_s=0.05)
    result = bench.run(*BOUNDED, PRICE, "--llm-max-cost=10", *way, model=UNPRICED)
    assert result.ret == 1
    assert len(bench.server.requests) == 4  # 8 dollars; a fifth might make 11.50
    summary = bench.summary()
    assert (summary["answered"], summary["unanswered"]) == (4, SUMS - 4)
    assert summary["run"]["asking"]["cost_usd"] == pytest.approx(8.0)
    assert summary["run"]["limits"]["max_cost_usd"] == 10.0
    assert summary["run"]["limits"]["price"] == {"prompt_usd": 10000.0, "completion_usd": 20000.0}
    (reason,) = {record["reason"] for record in bench.records() if record["outcome"] == "unanswered"}
    assert reason.startswith("budget: --llm-max-cost=10: $8.00 spent")
    result.stdout.fnmatch_lines(
        [
            f"llmarith: forecast: {SUMS} questions; about * prompt tokens, about $*",
            f"llmarith: forecast: --llm-max-cost=10: 2 of {SUMS} requests fit at once, *",
            f"budget reached: {SUMS - 4} questions not asked, a higher cap goes on from here",
        ]
    )

    result = bench.run(*BOUNDED, PRICE, "--llm-max-cost=10", *way, model=UNPRICED)
    assert (result.ret, len(bench.server.requests)) == (1, 4)  # what was spent, was spent
    result.stdout.fnmatch_lines(["llmarith: forecast: $8.00 of $10.00 spent by stored replies"])

    assert bench.run(*BOUNDED, PRICE, "--llm-max-cost=34", *way, model=UNPRICED).ret == 0
    assert len(bench.server.requests) == SUMS
    assert set(bench.server.asked.values()) == {1}
    assert bench.summary()["run"]["asking"]["cost_usd"] == pytest.approx(24.0)

    bench.pytester.makeconftest(WITHOUT_LITELLM)
    bench.cold = True
    result = bench.run(
        *BOUNDED, "--llm-max-cost=0.01", *way, model=UNPRICED
    )  # a replay needs neither price nor litellm
    assert result.ret == 0
    assert len(bench.server.requests) == SUMS
    assert list(bench.pytester.path.glob("litellm-*")) == []
    assert {record["reply"]["cost_usd"] for record in bench.records()} == {None}  # a user's price is not stored
    result.stdout.fnmatch_lines([f"llmarith: forecast: {SUMS} questions, all of them stored; nothing is asked"])


def test_a_cap_holds_though_replies_grow(bench: Bench) -> None:
    """Short replies, and from the 9th on the longest that the model may give, all of them asked at once."""
    bench.script = lambda call: Answer(
        right(call), usage=usage(30, 5 if len(bench.server.requests) < 9 else 16_000), delay_s=0.05
    )
    assert bench.run("--llm-max-cost=0.025", "--llm-concurrency=64").ret == 1
    assert 0.019 < bench.summary()["run"]["asking"]["cost_usd"] <= 0.025


def test_tokens_and_simulated_models(bench: Bench) -> None:
    """A cap on tokens needs no price; models in this package are asked as ever."""
    bench.script = lambda call: Answer(right(call), usage=usage(100, 50))
    more = ("--llm-model=llmarith/exact", "--llm-max-tokens=500", "--llm-max-cost=9", "--llm-price=0,0")
    result = bench.run(*BOUNDED, *more, model=UNPRICED)
    assert result.ret == 1
    assert len(bench.server.requests) == 2  # 300 tokens; a third might make 600
    counts = Counter((record["model"], record["outcome"]) for record in bench.records())
    assert counts == {
        ("llmarith/exact", "correct"): SUMS,
        (UNPRICED, "correct"): 2,
        (UNPRICED, "unanswered"): SUMS - 2,
    }
    result.stdout.fnmatch_lines(["unanswered: 14 x budget: --llm-max-tokens=500: 300 spent, *"])


DRY_BENCH = """
    import pytest

    @pytest.mark.arithmetic(depths=[2, 3], trials=1)
    def test_arithmetic(problem, ask):
        raise AssertionError("it ran")

    @pytest.mark.integer_addition(trials=4)
    def test_integer_addition(problem, ask):
        raise AssertionError("it ran")

    @pytest.mark.oeis
    def test_oeis(problem, ask):
        raise AssertionError("it ran")

    class TestMine:
        @pytest.fixture
        def model(self):
            raise AssertionError("it was made")

        @pytest.mark.arithmetic(depths=[2], trials=1)
        def test_mine(self, problem, ask):
            raise AssertionError("it ran")
"""


@pytest.mark.parametrize("how", [("-n", "8"), ("-p", "no:xdist"), ("-d", "--tx", "2*popen")])
def test_a_dry_run_asks_and_writes_nothing(bench: Bench, how: Way, monkeypatch: pytest.MonkeyPatch) -> None:
    """It needs neither a key nor workers nor a sandbox, and shows a prompt of each task."""
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv("PATH", "")
    bench.pytester.makepyfile(test_bench=DRY_BENCH)
    write_cache(bench.pytester.path / "oeis_cache")
    result = bench.run("--llm-dry-run", "--llm-fail-under=80", "-q", *how)
    assert result.ret == 0
    assert result.errlines == []
    assert bench.server.requests == []
    assert not (bench.pytester.path / "reports").exists()
    assert not (bench.pytester.path / ".llmarith").exists()
    assert not (bench.pytester.path / ".report.json").exists()
    result.stdout.no_fnmatch_line("*workers*")
    result.stdout.fnmatch_lines(
        [
            "llmarith: forecast: 24 questions; about 1.* prompt tokens, about $0.00*",
            "llmarith: forecast: 8 questions to a model fixture of your own, of unknown cost",
            "arithmetic, as test_bench.py::test_arithmetic?openai/gpt-4o-mini-int_add-depth_2-trial_0? asks:",
            "    Compute the following and reply with just the numeric result (no explanation):",
            "integer_addition, as *",
            "    Provide the sum of the two numbers.*",
            "oeis, as *",
            "    Name: The squares.",
        ]
    )


def test_a_dry_run_of_a_selection(bench: Bench) -> None:
    """-k and what is stored count; addopts may ask for workers."""
    bench.run("-k", "int_add")
    bench.pytester.makeini("[pytest]\naddopts = -n 2")
    result = bench.run("--llm-dry-run", "-k", "int_add or int_sub")
    assert result.ret == 0
    assert len(bench.server.requests) == 2
    assert len(bench.runs) == 1
    result.stdout.fnmatch_lines(["llmarith: forecast: 4 questions, 2 of them stored; about *"])
    assert bench.run("--llm-dry-run", "-k", "nothing").ret == pytest.ExitCode.NO_TESTS_COLLECTED
    (bench.pytester.path / "test_bench.py").write_text("import nothing_of_this_name")
    assert bench.run("--llm-dry-run").ret == pytest.ExitCode.INTERRUPTED
