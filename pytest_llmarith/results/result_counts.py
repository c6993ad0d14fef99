"""Counts the records of one model, task and condition into a result of a summary."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from typing import Any

from msgspec.structs import asdict

from pytest_llmarith import records, summaries
from pytest_llmarith.records import Record
from pytest_llmarith.results import tallies
from pytest_llmarith.results.details_counts import (
    ErrorCounts,
    ProgramCounts,
    ScoreCounts,
    StrataCounts,
)
from pytest_llmarith.results.no_answers import NoAnswerCounts
from pytest_llmarith.results.percentages import in_clusters
from pytest_llmarith.results.questions import AskedQuestions, Questions
from pytest_llmarith.results.tallies import Outcomes, Place, Tally
from pytest_llmarith.results.thresholds import threshold, threshold_of
from pytest_llmarith.statistics.shares import Depth, ninety_percent_to
from pytest_llmarith.types import DEFAULT_CONDITION, Condition, Outcome

_MOST_NAMED = 500  # unsolved problems


class ResultCounts:
    """Counts the records of one model, task and condition."""

    def __init__(self, first: Record, systems: Mapping[str, str | None] | None) -> None:
        self.model, self.task = first.model, first.task
        self.condition: Condition | None = first.condition
        if first.condition == DEFAULT_CONDITION:
            self.condition = None
        self.outcomes = Outcomes()
        self.questions = Questions(systems)
        self.duplicates = 0  # records of items that ask the question of another item
        self._items: dict[int, int] = {}  # which item asked each question first
        self._simulated = first.simulated
        self._readings: set[str] = set()
        self._reasons = {
            Outcome.NAN: Counter[str](),
            Outcome.UNANSWERED: Counter[str](),
        }
        self._stored = self._batched = self._asked = 0
        self._no_answers = NoAnswerCounts()
        self._errors = ErrorCounts()
        self._repeats = tallies.RepeatCounts()
        self._strata = StrataCounts()
        self._scores = ScoreCounts()
        # Each trial is in exactly one of these, by variant (empty if there is none) and
        # depth.
        self._cells: defaultdict[Place, Tally] = defaultdict(Tally)
        self._variants: defaultdict[str, VariantCounts] = defaultdict(VariantCounts)
        self._places: dict[str, int] = {}  # of variants in the task
        # By variant and depth; other repeats are not independent.
        self._first_repeats: dict[str, defaultdict[int, Outcomes]] = {}
        self._breaking_points: list[summaries.BreakingPoint] = []
        self._measured: list[summaries.Threshold] = []  # by adaptive asking
        # By variant, with depth, trial and repeat.
        self._first_wrong: dict[
            str, tuple[tuple[int, int, int, str], records.Minimum]
        ] = {}

    def add(self, record: Record) -> None:
        """Count one record, unless the same question of another item was counted."""
        if self._is_duplicate(record):
            self.duplicates += 1
            return
        self.outcomes[record.outcome] += 1
        variant, place = record.problem.variant, record.problem.variant_place
        if variant is not None:
            self._places[variant] = min(place, self._places.get(variant, place))
        if record.reading is not None:
            self._readings.add(record.reading)
        if record.outcome in self._reasons:
            reason = (record.reason or "no reason given")[: tallies.LONGEST_REASON]
            self._reasons[record.outcome][reason] += 1
        self._no_answers.add(record)
        # An unanswered search has read its replies.
        is_read = bool(record.search) or record.outcome is not Outcome.UNANSWERED
        for reply in tallies.replies_of(record):
            self._stored += reply.stored
            self._batched += reply.batched
            self._asked += is_read and not reply.stored
        if record.search is not None:
            self._add_search(record, record.search)
            return
        self._errors.add(record)
        self._strata.add(record)
        self._scores.add(record)
        self._repeats.add(record)
        self.questions.add(record)
        variant, depth = record.problem.variant or "", record.problem.depth
        self._cells[variant, depth].add(record)
        self._variants[variant].add(record)
        if depth is not None:
            self._note_first_repeat(record, variant, depth)
        if depth is not None or record.program is not None:
            self._note_wrong(record, variant, depth or 0)

    def _add_search(self, record: Record, search: records.SearchDetails) -> None:
        """Count the result of a search."""
        self._repeats.add(record)
        self._cells["", None].add(record)
        if search.depths is not None:
            measured = threshold_of(record, search)
            if measured is not None:
                self._measured.append(measured)
        elif record.outcome is not Outcome.UNANSWERED:
            self._breaking_points.append(_breaking_point(record, search))

    def _note_first_repeat(self, record: Record, variant: str, depth: int) -> None:
        if record.repeat == 0:
            if variant not in self._first_repeats:
                self._first_repeats[variant] = defaultdict(Outcomes)
            self._first_repeats[variant][depth][record.outcome] += 1

    def _note_wrong(self, record: Record, variant: str, depth: int) -> None:
        """Note the wrong answer at the lowest depth and trial; of several programs, the
        one of the first sequence.
        """
        if record.outcome not in (Outcome.DEVIATE, Outcome.NAN):
            return
        problem = record.problem
        name = problem.short if record.program is not None else ""
        place = depth, problem.trial or 0, record.repeat, name
        if variant in self._first_wrong:
            earlier, _ = self._first_wrong[variant]
            if earlier <= place:
                return
        wrong = records.Minimum(
            problem.short,
            records.as_text(problem.expected),
            record.outcome,
            record.reason,
            record.answer_text,
            record.error_class,
        )
        self._first_wrong[variant] = place, wrong

    def _is_duplicate(self, record: Record) -> bool:
        """Whether another item asked this question, so that both have the reply of one
        request.

        What was sent must be the same, too, as a user's `model` fixture may ask
        differently. Unanswered records are only compared with each other, so that the
        order of the records does not matter.
        """
        if record.nodeid is None:
            return False
        sent = ""
        if record.outcome is not Outcome.UNANSWERED:
            if record.reply is None or record.reply.sent is None:
                return False
            sent = repr(record.reply.sent)
        question = hash((repr(record.problem), record.repeat, sent))
        item = hash(record.nodeid)
        return self._items.setdefault(question, item) != item

    def asked(self) -> AskedQuestions:
        return AskedQuestions(self.model, self.task, self.condition, self.questions)

    def part(self, date: str | None, selected: int | None) -> summaries.Result:
        """The result for a summary."""
        whole = Tally(self._cells.values())
        spending = whole.spending()
        cost_usd, known_costs = None, 0
        if cost := spending["cost_usd"]:
            cost_usd, known_costs = cost.sum, cost.known
        cells = self._cells_with_depth()
        scores = self._scores.part()
        variants = []
        if scores or cells or any(self._variants):
            for variant in sorted(self._variants, key=self._place):
                variants.append(self._variant(variant))
        if any(one.programs for one in self._variants.values()):
            scores = []
        return summaries.Result(
            model=self.model,
            task=self.task,
            condition=self.condition,
            date=date,
            selected=selected,
            simulated=self._simulated,
            duplicates=self.duplicates,
            measured=self.outcomes.measured,
            outcomes=summaries.Outcomes(
                *(self.outcomes[outcome] for outcome in Outcome)
            ),
            percentages=self._percentages(),
            nan_reasons=tallies.reasons_of(self._reasons[Outcome.NAN]),
            unanswered_reasons=tallies.reasons_of(self._reasons[Outcome.UNANSWERED]),
            stored=self._stored,
            batched=self._batched,
            asked=self._asked,
            cost_usd=cost_usd,
            unpriced=len(whole.replies) - known_costs,
            spending=spending,
            average_absolute_error=whole.average_absolute_error,
            rounded=sum(bool(error.rounded) for error in whole.errors),
            error_sizes=whole.error_sizes(),
            repeats=self._repeats.result(),
            errors=self._errors.part(),
            strata=self._strata.part(),
            scores=scores,
            variants=variants,
            thresholds=self._thresholds(),
            cells=cells,
            breaking_points=sorted(
                self._breaking_points,
                key=lambda one: (self._place(one.variant), one.repeat),
            ),
            readings=sorted(self._readings),
            alarm=self._no_answers.part(),
        )

    def _percentages(self) -> summaries.Percentages:
        """The percentages over all cells, weighted by the questions that the run
        asked.

        A variant or a depth alone was listed or drawn, and not designed: all of these
        are one cell.
        """
        designed, others = [], Outcomes()
        for (variant, depth), tally in self._cells.items():
            if variant and depth is not None:
                designed.append(tally.outcomes)
            else:
                others.update(tally.outcomes)
        percentages = self._percentages_at(self._cells, [*designed, others])
        # Outcomes of searches are not shares of questions.
        if self._breaking_points or self._measured:
            return dict.fromkeys(percentages)
        return percentages

    def _percentages_at(
        self, places: Collection[Place], cells: Collection[Outcomes]
    ) -> summaries.Percentages:
        """The percentages over cells, which are at these places."""
        found = tallies.percentages_of(cells)
        for outcome, percentage in found.items():
            clusters = self._repeats.clusters(places, outcome)
            found[outcome] = in_clusters(percentage, clusters)
        return found

    def _fields(self, tally: Tally, places: Collection[Place]) -> dict[str, Any]:
        """The fields of `summaries.Cells` of the trials at these places."""
        fields = tally.cells()
        clusters = self._repeats.clusters(places)
        counted = Counter(clusters)
        fields["correct_percentage"] = in_clusters(
            fields["correct_percentage"], clusters
        )
        fields["clusters"] = [
            {"correct": one.successes, "trials": one.trials, "problems": counted[one]}
            for one in sorted(counted)
        ]
        return fields

    def _cells_with_depth(self) -> list[summaries.Cell]:
        cells = []
        for (variant, depth), tally in self._cells.items():
            if depth is not None:
                fields = self._fields(tally, [(variant, depth)])
                cells.append(summaries.Cell(**fields, variant=variant, depth=depth))
        cells.sort(key=lambda cell: (self._place(cell.variant), cell.depth))
        return cells

    def _place(self, variant: str) -> tuple[int, str]:
        """A sort key: variants in the order of their task, or by name."""
        return self._places.get(variant, 0), variant

    def _thresholds(self) -> list[summaries.Threshold]:
        """D50 of each variant, as all answers show it, and as adaptive asking measured
        it.
        """
        found = []
        for variant in sorted(self._first_repeats, key=self._place):
            one = threshold(variant or self.task, self._depths(variant))
            if one is not None:
                found.append(one)
        found += sorted(self._measured, key=lambda one: self._place(one.variant))
        return found

    def _depths(self, variant: str) -> list[Depth]:
        """The first repeats by depth."""
        depths = []
        for depth, counted in self._first_repeats.get(variant, {}).items():
            depths.append(Depth(depth, counted[Outcome.CORRECT], counted.measured))
        return depths

    def _variant(self, variant: str) -> summaries.Variant:
        """All depths of a variant together."""
        counted = self._variants[variant]
        cells, has_depths = {}, False
        for place, tally in self._cells.items():
            name, depth = place
            if name == variant:
                cells[place] = tally
                has_depths = has_depths or depth is not None
        together = Tally(cells.values())
        fields = self._fields(together, cells)
        outcomes = [together.outcomes]
        if variant and has_depths:
            outcomes = [cell.outcomes for cell in cells.values()]
        percentages = self._percentages_at(cells, outcomes)
        if variant and has_depths:
            fields["correct_percentage"] = percentages[Outcome.CORRECT]
        depths = self._depths(variant)
        reach = None
        if depths:
            reach = summaries.NinetyPercentTo(*ninety_percent_to(depths))
        first_wrong = None
        if variant in self._first_wrong:
            _, first_wrong = self._first_wrong[variant]
        scores = counted.scores.part()
        unsolved = counted.scores.unsolved if scores else []
        return summaries.Variant(
            **fields,
            variant=variant,
            percentages=percentages,
            ninety_percent_to=reach,
            first_wrong=first_wrong,
            scores=scores,
            unsolved_count=len(unsolved),
            unsolved=unsolved[:_MOST_NAMED],
            programs=counted.programs.part() if counted.programs else None,
        )


class VariantCounts:
    """Counts what the cells of a variant do not."""

    def __init__(self) -> None:
        self.scores = ScoreCounts()
        self.programs: ProgramCounts | None = None

    def add(self, record: Record) -> None:
        self.scores.add(record)
        if record.program is not None:
            self.programs = self.programs or ProgramCounts()
            self.programs.add(record, record.program)


def _breaking_point(
    record: Record, search: records.SearchDetails
) -> summaries.BreakingPoint:
    """The result of a search."""
    minimum = search.minimum
    if minimum is None:
        minimum = records.Minimum(None, None, record.outcome, None, None, None)
    depths = []
    for step in search.trail:
        if step.depth is not None and step.outcome is Outcome.CORRECT:
            depths.append(step.depth)
    return summaries.BreakingPoint(
        **asdict(minimum),
        variant=record.problem.variant or "",
        repeat=record.repeat,
        not_reproduced=search.not_reproduced,
        questions=search.questions,
        budget=search.budget,
        ended=search.ended,
        largest_right=search.largest_right,
        depth_right=max(depths, default=None),
    )
