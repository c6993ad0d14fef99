"""Runs programs under limits and measures their time."""
