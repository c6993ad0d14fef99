"""Published runs: a bundle is a folder with a run and a manifest, which others can
check.
"""
