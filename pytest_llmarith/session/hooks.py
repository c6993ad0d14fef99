"""The hooks that other plugins and a conftest.py may implement."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_llmarith.session.finished import FinishedRun


def pytest_llmarith_run_finished(run: FinishedRun) -> None:
    """Called once, in the controller, when all files of a run are written.

    Not for a run without a folder, such as one that was stopped before any reply. An
    exception is shown in a line, and the exit status is then 1.
    """
