"""Room: problems as pytest items, and outcomes as pytest shows them. It does not know models or grading."""

from pytest_llmarith.items.outcomes import attach, status_of
from pytest_llmarith.items.parametrize import declare_marks, explain_missing_model, parametrize

__all__ = ["attach", "declare_marks", "explain_missing_model", "parametrize", "status_of"]
