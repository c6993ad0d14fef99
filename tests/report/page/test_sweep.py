"""Models that differ in the value of one parameter are joined in the plots of the
page.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.cli import main
from tests.runs_on_disk import asked, run_in

SWEEP = [
    {
        "name": f"m-{effort}",
        "target": "openai/m",
        "params": {"reasoning_effort": effort},
    }
    for effort in ("low", "medium", "high")
]


@pytest.mark.parametrize(
    ("models", "joined"),
    [
        (SWEEP, True),
        ([SWEEP[0], SWEEP[1] | {"params": {}}], False),
        ([SWEEP[0], SWEEP[1] | {"target": "openai/other"}], False),
        ([SWEEP[0], SWEEP[1] | {"api_base": "http://localhost:1/v1"}], False),
        ([model | {"target": "llmarith/sloppy"} for model in SWEEP[:2]], False),
        (
            [
                SWEEP[0] | {"params": {"a": 1, "b": 1}},
                SWEEP[1] | {"params": {"a": 2, "b": 2}},
            ],
            False,
        ),
    ],
)
def test_the_values_of_a_parameter_are_joined(
    models: list[dict[str, Any]], joined: bool, tmp_path: Path
) -> None:
    """Against cost, and against tokens; fake models and others are not."""
    records = [
        asked(
            "{}",
            trial=trial,
            model=model["name"],
            cost_usd=place / 100,
            completion_tokens=100 * place,
        )
        for place, model in enumerate(models, 1)
        for trial in range(6)
    ]
    run = run_in(tmp_path / "run", records, models=models)
    page = tmp_path / "page.html"
    assert main(["report", str(run), "--format=html", f"--output={page}"]) == 0
    assert ('<path class="swept" d="M' in page.read_text("utf-8")) == joined
