"""Runs in the formats of other tools, a folder of files each."""
