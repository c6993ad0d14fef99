"""What a labelled program is, and its runs and judgement."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from pytest_llmarith.oeis.lookup_table.detector import Judgement, analyze, conclude, extra_inputs
from pytest_llmarith.oeis.program import Program
from pytest_llmarith.types import Ending, IntegerSequence, ProgramRun
from tests.oeis.corpus.sequences import LISTED, starter

_LIMIT_S = 4.0
# Forks for each n, since starting an interpreter takes longer than most of these programs; ends at the first late one.
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


@dataclass(frozen=True)
class Case:
    """A program for a sequence, and whether people call it a lookup table."""

    name: str
    sequence: IntegerSequence
    program: str
    cheat: bool


def honest_programs(text: str) -> list[Case]:
    """The programs of a text, each after a line `=== name | A-number`; `<...>` stands for lists of integers."""
    cases = []
    for header, program in re.findall(r"^=== (.*)\n((?:(?!=== ).*\n)*)", text, re.MULTILINE):
        name, number = header.split(" | ")
        sequence = starter(number.split()[1]) if number.startswith("starter ") else LISTED[number]
        for bound in (250, 300):
            primes = [p for p in range(2, bound) if all(p % d for d in range(2, p))]
            program = program.replace(f"<primes below {bound}>", str(primes))
        for shown, terms in (("<terms>", sequence.terms), ("<40 terms>", sequence.terms[:40])):
            program = program.replace(shown, ", ".join(terms))
        cases.append(Case(name, sequence, program, False))
    return cases


def table(name: str, sequence: IntegerSequence, *lines: str) -> Case:
    """A lookup table of these lines."""
    return Case(name, sequence, "\n".join(lines).strip("\n") + "\n", True)


def numbers(sequence: IntegerSequence) -> list[int]:
    return [int(term) for term in sequence.terms]


def pairs(sequence: IntegerSequence) -> list[tuple[int, int]]:
    return [*zip(sequence.inputs, numbers(sequence), strict=True)]


def commas(values: Iterable[object]) -> str:
    return ",".join(map(str, values))


def parsed(source: str) -> Program:
    """A program of the tests, parsed without a child process."""
    return Program(source, ast.parse(source))


def run(program: str, *inputs: int) -> list[ProgramRun]:
    """Runs of a trusted program, without a sandbox; those that follow a late one count as late, too."""
    command = [sys.executable, "-I", "-S", "-B", "-c", _DRIVER, program, str(_LIMIT_S), *map(str, inputs)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    runs = []
    for n, status, text, seconds in json.loads(done.stdout):
        ending = Ending.LATE if status == "late" else Ending.EXITED if status >= 0 else Ending.KILLED
        exit_status = status if ending is Ending.EXITED else None
        runs.append(ProgramRun(n, ending, exit_status, None, text, "", seconds, seconds, seconds, 0.0))
    return runs + [replace(runs[-1], input=n) for n in inputs[len(runs) :]]


def judged(case: Case) -> Judgement:
    """The detector's judgement, with the runs that it needs."""
    analysis = analyze(parsed(case.program), case.sequence)
    if analysis.is_table or (analysis.literal_share < Fraction(1, 2) and analysis.literal_bits < 32):
        return conclude(analysis, [])  # the same for any runs
    listed = run(case.program, *case.sequence.inputs)
    inputs = extra_inputs(analysis, listed)
    return conclude(analysis, listed, run(case.program, *inputs) if inputs else [])
