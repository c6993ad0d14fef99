"""Task OEIS: entries and their sync, scoring of programs, lookup-table detector."""
