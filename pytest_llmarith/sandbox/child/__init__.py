"""The code that runs inside the sandbox. It imports the standard library and this package.

The zygote receives it as code objects over a socket, so this package need not be readable there. Each program pays for
its imports: typing, dataclasses and enum are left out.
"""
