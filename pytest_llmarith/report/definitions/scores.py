"""Tables of scores, and of searches for breaking points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from pytest_llmarith.figures.searches import BreakingPoint
from pytest_llmarith.report import formatting, kinds
from pytest_llmarith.report.definitions.results import WHOSE, Of, items_of
from pytest_llmarith.report.series import ResultOfRun
from pytest_llmarith.report.table import Column, Definition, Kind, Level, Shown
from pytest_llmarith.safe_text import sanitize_name
from pytest_llmarith.summaries import (
    Agreement,
    Programs,
    Result,
    Scores,
    Variant,
)
from pytest_llmarith.types import Level as Isolation
from pytest_llmarith.types import SearchEnd, TermStatus

_MOST_NAMED = 5
_LONGEST_NAME = 20


NO_ANSWER_IS_0 = "a reply without an answer counts 0 in every score"


class VariantScore(NamedTuple):
    """One score of a variant, or of all of them if there is no variant."""

    variant: Variant | None
    score: Scores


def _name(item: Of) -> str:
    variant = item.one.variant
    if variant is None:
        return "all"
    return variant.variant or item.row.result.task


def _programs(item: Of) -> Programs | None:
    variant: Variant | None = item.one.variant
    return variant.programs if variant else None


def score_name(result: Result, score: Scores) -> str:
    """The name of a score; that of programs is a limit in seconds."""
    if any(one.programs for one in result.variants):
        return f"{score.name} s"
    return score.name


JUDGES: Kind[Agreement] = Kind(
    {
        "judged": "integer",
        "agreed": "integer",
        "only_static": "integer",
        "only_llm": "integer",
        "kappa": "number",
    },
    lambda v: Shown(f"{v.both + v.neither:,} of {v.judged:,}", note=_kappa(v)),
    lambda v: [v.judged, v.both + v.neither, v.only_static, v.only_llm, v.kappa],
)


def _kappa(found: Agreement) -> str:
    if found.kappa is None:
        return ""
    return f"kappa {found.kappa:.2f}"


SECONDS_A_TERM: Kind[Any] = Kind(
    {"median": "number", "p90": "number", "max": "number"},
    lambda v: Shown(f"{v['median']:.3f} / {v['p90']:.3f} / {v['max']:.3f}"),
    lambda v: [v["median"], v["p90"], v["max"]],
    "s",
)

SCORES = Definition(
    "scores",
    "scores by variant",
    [
        *WHOSE,
        Column("variant", "variant", kinds.NAME, "the variant, or all of them", _name),
        Column(
            "score",
            "score",
            kinds.TEXT,
            "the name of the score, of programs the limit in seconds per term",
            lambda item: score_name(item.row.result, item.one.score),
        ),
        Column(
            "problems",
            "problems",
            kinds.COUNT,
            "problems with a reply",
            lambda item: item.one.score.problems,
        ),
        Column(
            "mean",
            "score %",
            kinds.PERCENT,
            "the mean, each score 0 without an answer, of programs the share of right "
            "terms",
            lambda item: item.one.score.mean,
            pictured=True,
        ),
        Column(
            "perfect",
            "perfect %",
            kinds.PERCENT,
            "problems with the score 1",
            lambda item: item.one.score.perfect_percentage,
            Level.FULL,
        ),
        Column(
            "unsolved",
            "unsolved",
            kinds.COUNT,
            "problems whose scores are all 0",
            lambda item: item.one.variant and item.one.variant.unsolved_count,
        ),
        Column(
            "cheating",
            "cheating %",
            kinds.PERCENT,
            "programs that are a lookup table, which score 0",
            lambda item: getattr(_programs(item), "cheating", None),
            Level.FULL,
        ),
        Column(
            "cheats",
            "lookup tables",
            kinds.COUNT,
            "programs that are a lookup table",
            lambda item: item.one.variant.cheat if _programs(item) else None,
        ),
        Column(
            "term_seconds",
            "seconds a term",
            SECONDS_A_TERM,
            "the median, what nine of ten terms take at most, and the most",
            lambda item: getattr(_programs(item), "term_seconds", None),
            Level.PAGE,
            explained=True,
        ),
        Column(
            "judges",
            "judges agree",
            JUDGES,
            "programs on which both judges agree, and Cohen's kappa",
            lambda item: getattr(_programs(item), "judges", None),
            Level.PAGE,
            explained=True,
        ),
    ],
)


def score_items(rows: Iterable[ResultOfRun]) -> list[Of]:
    """A row for each score of each variant, and of all variants together."""
    found = []
    for row in rows:
        scored = row.result.scored
        for one in scored:
            for score in one.scores:
                found.append(Of(row, VariantScore(one, score)))
        if len(scored) != 1:
            for score in row.result.scores:
                found.append(Of(row, VariantScore(None, score)))
    return found


def score_legend(rows: Iterable[ResultOfRun]) -> str:
    """How the intervals of scores are made."""
    of_programs = others = False
    for row in rows:
        for one in row.result.scored:
            if one.programs:
                of_programs = True
            else:
                others = True
    texts = []
    if of_programs:
        texts.append("95 % of scores of programs: by bootstrap over sequences")
    if others:
        texts.append("95 % of scores: by Student's t, or Wilson's if all are 0 or 1")
        texts.append(NO_ANSWER_IS_0)
    return "; ".join(texts)


def score_notes(rows: Iterable[ResultOfRun]) -> Iterator[str]:
    """What has to be known of scores, a line per fact."""
    scored = [row for row in rows if row.result.scored]
    has_several = len({row.label for row in scored}) > 1
    for row in scored:
        for one in row.result.scored:
            whose = sanitize_name(one.variant or row.result.task, _LONGEST_NAME)
            if has_several:
                whose = f"{row.label}, {whose}"
            for note in _notes(one):
                yield f"{whose}: {note}"


def _notes(one: Variant) -> Iterator[str]:
    programs = one.programs
    if programs and programs.cheating:
        share = formatting.with_interval(programs.cheating)
        yield f"cheating {share.replace(' (', ' % (')}"
    elif programs and one.measured:
        yield "programs were not judged"
    if one.unsolved_count:
        some = one.unsolved[:_MOST_NAMED]
        named = [sanitize_name(number, _LONGEST_NAME) for number in some]
        if one.unsolved_count > _MOST_NAMED:
            named.append("...")
        yield f"{one.unsolved_count} of {one.measured} unsolved: {', '.join(named)}"
    if programs:
        unprotected = programs.isolation.get(Isolation.NONE)
        if unprotected:
            yield (
                f"{unprotected} programs ran without a sandbox, with the rights of "
                f"this user"
            )
    if one.unanswered:
        yield f"{one.unanswered} unanswered, not counted"
    if programs and programs.judges:
        yield _agreement(programs.judges)


def _agreement(judges: Agreement) -> str:
    kappa = "undefined" if judges.kappa is None else f"{judges.kappa:.2f}"
    return (
        f"the judges agree on {judges.both + judges.neither} of {judges.judged} "
        f"programs, Cohen's kappa {kappa} (cheat: both {judges.both}, only static "
        f"{judges.only_static}, only the model {judges.only_llm})"
    )


def terms(item: Of) -> str:
    """Such as `terms: 60 ok, 3 wrong, 2 late`; empty if all are right."""
    programs = _programs(item)
    statuses = programs.term_statuses if programs else {}
    if all(status == TermStatus.OK for status in statuses):
        return ""
    counts = [f"{count:,} {status}" for status, count in statuses.items()]
    return f"terms: {', '.join(counts)}"


# --- searches -------------------------------------------------------------------------


class Break(NamedTuple):
    """Where a search ended."""

    point: BreakingPoint

    @property
    def text(self) -> str:
        """The wrong answer, or that there is none."""
        if self.point.question is not None:
            return formatting.wrong_answer(self.point)
        if self.point.depth_right is None:
            return "no repeatable error"
        return f"no repeatable error up to depth {self.point.depth_right}"


BREAK: Kind[Break] = Kind(
    {"question": "string", "expected": "string", "answer": "string"},
    lambda v: Shown(v.text),
    lambda v: [v.point.question, v.point.expected, v.point.answer],
    is_sorted=False,
)


def _search(item: Of) -> str:
    point: BreakingPoint = item.one
    if not point.repeat:
        return point.variant
    return f"{point.variant}, repeat {point.repeat}"


SEARCHES = Definition(
    "searches",
    "breaking points",
    [
        *WHOSE,
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
            lambda item: item.one.questions,
        ),
        Column(
            "breaks_at",
            "breaks at",
            BREAK,
            "the simplest question that was answered wrongly each time",
            lambda item: Break(item.one),
        ),
        Column(
            "error_class",
            "error",
            kinds.TEXT,
            "the class of the error, or why there is no answer",
            lambda item: _error(item.one),
            Level.PAGE,
        ),
        Column(
            "ended",
            "ended",
            kinds.TEXT,
            "how the search ended",
            lambda item: str(item.one.ended),
            Level.DATA,
        ),
    ],
)


def _error(point: BreakingPoint) -> str | None:
    if point.question is None:
        return None
    return str(point.error_class or point.reason or "no class")


def search_items(rows: Iterable[ResultOfRun]) -> list[Of]:
    """The searches of results."""
    return items_of(rows, lambda result: result.breaking_points)


def search_note(point: BreakingPoint, shown: str) -> str:
    """What the row of a search does not show: the rest of its wrong answer, its class,
    and how the search ended.
    """
    notes = []
    if point.question is not None:
        whole = formatting.wrong_answer(point)
        if whole != shown:
            notes.append(whole)
        if point.error_class:
            notes.append(str(point.error_class))
        if point.ended == SearchEnd.BUDGET:
            notes.append("maybe not the simplest")
    if point.ended == SearchEnd.NOT_REPRODUCED:
        questions = formatting.counted(point.not_reproduced, "question")
        notes.append(f"not reproduced: {questions} answered wrongly, then rightly")
    return "; ".join(notes)
