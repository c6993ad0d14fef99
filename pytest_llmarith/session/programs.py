"""Programs within a run: their isolation in this process, and their judge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from pytest_llmarith import evaluate
from pytest_llmarith.evaluate_programs import ProgramRules, program_record
from pytest_llmarith.records import Record
from pytest_llmarith.sandbox.isolation import UnavailableError, probe
from pytest_llmarith.session.collection import limits_of
from pytest_llmarith.session.items import ASK, SHOW_PROGRESS, problem_of, settings_of
from pytest_llmarith.settings import Settings
from pytest_llmarith.tasks.oeis import OeisProblem
from pytest_llmarith.types import Failure, Isolation, Level, Reply, Rules

_FOUND = pytest.StashKey[Isolation]()
_MACHINE = pytest.StashKey[dict[str, Any]]()
# How long a fake model's program waits until the machine is idle enough to time it.
_QUIET_WITHIN_S = 600.0


def isolation_of(config: pytest.Config, settings: Settings) -> Isolation:
    """The isolation of this process, determined once. Raises `sandbox.isolation.UnavailableError`."""
    if _FOUND not in config.stash:
        config.stash[_FOUND] = probe(settings.oeis.sandbox)
    return config.stash[_FOUND]


def lines_about_programs(config: pytest.Config, settings: Settings, sets: Sequence[str], verbose: bool) -> list[str]:
    """What is missing of the strict isolation; with `verbose` the sets, the isolation, and rules not the default."""
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
    try:
        isolation_of(config, settings_of(config))
    except UnavailableError as error:
        for item in programs:
            item.add_marker(pytest.mark.skip(reason=f"no sandbox: {error}"))


def run_program(
    item: pytest.Item, problem: OeisProblem, trial: evaluate.Trial, reply: Reply, settings: Settings
) -> Record:
    """Run the program in a reply, and return the record."""
    from pytest_llmarith.sandbox.runner import Sandbox

    isolation = isolation_of(item.config, settings)
    try:
        machine = _machine(item.config, isolation)
    except OSError as error:
        return evaluate.unanswered_record(trial, Failure(f"the sandbox failed: {error}"), reply)
    judge = settings.oeis.judge
    rules = ProgramRules(
        rules=settings.oeis.rules,
        terms=settings.oeis.terms,
        static_judge=settings.oeis.static_judge,
        judge=judge.name if judge else None,
        ask=item.config.stash.get(ASK, None),
        machine=machine,
    )
    wait_s = _QUIET_WITHIN_S if trial.model.simulated else 0.0
    show_progress = item.config.stash.get(SHOW_PROGRESS, lambda: None)  # workers show none
    sandbox = Sandbox(isolation, limits_of(item, settings), wait_s=wait_s, on_term=show_progress)
    return program_record(problem, trial, reply, sandbox, rules)


def _machine(config: pytest.Config, isolation: Isolation) -> dict[str, Any]:
    """The machine and its speed, which time limits depend on. Measured on first use."""
    if _MACHINE not in config.stash:
        from pytest_llmarith.sandbox.runner import calibrate, machine_facts

        worker = getattr(config, "workerinput", {}).get("workerid")
        config.stash[_MACHINE] = machine_facts() | {"worker": worker, "calibration_s": calibrate(isolation)}
    return config.stash[_MACHINE]
