"""Tables of scores, and of searches for breaking points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from pytest_llmarith.figures.searches import BreakingPoint
from pytest_llmarith.report.definitions.results import first_wrong
from pytest_llmarith.safe_text import sanitize_name
from pytest_llmarith.types import SearchEnd
from pytest_llmarith.views import formatting, kinds
from pytest_llmarith.views.fields import WHOSE
from pytest_llmarith.views.places import Here
from pytest_llmarith.views.table import Column, Definition, Kind, Level, Shown

_LONGEST_NAME = 20
NO_ANSWER_IS_0 = "a reply without an answer counts 0 in every score"


class Agreement(NamedTuple):
    """The agreement of the two judges of programs."""

    judged: int
    both: int
    only_static: int
    only_llm: int
    neither: int
    kappa: float | None  # undefined if it is None

    @property
    def agreed(self) -> int:
        return self.both + self.neither


def has_programs(here: Here) -> bool:
    """Whether answers are programs."""
    return bool(here.all("isolation"))


def score_name(here: Here) -> str:
    """The name of a score; that of programs is a limit in seconds."""
    if has_programs(here._replace(variant=None)):
        return f"{here.at} s"
    return here.at


def _of_programs(here: Here) -> bool:
    return here.variant is not None and has_programs(here)


def _judges(here: Here) -> Agreement | None:
    verdicts = {}
    if here.variant is not None:
        for (_, at), figure in here.all("judges").items():
            verdicts[at] = int(figure.value or 0)
    if not verdicts:
        return None
    kappa = here.value("judges_kappa")
    return Agreement(judged=sum(verdicts.values()), **verdicts, kappa=kappa)


def _term_seconds(here: Here) -> list[float] | None:
    if here.variant is None:
        return None
    return [one.value for one in here.all("term_seconds").values()] or None  # type: ignore[misc]


def _agreed(found: Agreement) -> Shown:
    notes = () if found.kappa is None else (f"kappa {found.kappa:.2f}",)
    return Shown(f"{found.agreed:,} of {found.judged:,}", notes=notes)


JUDGES: Kind[Agreement] = Kind(
    _agreed,
    lambda v: v.judged,
)


SECONDS_A_TERM: Kind[Any] = Kind(
    lambda v: Shown(" / ".join(f"{one:.3f}" for one in v)),
    lambda v: v[0],
    "s",
)

SCORES = Definition(
    "scores",
    "scores by variant",
    [
        *WHOSE,
        Column(
            "variant",
            "variant",
            kinds.NAME,
            "the variant, or all of them",
            lambda here: "all" if here.variant is None else here.name,
        ),
        Column(
            "score",
            "score",
            kinds.TEXT,
            "the name of the score, of programs the limit in seconds per term",
            score_name,
        ),
        Column(
            "problems",
            "problems",
            kinds.COUNT,
            "problems with a reply",
            lambda here: here.get("score", here.at).n,
            Level.FULL,
        ),
        Column(
            "mean",
            "score %",
            kinds.PERCENT,
            "the mean, each score 0 without an answer, of programs the share of right "
            "terms",
            lambda here: here.get("score", here.at),
            pictured=True,
        ),
        Column(
            "perfect",
            "perfect %",
            kinds.PERCENT,
            "problems with the score 1",
            lambda here: here.get("perfect_percentage", here.at),
            Level.FULL,
        ),
        Column(
            "unsolved",
            "unsolved",
            kinds.COUNT,
            "problems whose scores are all 0",
            lambda here: None if here.variant is None else here.number("unsolved"),
        ),
        Column(
            "cheating",
            "cheating %",
            kinds.PERCENT,
            "programs that are a lookup table, which score 0",
            lambda here: (
                here.get("cheating_percentage") if _of_programs(here) else None
            ),
            Level.FULL,
        ),
        Column(
            "cheats",
            "lookup tables",
            kinds.COUNT,
            "programs that are a lookup table",
            lambda here: here.number("cheat") if _of_programs(here) else None,
        ),
        Column(
            "first_wrong",
            "first wrong",
            kinds.WRONG,
            "the wrong answer to the smallest question",
            lambda here: None if here.variant is None else first_wrong(here),
            is_optional=True,
        ),
        Column(
            "term_seconds",
            "seconds a term",
            SECONDS_A_TERM,
            "the median, what nine of ten terms take at most, and the most",
            _term_seconds,
            Level.PAGE,
            explained=True,
        ),
        Column(
            "judges",
            "judges agree",
            JUDGES,
            "programs on which both judges agree, and Cohen's kappa",
            _judges,
            Level.PAGE,
            explained=True,
        ),
    ],
)


def score_items(rows: Iterable[Here]) -> list[Here]:
    """A row for each score of each variant, and of all variants together."""
    found = []
    for row in rows:
        scored = row.scored
        places = list(scored)
        if len(scored) != 1 and not has_programs(row):
            places.append(row)
        for place in places:
            found += [place._replace(at=name) for _, name in place.all("score")]
    return found


def score_legend(rows: Iterable[Here]) -> str:
    """How the intervals of scores are made."""
    scored = [one for row in rows for one in row.scored]
    texts = []
    if any(map(has_programs, scored)):
        texts.append("95 % of scores of programs: by bootstrap over sequences")
    if not all(map(has_programs, scored)):
        texts.append("95 % of scores: by Student's t, or Wilson's if all are 0 or 1")
        texts.append(NO_ANSWER_IS_0)
    return "; ".join(texts)


def score_notes(rows: Iterable[Here], level: Level) -> Iterator[str]:
    """What has to be known of scores, a line per fact; the brief ones are which terms
    are wrong.
    """
    scored = [one for row in rows for one in row.scored]
    has_several = len({one.label for one in scored}) > 1
    for one in scored:
        whose = sanitize_name(one.name, _LONGEST_NAME)
        if has_several:
            whose = f"{one.label}, {whose}"
        notes = list(_terms(one))
        if level >= Level.FULL:
            notes += _notes(one)
        for note in notes:
            yield f"{whose}: {note}"


def _terms(here: Here) -> Iterator[str]:
    """Such as `terms: 60 ok, 3 wrong, 2 late`; none if all are right."""
    statuses = here.by_name("term_status")
    if any(status != "ok" for status in statuses):
        counts = [f"{count:,} {status}" for status, count in statuses.items()]
        yield f"terms: {', '.join(counts)}"


def _notes(one: Here) -> Iterator[str]:
    of_programs = has_programs(one)
    cheating = one.get("cheating_percentage")
    if of_programs and cheating:
        yield f"cheating {formatting.with_interval(cheating)} %"
    elif of_programs and one.measured:
        yield "programs were not judged"
    unsolved = one.examples("unsolved")
    if unsolved:
        count = one.number("unsolved")
        yield f"{count} of {one.measured} unsolved: {formatting.named(unsolved)}"
    unprotected = one.number("isolation", "none")
    if unprotected:
        yield (
            f"{unprotected} programs ran without a sandbox, with the rights of this "
            f"user"
        )
    unanswered = one.number("unanswered")
    if unanswered:
        yield f"{unanswered} unanswered, not counted"
    judges = _judges(one)
    if judges:
        yield _agreement(judges)


def _agreement(judges: Agreement) -> str:
    kappa = "undefined" if judges.kappa is None else f"{judges.kappa:.2f}"
    return (
        f"the judges agree on {judges.agreed} of {judges.judged} programs, Cohen's "
        f"kappa {kappa} (cheat: both {judges.both}, only static {judges.only_static}, "
        f"only the model {judges.only_llm})"
    )


# --- searches -------------------------------------------------------------------------


def _broken(found: BreakingPoint) -> Shown:
    """The wrong answer with its class, or that there is none, and how the search
    ended.
    """
    text, notes = "no repeatable error", []
    if found.question is not None:
        text = formatting.wrong_answer(found)
        if found.error_class:
            notes.append(str(found.error_class))
        if found.ended == SearchEnd.BUDGET:
            notes.append("maybe not the simplest")
    elif found.depth_right is not None:
        text += f" up to depth {found.depth_right}"
    if found.ended == SearchEnd.NOT_REPRODUCED:
        questions = formatting.counted(found.not_reproduced, "question")
        notes.append(f"not reproduced: {questions} answered wrongly, then rightly")
    return Shown(text, notes=tuple(notes))


BREAK: Kind[BreakingPoint] = Kind(
    _broken,
    lambda v: v.question,
    is_sorted=False,
    is_left=True,
)


class SearchOfResult(NamedTuple):
    """A search of a result."""

    here: Here
    point: BreakingPoint


def _search(item: SearchOfResult) -> str:
    point = item.point
    if not point.repeat:
        return point.variant
    return f"{point.variant}, repeat {point.repeat}"


def _whose(column: Column[Any]) -> Any:
    return lambda item: column.value(item.here)


SEARCHES = Definition(
    "searches",
    "breaking points",
    [
        *(replace(one, value=_whose(one)) for one in WHOSE),
        Column(
            "search",
            "search",
            kinds.NAME,
            "the variant, and which repeat it is",
            _search,
        ),
        Column(
            "questions",
            "questions",
            kinds.COUNT,
            "questions that were asked",
            lambda item: item.point.questions,
        ),
        Column(
            "breaks_at",
            "breaks at",
            BREAK,
            "the simplest question that was answered wrongly each time",
            lambda item: item.point,
        ),
    ],
)


def search_items(rows: Iterable[Here]) -> list[SearchOfResult]:
    """The searches of results."""
    found = []
    for row in rows:
        found += [
            SearchOfResult(row, point) for point in row.examples("breaking_points")
        ]
    return found
