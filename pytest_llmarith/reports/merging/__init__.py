"""Room: several runs become one, which says what the unsplit run would have said. It does not know the command line.

Nothing in the files of a run is believed before its shape was looked at, and none of them is changed.
"""

from pytest_llmarith.reports.merging.joining import Request, merge, records_of
from pytest_llmarith.reports.merging.objections import Refused

__all__ = ["Refused", "Request", "merge", "records_of"]
