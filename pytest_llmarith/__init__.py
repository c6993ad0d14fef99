"""Benchmark language models as pytest items where the right answer is known exactly.

What `__all__` names is public, for tasks of your own (docs/own-task.md); everything else may change. Every pytest run
of an environment imports this module, so the names are looked up when somebody asks for them.
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
