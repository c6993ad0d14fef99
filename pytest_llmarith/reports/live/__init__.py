"""Room: what is said before and while a run goes: its forecast, its pace, the line of its progress."""
