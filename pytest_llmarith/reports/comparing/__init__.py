"""Room: runs beside each other: which trials asked the same question, and how the answers differ.

It does not know how a run is opened, nor the command line.
"""

from pytest_llmarith.reports.comparing.comparison import Request, compare
from pytest_llmarith.reports.comparing.gate import failures, parse_count, parse_points
from pytest_llmarith.reports.comparing.markdown import as_markdown
from pytest_llmarith.reports.comparing.shown import as_json, as_text

__all__ = ["Request", "as_json", "as_markdown", "as_text", "compare", "failures", "parse_count", "parse_points"]
