"""JSON from whoever wrote it: nothing that is none, and nothing deeper than can be worked with.

It does not know where the text comes from, nor what the value is taken for.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

DEEPEST = 50  # levels of a value that is sent or kept: what the options take, a store takes from a run log


def strictly_read(text: str | bytes) -> Any:
    """The value; raises ValueError also for NaN and infinity, which Python reads, and RecursionError as Python does."""
    return json.loads(text, parse_constant=_refuse)


def is_shallow(value: Any, levels: int = DEEPEST) -> bool:
    """Whether it can be worked with: Python reads deeper than it copies and writes."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels > 0 and all(is_shallow(one, levels - 1) for one in inside)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")
