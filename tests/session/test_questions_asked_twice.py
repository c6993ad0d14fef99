"""Two functions that put the same problems: every item has its outcome, and the run counts each question once."""

from __future__ import annotations

from pytest_llmarith.records import as_dict
from pytest_llmarith.reports.opening import opened
from tests.session.bench import Bench

BENCH = """
    import pytest

    @pytest.mark.integer_addition(trials=3)
    def test_addition(problem, ask):
        ask(problem)

    @pytest.mark.integer_addition(trials=3)
    def test_again(problem, ask):
        ask(problem)
"""


def test_it_is_one_trial(bench: Bench) -> None:
    """One request, one measurement, enough for a gate; whoever reads the records again comes to the same."""
    bench.pytester.makepyfile(test_bench=BENCH)
    result = bench.run("-p", "no:xdist", "--llm-fail-under=100")
    assert result.ret == 0
    assert (len(bench.server.requests), len(bench.records())) == (3, 6)
    summary = bench.summary()
    assert (summary["answered"], summary["duplicates"], summary["complete"]) == (3, 3, True)
    assert [one["measured"] for one in summary["results"]] == [3]
    result.stdout.fnmatch_lines(["all 3 answered", "3 items asked what another item asks*"])
    (run,) = opened(bench.runs[0])
    assert as_dict(run.summary())["results"] == summary["results"]
