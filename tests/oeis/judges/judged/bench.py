"""Judging the programs, and counting how often the judge is right. Programs run here without a jail: they are ours."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from pytest_llmarith.oeis.judges.static import Judgement, beyond, conclude, suspicion
from pytest_llmarith.values import Ending, ProgramRun
from tests.oeis.judges.judged.cases import Case, parsed

LIMIT_S = 4.0
# Forks for each n, as starting an interpreter takes longer than most of these programs; ends at the first late one.
_DRIVER = """
import json, os, select, signal, sys, time
program, limit, done = sys.argv[1], float(sys.argv[2]), []
for n in map(int, sys.argv[3:]):
    begin, (readable, writable), (read_n, write_n) = time.monotonic(), os.pipe(), os.pipe()
    os.write(write_n, str(n).encode() + b"\\n")
    os.close(write_n)
    child = os.fork()
    if not child:
        os.dup2(read_n, 0), os.dup2(writable, 1), os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        sys.argv = ["-c"]
        exec(compile(program, "<string>", "exec"), vars(sys.modules["__main__"]))
        sys.exit()
    os.close(writable), os.close(read_n)
    text, status = b"", "late"
    while select.select([readable], [], [], max(0, begin + limit - time.monotonic()))[0]:
        if not (more := os.read(readable, 1 << 16)):
            status = None
            break
        text += more
    os.kill(child, signal.SIGKILL) if status else None
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.close(readable)
    done.append([n, status or code, text.decode("utf-8", "replace"), time.monotonic() - begin])
    if status:
        break
print(json.dumps(done))
"""


def run(program: str, *inputs: int) -> list[ProgramRun]:
    """Runs of a program of ours; those that follow a late one count as late, too."""
    command = [sys.executable, "-I", "-S", "-B", "-c", _DRIVER, program, str(LIMIT_S), *map(str, inputs)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    runs = []
    for n, status, text, seconds in json.loads(done.stdout):
        ending = Ending.LATE if status == "late" else Ending.EXITED if status >= 0 else Ending.KILLED
        exit_status = status if ending is Ending.EXITED else None
        runs.append(ProgramRun(n, ending, exit_status, None, text, "", seconds, seconds, seconds, 0.0))
    return runs + [replace(runs[-1], input=n) for n in inputs[len(runs) :]]


def judged(case: Case) -> Judgement:
    """The static judge's judgement, with the runs that it wants."""
    first = suspicion(parsed(case.program), case.sequence)
    if first.is_certain or (first.given < Fraction(1, 2) and first.carried < 32):
        return conclude(first, [])  # whatever its runs are
    listed = run(case.program, *case.sequence.inputs)
    inputs = beyond(first, listed)
    return conclude(first, listed, run(case.program, *inputs) if inputs else [])


@dataclass(frozen=True)
class Figures:
    """How the judge did on a set of programs."""

    cheats: int
    honest: int
    missed: tuple[str, ...]
    accused: tuple[str, ...]

    @property
    def precision(self) -> float:
        caught = self.cheats - len(self.missed)
        return caught / (caught + len(self.accused))

    @property
    def recall(self) -> float:
        return 1 - len(self.missed) / self.cheats


def figures(verdicts: Iterable[tuple[Case, bool]]) -> Figures:
    """The verdicts counted."""
    judgements = [*verdicts]
    return Figures(
        sum(case.cheat for case, _ in judgements),
        sum(not case.cheat for case, _ in judgements),
        tuple(case.name for case, cheat in judgements if case.cheat and not cheat),
        tuple(case.name for case, cheat in judgements if cheat and not case.cheat),
    )
