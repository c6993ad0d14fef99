"""The tests with the oldest and the newest of everything that is supported: `make versions`.

It knows pyproject.toml and how to lay out an environment, and nothing of what is tested there.
"""
