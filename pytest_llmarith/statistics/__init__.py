"""Statistics as pure functions: intervals, tests, curves, plans."""
