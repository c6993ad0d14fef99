"""What a summary says of the run itself: enough to know what was measured, and to measure it again. No keys."""

from __future__ import annotations

import platform
from dataclasses import fields, replace
from importlib.metadata import version
from typing import Literal

import msgspec

from pytest_llmarith.credentials import with_headers_hidden
from pytest_llmarith.records import ProgramRules, Run, RunModel, RunTimes
from pytest_llmarith.settings import OeisSettings, Settings
from pytest_llmarith.values import AskingTotals, Model, Progress

_PICODOLLARS = 12  # decimals of a dollar; further ones only tell in which order floats were added
_PACKAGES = ("pytest-llmarith", "pytest", "pytest-xdist", "litellm")
_SEARCH_PACKAGES = ("hypothesis",)  # they make the questions of searches, and nothing else


def run_facts(
    settings: Settings,
    asking: Progress | None,
    times: RunTimes,
    git: dict[Literal["commit", "dirty"], str | bool | None] | None,
) -> Run:
    """How a run was made: settings, versions and the totals of the asking."""
    conditions = settings.manners.conditions
    return Run(
        **msgspec.structs.asdict(times),
        seed=settings.seed,
        symbols=",".join(dict.fromkeys(condition.symbols for condition in conditions)),
        conditions=list(conditions),
        wordings={
            "templates": {**settings.manners.wordings.templates},
            "systems": {**settings.manners.wordings.systems},
        },
        repeats=settings.manners.repeats,
        search=None if settings.breaking_point is None else {"budget": settings.breaking_point},
        reading=settings.reading,
        store=settings.store_mode,
        strict=settings.strict,
        versions=_versions(settings),
        models=[_model(model) for model in settings.models],
        asking=asking and _totals(asking),
        limits=settings.asking,
        oeis=_program_rules(settings.oeis),
        merged=None,
        git=git,
    )


def _versions(settings: Settings) -> dict[str, str | None]:
    packages = _PACKAGES if settings.breaking_point is None else (*_PACKAGES, *_SEARCH_PACKAGES)
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}


def _program_rules(settings: OeisSettings) -> ProgramRules:
    """How programs are scored; where they ran stands in every record."""
    return ProgramRules(
        sets=None if settings.sets is None else list(settings.sets),
        limits=list(settings.limits.seconds),
        terms=settings.terms,
        memory_bytes=settings.limits.memory_bytes,
        rules=settings.rules,
        static_judge=settings.static_judge,
        judge=_model(settings.judge) if settings.judge else None,
    )


def _totals(asking: Progress) -> AskingTotals:
    """Where no reply had a known price, the sum of the known ones is unknown, not 0."""
    totals = AskingTotals(**{field.name: getattr(asking, field.name) for field in fields(AskingTotals)})
    return replace(
        totals,
        cost_usd=round(asking.cost_usd, _PICODOLLARS) or None,
        stored_usd=round(asking.stored_usd, _PICODOLLARS) or None,
    )


def _model(model: Model) -> RunModel:
    return RunModel(
        name=model.name,
        target=model.target,
        params=with_headers_hidden(model.params),
        api_base=model.api_base,
        system_prompt=model.system_prompt,
        simulated=model.simulated,
    )
