"""Counts what only some tasks have: how numbers are wrong, and how programs score."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence
from decimal import Decimal
from math import fsum
from typing import Any

from pytest_llmarith import records
from pytest_llmarith.exact import Case, carries, wrong_from_left, wrong_from_right
from pytest_llmarith.exact.decimals import decimal_from
from pytest_llmarith.records import AdditionProblem, Answer, ArithmeticProblem, NumberProblem, Record, SequenceProblem
from pytest_llmarith.results.statistics import bootstrap_mean, kappa, percentage, share_with
from pytest_llmarith.results.tallies import Tally, amounts_of
from pytest_llmarith.types import TOLERANCES, ErrorClass, Level, Outcome, Reading, TermStatus

MOST_POSITIONS = 30  # from either end of a number
_MOST_CARRIES = 100  # and more
_DECIMALS = 4
_MOST_NAMED = 500  # unsolved sequences
_MOST_TERMS = 100  # by place


def _answer(record: Record, reading: Reading | None) -> Decimal | None:
    """The number that this reading found."""
    text = record.answer.by(reading) if isinstance(record.answer, Answer) else None
    return None if text is None else decimal_from(text)


class ErrorCounts:
    """Counts the records of one model and one task."""

    def __init__(self) -> None:
        self._has_numbers = False
        self._all, self._variants = _Errors(), dict[str, _Errors]()
        self._digit_match, self._dlength = array("d"), array("d")
        self._carries, self._chains = Counter[tuple[int, bool]](), Counter[tuple[int, bool]]()
        self._tolerant = self._strict = 0

    def add(self, record: Record) -> None:
        """Count one record."""
        problem = record.problem
        if not isinstance(problem, ArithmeticProblem | AdditionProblem):
            return
        self._has_numbers = True
        if record.outcome is Outcome.UNANSWERED:
            return
        is_correct = record.outcome is Outcome.CORRECT
        if counted := carries(problem.op, *map(decimal_from, problem.operands)):
            self._carries[min(counted.number, _MOST_CARRIES), is_correct] += 1
            self._chains[min(counted.longest_chain, _MOST_CARRIES), is_correct] += 1
        is_tolerant = _is_correct(record, problem)
        self._tolerant += is_tolerant
        self._strict += is_tolerant and _answer(record, Reading.STRICT) is not None
        if record.grade is None:
            return
        self._digit_match.append(record.grade.digit_match)
        self._dlength.append(record.grade.dlength)
        answer, error_class = _answer(record, record.reading), record.grade.error_class
        if error_class is None or answer is None:
            return
        case = _case(problem, answer)
        self._all.add(error_class, case)
        if isinstance(problem, ArithmeticProblem):
            self._variants.setdefault(problem.variant, _Errors()).add(error_class, case)

    def part(self) -> records.ErrorTotals | None:
        """The errors for a summary; None if the answers of the task are not numbers."""
        if not self._has_numbers:
            return None
        counts, deviates = self._all.classes, self._all.classes.total()
        return records.ErrorTotals(
            classes=[records.ClassOfErrors(one, counts[one], percentage(counts[one], deviates)) for one in ErrorClass],
            digit_match=_mean(self._digit_match),
            dlength=_mean(self._dlength),
            positions=self._all.positions(),
            carries=_strata(self._carries, "carries", "correct", "measured"),
            longest_chain=_strata(self._chains, "chain", "correct", "measured"),
            by_variant={
                variant: records.ErrorsOfVariant(
                    {one: errors.classes[one] for one in ErrorClass if errors.classes[one]}, errors.positions()
                )
                for variant, errors in sorted(self._variants.items())
            },
            strict={"tolerant_correct": self._tolerant, "strict_correct": self._strict},
        )


class _Errors:
    """Error classes, and wrong digits by position in answers with the sign and length of the truth."""

    def __init__(self) -> None:
        self.classes = Counter[ErrorClass]()
        self._from_left, self._from_right = Counter[tuple[int, bool]](), Counter[tuple[int, bool]]()

    def add(self, error_class: ErrorClass, case: Case) -> None:
        self.classes[error_class] += 1
        self._from_left.update(enumerate(wrong_from_left(case, MOST_POSITIONS) or (), 1))
        self._from_right.update(enumerate(wrong_from_right(case, MOST_POSITIONS) or (), 1))

    def positions(self) -> records.Positions:
        from_left, from_right = (
            _strata(counts, "position", "wrong", "digits") for counts in (self._from_left, self._from_right)
        )
        return {"from_left": from_left, "from_right": from_right}


def _strata(counts: Counter[tuple[int, bool]], *names: Any) -> list[dict[Any, int]]:
    """Each number, how often it occurs with True, and how often in all, under these names."""
    numbers = sorted({number for number, _ in counts})
    strata = ((n, counts[n, True], counts[n, True] + counts[n, False]) for n in numbers)
    return [dict(zip(names, stratum, strict=True)) for stratum in strata]


def _is_correct(record: Record, problem: NumberProblem) -> bool:
    """Whether the tolerant reading is correct. Only answers that the strict reading rejected are graded again."""
    if record.outcome is not Outcome.NAN:
        return record.outcome is Outcome.CORRECT
    answer = _answer(record, Reading.TOLERANT)
    if answer is None:
        return False
    return _case(problem, answer).is_correct


def _case(problem: NumberProblem, answer: Decimal) -> Case:
    tolerance = TOLERANCES[problem.dtype]
    return Case.of(problem.op, problem.dtype, problem.operands, problem.expected, answer, tolerance)


def _mean(values: Sequence[float]) -> float | None:
    return round(fsum(values) / len(values), _DECIMALS) if values else None


# --- programs -------------------------------------------------------------------------------------------------------


class SequenceSet:
    """Counts the records of one model and one set.

    A sequence without a program, or with a lookup table, scores 0; an unanswered one is not counted.
    """

    def __init__(self) -> None:
        self.tally = Tally()
        self._scores: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        self._solved: dict[str, bool] = {}
        # Of programs that are no lookup tables, without inconclusive terms.
        self._terms = Counter[tuple[int, bool]]()  # by place, and whether they are right
        self._statuses = Counter[TermStatus]()
        self._seconds = array("d")
        self._judged = 0
        self._levels: Counter[Level] = Counter()
        self._verdicts: Counter[tuple[bool, bool]] = Counter()  # of the static judge and the model

    def add(self, record: Record, problem: SequenceProblem) -> None:
        """Count one record."""
        self.tally.add(record)
        program = record.oeis
        if record.outcome is Outcome.UNANSWERED or program is None or program.scores is None:
            return
        for limit, score in program.scores.items():
            self._scores[limit][problem.number].append(score)
        solved = self._solved.get(problem.number, False)
        self._solved[problem.number] = solved or any(program.scores.values())
        self._levels[program.isolation.level] += 1
        static, llm = program.judges.static, program.judges.llm
        self._judged += static is not None or llm is not None
        if static and llm and llm.cheat is not None:
            self._verdicts[static.cheat, llm.cheat] += 1
        for place, term in enumerate(program.terms, 1):
            if record.outcome is Outcome.CHEAT or term.status is TermStatus.INCONCLUSIVE:
                continue
            self._statuses[term.status] += 1
            self._seconds.append(term.seconds)
            if place <= _MOST_TERMS:
                self._terms[place, term.status is TermStatus.OK] += 1

    def part(self, name: str) -> records.SequenceSet:
        """The set for a summary."""
        outcomes, seconds = self.tally.outcomes, amounts_of("latency_s", self._seconds)
        # The score of a sequence is the mean of its repeats. Scores are sorted, so that sums and draws do not depend on
        # the order of the records.
        scores = {
            float(limit): sorted(fsum(of_one) / len(of_one) for of_one in self._scores[limit].values())
            for limit in sorted(self._scores, key=float)
        }
        unsolved = sorted(number for number, solved in self._solved.items() if not solved)
        return records.SequenceSet(
            **self.tally.counts(),
            set=name,
            cheating=percentage(outcomes[Outcome.CHEAT], outcomes.measured) if self._judged else None,
            limits=[_limit(limit, of_limit) for limit, of_limit in scores.items()],
            by_term=_strata(self._terms, "term", "right", "run"),
            term_statuses={status: self._statuses[status] for status in TermStatus if self._statuses[status]},
            term_seconds={"median": seconds.median, "p90": seconds.p90, "max": max(self._seconds)} if seconds else None,
            unsolved_count=len(unsolved),
            isolation=dict(sorted(self._levels.items())),
            judges=self._agreement(),
            curve=[  # the best first (arXiv 2411.04372, figure 2)
                records.Curve(limit, [round(score, 4) for score in reversed(of_limit)])
                for limit, of_limit in scores.items()
            ],
            unsolved=unsolved[:_MOST_NAMED],
        )

    def _agreement(self) -> records.Agreement | None:
        total = self._verdicts.total()
        if not total:
            return None
        pairs = ((True, True), (True, False), (False, True), (False, False))
        both, static, llm, neither = (self._verdicts[pair] for pair in pairs)
        return records.Agreement(
            judged=total,
            both=both,
            only_static=static,
            only_llm=llm,
            neither=neither,
            agreement=percentage(both + neither, total),
            kappa=kappa(both, static, llm, neither),
        )


def _limit(limit: float, scores: Sequence[float]) -> records.Limit:
    perfect = sum(score == 1 for score in scores)
    return records.Limit(
        seconds=limit,
        sequences=len(scores),
        score=share_with(bootstrap_mean(scores), fsum(scores) / len(scores)),
        perfect=perfect,
        perfect_percentage=percentage(perfect, len(scores)),
    )
