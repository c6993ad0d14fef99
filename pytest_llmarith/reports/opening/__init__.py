"""Room: what somebody names as a run, opened to be read: runs of ours, files of llm_arithmetic, folders of both.

It does not know what is made of the records.
"""

from pytest_llmarith.reports.opening.finding import opened
from pytest_llmarith.reports.opening.run import OpenedRun

__all__ = ["OpenedRun", "opened"]
