"""Parts of a record as builtins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def object_in(facts: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The object of that name; an empty one if there is none."""
    value = facts.get(name)
    return value if isinstance(value, dict) else {}
