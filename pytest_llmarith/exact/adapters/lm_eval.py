"""For lm-evaluation-harness:

`process_results: !function utils.process_results`, with this import in utils.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..grading import grade


def process_results(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, float]:
    """The metric `exact_number` of one document, whose column `answer` has the expected
    number as text.
    """
    return {"exact_number": float(grade(results[0], doc["answer"]).correct)}
