"""How many questions a difference needs: simulated, and from runs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from pytest_llmarith.cli import main
from pytest_llmarith.report.definitions.plan_fields import plan_tables
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.results.plan import PlannedGrid, mean_tokens, needs
from pytest_llmarith.statistics.plans import paired_questions, unpaired_questions
from tests.results.made import changed, run, searches, sums

GRID = PlannedGrid("arithmetic", 8, 72)


@pytest.mark.parametrize(
    ("discordant", "published"), [(0.05, 458), (0.1, 917), (0.2, 1_795)]
)
def test_three_points_as_published(discordant: float, published: int) -> None:
    """Within 2 % of the numbers of an approximation."""
    found = paired_questions(discordant, 0.03)
    assert found is not None
    assert abs(found / published - 1) < 0.02


def test_unpaired() -> None:
    """As in the textbooks: 388 trials each show 60 against 50 %; near 0 and 100 % the
    difference still fits.
    """
    assert unpaired_questions(0.55, 0.1) == pytest.approx(388, abs=4)
    assert unpaired_questions(1.0, 0.03) < 400


def test_from_runs() -> None:
    """The discordance of all pairs of models with enough common questions; else it is
    assumed.
    """
    first, second = (
        sums("c" * 90 + "d" * 10, model="one"),
        sums("c" * 80 + "d" * 20, model="two"),
    )
    (need,) = needs(3, [run(*[first, second])], GRID)
    (table,) = plan_tables(3, [run(*[first, second])], [], GRID)
    assert "assumed" not in table.legend
    assert (need.first, need.second) == ("one", "two")
    assert need.discordant == pytest.approx(0.1)
    assert need.paired == paired_questions(need.discordant, 0.03)
    assert need.measured == "10 of 100"
    assert need.at_most == paired_questions(0.1744, 0.03), (
        "Wilson's upper bound of 10 of 100 is 17.4 %"
    )
    for points, planned in ((2, 0.03), (10, 0.1)):
        (equal,) = needs(
            points, [run(*[first, sums("c" * 90 + "d" * 10, model="two")])], GRID
        )
        assert (equal.measured, equal.discordant) == ("0 of 100", planned), (
            "3 questions, or the difference itself"
        )
    assert all(
        need.measured == "assumed"
        for need in needs(3, [run(*[first, second[:40]])], GRID)
    )


def test_models_of_one_name_with_other_parameters() -> None:
    """They are two models, with their own tokens; those with the same parameters are
    one, in any order of the runs.
    """

    def asked(outcomes: str, tokens: int, **params: float) -> LoadedRun:
        usual = sums(outcomes)
        assert usual[0].reply
        reply = replace(usual[0].reply, prompt_tokens=30, completion_tokens=tokens)
        return run(
            changed(usual, reply=reply), models=[{"name": "m", "params": params}]
        )

    cool, warm = (
        asked("c" * 90 + "d" * 10, 10, temperature=0),
        asked("c" * 80 + "d" * 20, 20, temperature=1),
    )
    for runs in ([cool, warm], [warm, cool]):
        (need,) = needs(3, runs, GRID)
        assert {need.first, need.second} == {"m, temperature=0", "m, temperature=1"}
        assert need.measured == "10 of 100"
    assert mean_tokens([cool, warm]) == {
        "m, temperature=0": (30, 10),
        "m, temperature=1": (30, 20),
    }
    again = asked("c" * 70 + "d" * 30, 10, temperature=0)
    other = run(sums("d" * 100, model="other"))
    one, two = (
        needs(3, [cool, again, other], GRID),
        needs(3, [again, cool, other], GRID),
    )
    assert [(need.first, need.second, need.measured) for need in one] == [
        ("m", "other", "80 of 100")
    ]
    assert one == two


def test_searches_say_nothing_about_the_tokens() -> None:
    """Their questions are chosen near the limit of the model."""
    (usual,), searched = sums("c"), searches("c")
    assert usual.reply
    reply = replace(usual.reply, prompt_tokens=30, completion_tokens=10)
    longer = changed(searched, reply=replace(reply, completion_tokens=900))
    assert mean_tokens([run(changed([usual], reply=reply), longer)]) == {"m": (30, 10)}


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The costs of a run's model and of another one."""
    log = tmp_path / "one.jsonl"
    row = {
        "variant": "int_add",
        "depth": 2,
        "operands": [1, 2],
        "correct": 3,
        "parsed": 3,
        "raw_response": "3",
    }
    row |= {
        "classification": "Correct",
        "model": "m",
        "tokens": {"prompt_tokens": 30, "completion_tokens": 10},
    }
    log.write_text(json.dumps(row) + "\n")
    assert (
        main(
            ["plan", "--detect=3", f"--from={log}", "--model=gpt-4o", "--model=o4-mini"]
        )
        == 0
    )
    shown = capsys.readouterr().out
    assert "30 + 10" in shown
    assert "assumed: --from names no run" in shown
    assert re.search(r"questions: --llm-trials=\d+ with all 72 cells", shown)
    rows = {line.split()[0]: line for line in shown.splitlines() if "$" in line}
    assert "at least" not in rows["gpt-4o"]
    assert "at least" in rows["o4-mini"], "it reasons, and no run tells how much"


@pytest.mark.parametrize(
    "wrong", [[], ["--detect=0"], ["--detect=many"], ["--detect=3", "--from=nowhere"]]
)
def test_wrong_usage(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """One line and exit status 4."""
    with pytest.raises(SystemExit) as ended:
        raise SystemExit(main(["plan", *wrong]))
    assert ended.value.code == 4
    assert len(capsys.readouterr().err.splitlines()) == 1
