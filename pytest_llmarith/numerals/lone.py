"""Between steps 4 and 5 of the tolerant reading: spaced groups, and a reply of nothing but digits, are one number.

It does not know whether the groups are right: `313, 724` can only mean one number where it is all that was said.
"""

from __future__ import annotations

import re

from pytest_llmarith.numerals.glyphs import THIN

_LONE = re.compile(r"\s*+[-+]?\d[\d.,' ]*+\s*+")
# In prose, too, a row of threes is one number; three numbers may be a list.
_SPACED = re.compile(r"(?<![\w.,])(?<!\d[,.] )\d{1,3}(?:, \d{3}(?!\d)){3,}+(?!,? ?\d)")
_AFTER_A_COMMA = re.compile(r"(?<=,)[ ]++(?=\d)")
_BEFORE_A_GROUP = re.compile(r"(?<=\d)[ ](?=\d{3}(?!\d))")


def closed_up(text: str) -> str:
    """The text, or the number that it is, without the spaces within; in prose only rows of threes close up."""
    if not _LONE.fullmatch(text):
        return _SPACED.sub(lambda groups: groups[0].replace(" ", ""), text)
    return _BEFORE_A_GROUP.sub(THIN, _AFTER_A_COMMA.sub("", text))
