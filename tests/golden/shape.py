"""Figures of results in the shape of the frozen rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import to_builtins

from pytest_llmarith.figures.contrasts import Compared
from pytest_llmarith.figures.estimates import Figure, Result
from pytest_llmarith.figures.replies import AMOUNTS
from pytest_llmarith.figures.searches import ADAPTIVE
from pytest_llmarith.figures.shares import percentage
from pytest_llmarith.types import ErrorClass, Outcome

Shape = dict[str, Any]
_CELL_COUNTS = (*Outcome, "measured")
_STRATUM = ("value", "correct", "measured")


class Of:
    """The figures of a result, one of its variants, or a cell."""

    def __init__(
        self, result: Result, variant: str | None = None, depth: int | None = None
    ) -> None:
        self.result, self.where = result, {"variant": variant, "depth": depth}

    def get(self, key: str, at: str = "", by: str = "") -> Figure | None:
        return self.result.get(key, at, by, **self.where)  # type: ignore[arg-type]

    def value(self, key: str, at: str = "", by: str = "") -> Any:
        found = self.get(key, at, by)
        return found.value if found else None

    def count(self, key: str, at: str = "") -> Any:
        return self.value(key, at) or 0

    def all(self, key: str) -> Mapping[tuple[str, str], Figure]:
        return self.result.all(key, **self.where)  # type: ignore[arg-type]

    def by_name(self, key: str) -> Shape:
        return {at: one.value for (_, at), one in self.all(key).items() if one.value}

    def percentage(self, key: str, at: str = "") -> Shape | None:
        return _percentage(self.get(key, at))

    # --- parts

    def percentages(self) -> Shape:
        measured = [one for one in Outcome if one is not Outcome.UNANSWERED]
        return {one: self.percentage(f"{one}_percentage") for one in measured}

    def spending(self) -> Shape:
        spending: Shape = {}
        for kind, _, _ in AMOUNTS:
            figures = self.all(kind)
            spending[kind] = None
            if figures:
                amounts = {at: one.value for (_, at), one in figures.items()}
                if kind.endswith("tokens"):
                    amounts["sum"] = int(amounts["sum"] or 0)
                known = next(iter(figures.values())).n
                spending[kind] = {**amounts, "known": known}
        return spending

    def error_sizes(self) -> Shape:
        return {
            "median_relative_error": self.value("median_relative_error"),
            "median_leading_digits": self.value("median_leading_digits"),
            "other_length": self.count("other_length"),
        }

    def cells(self) -> Shape:
        return {
            **{name: self.count(name) for name in _CELL_COUNTS},
            "correct_percentage": self.percentage("correct_percentage"),
            "spending": self.spending(),
            "error_sizes": self.error_sizes(),
        }

    def strata(self, key: str, names: tuple[str, ...], by: str) -> list[Shape]:
        found = []
        for (of, at), one in self.all(key).items():
            if of == by:
                numbers = (int(at), one.value, one.n)
                found.append(dict(zip(names, numbers, strict=True)))
        return found

    def positions(self) -> Shape:
        names = ("position", "wrong", "digits")
        ends = ("from_left", "from_right")
        return {end: self.strata("wrong_digits", names, end) for end in ends}

    def scores(self) -> list[Shape]:
        found = []
        for (_, name), mean in self.all("score").items():
            ranked = self.all("score_by_rank").items()
            found.append(
                {
                    "name": name,
                    "problems": mean.n,
                    "mean": _percentage(mean),
                    "perfect": self.count("perfect", name),
                    "perfect_percentage": self.percentage("perfect_percentage", name),
                    "curve": [one.value for (by, _), one in ranked if by == name],
                }
            )
        return found

    def programs(self) -> Shape | None:
        if not self.all("isolation"):
            return None
        judges = None
        if verdicts := {at: one.value for (_, at), one in self.all("judges").items()}:
            judges = {
                "judged": sum(map(int, verdicts.values())),  # type: ignore[arg-type]
                **verdicts,
                "agreement": self.percentage("judges_agreement"),
                "kappa": self.value("judges_kappa"),
            }
        seconds = {at: one.value for (_, at), one in self.all("term_seconds").items()}
        return {
            "cheating": self.percentage("cheating_percentage"),
            "by_term": self.strata("terms_right", ("term", "right", "run"), "term"),
            "term_statuses": self.by_name("term_status"),
            "term_seconds": seconds or None,
            "isolation": self.by_name("isolation"),
            "judges": judges,
        }

    def threshold(self, name: str, at: str = "") -> Shape | None:
        key, by = ("adaptive_d50", ADAPTIVE) if at else ("d50", "")
        d50 = self.get(key, at, by)
        if d50 is None:
            return None
        return {
            "variant": name,
            "d50": d50.value,
            "place": self.value(f"{key}_place", at, by),
            "first": self.value(f"{key}_first", at, by),
            "last": self.value(f"{key}_last", at, by),
            "interval": [d50.low, d50.high],
            "p": self.value(f"{key}_fit", at, by),
            "questions": d50.n,
            **_known(ended=at and self.value(f"{key}_ended", at, by)),
        }

    def repeats(self) -> Shape | None:
        found = self.get("repeats")
        if found is None:
            return None
        return {
            "k": found.value,
            "problems": found.n,
            "consistency": self.percentage("consistency"),
            "pass_at_1": self.percentage("pass_at_1"),
            "pass_at_k": self.value("pass_at_k"),
            "majority": self.percentage("majority"),
        }


def _percentage(one: Figure | None) -> Shape | None:
    if one is None:
        return None
    return {"percent": one.value, "low": one.low, "high": one.high}


def _known(**named: Any) -> Shape:
    return {name: value for name, value in named.items() if value}


def shape_of(result: Result) -> Shape:
    whole, facts = Of(result), result.facts
    names = facts.variants
    if not names and (facts.cells or whole.all("score")):
        names = [""]
    variants = [_variant(Of(result, name)) for name in names]
    thresholds = [Of(result, name).threshold(name or result.task) for name in names]
    thresholds += [whole.threshold(at, at) for _, at in whole.all("adaptive_d50")]
    spending = whole.spending()
    alarm = result.examples("alarm")
    cells = []
    for name, depth in facts.cells:
        cell = Of(result, name, depth).cells()
        cells.append(cell | {"variant": name, "depth": depth})
    return {
        **{name: getattr(facts, name) for name in ("model", "task")},
        "condition": to_builtins(facts.condition),
        "date": facts.date,
        "selected": facts.selected,
        "simulated": facts.simulated,
        "duplicates": facts.duplicates,
        "measured": whole.count("measured"),
        "outcomes": {outcome: whole.count(outcome) for outcome in Outcome},
        "percentages": whole.percentages(),
        "nan_reasons": whole.by_name("nan_reason"),
        "unanswered_reasons": whole.by_name("unanswered_reason"),
        **{name: whole.count(name) for name in ("stored", "batched", "asked")},
        "cost_usd": spending["cost_usd"] and spending["cost_usd"]["sum"],
        "unpriced": whole.count("unpriced"),
        "spending": spending,
        "average_absolute_error": whole.value("average_absolute_error"),
        "rounded": whole.count("rounded"),
        "error_sizes": whole.error_sizes(),
        "repeats": whole.repeats(),
        "errors": _errors(result),
        "strata": {
            by: whole.strata("stratum", _STRATUM, by) for by, _ in whole.all("stratum")
        },
        "scores": []
        if any(one.get("programs") for one in variants)
        else whole.scores(),
        "variants": variants,
        "thresholds": [one for one in thresholds if one],
        "cells": cells,
        "breaking_points": to_builtins(list(result.examples("breaking_points"))),
        **_known(readings=facts.readings, alarm=alarm and to_builtins(alarm[0])),
    }


def _variant(one: Of) -> Shape:
    name = one.where["variant"]
    reach = one.get("ninety_percent_to")
    wrong = one.result.examples("first_wrong", name)  # type: ignore[arg-type]
    unsolved = one.result.examples("unsolved", name)  # type: ignore[arg-type]
    return {
        **one.cells(),
        "variant": name,
        "percentages": one.percentages(),
        "ninety_percent_to": reach and {"shown": reach.low, "possible": reach.high},
        "first_wrong": to_builtins(wrong[0]) if wrong else None,
        **_known(
            scores=one.scores(),
            unsolved_count=one.count("unsolved"),
            unsolved=list(unsolved)[:500],
            programs=one.programs(),
        ),
    }


def _errors(result: Result) -> Shape | None:
    whole = Of(result)
    if whole.get("tolerant_correct") is None:
        return None
    classes = []
    for name in ErrorClass:
        count = whole.count("error_class", name)
        share = _percentage(percentage(count, whole.count("deviate")))
        classes.append({"class": name, "count": count, "percentage": share})
    by_variant = {}
    for variant in sorted(result.facts.variants):
        one = Of(result, variant)
        if counted := one.by_name("error_class"):
            by_variant[variant] = {"classes": counted, "positions": one.positions()}
    return {
        "classes": classes,
        "digit_match": whole.value("digit_match"),
        "dlength": whole.value("dlength"),
        "positions": whole.positions(),
        "by_variant": by_variant,
        "strict": {
            name: whole.count(name) for name in ("tolerant_correct", "strict_correct")
        },
    }


# --- differences


def difference_of(one: Compared) -> Shape:
    shape = _contrast(one, "baseline")
    return {
        "model": one.place.model,
        "baseline": one.beside,
        "task": one.place.task,
        "pairs": one.questions,
        **shape,
        "shown": one.value("detectable"),
    }


def effect_of(one: Compared, conditions: Mapping[str, Shape]) -> Shape:
    return {
        "model": one.place.model,
        "task": one.place.task,
        "condition": conditions.get(one.place.condition or ""),
        "beside": conditions.get(one.beside),
        "problems": one.questions,
        **_contrast(one, "beside"),
    }


def _contrast(one: Compared, other: str) -> Shape:
    points, low, high, *_ = one.difference
    return {
        "percent": one.value("percentage"),
        f"percent_{other}": one.value("percentage_beside"),
        "difference": {"points": points, "low": low, "high": high},
        **{name: one.value(name) for name in ("better", "worse", "p", "p_holm")},
    }
