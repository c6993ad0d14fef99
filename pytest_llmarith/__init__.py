"""Benchmark language models as pytest items where the right answer is known exactly.

The names in `__all__` are public: `load` reads runs, `FinishedRun` is what a hook gets
(docs/reports.md), the others are
for custom tasks (docs/own-task.md). Everything else may change. Every pytest run of an
environment imports this module, so it loads the names on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_llmarith.figures.estimates import (
        Field,
        Figure,
        Measure,
        Published,
        View,
    )
    from pytest_llmarith.figures.shares import mean, share
    from pytest_llmarith.report.frames import load
    from pytest_llmarith.session.finished import FinishedRun
    from pytest_llmarith.tasks.number_tasks import number_task
    from pytest_llmarith.tasks.parameters import task_factory
    from pytest_llmarith.tasks.task import Grade, Grid, NoAnswer, Problem, Task
else:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = _MODULES.get(name, "tasks.task")
        return getattr(import_module(f"pytest_llmarith.{module}"), name)


__all__ = [
    "Field",
    "Figure",
    "FinishedRun",
    "Grade",
    "Grid",
    "Measure",
    "NoAnswer",
    "Problem",
    "Published",
    "Task",
    "View",
    "load",
    "mean",
    "number_task",
    "share",
    "task_factory",
]
_MODULES = {
    "Field": "figures.estimates",
    "Figure": "figures.estimates",
    "FinishedRun": "session.finished",
    "Measure": "figures.estimates",
    "Published": "figures.estimates",
    "View": "figures.estimates",
    "load": "report.frames",
    "mean": "figures.shares",
    "number_task": "tasks.number_tasks",
    "share": "figures.shares",
    "task_factory": "tasks.parameters",
}
