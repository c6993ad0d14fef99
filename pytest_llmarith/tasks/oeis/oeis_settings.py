"""The settings of the OEIS task, from the options of a run."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from pytest_llmarith.parsers import one_of, scheduler_address, seconds, whole
from pytest_llmarith.sandbox.program_runs import IsolationLevel, ProgramLimits
from pytest_llmarith.tasks.oeis.cache import STARTER, Cache, check_name, checked_sets
from pytest_llmarith.tasks.oeis.details import Rules
from pytest_llmarith.tasks.oeis.lookup_table.model_judge import PARAMS
from pytest_llmarith.tasks.task import LONGEST_LIMIT_S
from pytest_llmarith.types import Model

_MIN_MEMORY = 1 << 26  # the minimum for Python to start


class GivenOptions(Protocol):
    """The values of options by their flags, parsed on request."""

    def raw(self, flag: str) -> Any: ...
    def value(self, flag: str, parse: Callable[[str], Any]) -> Any: ...
    def optional(self, flag: str, parse: Callable[[str], Any]) -> Any: ...


@dataclass(frozen=True, slots=True)
class OeisSettings:
    """None leaves the choice to the bench or the machine."""

    sets: tuple[str, ...] | None
    ini_sets: tuple[str, ...] | None
    cache: Path
    limits: ProgramLimits
    terms: int | None
    sandbox: IsolationLevel | None
    rules: Rules
    static_judge: bool
    judge: Model | None
    scheduler: str | None

    @property
    def facts(self) -> dict[str, Any]:
        """What the summary of a run says of them."""
        return {
            "sets": self.sets,
            "limits": self.limits.seconds,
            "terms": self.terms,
            "memory_bytes": self.limits.memory_bytes,
            "rules": self.rules,
            "static_judge": self.static_judge,
            "judge": self.judge,
        }

    @property
    def graders(self) -> tuple[Model, ...]:
        """The models that it asks for verdicts."""
        return () if self.judge is None else (self.judge,)

    @property
    def entries(self) -> Cache:
        return _cache_at(self.cache)

    def check(self, has_models: bool) -> None:
        """Raises ValueError if a judge has nothing to judge, or if a set that was asked
        for is unknown or incomplete.
        """
        if self.judge and not has_models:
            raise ValueError(
                "--oeis-judge: a model judges only in a run with --llm-model; add "
                "--llm-model=NAME"
            )
        if self.sets:
            self.sets_of()

    def sets_of(self, named: Sequence[str] = ()) -> tuple[str, ...]:
        """The sets of a function: from the option, else those that its mark names, else
        the ini file, else the starter set.

        Raises ValueError if a set is unknown or incomplete.
        """
        where = ""
        sets: Sequence[str] = (STARTER,)
        if self.sets:
            sets, where = self.sets, "--oeis-sets: "
        elif named:
            sets = named
        elif self.ini_sets:
            sets, where = self.ini_sets, "oeis_sets (ini file): "
        try:
            return checked_sets(sets, self.entries)
        except ValueError as error:
            raise ValueError(f"{where}{error}") from None

    def why_no_sets(self, named: Sequence[str] = ()) -> str | None:
        """Why there are no sequences: the default set may be missing."""
        if self.sets or self.ini_sets or named:
            return None
        try:
            self.sets_of()
        except ValueError as error:
            return str(error)
        return None


@cache
def _cache_at(folder: Path) -> Cache:
    return Cache(folder)


def oeis_settings(
    given: GivenOptions, root: Path, model_of: Callable[[str, str], Model]
) -> OeisSettings:
    """The settings. Relative folders are in `root`; `model_of(option, text)` is the
    model that an option names.
    """
    kind, _, judge = str(given.raw("--oeis-judge")).partition(":")
    if (kind in ("static", "none")) == bool(judge.strip()) or kind not in (
        "static",
        "none",
        "llm",
        "both",
    ):
        raise ValueError(
            "--oeis-judge: write static, llm:MODEL, both:MODEL or none, such as "
            "llm:gpt-4o-mini, "
            f"not {given.raw('--oeis-judge')!r}"
        )
    scheduler = given.optional("--oeis-scheduler", scheduler_address)
    if scheduler and judge:
        raise ValueError(
            "--oeis-scheduler: a model judges programs only where they run here; write "
            "--oeis-judge=static"
        )
    return OeisSettings(
        sets=given.optional("--oeis-sets", _sets),
        ini_sets=given.optional("oeis_sets", _sets),
        cache=root / given.value("oeis_cache", str),
        limits=ProgramLimits(
            seconds=given.value("--oeis-limits", _limits),
            memory_bytes=given.value("oeis_memory", _memory),
        ),
        terms=given.optional(
            "--oeis-terms",
            lambda text: None if text == "all" else whole(1, 1_000_000)(text),
        ),
        sandbox=given.optional("--oeis-sandbox", one_of(IsolationLevel)),
        rules=given.value("oeis_rules", one_of(Rules)),
        static_judge=kind in ("static", "both"),
        judge=_judge(model_of("--oeis-judge", judge)) if judge else None,
        scheduler=scheduler,
    )


def _judge(model: Model) -> Model:
    """A judge gets the paper's request parameters unless its own replace them; null
    removes one.
    """
    given = {**PARAMS, **model.params}
    params = {name: value for name, value in given.items() if value is not None}
    return replace(model, name=f"judge:{model.name}", params=params, grades=True)


def _sets(text: str) -> tuple[str, ...]:
    sets = tuple(name.strip() for name in text.split(","))
    for name in sets:
        check_name(name)
    return sets


def _limits(text: str) -> tuple[float, ...]:
    try:
        limits = tuple(sorted({seconds(part.strip()) for part in text.split(",")}))
    except ValueError:
        raise ValueError(
            f"{text!r} is not one or more positive numbers of seconds; write 0.5,4"
        ) from None
    if limits[-1] > LONGEST_LIMIT_S:
        raise ValueError(
            f"{limits[-1]:g} s is longer than {LONGEST_LIMIT_S:g} s; write 0.5,4"
        )
    return limits


def _memory(text: str) -> int:
    match = re.fullmatch(r"(\d{1,6})\s*(KiB|MiB|GiB)", text.strip(), re.ASCII)
    size = 0
    if match:
        size = int(match[1]) << {"KiB": 10, "MiB": 20, "GiB": 30}[match[2]]
    if size < _MIN_MEMORY:
        raise ValueError(
            f"{text!r} is not a size in KiB, MiB or GiB from {_MIN_MEMORY >> 20}MiB; "
            f"write 512MiB or 2GiB"
        )
    return size
