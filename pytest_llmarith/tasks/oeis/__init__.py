"""Task OEIS: entries and their sync, the task, scoring of programs, and the
lookup-table detector.
"""
