"""Programs that run on the workers of a Dask cluster instead of here."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cache, cached_property
from typing import Any

from pytest_llmarith.dask_cluster import connected, on_each_worker
from pytest_llmarith.records import Reply
from pytest_llmarith.safe_text import text_of_error
from pytest_llmarith.sandbox.isolation import UnavailableError, probe
from pytest_llmarith.sandbox.program_runs import IsolationLevel
from pytest_llmarith.tasks.oeis.details import IntegerSequence
from pytest_llmarith.tasks.oeis.grader import (
    ProgramRules,
    Programs,
    programs,
    ungraded,
)
from pytest_llmarith.tasks.task import Grade, NoAnswer, Problem, Tools

_OPTION = "--oeis-scheduler"
_PROGRESS_S = 0.5


class ClusterPrograms(Programs):
    """The grader of programs that run on a cluster.

    A program whose worker is lost goes to another one.
    """

    def __init__(self, rules: ProgramRules, scheduler: str) -> None:
        super().__init__(rules)
        self._scheduler = scheduler

    @cached_property
    def _cluster(self) -> tuple[Any, Sequence[str]]:
        """A client, and the kind of machine of each worker.

        Raises ValueError unless each worker has this version and a sandbox.
        """
        client = connected(self._scheduler, _OPTION)
        try:
            found = on_each_worker(client, _kind_of_machine, self._rules.sandbox)
            for worker, kind in found.items():
                if isinstance(kind, Exception):
                    raise UnavailableError(
                        f"{_OPTION}: {worker} has no sandbox: {text_of_error(kind)}"
                    )
        except BaseException:
            client.close()
            raise
        return client, list(found.values())

    def unavailable(self) -> str | None:
        self._cluster  # noqa: B018
        return None

    def about(self, variants: Sequence[str], verbose: bool) -> list[str]:
        _, workers = self._cluster
        kinds = sorted(set(workers))
        lines = [
            f"OEIS sets: {', '.join(variants)}",
            f"programs run on {len(workers)} workers of a Dask cluster: "
            f"{', '.join(kinds)}",
        ]
        if len(kinds) > 1:
            lines.append("their times, and scores near a limit, cannot be compared")
        return lines

    def grade(self, answer: Any, problem: Problem, tools: Tools) -> Grade:
        from distributed import TimeoutError as StillRunning

        try:
            client, _ = self._cluster
            future = client.submit(
                _grade_there,
                self._rules,
                answer,
                problem.private,
                tools.limit_s,
                tools.simulated,
                pure=False,
            )
            while True:
                try:
                    grade: Grade = future.result(_PROGRESS_S)
                except StillRunning:
                    tools.idle()
                else:
                    return grade
        except (Exception, asyncio.CancelledError) as error:
            return ungraded(None, f"the cluster was lost: {text_of_error(error)}")


@cache
def cluster_programs(rules: ProgramRules, scheduler: str) -> ClusterPrograms:
    """The grader of this process, which connects once."""
    return ClusterPrograms(rules, scheduler)


def _kind_of_machine(sandbox: IsolationLevel | None) -> str:
    """The processor and isolation of a worker. Raises UnavailableError."""
    from pytest_llmarith.sandbox.runner import machine_facts

    facts, level = machine_facts(), probe(sandbox).level
    processor = facts["processor"] or facts["machine"]
    return f"{processor}, {facts['interpreter']}, sandbox {level}"


def _grade_there(
    rules: ProgramRules,
    answer: str | NoAnswer,
    sequence: IntegerSequence,
    limit_s: float | None,
    simulated: bool,
) -> Grade:
    """Runs on a worker, whose address becomes a part of the record."""
    from distributed import get_worker

    here: Any = get_worker  # without type hints
    tools = Tools(
        Reply("", None, "stop"),
        limit_s=limit_s,
        simulated=simulated,
        worker=here().address,
    )
    return programs(rules).grade_program(answer, sequence, tools)
