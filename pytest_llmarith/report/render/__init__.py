"""Renders tables: each module is one format, and escapes untrusted text once."""
