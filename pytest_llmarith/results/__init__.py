"""Processes records: run logs, summaries, statistics, tables, comparisons, exports."""
