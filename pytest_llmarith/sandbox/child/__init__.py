"""The code that runs inside the sandbox.

It imports the standard library and this package.

The zygote receives it as code objects over a socket, as this package may be unreadable
there. Its imports take time for each program, so it avoids typing, dataclasses and
enum.
"""
