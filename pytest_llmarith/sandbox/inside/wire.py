"""What the harness and the zygote say to each other over their socket: the shapes that both sides know.

The zygote trusts the harness, never the other way round: what comes out of a jail is fixed fields and bytes.
"""

from __future__ import annotations

import struct

# Harness to zygote, once: the length of the marshalled code and setup that follow.
LENGTH = struct.Struct("<Q")
# Zygote to harness, once: whether it is ready, and the length of the text that follows, which says why not.
GREETING = struct.Struct("<?I")
# Harness to zygote, for every term: the seconds that stop it, the wall seconds that it has at least, and the length of
# the text for its stdin, which follows.
REQUEST = struct.Struct("<ddI")
# After these wall seconds a term goes on only while at least one second in so many counts.
SLOWEST = 20
# Zygote to harness, for every term: how it ended, exit status or signal; whether the zygote ends, too, since the term
# made threads or pipes; the time that counts, wall time, CPU time and
# time spent waiting for a processor, in ns; the lengths of stdout and stderr, which follow.
ANSWER = struct.Struct("<Bi?QQQQII")

# How a term ended. The last two say that the program never ran; why stands in stderr.
EXITED, SIGNALLED, LATE, INCONCLUSIVE, STDOUT_FULL, STDERR_FULL, NOT_FORKED, NOT_CONFINED = range(8)
CODES = range(8)  # all of them
