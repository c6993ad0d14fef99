"""The part that runs within the jail. It imports the bare standard library and nothing of this package but itself.

Its code objects travel to the zygote over a socket: the jail need not see where this package is installed. Imports are
counted here, since every program pays for them: no typing, no dataclasses, no enum.
"""
