"""Room: how the embedded models write programs for integer sequences. It knows no terms but those it is handed."""

from pytest_llmarith.models.embedded.programming.memory import Memory, Remembered, nothing

__all__ = ["Memory", "Remembered", "nothing"]
