"""Room: what a reply said, whatever was asked: its thoughts left out, its refusals heard.

It does not know numbers, programs or grades.
"""

from pytest_llmarith.replies.refusals import refuses
from pytest_llmarith.replies.thoughts import Said, said

__all__ = ["Said", "refuses", "said"]
