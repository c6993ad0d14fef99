"""A pytest plugin:

`-p tests.exact.as_exactnum` lets all tests import the grader under the name of its
distribution.
"""

import pkgutil
import sys
from importlib import import_module
from pathlib import Path

import pytest_llmarith

sys.path.insert(0, str(Path(__file__).parents[2] / "exactnum"))
exactnum = import_module("exactnum")
for found in pkgutil.iter_modules(exactnum.__path__):
    if found.name != "adapters":
        sys.modules[f"pytest_llmarith.exact.{found.name}"] = import_module(
            f"exactnum.{found.name}"
        )
sys.modules["pytest_llmarith.exact"] = exactnum
pytest_llmarith.exact = exactnum  # type: ignore[attr-defined,unused-ignore]
