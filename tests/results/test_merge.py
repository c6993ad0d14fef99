"""Parts of a run become the run, or a line says why they do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins

from pytest_llmarith.cli import main
from pytest_llmarith.records import (
    Record,
    as_dict,
    decode_record,
)
from pytest_llmarith.results.merge import merge
from pytest_llmarith.results.run_files import UsageError
from pytest_llmarith.summaries import as_file, decode_summary
from pytest_llmarith.types import Condition, NumberFormat
from tests.results.made import changed
from tests.runs_on_disk import asked, record_of, run_in

Made = Callable[..., Path]
MODELS = [{"name": "m", "target": "openai/m", "params": {"temperature": 0}}]
SHARD = {"index": 2, "count": 2, "dealt": 2, "whole": 4, "selection": "abc"}


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    """Makes a run with a summary in the current folder."""
    monkeypatch.chdir(tmp_path)

    def run(name: str, trials: Sequence[Record], **facts: Any) -> Path:
        usual = {"id": name, "seed": 0, "models": MODELS, "exit_status": 0}
        return run_in(Path(name), list(map(as_dict, trials)), **usual | facts)

    return run


def sums(outcomes: str, first: int = 0) -> list[Record]:
    """Trials, a letter for each outcome."""
    texts = {"c": "{}", "d": "7", "n": "", "u": None}
    return [
        record_of(asked(texts[one], trial=place, model="m"))
        for place, one in enumerate(outcomes, first)
    ]


def shards(
    made: Made, trials: Sequence[Record], count: int, **facts: Any
) -> list[Path]:
    """One run in shards."""
    found = []
    for index in range(count):
        its = trials[index::count]
        shard = {
            "index": index + 1,
            "count": count,
            "dealt": len(its),
            "whole": len(trials),
            "selection": "abc",
        }
        found.append(made(f"shard-{index + 1}", its, **{"shard": shard} | facts))
    return found


def refusal(*runs: Path) -> str:
    with pytest.raises(UsageError) as caught:
        merge(runs, Path("merged"))
    assert not Path("merged").exists()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_shards_say_what_the_whole_run_says(made: Made) -> None:
    """Whatever the order of the arguments.

    The runs are not changed, and a README beside them is passed over.
    """
    trials = sums("cdnucdnucdnu")
    whole = decode_summary((made("whole", trials) / "summary.json").read_bytes())
    parts = shards(made, trials, 3)
    before = [file.read_bytes() for part in parts for file in sorted(part.iterdir())]
    Path("README.md").touch()
    for into, order in ((Path("one"), parts), (Path("two"), parts[::-1])):
        summary = merge([*order, Path("README.md")], into)
        assert as_file(summary)["series"] == to_builtins(whole.series)
        assert not summary.complete
        assert (summary.answered, summary.unanswered, summary.run.selected) == (
            9,
            3,
            12,
        )
        written = decode_summary((into / "summary.json").read_bytes())
        assert to_builtins(written) == as_file(summary)
        lines = (into / "trials.jsonl").read_bytes().splitlines()
        assert sorted(map(decode_record, lines), key=trials.index) == trials
    assert [
        file.read_bytes() for part in parts for file in sorted(part.iterdir())
    ] == before
    assert merge(
        shards(made, sums("cc"), 3)[:2], Path("three")
    ).complete  # the third shard has no trials


def test_an_answer_replaces_a_missing_one_and_a_later_answer_an_earlier_one(
    made: Made,
) -> None:
    first = made("first", sums("cuccu"), exit_status=1)
    again = made(
        "again",
        [sums("ddddd")[place] for place in (1, 2)],
        partial=True,
        started_at="2026-11-22T09:00:00Z",
    )
    last = made(
        "last", sums("u", first=2), partial=True, started_at="2026-11-22T10:00:00Z"
    )
    summary = merge([last, again, first], Path("merged"))
    outcomes = {}
    for line in Path("merged/trials.jsonl").read_bytes().splitlines():
        record = decode_record(line)
        outcomes[str(record.nodeid)] = record.outcome
    in_order = [outcome for _, outcome in sorted(outcomes.items())]
    assert in_order == ["correct", "deviate", "deviate", "correct", "unanswered"]
    assert summary.run.merged is not None
    assert summary.run.merged.overlapping == 1
    assert (
        summary.run.selected,
        summary.run.partial,
        summary.results[0].facts.selected,
    ) == (
        5,
        False,
        5,
    )


def test_an_interrupted_shard_is_completed_by_the_run_that_finished_it(
    made: Made,
) -> None:
    first, second = shards(made, sums("cccc"), 2)
    cut = made("cut", sums("c"), shard=SHARD | {"index": 1}, stopped="401")
    assert "cut: it has 1 of 2 trials" in refusal(cut, second)
    merged = merge([cut, first, second], Path("merged"))
    run = merged.run
    assert (merged.complete, run.id, run.shard, run.exit_status, run.seed) == (
        True,
        "merged",
        None,
        None,
        0,
    )
    assert run.merged is not None
    assert [one.id for one in run.merged.runs] == ["cut", "shard-1", "shard-2"]


@pytest.mark.parametrize(
    ("facts", "named"),
    [
        ({"seed": 1}, "seed (0 and 1)"),
        ({"conditions": [Condition(NumberFormat.COMMA).fields()]}, "conditions"),
        ({"reading": "strict"}, "reading (tolerant and strict)"),
        ({"versions": {"python": "3.12.1"}}, "versions"),
        ({"search": {"budget": 80}}, "search"),
        ({"models": [MODELS[0] | {"params": {"temperature": 1}}]}, "models"),
        ({"shard": SHARD | {"count": 3}}, "number of shards (2 and 3)"),
        (
            {"shard": SHARD | {"selection": "d"}},
            "selection or problems of the shards (abc and d)",
        ),
        ({"shard": None}, "number of shards (2 and 0)"),
    ],
)
def test_runs_that_differ_are_refused(
    made: Made, facts: dict[str, Any], named: str
) -> None:
    """A fact that a run does not know is no difference."""
    known = {
        "conditions": [Condition().fields()],
        "reading": "tolerant",
        "search": {"budget": 40},
    }
    first, _ = shards(made, sums("cccc"), 2, **known)
    same = made("same", sums("cccc")[1::2], shard=SHARD | {"selection": None})
    other = made("x", sums("cccc")[1::2], **{"shard": SHARD} | known | facts)
    assert (
        refusal(first, other)
        == f"shard-1 and x differ in {named}; name parts of one run"
    )
    assert merge([first, same], Path("merged")).complete


def test_missing_and_broken_parts_are_named(made: Made) -> None:
    parts = shards(made, sums("c" * 10), 4)
    assert "missing shards of 4: 1, 4;" in refusal(*parts[1:3])
    assert "again: the run that this --lf run completes is missing" in refusal(
        made("again", sums("c"), partial=True)
    )
    assert "early: it has 2 of 5 trials" in refusal(
        made("early", sums("cc"), selected=5)
    )
    run = made("run", sums("ccc"))
    assert "another of the runs has other trials" in refusal(
        run, made("two", sums("cc", first=2))
    )
    (run / "trials.jsonl").write_bytes((run / "trials.jsonl").read_bytes()[:-40])
    assert "run: it has 2 of 3 trials" in refusal(run)
    (run / "summary.json").unlink()
    assert refusal(run).startswith("run: no summary.json")


def test_wrong_usage_is_one_line(
    made: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    made("run", sums("cc"))
    Path("file").touch()
    for runs, into, why in (
        (["run", "run"], "new", "named twice"),
        (["run"], "file/new", "cannot be written"),
    ):
        assert main(["merge", *runs, "--output", into]) == 4
        out, err = capsys.readouterr()
        assert (out, err.count("\n"), why in err) == ("", 1, True)


def test_the_command_shows_the_run_and_writes_its_page(
    made: Made, capsys: pytest.CaptureFixture[str]
) -> None:
    """Foreign names have no effect on a terminal."""
    hostile = changed(sums("cdcd"), model="m\x1b]0;x\x07")
    parts = [str(part) for part in shards(made, hostile, 2)]
    assert main(["merge", *parts, "--output", "deep/merged\x1b[31m"]) == 0
    out, err = capsys.readouterr()
    assert (err, out.splitlines()[:2]) == ("", ["all 4 answered", "merged from 2 runs"])
    assert all(line.isprintable() for line in out.splitlines())
    assert "All 4 trials" in Path("deep/merged\x1b[31m/report.html").read_text("utf-8")
