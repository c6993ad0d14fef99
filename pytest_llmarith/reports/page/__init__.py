"""Room: `report.html`, runs to look at: one file that holds all it shows, and asks nobody for anything.

It does not know how a summary is counted, nor where runs come from.
"""

from pytest_llmarith.reports.page.document import FILE_NAME, write_page
from pytest_llmarith.reports.page.runs import Run, RunAtHand

__all__ = ["FILE_NAME", "Run", "RunAtHand", "write_page"]
