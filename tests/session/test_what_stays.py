"""What a long run keeps in memory: nothing that grows with what models reply, counted in real runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

# Counts, in every process, what is still there when all items have run.
COUNTING = """
    import gc, json
    from pathlib import Path

    def is_record(found):
        return type(found) is dict and {"problem", "prompt", "outcome", "reply"} <= found.keys()

    def pytest_sessionfinish(session):
        gc.collect()
        found = gc.get_objects()
        count = {name: sum(type(each).__name__ == name for each in found) for name in ("Reply", "Entry")}
        count["records"] = sum(map(is_record, found))
        for plugin in filter(None, [session.config.pluginmanager.getplugin("llmarith-workers")]):
            count["announced"] = len(plugin._announced)
        worker = getattr(session.config, "workerinput", {}).get("workerid", "main")
        Path(f"{worker}.json").write_text(json.dumps(count))
"""
BENCH = """
    import pytest

    @pytest.mark.arithmetic(depths=[2, 3], trials=5)
    def test_arithmetic(problem, ask):
        ask(problem)
"""
ITEMS = 8 * 2 * 5
FEW = 3  # what the last frames hold


@pytest.mark.parametrize("processes", [["main"], ["main", "gw0", "gw1"]], ids=["-n 0", "-n 2"])
def test_no_record_and_no_reply_stays(pytester: pytest.Pytester, processes: list[str]) -> None:
    """Neither reports nor items nor the broker hold what was replied; at the end it is read from the run log."""
    pytester.makepyfile(test_bench=BENCH)
    pytester.makeconftest(COUNTING)
    result = pytester.runpytest_subprocess("-n", str(len(processes) - 1), "--llm-model=llmarith/sloppy", "-rA")
    assert result.ret == 0
    for name in processes:
        kept = json.loads((pytester.path / f"{name}.json").read_text(encoding="utf-8"))
        assert max(kept.values()) <= FEW, (name, kept)
    assert "DEVIATE test_bench.py::test_arithmetic" in result.stdout.str()
    (report,) = (pytester.path / "reports").glob("*/report.json")
    assert len(_records(report)) == ITEMS


def _records(report: Path) -> list[object]:
    return [test["llmarith"] for test in json.loads(report.read_text(encoding="utf-8"))["tests"]]
