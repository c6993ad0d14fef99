"""The notebook runs on a run of a fake model, and is committed without what it
prints.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documents.blocks import ROOT
from tests.runs_on_disk import asked, run_in

NOTEBOOK = ROOT / "docs" / "notebook.ipynb"
EXECUTE = """
import nbclient, nbformat
book = nbformat.read("notebook.ipynb", as_version=4)
nbformat.validate(book)
nbclient.NotebookClient(book, timeout=120).execute()
nbformat.write(book, "executed.ipynb")
"""


def test_the_notebook_has_no_output() -> None:
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    assert [cell for cell in cells if cell.get("outputs")] == []


@pytest.mark.proof
def test_every_cell_runs(tmp_path: Path) -> None:
    """The tables name an outcome and an exact error."""
    pytest.importorskip("nbclient")
    replies = ["{}", "7", "no idea", None]
    trials = [asked(reply, trial=number) for number, reply in enumerate(replies)]
    run_in(tmp_path / "reports" / "one", trials)
    shutil.copy(NOTEBOOK, tmp_path)
    warned = {"PYTHONWARNINGS": "ignore"}  # of the kernel's own packages
    done = subprocess.run(
        [sys.executable, "-c", EXECUTE],
        cwd=tmp_path,
        env=os.environ | warned,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    written = (tmp_path / "executed.ipynb").read_text("utf-8")
    cells = json.loads(written)["cells"]
    outputs = {
        cell["id"]: json.dumps([one.get("data", one) for one in cell["outputs"]])
        for cell in cells
        if cell["cell_type"] == "code"
    }
    assert "deviate" in outputs["load"]
    assert "expected" in outputs["errors"]
