"""Processes records: run logs, summaries, comparisons, merged runs."""
