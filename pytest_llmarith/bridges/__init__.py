"""Tasks from the questions of others (docs/bridges.md).

Each bridge imports the library that it needs when its questions are made.
"""

from pytest_llmarith.bridges.generators import reasoning_gym as reasoning_gym
from pytest_llmarith.bridges.row_tasks import rows as rows

__all__ = ["reasoning_gym", "rows"]
