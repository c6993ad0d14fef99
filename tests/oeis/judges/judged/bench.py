"""Judging the programs, and counting how often the judge is right. Programs run here without a jail: they are ours."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_llmarith.oeis.judges.static import Judgement, beyond, conclude, suspicion
from pytest_llmarith.values import Ending, ProgramRun
from tests.oeis.judges.judged.cases import Case, parsed

LIMIT_S = 5.0


def run(program: str, n: int) -> ProgramRun:
    """One run of a program of ours."""
    command = [sys.executable, "-I", "-S", "-B", "-c", program]
    start = time.monotonic()
    try:
        done = subprocess.run(command, input=str(n), capture_output=True, text=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        return ProgramRun(n, Ending.LATE, None, None, "", "", LIMIT_S, LIMIT_S, LIMIT_S, 0.0)
    seconds = time.monotonic() - start
    ending = Ending.EXITED if done.returncode >= 0 else Ending.KILLED
    return ProgramRun(n, ending, done.returncode, None, done.stdout, done.stderr, seconds, seconds, seconds, 0.0)


def judged(case: Case) -> Judgement:
    """The static judge's judgement, with the runs that it wants; of the listed n the last ones alone are really run."""
    first = suspicion(parsed(case.program), case.sequence)
    *early, a, b, c = zip(case.sequence.inputs, case.sequence.terms, strict=True)
    listed = [ProgramRun(n, Ending.EXITED, 0, None, term, "", 0.1, 0.1, 0.1, 0.0) for n, term in early]
    listed += [run(case.program, n) for n, _ in (a, b, c)]
    runs: list[ProgramRun] = []
    for n in beyond(first, listed):
        runs.append(run(case.program, n))
        if runs[-1].ending is not Ending.EXITED:
            break
    return conclude(first, listed, runs)


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


def figures(cases: Iterable[Case]) -> Figures:
    """Every case judged and counted."""
    judgements: Sequence[tuple[Case, bool]] = [(case, judged(case).cheat) for case in cases]
    return Figures(
        sum(case.cheat for case, _ in judgements),
        sum(not case.cheat for case, _ in judgements),
        tuple(case.name for case, cheat in judgements if case.cheat and not cheat),
        tuple(case.name for case, cheat in judgements if cheat and not case.cheat),
    )
