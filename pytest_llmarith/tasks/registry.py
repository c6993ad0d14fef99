"""The built-in tasks: what they bring to their results, and those whose replies can be
graded again from a record.
"""

from __future__ import annotations

from pytest_llmarith.figures.estimates import TASKS
from pytest_llmarith.tasks import addition, arithmetic, close_carries
from pytest_llmarith.tasks.oeis.views import REPORT
from pytest_llmarith.tasks.task import OEIS, Tasks

BUILT_IN: Tasks = {task.name: task for task in (arithmetic.task(), addition.TASK)}


def register_built_in() -> None:
    """Make what the built-in tasks bring known to this process."""
    TASKS[OEIS] = REPORT
    TASKS[addition.NAME] = close_carries.FIGURES
