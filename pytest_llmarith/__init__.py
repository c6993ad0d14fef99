"""Benchmark language models as pytest items where the right answer is known exactly.

The names in `__all__` are public, for custom tasks (docs/own-task.md); everything else may change. Every pytest run of
an environment imports this module, so it loads the names on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_llmarith.tasks.custom import Problem, Task
else:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module("pytest_llmarith.tasks.custom"), name)


__all__ = ["Problem", "Task"]
