"""Programs within a run: their isolation in this process, limits and progress messages."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import pytest

from pytest_llmarith import evaluate
from pytest_llmarith.records import Record
from pytest_llmarith.session.collection import limits_of
from pytest_llmarith.session.marks import problem_of
from pytest_llmarith.session.outcomes import BROKER_CLIENT, settings_of
from pytest_llmarith.settings import Settings
from pytest_llmarith.tasks.oeis import OeisProblem
from pytest_llmarith.types import Failure, Isolation, Level, Model, ProgramRun, Question, Reply, Rules

_FOUND = pytest.StashKey[Isolation]()
_MACHINE = pytest.StashKey[dict[str, Any]]()
_TELL_EVERY_S = 1.0
# How long a fake model's program waits until the machine is idle enough to time it.
_QUIET_WITHIN_S = 600.0


def isolation_of(config: pytest.Config, settings: Settings) -> Isolation:
    """The isolation of this process, determined once. Raises `sandbox.isolation.UnavailableError`."""
    if _FOUND not in config.stash:
        from pytest_llmarith.sandbox.isolation import probe

        config.stash[_FOUND] = probe(settings.oeis.sandbox)
    return config.stash[_FOUND]


def lines_about_programs(config: pytest.Config, settings: Settings, sets: Sequence[str], verbose: bool) -> list[str]:
    """What is missing of the strict isolation; with `verbose` the sets, the isolation, and rules not the default."""
    from pytest_llmarith.sandbox.isolation import UnavailableError

    lines = [f"OEIS sets: {', '.join(sets)}"]
    try:
        isolation = isolation_of(config, settings)
    except UnavailableError as error:
        return [*lines, f"OEIS items are skipped, as no sandbox works: {error}"]
    if not verbose:
        weaker = [f"sandbox {isolation.level}, not strict"] * (isolation.level is not Level.STRICT)
        return [*weaker, *isolation.remarks]
    oeis = settings.oeis
    parts = (
        f"sandbox {isolation.level}",
        f"holds {', '.join(isolation.enforced) or 'nothing'}; "
        f"{', '.join(f'{limit:g} s' for limit in oeis.limits.seconds)} per term",
        f"first {oeis.terms} terms" if oeis.terms else None,
        f"rules {oeis.rules}" if oeis.rules is not Rules.DEFAULT else None,
        oeis.judge.name if oeis.judge else None,
        None if oeis.static_judge else "no static judge",
    )
    return [*lines, ", ".join(filter(None, parts)), *isolation.remarks]


def skip_without_sandbox(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip OEIS items if there is no sandbox, before any reply is paid for."""
    programs = [item for item in items if isinstance(problem_of(item), OeisProblem)]
    if not programs or config.getoption("collectonly") or settings_of(config).dry_run:
        return
    from pytest_llmarith.sandbox.isolation import UnavailableError

    try:
        isolation_of(config, settings_of(config))
    except UnavailableError as error:
        for item in programs:
            item.add_marker(pytest.mark.skip(reason=f"no sandbox: {error}"))


def run_program(
    item: pytest.Item, problem: OeisProblem, trial: evaluate.Trial, reply: Reply, settings: Settings
) -> Record:
    """Run the program in a reply, and return the record."""
    from pytest_llmarith.evaluate_programs import ProgramRules, program_record

    runner = _ItemRunner(item, problem, settings, _QUIET_WITHIN_S if trial.model.simulated else 0.0)
    try:
        machine = _machine(item.config, runner)
    except OSError as error:
        return evaluate.unanswered_record(trial, Failure(f"the sandbox failed: {error}"), reply)
    judge = settings.oeis.judge
    rules = ProgramRules(
        rules=settings.oeis.rules,
        terms=settings.oeis.terms,
        static_judge=settings.oeis.static_judge,
        judge=None if judge is None else _Judge(item, judge),
        machine=machine,
    )
    return program_record(problem, trial, reply, runner, rules)


class _ItemRunner:
    """Runs the programs of one item in the sandbox of this process."""

    def __init__(self, item: pytest.Item, problem: OeisProblem, settings: Settings, wait_s: float) -> None:
        self._item = item
        self._wait_s = wait_s
        self._number = problem.sequence.number
        self._listed = problem.sequence.inputs
        self.isolation = isolation_of(item.config, settings)
        self.limits = limits_of(item, settings)

    def run(self, program: str, inputs: Sequence[int]) -> list[ProgramRun]:
        from pytest_llmarith.sandbox.runner import Sandbox

        progress = _Progress(self._item, self._number, sum(n in self._listed for n in inputs))
        try:
            return Sandbox(self.isolation, self.limits, wait_s=self._wait_s).run(program, inputs, progress.ran)
        finally:
            progress.ended()


class _Progress:
    """Reports which term is running, at most once a second."""

    def __init__(self, item: pytest.Item, number: str, terms: int) -> None:
        self._client = item.config.stash.get(BROKER_CLIENT, None)
        self._number, self._terms, self._ran = number, terms, 0
        self._next = 0.0

    def ran(self, run: ProgramRun) -> None:
        self._ran += 1
        if self._client is not None and (now := time.monotonic()) >= self._next:
            self._next = now + _TELL_EVERY_S
            where = f"term {self._ran} of {self._terms}" if self._ran <= self._terms else "beyond the listed terms"
            self._client.report_program(f"{self._number}, {where}")

    def ended(self) -> None:
        if self._client is not None and self._next:
            self._client.report_program(None)


class _Judge:
    """A language model that judges, asked through the broker."""

    def __init__(self, item: pytest.Item, model: Model) -> None:
        self._client = item.config.stash.get(BROKER_CLIENT, None)
        self.name = model.name

    def reply(self, prompt: str, attempt: int) -> Reply | Failure:
        if self._client is None:
            return Failure("--oeis-judge: a judge needs a run with --llm-model; add --llm-model=NAME")
        return self._client.ask_and_wait(Question(self.name, prompt, attempt))


def _machine(config: pytest.Config, runner: _ItemRunner) -> dict[str, Any]:
    """The machine and its speed, which time limits depend on. Measured on first use."""
    if _MACHINE not in config.stash:
        from pytest_llmarith.sandbox.runner import calibrate, machine_facts

        worker = getattr(config, "workerinput", {}).get("workerid")
        config.stash[_MACHINE] = machine_facts() | {"worker": worker, "calibration_s": calibrate(runner.isolation)}
    return config.stash[_MACHINE]
