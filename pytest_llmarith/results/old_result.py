"""A result with the fields that its readers still use, made of figures."""

from __future__ import annotations

from typing import Any

from pytest_llmarith import summaries
from pytest_llmarith.figures.estimates import Figure, Result
from pytest_llmarith.figures.replies import AMOUNTS
from pytest_llmarith.figures.searches import ADAPTIVE
from pytest_llmarith.figures.shares import percentage
from pytest_llmarith.figures.table import WrittenResult
from pytest_llmarith.types import ErrorClass, Outcome

_MOST_NAMED = 500  # unsolved problems


def from_file(written: summaries.SummaryFile) -> summaries.RunSummary:
    """A run as it was written."""
    totals = {
        name: getattr(written, name) for name in summaries.RunTotals.__struct_fields__
    }
    results = [old_result(WrittenResult(one)) for one in written.series]
    return summaries.RunSummary(**totals, results=results)


def old_result(one: Result) -> summaries.Result:
    facts = one.facts
    names = facts.variants
    if not names and (facts.cells or one.all("score")):
        names = [""]
    variants = [_variant(one, name) for name in names]
    scores = _scores(one)
    if any(variant.programs for variant in variants):
        scores = []
    cells = []
    for name, depth in facts.cells:
        fields = _cells(one, name, depth)
        cells.append(summaries.Cell(**fields, variant=name, depth=depth))
    thresholds = []
    for name in names:
        found = _threshold(one, "d50", name or one.task, variant=name)
        if found is not None:
            thresholds.append(found)
    for _, at in one.all("adaptive_d50"):
        found = _threshold(one, "adaptive_d50", at, at=at)
        assert found is not None
        found.ended = one.value("adaptive_d50_ended", at)
        thresholds.append(found)
    alarm = one.examples("alarm")
    spending = _spending(one)
    cost = spending["cost_usd"]
    percentages = _percentages(one)
    result = summaries.Result(
        model=one.model,
        task=one.task,
        condition=one.condition,
        date=facts.date,
        selected=facts.selected,
        simulated=facts.simulated,
        duplicates=facts.duplicates,
        measured=one.count("measured"),
        outcomes=summaries.Outcomes(*(one.count(outcome) for outcome in Outcome)),
        percentages=percentages,
        nan_reasons=_by(one, "nan_reason"),
        unanswered_reasons=_by(one, "unanswered_reason"),
        stored=one.count("stored"),
        batched=one.count("batched"),
        asked=one.count("asked"),
        cost_usd=cost.sum if cost else None,
        unpriced=one.count("unpriced"),
        spending=spending,
        average_absolute_error=one.value("average_absolute_error"),
        rounded=one.count("rounded"),
        error_sizes=_error_sizes(one),
        repeats=_repeats(one),
        errors=_errors(one),
        strata=_strata(one),
        scores=scores,
        variants=variants,
        thresholds=thresholds,
        cells=cells,
        breaking_points=list(one.examples("breaking_points")),
        readings=facts.readings,
        alarm=alarm[0] if alarm else None,
    )
    vars(result)["counted"] = one
    return result


def _percentage(figure: Figure | None) -> Any:
    if figure is None:
        return None
    return summaries.Percentage(figure.value, figure.low, figure.high)  # type: ignore[arg-type]


def _percentages(one: Result, variant: str | None = None) -> summaries.Percentages:
    found: summaries.Percentages = {}
    for outcome in Outcome:
        if outcome is not Outcome.UNANSWERED:
            key = f"{outcome}_percentage"
            found[outcome] = _percentage(one.get(key, variant=variant))
    return found


def _by(one: Result, key: str, variant: str | None = None) -> dict[Any, Any]:
    found = {}
    for (_, at), figure in one.all(key, variant).items():
        if figure.value:
            found[at] = figure.value
    return found


def _spending(
    one: Result, variant: str | None = None, depth: int | None = None
) -> summaries.Spending:
    spending: Any = {}
    for kind, _, _ in AMOUNTS:
        figures = one.all(kind, variant, depth)
        spending[kind] = None
        if figures:
            values: list[Any] = [figure.value for figure in figures.values()]
            known: Any = next(iter(figures.values())).n
            if kind.endswith("tokens"):
                values[0] = int(values[0])
            total, middle, p90 = values
            spending[kind] = summaries.Amounts(total, middle, p90, known)
    return spending  # type: ignore[no-any-return]


def _error_sizes(
    one: Result, variant: str | None = None, depth: int | None = None
) -> summaries.ErrorSizes:
    where: Any = {"variant": variant, "depth": depth}
    return summaries.ErrorSizes(
        one.value("median_relative_error", **where),
        one.value("median_leading_digits", **where),
        one.count("other_length", **where),
    )


def _cells(one: Result, variant: str, depth: int | None = None) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for outcome in Outcome:
        fields[outcome] = one.count(outcome, variant=variant, depth=depth)
    fields["measured"] = one.count("measured", variant=variant, depth=depth)
    fields["correct_percentage"] = _percentage(
        one.get("correct_percentage", variant=variant, depth=depth)
    )
    fields["spending"] = _spending(one, variant, depth)
    fields["error_sizes"] = _error_sizes(one, variant, depth)
    clusters = []
    for (trials, correct), figure in one.all("alike", variant, depth).items():
        clusters.append(
            {
                "correct": int(correct),
                "trials": int(trials),
                "problems": figure.value,
            }
        )
    fields["clusters"] = clusters
    return fields


def _variant(one: Result, variant: str) -> summaries.Variant:
    reach = one.get("ninety_percent_to", variant=variant)
    wrong = one.examples("first_wrong", variant)
    programs = None
    if one.all("isolation", variant):
        programs = _programs(one, variant)
    return summaries.Variant(
        **_cells(one, variant),
        variant=variant,
        percentages=_percentages(one, variant),
        ninety_percent_to=reach and summaries.NinetyPercentTo(reach.low, reach.high),  # type: ignore[arg-type]
        first_wrong=wrong[0] if wrong else None,
        scores=_scores(one, variant),
        unsolved_count=one.count("unsolved", variant=variant),
        unsolved=list(one.examples("unsolved", variant))[:_MOST_NAMED],
        programs=programs,
    )


def _programs(one: Result, variant: str) -> summaries.Programs:
    verdicts = _by_all(one, "judges", variant)
    judges = None
    if verdicts:
        judges = summaries.Agreement(
            judged=sum(verdicts.values()),
            **verdicts,
            agreement=_percentage(one.get("judges_agreement", variant=variant)),
            kappa=one.value("judges_kappa", variant=variant),
        )
    return summaries.Programs(
        cheating=_percentage(one.get("cheating_percentage", variant=variant)),
        by_term=_strata_of(
            one, "terms_right", ("term", "right", "run"), "term", variant
        ),
        term_statuses=_by(one, "term_status", variant),
        term_seconds=_by_all(one, "term_seconds", variant) or None,
        isolation=_by(one, "isolation", variant),
        judges=judges,
    )


def _by_all(one: Result, key: str, variant: str | None) -> dict[Any, Any]:
    return {at: each.value for (_, at), each in one.all(key, variant).items()}


def _strata_of(
    one: Result, key: str, names: Any, by: str, variant: str | None = None
) -> list[Any]:
    found = []
    for (of, at), figure in one.all(key, variant).items():
        if of == by:
            numbers = (int(at), figure.value, figure.n)
            found.append(dict(zip(names, numbers, strict=True)))
    return found


def _strata(one: Result) -> dict[str, Any]:
    names = dict.fromkeys(by for by, _ in one.all("stratum"))
    fields = ("value", "correct", "measured")
    return {name: _strata_of(one, "stratum", fields, name) for name in names}


def _scores(one: Result, variant: str | None = None) -> list[summaries.Scores]:
    found = []
    for (_, name), mean in one.all("score", variant).items():
        curve: Any = []
        for (by, _), figure in one.all("score_by_rank", variant).items():
            if by == name:
                curve.append(figure.value)
        share = one.get("perfect_percentage", name, variant=variant)
        found.append(
            summaries.Scores(
                name,
                mean.n or 0,
                _percentage(mean),
                one.count("perfect", name, variant=variant),
                _percentage(share),
                curve,
            )
        )
    return found


def _positions(one: Result, variant: str | None = None) -> Any:
    names = ("position", "wrong", "digits")
    positions = {}
    for by in ("from_left", "from_right"):
        positions[by] = _strata_of(one, "wrong_digits", names, by, variant)
    return positions


def _errors(one: Result) -> summaries.ErrorTotals | None:
    if one.get("tolerant_correct") is None:
        return None
    classes = []
    deviates = one.count("deviate")
    for name in ErrorClass:
        count = one.count("error_class", name)
        share = _percentage(percentage(count, deviates))
        classes.append(summaries.ClassOfErrors(name, count, share))
    by_variant = {}
    for variant in sorted(one.facts.variants):
        counted = _by(one, "error_class", variant)
        if counted:
            positions = _positions(one, variant)
            by_variant[variant] = summaries.ErrorsOfVariant(counted, positions)
    return summaries.ErrorTotals(
        classes=classes,
        digit_match=one.value("digit_match"),
        dlength=one.value("dlength"),
        positions=_positions(one),
        by_variant=by_variant,
        strict={
            "tolerant_correct": one.count("tolerant_correct"),
            "strict_correct": one.count("strict_correct"),
        },
    )


def _repeats(one: Result) -> summaries.Repeats | None:
    found = one.get("repeats")
    if found is None:
        return None
    return summaries.Repeats(
        k=one.count("repeats"),
        problems=found.n or 0,
        consistency=_percentage(one.get("consistency")),
        pass_at_1=_percentage(one.get("pass_at_1")),
        pass_at_k=one.value("pass_at_k"),
        majority=_percentage(one.get("majority")),
    )


def _threshold(
    one: Result, key: str, name: str, at: str = "", variant: str | None = None
) -> summaries.Threshold | None:
    by = ADAPTIVE if at else ""
    where: Any = {"at": at, "by": by, "variant": variant}
    d50 = one.get(key, **where)
    if d50 is None:
        return None
    return summaries.Threshold(
        variant=name,
        d50=d50.value,  # type: ignore[arg-type]
        place=one.value(f"{key}_place", **where),
        first=one.value(f"{key}_first", **where),
        last=one.value(f"{key}_last", **where),
        interval=[d50.low, d50.high],
        p=one.value(f"{key}_fit", **where),
        questions=d50.n or 0,
    )
