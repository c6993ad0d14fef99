"""Processes records: run logs, summaries, tables, comparisons, exports."""
