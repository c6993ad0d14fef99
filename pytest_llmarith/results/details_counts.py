"""Counts details of grades: how numbers are wrong, scores between 0 and 1, and what
programs do.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import fsum
from typing import Any, TypeVar

from pytest_llmarith import summaries
from pytest_llmarith.records import NumberDetails, ProgramDetails, Record
from pytest_llmarith.results.percentages import percentage, share_with
from pytest_llmarith.results.tallies import amounts_of, problem_of
from pytest_llmarith.statistics.intervals import Interval
from pytest_llmarith.statistics.means import bootstrap_mean, error_of_mean, of_mean
from pytest_llmarith.statistics.shares import kappa
from pytest_llmarith.types import ErrorClass, Level, Outcome, Reading, TermStatus

MOST_POSITIONS = 30  # from either end of a number
_MOST_OF_STRATUM = 100  # and more
_DECIMALS = 4
_MOST_TERMS = 100  # by place
SCORE = "score"  # the name of the score by which a task grades

_Counted = TypeVar("_Counted")


class ErrorCounts:
    """Counts the numbers of one model and one task."""

    def __init__(self) -> None:
        self._has_numbers = False
        self._all = _Errors()
        self._variants: defaultdict[str, _Errors] = defaultdict(_Errors)
        self._digit_match, self._dlength = array("d"), array("d")
        self._tolerant = self._strict = 0

    def add(self, record: Record) -> None:
        """Count one record."""
        if record.reading is None or record.grade is None:
            return
        self._has_numbers = True
        scores, details = record.grade.scores, record.number
        self._tolerant += scores.get(Reading.TOLERANT) == 1
        self._strict += scores.get(Reading.STRICT) == 1
        if details is None:
            return
        self._digit_match.append(details.digit_match)
        self._dlength.append(details.dlength)
        if details.error_class is None:
            return
        self._all.add(details.error_class, details)
        if record.problem.variant is not None:
            self._variants[record.problem.variant].add(details.error_class, details)

    def part(self) -> summaries.ErrorTotals | None:
        """The errors for a summary; None if the answers of the task are not numbers."""
        if not self._has_numbers:
            return None
        deviates = self._all.classes.total()
        classes = []
        for error_class in ErrorClass:
            count = self._all.classes[error_class]
            share = percentage(count, deviates)
            classes.append(summaries.ClassOfErrors(error_class, count, share))
        by_variant = {}
        for variant, errors in sorted(self._variants.items()):
            by_variant[variant] = summaries.ErrorsOfVariant(
                _in_order(errors.classes, ErrorClass), errors.positions()
            )
        return summaries.ErrorTotals(
            classes=classes,
            digit_match=_mean(self._digit_match),
            dlength=_mean(self._dlength),
            positions=self._all.positions(),
            by_variant=by_variant,
            strict={"tolerant_correct": self._tolerant, "strict_correct": self._strict},
        )


class _Errors:
    """Error classes, and wrong digits by position in answers with the sign and length
    of the truth.
    """

    def __init__(self) -> None:
        self.classes = Counter[ErrorClass]()
        # by position, and whether the digit is wrong
        self._from_left = Counter[tuple[int, bool]]()
        self._from_right = Counter[tuple[int, bool]]()

    def add(self, error_class: ErrorClass, details: NumberDetails) -> None:
        self.classes[error_class] += 1
        wrong = [digit == "1" for digit in details.wrong_digits or ""]
        self._from_left.update(enumerate(wrong[:MOST_POSITIONS], 1))
        self._from_right.update(enumerate(wrong[::-1][:MOST_POSITIONS], 1))

    def positions(self) -> summaries.Positions:
        return {
            "from_left": _strata(self._from_left, "position", "wrong", "digits"),
            "from_right": _strata(self._from_right, "position", "wrong", "digits"),
        }


class StrataCounts:
    """Counts right answers by the strata of problems."""

    def __init__(self) -> None:
        self._counts: defaultdict[str, Counter[tuple[int, bool]]] = defaultdict(Counter)

    def add(self, record: Record) -> None:
        """Count one record."""
        if record.outcome is Outcome.UNANSWERED:
            return
        is_correct = record.outcome is Outcome.CORRECT
        for name, value in record.problem.strata.items():
            self._counts[name][min(value, _MOST_OF_STRATUM), is_correct] += 1

    def part(self) -> dict[str, Any]:
        """The strata for a summary."""
        strata = {}
        for name, counts in self._counts.items():
            strata[name] = _strata(counts, "value", "correct", "measured")
        return strata


def _strata(
    counts: Counter[tuple[int, bool]], number_name: Any, true_name: Any, all_name: Any
) -> list[dict[Any, int]]:
    """Each number, how often it occurs with True, and how often in all, under these
    names.
    """
    strata = []
    for number in sorted({number for number, _ in counts}):
        true = counts[number, True]
        in_all = true + counts[number, False]
        strata.append({number_name: number, true_name: true, all_name: in_all})
    return strata


def _mean(values: Sequence[float]) -> float | None:
    if not values:
        return None
    return round(fsum(values) / len(values), _DECIMALS)


def _in_order(
    counts: Counter[_Counted], kinds: Iterable[_Counted]
) -> dict[_Counted, int]:
    """The counts that are not 0, in the order of the kinds."""
    return {kind: counts[kind] for kind in kinds if counts[kind]}


# --- scores ---------------------------------------------------------------------------


class ScoreCounts:
    """Counts scores by name and problem. An unanswered trial has none; a reply without
    an answer counts 0 in all of them.
    """

    def __init__(self) -> None:
        self._scores: defaultdict[str, defaultdict[int, list[float]]] = defaultdict(
            lambda: defaultdict(list)
        )
        self._no_answer = Counter[int]()  # replies by problem, graded by no name
        self._solved: dict[str, bool] = {}  # by question
        self._has_names = self._has_fractions = self._has_programs = False

    def add(self, record: Record) -> None:
        """Count one record."""
        grade = record.grade
        if grade is None or grade.score is None or record.reading is not None:
            return
        scores = grade.scores
        self._has_names |= bool(scores)
        self._has_fractions |= 0 < grade.score < 1
        self._has_programs |= record.program is not None
        problem = problem_of(record)
        self._scores[SCORE][problem].append(grade.score)
        for name, score in scores.items():
            self._scores[name][problem].append(score)
        if record.outcome is Outcome.NAN and not scores:
            self._no_answer[problem] += 1
        question = record.problem.label
        if record.program:
            question, _, _ = record.problem.short.partition(" ")
        is_solved = grade.score > 0 or any(scores.values())
        self._solved[question] = self._solved.get(question, False) or is_solved

    @property
    def unsolved(self) -> list[str]:
        """The problems whose scores are all 0."""
        return sorted(name for name, is_solved in self._solved.items() if not is_solved)

    def part(self) -> list[summaries.Scores]:
        """The scores for a summary; none if all are 0 or 1, and have no name."""
        if not self._has_names and not self._has_fractions:
            return []
        names = [name for name in self._scores if name != SCORE]
        # The score of a program is that of the largest limit.
        if not self._has_programs:
            names.insert(0, SCORE)
        return [self._part(name) for name in sorted(names, key=_number_or_place)]

    def _part(self, name: str) -> summaries.Scores:
        found = {problem: list(each) for problem, each in self._scores[name].items()}
        if name != SCORE:
            for problem, replies in self._no_answer.items():
                found.setdefault(problem, []).extend([0.0] * replies)
        scores = [fsum(each) / len(each) for each in found.values()]
        # Sums and draws do not depend on the order of the records.
        scores.sort()
        perfect = scores.count(1)
        return summaries.Scores(
            name=name,
            problems=len(scores),
            mean=self._mean(scores),
            perfect=perfect,
            perfect_percentage=percentage(perfect, len(scores)),
            # as in arXiv 2411.04372, figure 2
            curve=[round(score, _DECIMALS) for score in reversed(scores)],
        )

    def _mean(self, scores: Sequence[float]) -> summaries.Percentage:
        """The mean: of programs with an interval by bootstrap, of other scores by
        Student's t over problems.
        """
        mean = fsum(scores) / len(scores)
        if self._has_programs:
            return share_with(bootstrap_mean(scores), mean)
        perfect = scores.count(1)
        if perfect + scores.count(0) == len(scores):
            share = percentage(perfect, len(scores))
            assert share is not None  # there are scores
            return share
        error = error_of_mean(scores)
        if not error:
            return share_with(None, mean)
        (low, high), _ = of_mean(mean, error, len(scores) - 1)
        return share_with(Interval(max(0.0, low), min(1.0, high)), mean)


def _number_or_place(name: str) -> tuple[float, str]:
    """Limits in seconds by size; other names stay in their order."""
    try:
        return float(name), ""
    except ValueError:
        return 0.0, ""


# --- programs -------------------------------------------------------------------------


class ProgramCounts:
    """Counts the programs of one model and one set."""

    def __init__(self) -> None:
        # Of programs that are no lookup tables, without inconclusive terms. By place,
        # and whether they are right.
        self._terms = Counter[tuple[int, bool]]()
        self._statuses = Counter[TermStatus]()
        self._seconds = array("d")
        self._judged = self._cheats = self._counted = 0
        self._levels = Counter[Level]()
        # of the static judge and the model
        self._verdicts = Counter[tuple[bool, bool]]()

    def add(self, record: Record, program: ProgramDetails) -> None:
        """Count one record."""
        if record.outcome is Outcome.UNANSWERED:
            return
        is_cheat = record.outcome is Outcome.CHEAT
        self._counted += 1
        self._cheats += is_cheat
        self._levels[program.isolation.level] += 1
        static, llm = program.judges.static, program.judges.llm
        self._judged += static is not None or llm is not None
        if static and llm and llm.cheat is not None:
            self._verdicts[static.cheat, llm.cheat] += 1
        if is_cheat:
            return
        for place, term in enumerate(program.terms, 1):
            if term.status is TermStatus.INCONCLUSIVE:
                continue
            self._statuses[term.status] += 1
            self._seconds.append(term.seconds)
            if place <= _MOST_TERMS:
                self._terms[place, term.status is TermStatus.OK] += 1

    def part(self) -> summaries.Programs:
        """The programs for a summary."""
        programs = summaries.Programs(
            cheating=None,
            by_term=_strata(self._terms, "term", "right", "run"),
            term_statuses=_in_order(self._statuses, TermStatus),
            term_seconds=None,
            isolation=dict(sorted(self._levels.items())),
            judges=self._agreement(),
        )
        if self._judged:
            programs.cheating = percentage(self._cheats, self._counted)
        seconds = amounts_of("latency_s", self._seconds)
        if seconds is not None:
            programs.term_seconds = {
                "median": seconds.median,
                "p90": seconds.p90,
                "max": max(self._seconds),
            }
        return programs

    def _agreement(self) -> summaries.Agreement | None:
        total = self._verdicts.total()
        if not total:
            return None
        both, static = self._verdicts[True, True], self._verdicts[True, False]
        llm, neither = self._verdicts[False, True], self._verdicts[False, False]
        return summaries.Agreement(
            judged=total,
            both=both,
            only_static=static,
            only_llm=llm,
            neither=neither,
            agreement=percentage(both + neither, total),
            kappa=kappa(both, static, llm, neither),
        )
