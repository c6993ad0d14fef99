"""Programs for sequences: the evaluation against a new interpreter per term and limit,
and limits on a busy machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import textwrap
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from statistics import median

from perf.commands import ROOT, run_pytest
from perf.measures import Measure
from pytest_llmarith.sandbox import zygote_client
from pytest_llmarith.sandbox.isolation import probe
from pytest_llmarith.sandbox.payload import base_interpreter
from pytest_llmarith.sandbox.program_runs import Ending, ProgramLimits
from pytest_llmarith.sandbox.runner import Sandbox
from pytest_llmarith.tasks.oeis.cache import Cache
from pytest_llmarith.tasks.oeis.details import IntegerSequence

_LIMITS = (0.5, 1.0, 2.0, 4.0)
_PROGRAMS, _TERMS = 20, 40
_MIXED_TERMS = 3
_ENDLESS = (
    "while True: pass",
    "import time\nwhile True: time.sleep(1)",
    "7 ** 10 ** 10",
)
_SEQUENCES, _RUNS = 40, 200
_TRIES = 3
_ROUNDS = 3
_EMPTY_TERMS = 200
# In an interpreter without anything else: what no sandbox of forks can undercut.
_FORKS = """
import os
for _ in range(200):
    if pid := os.fork():
        os.waitpid(pid, 0)
    else:
        os._exit(0)
"""

Chosen = list[tuple[IntegerSequence, str, list[str]]]
Verdicts = dict[tuple[int, int, float], bool]


def measure() -> list[Measure]:
    """At least 12 times faster than interpreters with -S, in processor time and with
    the same verdicts; 1.2 times in wall time if a third of the programs never end.
    An empty term takes at most 2.2 ms.

    With -n 8 and a limit of 0.5 s, programs of 0.3 s are in time and programs of 0.7 s
    are late.
    """
    fast = list(_fast_programs())
    few = [
        (sequence, program, outputs[:_MIXED_TERMS])
        for sequence, program, outputs in fast[: 2 * len(_ENDLESS)]
    ]
    mixed = few + [
        (sequence, program, outputs)
        for program, (sequence, _, outputs) in zip(_ENDLESS, few[::-1], strict=False)
    ]
    return [
        *_compared(
            f"{_PROGRAMS} programs x {_TERMS} terms, processor time",
            fast,
            _processor_s,
            rounds=_ROUNDS,
            at_least=12,
        ),
        *_floors(),
        *_compared(
            f"{len(mixed)} programs x {_MIXED_TERMS} terms, a third endless",
            mixed,
            time.perf_counter,
            rounds=1,
            at_least=1.2,
        ),
        Measure(
            f"0.3 s of work late at 0.5 s, of {_RUNS} under -n 8",
            _late(0.3),
            "runs",
            at_most=0,
        ),
        Measure(
            f"0.7 s of work late at 0.5 s, of {_RUNS} under -n 8",
            _late(0.7),
            "runs",
            at_least=_RUNS,
        ),
    ]


def _compared(
    name: str,
    chosen: Chosen,
    clock: Callable[[], float],
    *,
    rounds: int,
    at_least: float,
) -> list[Measure]:
    """Measure both in turns; the start of the sandbox is included."""
    spawned_s, ours_s, differ = list[float](), list[float](), 0
    for _ in range(rounds):
        seconds, spawned = _timed(_spawned, chosen, clock)
        spawned_s.append(seconds)
        base_interpreter.cache_clear()
        zygote_client.starts_as.cache_clear()
        seconds, ours = _timed(_evaluated, chosen, clock)
        ours_s.append(seconds)
        differ += sum(ours[key] != spawned[key] for key in spawned)
    ratios = [theirs / own for theirs, own in zip(spawned_s, ours_s, strict=True)]
    return [
        Measure(f"{name}, a python -S per term and limit", median(spawned_s), "s"),
        Measure(f"{name}, in the sandbox", median(ours_s), "s"),
        Measure("the sandbox is faster", median(ratios), "times", at_least=at_least),
        Measure("verdicts that differ", differ, "", at_most=0),
    ]


def _floors() -> list[Measure]:
    """Processor time in turns: the start of an interpreter, a term, a fork."""
    python = [base_interpreter().executable, "-S", "-c"]
    sandbox = Sandbox(probe(), ProgramLimits(seconds=_LIMITS))

    def start(script: str, times: int = 1) -> None:
        for _ in range(times):
            subprocess.run([*python, script], check=True)

    def ms(*run: Callable[[], object], of: int) -> float:
        """Milliseconds of one in so many, which the first does beyond the second."""
        spent = []
        for each in run:
            began_s = _processor_s()
            each()
            spent.append(_processor_s() - began_s)
        return (spent[0] - sum(spent[1:])) * 1000 / of

    starts, terms, forks = list[float](), list[float](), list[float]()
    for _ in range(_ROUNDS):
        starts.append(ms(lambda: start("", 20), of=20))
        terms.append(
            ms(
                lambda: sandbox.run("", range(_EMPTY_TERMS + 1)),
                lambda: sandbox.run("", range(1)),
                of=_EMPTY_TERMS,
            )
        )
        forks.append(ms(lambda: start(_FORKS), lambda: start(""), of=200))
    return [
        Measure("start of an interpreter with -S", median(starts), "ms"),
        Measure("an empty term", median(terms), "ms", at_most=2.2),
        Measure("a bare fork", median(forks), "ms"),
    ]


def _processor_s() -> float:
    """Of this process and of those that it has waited for."""
    return sum(os.times()[:4])


def _fast_programs() -> Iterator[tuple[IntegerSequence, str, list[str]]]:
    """Starter sequences whose first terms take less than 0.1 s, with the outputs of
    their programs.
    """
    cache, found = Cache(ROOT / "oeis_cache"), 0
    sandbox = Sandbox(probe(), ProgramLimits(seconds=(0.1,)))
    for sequence in cache.sequences("starter"):
        program = cache.starter_program(sequence.number) or ""
        runs = sandbox.run(program, range(sequence.offset, sequence.offset + _TERMS))
        if all(run.ending is Ending.EXITED and run.exit_status == 0 for run in runs):
            yield sequence, program, [run.stdout.strip() for run in runs]
            found += 1
        if found == _PROGRAMS:
            return


def _spawned(chosen: Chosen) -> Verdicts:
    """As in the paper's evaluator: a new interpreter per term and limit."""
    verdicts: Verdicts = {}
    with tempfile.TemporaryDirectory() as folder:
        for number, (sequence, program, outputs) in enumerate(chosen):
            path = Path(folder, f"{number}.py")
            path.write_text(program, encoding="utf-8")
            for limit in _LIMITS:
                for n, output in enumerate(outputs, sequence.offset):
                    verdicts[number, n, limit] = _prints(
                        path, n, output, limit, 1 if program in _ENDLESS else _TRIES
                    )
    return verdicts


def _prints(path: Path, n: int, output: str, limit: float, tries: int) -> bool:
    """Whether a program prints the output within the limit of wall time.

    If it is late it is tried again: it needs only milliseconds, so other load on the
    machine has delayed it.
    """
    for _ in range(tries):
        with suppress(subprocess.TimeoutExpired):
            done = subprocess.run(
                [base_interpreter().executable, "-S", path],
                input=f"{n}\n",
                capture_output=True,
                text=True,
                timeout=limit,
                check=False,
            )
            return done.stdout.strip() == output and not done.stderr
    return False


def _evaluated(chosen: Chosen) -> Verdicts:
    """Once per term, at the largest limit."""
    sandbox = Sandbox(probe(), ProgramLimits(seconds=_LIMITS))
    verdicts = {}
    for number, (sequence, program, outputs) in enumerate(chosen):
        runs = sandbox.run(
            program, range(sequence.offset, sequence.offset + len(outputs))
        )
        for run, output in zip(runs, outputs, strict=True):
            is_right = run.ending is Ending.EXITED and run.stdout.strip() == output
            for limit in _LIMITS:
                verdicts[number, run.input, limit] = is_right and run.seconds <= limit
    return verdicts


def _late(work_s: float) -> int:
    """How many runs of a program that needs `work_s` of processor time are late at 0.5
    s, in a run with -n 8.
    """
    terms = _RUNS // _SEQUENCES
    with tempfile.TemporaryDirectory() as folder:
        _write_bench(Path(folder), work_s, terms)
        run_pytest(
            "-q", "-n", "8", "--oeis-limits=0.5", "--oeis-judge=none", cwd=Path(folder)
        )
        (log,) = Path(folder, "reports").glob("*/trials.jsonl")
        records = [
            json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()
        ]
    statuses = Counter(
        term["status"]
        for record in records
        for term in record["grade"]["details"]["terms"]
    )
    if statuses.total() != _RUNS:
        raise RuntimeError(f"{statuses.total()} runs instead of {_RUNS}: {statuses}")
    return statuses["late"]


def _write_bench(folder: Path, work_s: float, terms: int) -> None:
    """Sequences of ones, and a model whose program computes for `work_s` before it
    prints a one.
    """
    starter = folder / "oeis_cache" / "starter"
    starter.mkdir(parents=True)
    for number in range(1, _SEQUENCES + 1):
        entry = {
            "number": number,
            "name": "Ones.",
            "data": ",".join("1" * terms),
            "offset": "0,1",
            "keyword": "easy",
        }
        (starter / f"A{number:06}.json").write_text(
            json.dumps([entry]), encoding="utf-8"
        )
    bench = f'''
        import pytest

        PROGRAM = """
        import time
        while time.process_time() < {work_s}:
            sum(range(1000))
        print(1)
        """

        @pytest.fixture
        def model():
            class Model:
                name = "worker"
                def reply(self, prompt):
                    return "```" + PROGRAM + "```"
            return Model()

        @pytest.mark.oeis
        def test_oeis(problem, ask):
            ask(problem)
    '''
    (folder / "test_work.py").write_text(textwrap.dedent(bench), encoding="utf-8")


def _timed(
    evaluate: Callable[[Chosen], Verdicts], chosen: Chosen, clock: Callable[[], float]
) -> tuple[float, Verdicts]:
    start = clock()
    verdicts = evaluate(chosen)
    return clock() - start, verdicts
