"""Tasks from the questions of others (docs/bridges.md).

Each bridge imports the library that it needs when its questions are made.
"""

from pytest_llmarith.bridges.generators import reasoning_gym as reasoning_gym

__all__ = ["reasoning_gym"]
