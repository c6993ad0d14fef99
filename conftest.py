"""The project's own tests drive real pytest runs.

The plugin itself comes by its entry point.
"""

pytest_plugins = ["pytester"]
