"""What each mark of ours takes, and which problems it makes of that. It does not know how problems become items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import pytest

from pytest_llmarith.items import own, sequences
from pytest_llmarith.items.marks import ADDITION_MARK, ARITHMETIC_MARK, BREAKING_MARK, NO_SEARCH, OEIS_MARK, OWN_MARK
from pytest_llmarith.settings import Settings
from pytest_llmarith.tasks import addition, arithmetic, breaking_point
from pytest_llmarith.values import Problem

Marks = Sequence[pytest.MarkDecorator]


def arguments_of(metafunc: pytest.Metafunc, marks: list[pytest.Mark], kind: Kind) -> Mapping[str, Any]:
    """What stands in a mark, by name; raises pytest.UsageError where that is not what its kind takes."""
    where = f"{metafunc.definition.nodeid}: @pytest.mark.{marks[0].name}"
    if len(marks) > 1:
        raise pytest.UsageError(f"{where} and {marks[1].name} stand on one function; keep one of them")
    arguments, too_many = _named(marks[0], kind.needs)
    unknown = sorted(set(arguments) - set(kind.keywords))
    if too_many or unknown:
        raise pytest.UsageError(
            f"{where} takes only the keywords {', '.join(sorted(kind.keywords))}, not {unknown or too_many}"
        )
    for name in set(kind.needs) - set(arguments):
        raise pytest.UsageError(f"{where} needs a {name}; write {kind.example}")
    for name, value in arguments.items():
        if not kind.keywords[name](value):
            raise pytest.UsageError(f"{where}: {name}={value!r} is not understood; write {kind.example}")
    return arguments


def _named(mark: pytest.Mark, needs: Sequence[str]) -> tuple[Mapping[str, Any], tuple[Any, ...]]:
    """The arguments of a mark by name, and those for which there is none."""
    return {**dict(zip(needs, mark.args, strict=False)), **mark.kwargs}, mark.args[len(needs) :]


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and value > 0


def _are_counts(value: Any) -> bool:
    return isinstance(value, Iterable) and all(map(_is_count, value))


def _are_names(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(name, str) for name in value)


def _arithmetic(arguments: Mapping[str, Any], settings: Settings) -> Iterable[Problem]:
    depths = settings.depths or arguments.get("depths", range(2, 11))
    trials = settings.trials or arguments.get("trials", 10)
    return arithmetic.problems(settings.seed, depths, trials)


def _addition(arguments: Mapping[str, Any], settings: Settings) -> Iterable[Problem]:
    return addition.problems(settings.seed, settings.trials or arguments.get("trials", 100))


def _searches(arguments: Mapping[str, Any], settings: Settings) -> Iterable[Problem]:
    return breaking_point.problems(settings.seed, settings.breaking_point or 0)


def _no_searches(arguments: Mapping[str, Any], settings: Settings) -> str | None:
    """Searches ask one question after another, so nobody gets one who did not ask for it."""
    return None if settings.breaking_point else NO_SEARCH


def _always_some(arguments: Mapping[str, Any], settings: Settings) -> str | None:
    return None


def _always_fine(metafunc: pytest.Metafunc, arguments: Mapping[str, Any]) -> None:
    pass


def _no_marks(metafunc: pytest.Metafunc, settings: Settings) -> Marks:
    return ()


class Kind(NamedTuple):
    """What a mark of ours takes, checked by name, and what it makes of a function.

    What it `needs` may stand without its name; `mistakes` are shown in one line, and everything else with a traceback.
    """

    keywords: Mapping[str, Callable[[Any], bool]]
    example: str
    problems: Callable[[Mapping[str, Any], Settings], Iterable[Problem]]
    marks: Callable[[pytest.Metafunc, Settings], Marks] = _no_marks
    why_none: Callable[[Mapping[str, Any], Settings], str | None] = _always_some
    needs: Sequence[str] = ()
    check: Callable[[pytest.Metafunc, Mapping[str, Any]], None] = _always_fine
    mistakes: tuple[type[Exception], ...] = (pytest.UsageError, ValueError)


KINDS: Mapping[str, Kind] = {
    ARITHMETIC_MARK: Kind({"depths": _are_counts, "trials": _is_count}, "depths=range(2, 11), trials=10", _arithmetic),
    ADDITION_MARK: Kind({"trials": _is_count}, "trials=100", _addition),
    BREAKING_MARK: Kind({}, "no keyword", _searches, why_none=_no_searches),
    OEIS_MARK: Kind(
        {"sets": _are_names}, 'sets=["classic_easy"]', sequences.problems, sequences.limit_marks, sequences.why_none
    ),
    OWN_MARK: Kind(
        {"task": own.is_task, "trials": _is_count},
        own.EXAMPLE,
        own.problems,
        needs=("task",),
        check=own.claim_name,
        mistakes=(pytest.UsageError,),
    ),
}
