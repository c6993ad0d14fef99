"""Judging the programs, and counting how often the judge is right. Programs run here without a jail: they are ours."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_llmarith.oeis.judges.static import Judgement, beyond, conclude, suspicion
from pytest_llmarith.values import Ending, ProgramRun
from tests.oeis.judges.judged.cases import Case, parsed

LIMIT_S = 5.0


def run(program: str, n: int) -> ProgramRun:
    """One run of a program of ours."""
    command = [sys.executable, "-I", "-S", "-B", "-c", program]
    try:
        done = subprocess.run(command, input=str(n), capture_output=True, text=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        return ProgramRun(n, Ending.LATE, None, None, "", "", LIMIT_S, LIMIT_S, LIMIT_S, 0.0)
    return ProgramRun(n, Ending.EXITED, done.returncode, None, done.stdout, done.stderr, 0.1, 0.1, 0.1, 0.0)


def judged(case: Case) -> Judgement:
    """The static judge's judgement, with runs where it wants some."""
    first = suspicion(parsed(case.program), case.sequence)
    runs: list[ProgramRun] = []
    for n in beyond(case.sequence) if first.wants_beyond else ():
        runs.append(run(case.program, n))
        if runs[-1].ending is Ending.LATE:
            break  # the next ones take no less
    return conclude(first, runs)


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
