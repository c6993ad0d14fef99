"""Counts records into the summary of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec.structs import asdict

from pytest_llmarith import records, summaries
from pytest_llmarith.records import Record
from pytest_llmarith.results import tallies
from pytest_llmarith.results.compare_rows import (
    OfCondition,
    effects,
    model_differences,
    reasoning_ratios,
)
from pytest_llmarith.results.details_counts import (
    ErrorCounts,
    ProgramCounts,
    ScoreCounts,
    StrataCounts,
)
from pytest_llmarith.results.keys import Key, key_of, result_order
from pytest_llmarith.results.questions import Questions
from pytest_llmarith.results.stored import StoredReplies
from pytest_llmarith.results.tallies import Outcomes, Tally
from pytest_llmarith.results.thresholds import threshold, threshold_of
from pytest_llmarith.statistics.shares import Depth, ninety_percent_to
from pytest_llmarith.summaries import (
    Run,
    RunSummary,
)
from pytest_llmarith.types import DEFAULT_CONDITION, Model, Outcome

_MOST_NAMED = 500  # unsolved problems


class Summary:
    """Counts records, each question once. Only numbers of a record are kept."""

    def __init__(self, systems: Mapping[str, str | None] | None = None) -> None:
        """`systems` has the texts of system prompts by name, if questions are compared
        with those of other runs.
        """
        self._systems = systems
        self._results: dict[Key, _Result] = {}
        self._models: dict[str, Model] = {}  # as their first requests say
        self._stored_replies = StoredReplies()

    def asked(self) -> list[OfCondition]:
        """The questions of each model, task and condition."""
        return [result.asked() for result in self._results.values()]

    def add(self, record: Record) -> None:
        """Count one record. There is one per item."""
        key = key_of(record)
        if key not in self._results:
            self._results[key] = _Result(record, self._systems)
        self._results[key].add(record)
        self._stored_replies.add(record.model, tallies.replies_of(record))
        if record.model not in self._models and (
            sent := record.reply and record.reply.sent
        ):
            own = (
                record.prompt or ()
            )  # the system prompt of a task is none of the model
            system = next(
                (
                    one.content
                    for one in sent.messages
                    if one.role == "system" and one not in own
                ),
                None,
            )
            self._models[record.model] = Model(
                record.model, sent.model, sent.params, sent.api_base, system
            )

    def of_run(
        self,
        run: Run,
        selected: Mapping[Key, int] | None = None,
        date: str | None = None,
    ) -> RunSummary:
        """The summary of the run.

        `selected` says how many trials of each model, task and condition were selected,
        if that is known. `date` is the day of a run without a start time.
        """
        results = {key: self._results[key] for key in result_order(run, self._results)}
        answered = sum(result.outcomes.measured for result in results.values())
        unanswered = sum(
            result.outcomes[Outcome.UNANSWERED] for result in results.values()
        )
        duplicates = sum(result.duplicates for result in results.values())
        day = run.started_at[: len("2026-11-22")] if run.started_at else date
        baseline = run.baseline or next((model for model, *_ in results), "")
        asked = [result.asked() for result in results.values()]
        found, alike = effects(asked)
        return RunSummary(
            format=records.FORMAT,
            run=run,
            answered=answered,
            unanswered=unanswered,
            duplicates=duplicates,
            complete=unanswered == 0
            and answered + duplicates == run.selected
            and not run.partial,
            results=[
                result.part(day, (selected or {}).get(key))
                for key, result in results.items()
            ],
            differences=model_differences(asked, baseline),
            effects=found,
            same_words=alike,
            reasoning_ratios=reasoning_ratios(
                run.models or [*self._models.values()], asked
            ),
            stored_days=self._stored_replies.days(),
            served_changes=self._stored_replies.changes(),
            served_models=self._stored_replies.served(),
        )


class _Result:
    """Counts the records of one model, task and condition."""

    def __init__(self, first: Record, systems: Mapping[str, str | None] | None) -> None:
        self.model, self.task = first.model, first.task
        self.condition = (
            first.condition if first.condition != DEFAULT_CONDITION else None
        )
        self.outcomes = Outcomes()
        self.questions = Questions(systems)
        self.duplicates = 0  # records of items that ask the question of another item
        self._items: dict[int, int] = {}  # which item asked each question first
        self._simulated = first.simulated
        self._readings: set[str] = set()
        self._reasons = {
            outcome: Counter[str]() for outcome in (Outcome.NAN, Outcome.UNANSWERED)
        }
        self._stored = self._batched = self._asked = 0
        self._errors = ErrorCounts()
        self._repeats = tallies.RepeatCounts()
        self._strata = StrataCounts()
        self._scores = ScoreCounts()
        # Each trial is in exactly one of these, by variant (empty if there is none) and
        # depth.
        self._cells: dict[tuple[str, int | None], Tally] = {}
        self._variants: dict[str, _Variant] = {}
        self._places: dict[str, int] = {}  # of variants in the task
        # By variant and depth; other repeats are not independent.
        self._first_repeats: dict[str, dict[int, Outcomes]] = {}
        self._breaking_points: list[summaries.BreakingPoint] = []
        self._measured: list[summaries.Threshold] = []  # by adaptive asking
        # By variant, with depth, trial and repeat.
        self._first_wrong: dict[str, tuple[tuple[int, int, int], records.Minimum]] = {}

    def add(self, record: Record) -> None:
        """Count one record, unless the same question of another item was counted."""
        if self._is_duplicate(record):
            self.duplicates += 1
            return
        self.outcomes[record.outcome] += 1
        if record.problem.variant is not None:
            self._places[record.problem.variant] = record.problem.variant_place
        if record.reading is not None:
            self._readings.add(record.reading)
        if record.outcome in self._reasons:
            self._reasons[record.outcome][
                (record.reason or "no reason given")[: tallies.LONGEST_REASON]
            ] += 1
        replies = list(tallies.replies_of(record))
        self._stored += sum(reply.stored for reply in replies)
        self._batched += sum(reply.batched for reply in replies)
        # An unanswered search has read its replies.
        if record.search or record.outcome is not Outcome.UNANSWERED:
            self._asked += sum(not reply.stored for reply in replies)
        if record.search is not None:
            self._add_search(record, record.search)
            return
        self._errors.add(record)
        self._strata.add(record)
        self._scores.add(record)
        self._repeats.add(record)
        self.questions.add(record)
        variant, depth = record.problem.variant or "", record.problem.depth
        self._cells.setdefault((variant, depth), Tally()).add(record)
        self._variants.setdefault(variant, _Variant()).add(record)
        if depth is not None:
            self._note(record, variant, depth)

    def _add_search(self, record: Record, search: records.SearchDetails) -> None:
        """Count the result of a search."""
        self._repeats.add(record)
        self._cells.setdefault(("", None), Tally()).add(record)
        if search.depths is not None:
            if (measured := threshold_of(record, search)) is not None:
                self._measured.append(measured)
        elif record.outcome is not Outcome.UNANSWERED:
            self._breaking_points.append(_breaking_point(record, search))

    def _note(self, record: Record, variant: str, depth: int) -> None:
        """Note the outcome of a first repeat, and the first wrong answer."""
        if not record.repeat:
            self._first_repeats.setdefault(variant, {}).setdefault(depth, Outcomes())[
                record.outcome
            ] += 1
        problem = record.problem
        place = depth, problem.trial or 0, record.repeat
        known = self._first_wrong.get(variant)
        if record.outcome not in (Outcome.DEVIATE, Outcome.NAN) or (
            known and known[0] <= place
        ):
            return
        expected = records.as_text(problem.expected)
        wrong = records.Minimum(
            problem.short,
            expected,
            record.outcome,
            record.reason,
            record.answer_text,
            record.error_class,
        )
        self._first_wrong[variant] = place, wrong

    def _wrong_first(self, variant: str) -> records.Minimum | None:
        return self._first_wrong[variant][1] if variant in self._first_wrong else None

    def _is_duplicate(self, record: Record) -> bool:
        """Whether another item asked this question, so that both have the reply of one
        request.

        What was sent must be the same, too, as a user's `model` fixture may ask
        differently. Unanswered records are only compared with each other, so that the
        order of the records does not matter.
        """
        sent, is_answered = (
            record.reply and record.reply.sent,
            record.outcome is not Outcome.UNANSWERED,
        )
        if record.nodeid is None or (is_answered and not sent):
            return False
        question = hash(
            (repr(record.problem), record.repeat, is_answered and repr(sent))
        )
        return self._items.setdefault(question, hash(record.nodeid)) != hash(
            record.nodeid
        )

    def asked(self) -> OfCondition:
        return OfCondition(self.model, self.task, self.condition, self.questions)

    def part(self, date: str | None, selected: int | None) -> summaries.Result:
        """The result for a summary."""
        whole = Tally(self._cells.values())
        spending = whole.spending()
        cost = spending["cost_usd"]
        # Cells are weighted by the questions that the run asked. A variant or a depth
        # alone was listed or drawn, and not designed: all of these are one cell.
        designed = [
            tally
            for (variant, depth), tally in self._cells.items()
            if variant and depth is not None
        ]
        others = [
            tally
            for (variant, depth), tally in self._cells.items()
            if not variant or depth is None
        ]
        percentages = tallies.percentages_of(
            [*(one.outcomes for one in designed), Tally(others).outcomes]
        )
        places = sorted(_with_depth(self._cells), key=self._place_of_cell)
        scores = self._scores.part()
        has_variants = scores or places or any(self._variants)
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
            # Outcomes of searches are not shares of questions.
            percentages=dict.fromkeys(percentages)
            if self._breaking_points or self._measured
            else percentages,
            nan_reasons=tallies.reasons_of(self._reasons[Outcome.NAN]),
            unanswered_reasons=tallies.reasons_of(self._reasons[Outcome.UNANSWERED]),
            stored=self._stored,
            batched=self._batched,
            asked=self._asked,
            cost_usd=cost.sum if cost else None,
            unpriced=len(whole.replies) - (cost.known if cost else 0),
            spending=spending,
            average_absolute_error=whole.average_absolute_error,
            rounded=sum(bool(error.rounded) for error in whole.errors),
            error_sizes=whole.error_sizes(),
            repeats=self._repeats.result(),
            errors=self._errors.part(),
            strata=self._strata.part(),
            scores=[]
            if any(one.programs for one in self._variants.values())
            else scores,
            variants=[
                self._variant(variant)
                for variant in sorted(self._variants, key=self._place)
            ]
            if has_variants
            else [],
            thresholds=self._thresholds(),
            cells=[
                summaries.Cell(
                    **self._cells[variant, depth].cells(), variant=variant, depth=depth
                )
                for variant, depth in places
            ],
            breaking_points=sorted(
                self._breaking_points,
                key=lambda one: self._place_of_cell((one.variant, one.repeat)),
            ),
            readings=sorted(self._readings),
        )

    def _place(self, variant: str) -> tuple[int, str]:
        """A sort key: variants in the order of their task, or by name."""
        return self._places.get(variant, 0), variant

    def _place_of_cell(self, cell: tuple[str, int]) -> tuple[int, str, int]:
        """A sort key: variants in their order; depths, or repeats, by number."""
        variant, depth = cell
        return *self._place(variant), depth

    def _thresholds(self) -> list[summaries.Threshold]:
        """D50 of each variant, as all answers show it, and as adaptive asking measured
        it.
        """
        found = []
        for variant in sorted(self._first_repeats, key=self._place):
            one = threshold(variant or self.task, self._depths(variant))
            if one is not None:
                found.append(one)
        return found + sorted(self._measured, key=lambda one: self._place(one.variant))

    def _depths(self, variant: str) -> list[Depth]:
        """The first repeats by depth."""
        counted = self._first_repeats.get(variant, {})
        return [
            Depth(depth, one[Outcome.CORRECT], one.measured)
            for depth, one in counted.items()
        ]

    def _variant(self, variant: str) -> summaries.Variant:
        """All depths of a variant together."""
        counted = self._variants[variant]
        cells = [tally for (name, _), tally in self._cells.items() if name == variant]
        depths = self._depths(variant)
        together = Tally(cells).cells()
        is_designed = bool(variant) and any(
            depth is not None for name, depth in self._cells if name == variant
        )
        strata = (
            [cell.outcomes for cell in cells]
            if is_designed
            else [Tally(cells).outcomes]
        )
        percentages = tallies.percentages_of(strata)
        if is_designed:
            together["correct_percentage"] = percentages[Outcome.CORRECT]
        reach = (
            summaries.NinetyPercentTo(*ninety_percent_to(depths)) if depths else None
        )
        unsolved = counted.scores.unsolved
        scores = counted.scores.part()
        return summaries.Variant(
            **together,
            variant=variant,
            percentages=percentages,
            ninety_percent_to=reach,
            first_wrong=self._wrong_first(variant),
            scores=scores,
            unsolved_count=len(unsolved) if scores else 0,
            unsolved=unsolved[:_MOST_NAMED] if scores else [],
            programs=counted.programs.part() if counted.programs else None,
        )


class _Variant:
    """Counts what the cells of a variant do not."""

    def __init__(self) -> None:
        self.scores = ScoreCounts()
        self.programs: ProgramCounts | None = None

    def add(self, record: Record) -> None:
        self.scores.add(record)
        if record.program is not None:
            self.programs = self.programs or ProgramCounts()
            self.programs.add(record, record.program)


def _with_depth(cells: Iterable[tuple[str, int | None]]) -> list[tuple[str, int]]:
    return [(variant, depth) for variant, depth in cells if depth is not None]


def _breaking_point(
    record: Record, search: records.SearchDetails
) -> summaries.BreakingPoint:
    """The result of a search."""
    minimum = search.minimum or records.Minimum(
        None, None, record.outcome, None, None, None
    )
    depths = [
        step.depth
        for step in search.trail
        if step.depth is not None and step.outcome is Outcome.CORRECT
    ]
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
