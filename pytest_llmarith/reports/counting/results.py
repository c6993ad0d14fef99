"""What one model did at one task, as it stands in a summary: fed record by record.

It does not know which tasks there are: a problem with a variant and a depth gets cells, one with two integers gets
lengths, one with a set of sequences gets sets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from pytest_llmarith import records
from pytest_llmarith.records import AdditionProblem, ArithmeticProblem, Record, SequenceProblem
from pytest_llmarith.reports.counting.anatomy import AnatomyCounts
from pytest_llmarith.reports.counting.breaking import asked_of, breaking_point
from pytest_llmarith.reports.counting.questions import Questions
from pytest_llmarith.reports.counting.sequences import SequenceSet
from pytest_llmarith.reports.counting.tallies import Outcomes, Reasons, Tally, percentages_of
from pytest_llmarith.reports.percents import in_percent
from pytest_llmarith.reports.variants import place_of_variant
from pytest_llmarith.results.questions import Questions as AskedQuestions
from pytest_llmarith.results.reliable_depth import Depth, reliable_depth
from pytest_llmarith.results.repeats import RepeatCounts
from pytest_llmarith.values import USUAL, Outcome


class Result:
    """Counts the records of one model and one task."""

    def __init__(self, first: Record) -> None:
        self.outcomes = Outcomes()
        self.model, self.task = first.model, first.task
        self.condition = first.condition if first.condition != USUAL else None
        self._simulated = first.simulated
        self._questions = Questions()
        self._nan_reasons, self._unanswered_reasons = Reasons(), Reasons()
        self._stored = 0
        self._asked = 0
        self._anatomy = AnatomyCounts()
        self._cells: dict[tuple[str, int], Tally] = {}
        # Of the first time that each problem was put: repeats are no further evidence of what a model can do.
        self._firsts: dict[tuple[str, int], Outcomes] = {}
        self._lengths: dict[int, Tally] = {}
        self._sets: dict[str, SequenceSet] = {}
        self._elsewhere = Tally()
        self._breaking_points: list[records.BreakingPoint] = []
        self._repeats = RepeatCounts()
        self.asked_questions = AskedQuestions()

    @property
    def duplicates(self) -> int:
        """How many records asked what another one had asked, and were not counted."""
        return self._questions.duplicates

    def add(self, record: Record) -> None:
        """Count one record, unless another item's has counted for the same question."""
        if not self._questions.is_another_items(record):
            self._count(record)

    def _count(self, record: Record) -> None:
        self.outcomes.add(record.outcome)
        if record.outcome is Outcome.NAN:
            self._nan_reasons.add(record.reason)
        if record.outcome is Outcome.UNANSWERED:
            self._unanswered_reasons.add(record.reason)
        self._stored += record.reply is not None and record.reply.stored
        self._asked += asked_of(record)
        if (found := breaking_point(record)) is not None:
            self._breaking_points.append(found)
        self._anatomy.add(record)
        self._repeats.add(record)
        self.asked_questions.add(record)
        self._place(record)

    def _place(self, record: Record) -> None:
        """Count a trial in one place only, as the places together are the whole."""
        match record.problem:
            case SequenceProblem(set=name) as problem:
                self._sets.setdefault(name, SequenceSet()).add(record, problem)
            case ArithmeticProblem(variant=variant, depth=depth):
                self._cells.setdefault((variant, depth), Tally()).add(record)
                if not record.repeat:
                    self._firsts.setdefault((variant, depth), Outcomes()).add(record.outcome)
            case AdditionProblem() as problem:
                self._lengths.setdefault(problem.digits, Tally()).add(record)
            case _:
                self._elsewhere.add(record)

    def part(self, date: str | None, selected: int | None) -> records.Result:
        """The result as it stands in a summary."""
        whole = Tally.of(self._tallies())
        errors = whole.errors.part()
        return records.Result(
            model=self.model,
            task=self.task,
            condition=self.condition,
            date=date,
            selected=selected,
            simulated=self._simulated,
            duplicates=self.duplicates,
            measured=self.outcomes.measured,
            outcomes=self.outcomes.part(),
            percentages=self._percentages(),
            nan_reasons=self._nan_reasons.as_dict(),
            unanswered_reasons=self._unanswered_reasons.as_dict(),
            stored=self._stored,
            asked=self._asked,
            cost_usd=whole.spending.total("cost_usd"),
            unpriced=whole.spending.unpriced,
            tokens={
                "prompt": whole.spending.tokens("prompt_tokens"),
                "completion": whole.spending.tokens("completion_tokens"),
                "reasoning": whole.spending.tokens("reasoning_tokens"),
            },
            median_latency_s=whole.spending.median("latency_s"),
            spending=whole.spending.part(),
            median_relative_error=errors.median_relative_error,
            average_absolute_error=whole.errors.average_absolute,
            rounded=whole.errors.rounded,
            error_sizes=errors,
            repeats=self._repeats.result(),
            anatomy=self._anatomy.part(),
            variants=self._variants(),
            cells=[
                records.Cell(**self._cells[variant, depth].cells(), variant=variant, depth=depth)
                for variant, depth in self._cell_places()
            ],
            lengths=[
                records.Length(**tally.cells(), digits=digits, median_latency_s=tally.spending.median("latency_s"))
                for digits, tally in sorted(self._lengths.items())
            ],
            breaking_points=sorted(self._breaking_points, key=lambda one: _place_of_cell((one.variant, one.repeat))),
            sets=[self._sets[name].part(name) for name in sorted(self._sets)],
        )

    def _percentages(self) -> records.Percentages:
        """Searches have none: in how many of them a model broke is no share of questions."""
        percentages = percentages_of(self._strata())
        return dict.fromkeys(percentages) if self._breaking_points else percentages

    def _tallies(self) -> Iterable[Tally]:
        return (*self._cells.values(), *self._tallies_outside())

    def _tallies_outside(self) -> Iterable[Tally]:
        return (*self._lengths.values(), *(one.tally for one in self._sets.values()), self._elsewhere)

    def _strata(self) -> list[Outcomes]:
        """The cells of a grid, which the run fixes; all that is not of a grid is one cell."""
        outside = Outcomes()
        for tally in self._tallies_outside():
            outside.join(tally.outcomes)
        return [*(tally.outcomes for tally in self._cells.values()), outside]

    def _variants(self) -> list[records.Variant]:
        return [
            self._variant(variant, [self._cells[place] for place in places])
            for variant, places in groupby(self._cell_places(), key=lambda place: place[0])
        ]

    def _variant(self, variant: str, cells: Sequence[Tally]) -> records.Variant:
        """All depths of a variant together."""
        percentages = percentages_of([cell.outcomes for cell in cells])
        together = Tally.of(cells).cells() | {"correct_percentage": percentages[Outcome.CORRECT]}
        depth = self._reliable_depth(variant)
        return records.Variant(**together, variant=variant, percentages=percentages, reliable_depth=depth)

    def _reliable_depth(self, variant: str) -> records.ReliableDepth:
        depths = (
            Depth(depth, outcomes.count(Outcome.CORRECT), outcomes.measured)
            for (its_variant, depth), outcomes in self._firsts.items()
            if its_variant == variant
        )
        found = reliable_depth(depths)
        at_most = None if found.at_most is None else in_percent(found.at_most)
        return records.ReliableDepth(found.depth, found.observed, found.needs, at_most)

    def _cell_places(self) -> list[tuple[str, int]]:
        return sorted(self._cells, key=_place_of_cell)


def _place_of_cell(cell: tuple[str, int]) -> tuple[int, str, int]:
    """Variants as the arithmetic task has them; depths, or repeats, by number."""
    variant, depth = cell
    return *place_of_variant(variant), depth
