"""What a term puts on itself between its fork and the program's first line. Whatever fails here stops the term."""

from __future__ import annotations

import ctypes
import os
import resource
import struct

from pytest_llmarith.sandbox.inside import kernel, landlock

_SIGKILL = 9
_SET_MODE_FILTER = 1
# Without it, kernels before 5.16 slow a filtered process down, and its time is what we measure.
_SPEC_ALLOW = 4
_NEW_LISTENER = 8
_CAPABILITY_VERSION_3 = 0x20080522


class Confinement:
    """The locks of a term, made ready once by its zygote; raises OSError where this kernel does not have them.

    `rules` are Landlock's, None for no Landlock; `seccomp` and `gate` are BPF programs, empty for none: what may be
    called, where `pid_mark` stands for the term's own pid, and what the zygote is asked about.
    """

    def __init__(
        self,
        rlimits: list[tuple[int, int]],
        rules: list[landlock.Rule] | None,
        seccomp: bytes,
        pid_mark: bytes,
        gate: bytes,
    ) -> None:
        self._rlimits = rlimits
        self._ruleset = None if rules is None else _ruleset(rules)
        self._seccomp = seccomp
        self._pid_mark = pid_mark
        self._gate = gate

    def gate_threads(self) -> int | None:
        """Have the kernel ask about every new thread and pipe, at this descriptor; None for no gate."""
        return _filter(self._gate, _NEW_LISTENER) if self._gate else None

    def close_in(self) -> None:
        """Lock this process in, for good; raises OSError where a lock does not close."""
        for limit, value in self._rlimits:
            _limit(limit, value)
        if self._ruleset is not None:
            landlock.restrict(self._ruleset)
        if self._seccomp:
            _drop_capabilities()
            _filter(self._seccomp.replace(self._pid_mark, struct.pack("<I", os.getpid())))


def guard_zygote(*, terms_fork: bool) -> None:
    """No process of its user may look into the zygote's memory, and the kernel kills it with the harness.

    If terms may fork, the processes that they leave become its children. It then ends by itself after the harness, once
    it has killed them.
    """
    if terms_fork:
        kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
    else:
        kernel.prctl(kernel.PR_SET_PDEATHSIG, _SIGKILL)
    _volunteer_for_the_oom_killer()
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)


def end_children() -> None:
    """Kill the children of this process and what they leave to it, until there are none."""
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0]:
                continue
        except ChildProcessError:
            return
        with open(f"/proc/self/task/{os.getpid()}/children") as children:
            for child in children.read().split():
                os.kill(int(child), _SIGKILL)


def die_with(parent: int) -> None:
    """A term dies with its zygote, even where that is gone already."""
    kernel.prctl(kernel.PR_SET_PDEATHSIG, _SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _ruleset(rules: list[landlock.Rule]) -> int:
    try:
        return landlock.ruleset(rules)
    except OSError as error:
        raise OSError(f"this kernel locks no files with Landlock ({error.strerror})") from None


def _limit(limit: int, value: int) -> None:
    hard = resource.getrlimit(limit)[1]
    most = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (most, most))


def _volunteer_for_the_oom_killer() -> None:
    """Rather a foreign program than its host; passed on to every term."""
    try:
        with open("/proc/self/oom_score_adj", "w") as score:
            score.write("1000")
    except OSError:
        pass  # a courtesy: the cap on memory holds without it


def _drop_capabilities() -> None:
    header = ctypes.c_char_p(struct.pack("<Ii", _CAPABILITY_VERSION_3, 0))
    kernel.syscall(kernel.CAPSET, header, ctypes.c_char_p(bytes(24)))


def _filter(program: bytes, flags: int = 0) -> int:
    instructions = ctypes.create_string_buffer(program, len(program))
    header = ctypes.c_char_p(struct.pack("<HxxxxxxQ", len(program) // 8, ctypes.addressof(instructions)))
    return kernel.syscall(kernel.SECCOMP, _SET_MODE_FILTER, _SPEC_ALLOW | flags, header)
