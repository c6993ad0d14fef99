"""Programs within a run: who runs them in this process, locked in how, and what is said while they run."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any

import pytest

from pytest_llmarith import trials
from pytest_llmarith.items.marks import problem_of
from pytest_llmarith.items.sequences import limits_of
from pytest_llmarith.records import Record
from pytest_llmarith.session.begin import ASKER, settings_of
from pytest_llmarith.session.timer import backstop
from pytest_llmarith.settings import OeisSettings, Settings
from pytest_llmarith.values import (
    Failure,
    Isolation,
    Model,
    OeisProblem,
    ProgramLimits,
    ProgramRun,
    Question,
    Reply,
    Rules,
)

_FOUND = pytest.StashKey[Isolation]()
_MACHINE = pytest.StashKey[dict[str, Any]]()
# The whole item may take this much longer than its programs' limits allow: slots are shared with other runs.
_BACKSTOP_GRACE_S = 60.0
_TELL_EVERY_S = 1.0
# So long an embedded model's program waits for a machine that is quiet enough to time it: it costs nothing, and its run
# is to end as it always does.
_QUIET_WITHIN_S = 600.0


def isolation_of(config: pytest.Config, settings: Settings) -> Isolation:
    """How programs are locked in here, found once per process.

    Raises `sandbox.isolation.UnavailableError`, one line for people, where they cannot be.
    """
    if _FOUND not in config.stash:
        from pytest_llmarith.sandbox.isolation import probe

        config.stash[_FOUND] = probe(settings.oeis.sandbox)
    return config.stash[_FOUND]


def lines_about_programs(config: pytest.Config, settings: Settings, sets: Sequence[str]) -> list[str]:
    """Which sets are asked and how their programs are locked in, for people."""
    from pytest_llmarith.sandbox.isolation import UnavailableError

    lines = [f"OEIS sets: {', '.join(sets)}"]
    try:
        isolation = isolation_of(config, settings)
    except UnavailableError as error:
        return [*lines, f"OEIS items are skipped, no sandbox: {error}"]
    held = ", ".join(isolation.enforced) or "nothing"
    limits = ", ".join(f"{limit:g} s" for limit in settings.oeis.limits.seconds)
    lines.append(f"sandbox {isolation.level}, holds {held}; {limits} per term{_rules(settings.oeis)}")
    return [*lines, *isolation.remarks]


def _rules(settings: OeisSettings) -> str:
    """What makes scores differ from those of other runs, and is not as usual."""
    parts = (
        (settings.terms, f"first {settings.terms} terms"),
        (settings.rules is not Rules.DEFAULT, f"rules {settings.rules}"),
        (settings.judge, settings.judge and settings.judge.name),
        (not settings.static_judge, "no static judge"),
    )
    return "".join(f", {part}" for holds, part in parts if holds)


class Guard:
    """Skips the items whose programs could not be run here, before their replies are asked for and paid for."""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
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
    item: pytest.Item, problem: OeisProblem, subject: trials.Subject, reply: Reply, settings: Settings
) -> Record:
    """The record of a reply that is to be a program."""
    from pytest_llmarith.trials.programs import ProgramRules, program_record

    runner = _ItemRunner(item, problem, settings, _QUIET_WITHIN_S if subject.model.simulated else 0.0)
    try:
        machine = _machine(item.config, runner)
    except OSError as error:
        return trials.unanswered_record(subject, Failure(f"the sandbox failed: {error}"), reply)
    judge = settings.oeis.judge
    rules = ProgramRules(
        rules=settings.oeis.rules,
        terms=settings.oeis.terms,
        static_judge=settings.oeis.static_judge,
        judge=None if judge is None else _Judge(item, judge),
        machine=machine,
    )
    return program_record(problem, subject, reply, runner, rules)


class _ItemRunner:
    """Runs one item's program in this process' sandbox, under pytest-timeout's backstop."""

    def __init__(self, item: pytest.Item, problem: OeisProblem, settings: Settings, wait_s: float) -> None:
        self._item = item
        self._wait_s = wait_s
        self._number = problem.sequence.number
        self._listed = problem.sequence.inputs
        self.isolation = isolation_of(item.config, settings)
        self.limits = limits_of(item, settings)

    def run(self, program: str, inputs: Sequence[int]) -> list[ProgramRun]:
        from pytest_llmarith.sandbox.runner import Sandbox

        told = _Told(self._item, self._number, sum(n in self._listed for n in inputs))
        try:
            with backstop(self._item, self._wait_s + _longest_s(self.limits, len(inputs))):
                return Sandbox(self.isolation, self.limits, wait_s=self._wait_s).run(program, inputs, told.ran)
        except pytest.fail.Exception:
            raise TimeoutError(f"{self._number} did not come to an end") from None
        finally:
            told.ended()


def _longest_s(limits: ProgramLimits, terms: int) -> float:
    """All terms at the sandbox' own hard limit, run a second time alone, and everybody who shares the slots."""
    from pytest_llmarith.sandbox.runner import longest_wall_s

    hardest_s = 2 * longest_wall_s(limits.longest_s)
    sharing = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    return _BACKSTOP_GRACE_S + terms * hardest_s * max(2, sharing)


class _Told:
    """Says what is being run, now and then."""

    def __init__(self, item: pytest.Item, number: str, terms: int) -> None:
        self._asker = item.config.stash.get(ASKER, None)
        self._number, self._terms, self._ran = number, terms, 0
        self._next = 0.0

    def ran(self, run: ProgramRun) -> None:
        self._ran += 1
        if self._asker is not None and (now := time.monotonic()) >= self._next:
            self._next = now + _TELL_EVERY_S
            where = f"term {self._ran} of {self._terms}" if self._ran <= self._terms else "behind its listed terms"
            self._asker.runs(f"{self._number}, {where}")

    def ended(self) -> None:
        if self._asker is not None and self._next:
            self._asker.runs(None)


class _Judge:
    """A language model that judges, asked by the way of all questions."""

    def __init__(self, item: pytest.Item, model: Model) -> None:
        self._asker = item.config.stash.get(ASKER, None)
        self.name = model.name

    def reply(self, prompt: str, attempt: int) -> Reply | Failure:
        if self._asker is None:
            return Failure("--oeis-judge: a judge can only be asked in a run with --llm-model")
        return self._asker.ask_and_wait(Question(self.name, prompt, attempt))


def _machine(config: pytest.Config, runner: _ItemRunner) -> dict[str, Any]:
    """Where programs run: limits in seconds mean nothing without it. Measured at first need."""
    if _MACHINE not in config.stash:
        from pytest_llmarith.sandbox.machine import machine_facts
        from pytest_llmarith.sandbox.runner import calibrate

        worker = getattr(config, "workerinput", {}).get("workerid")
        config.stash[_MACHINE] = machine_facts() | {"worker": worker, "calibration_s": calibrate(runner.isolation)}
    return config.stash[_MACHINE]
