"""docs/errors.md shows three published runs as `llmarith report` does."""

from __future__ import annotations

import shlex

import pytest

from pytest_llmarith.report.report import results_screen
from pytest_llmarith.report.sections import Results
from pytest_llmarith.report.series import results_of
from pytest_llmarith.results.loaded import load_all_runs
from pytest_llmarith.views.table import Level
from tests.documents.blocks import ROOT, blocks, is_in

SHARED = ROOT.parent / "shared"


@pytest.mark.skipif(
    not SHARED.is_dir(), reason="the transcripts are not beside the project"
)
def test_the_table_of_three_published_runs() -> None:
    (shown,) = (
        block for block in blocks() if is_in(block, "errors.md", "report transcripts/")
    )
    command, *lines = shown.text.splitlines()
    runs = load_all_runs([SHARED / file for file in shlex.split(command)[3:]], print)
    results = [row for run in runs for row in results_of(run.summary())]
    assert lines == results_screen(Results(results), 100, Level.BRIEF)
