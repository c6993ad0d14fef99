"""Room: runs as text for other places than a terminal: markdown, tables for spreadsheets, records of other programs.

It does not know where runs come from, nor where the text goes.
"""
