"""Which trials somebody wants to see. It does not know where they come from."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from fnmatch import fnmatchcase

from pytest_llmarith.records import Record
from pytest_llmarith.reports.harmless import sanitize_name
from pytest_llmarith.reports.mistake import Mistake

_LONGEST_NAME = 60
_MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class Choice:
    """Is asked about every record."""

    models: Sequence[str] = ()
    tasks: Sequence[str] = ()
    min_depth: int | None = None
    max_depth: int | None = None

    def __post_init__(self) -> None:
        """Raises Mistake where no depth can be between these."""
        for name, depth in (("--min-depth", self.min_depth), ("--max-depth", self.max_depth)):
            if depth is not None and depth < 1:
                raise Mistake(f"{name}={depth}: expected a depth, which is 1 or more")
        if self.min_depth is not None and self.max_depth is not None and self.min_depth > self.max_depth:
            raise Mistake(f"--min-depth={self.min_depth} --max-depth={self.max_depth}: no depth is between these")

    def __bool__(self) -> bool:
        """Whether anything is left out."""
        return bool(self.models or self.tasks or self._bounds_depth)

    @property
    def _bounds_depth(self) -> bool:
        return self.min_depth is not None or self.max_depth is not None

    def __call__(self, record: Record) -> bool:
        return (
            _matches(record.model, self.models)
            and _matches(record.task, self.tasks)
            and (not self._bounds_depth or self._is_deep(getattr(record.problem, "depth", None)))
        )

    def _is_deep(self, depth: int | None) -> bool:
        """A trial without a depth is of none."""
        return (
            depth is not None and (self.min_depth or 0) <= depth and (self.max_depth is None or depth <= self.max_depth)
        )

    def __str__(self) -> str:
        """Such as `task arithmetic, depth 5 to 8`."""
        named = [f"{kind} {' or '.join(map(_shown, names))}" for kind, names in self._named() if names]
        return ", ".join([*named, *([f"depth {self._depths()}"] if self._bounds_depth else [])])

    def _depths(self) -> str:
        if self.max_depth is None:
            return f"{self.min_depth} and more"
        return f"{self.min_depth} to {self.max_depth}" if self.min_depth is not None else f"up to {self.max_depth}"

    def _named(self) -> list[tuple[str, Sequence[str]]]:
        return [("model", self.models), ("task", self.tasks)]

    def nothing(self, met: Set[tuple[str, str]]) -> Mistake:
        """What is said where no trial of these models and tasks was wanted."""
        models, tasks = {model for model, _ in met}, {task for _, task in met}
        return Mistake(f"no trial of {self}; there are models {_listed(models)} and tasks {_listed(tasks)}")


def _matches(name: str, patterns: Sequence[str]) -> bool:
    """Whether it is one of these names, or like one of them where they hold a star."""
    return not patterns or any(name == pattern or fnmatchcase(name, pattern) for pattern in patterns)


def _listed(names: Set[str]) -> str:
    more = ", ..." if len(names) > _MOST_NAMED else ""
    return ", ".join(map(_shown, sorted(names)[:_MOST_NAMED])) + more


def _shown(name: str) -> str:
    return sanitize_name(name, _LONGEST_NAME)
