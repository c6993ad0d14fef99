"""What a summary says of the run itself: enough to know what was measured, and to measure it again. No keys."""

from __future__ import annotations

import platform
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

from pytest_llmarith.credentials import with_headers_hidden
from pytest_llmarith.settings import OeisSettings, Settings
from pytest_llmarith.values import Model, Progress

# What a run that goes on is waiting for, and for how long.
_MOMENTARY = {"held", "waiting_for", "next_try_s"}
_PICODOLLARS = 12  # decimals of a dollar; further ones only tell in which order floats were added
_PACKAGES = ("pytest-llmarith", "pytest", "pytest-xdist", "litellm")
_SEARCH_PACKAGES = ("hypothesis",)  # they make the questions of searches, and nothing else


def run_facts(settings: Settings, asking: Progress | None) -> dict[str, Any]:
    """Settings, versions and the tally of the asking, as builtins."""
    return {
        "seed": settings.seed,
        "symbols": ",".join(dict.fromkeys(condition.symbols for condition in settings.manners.conditions)),
        "conditions": [condition.fields() for condition in settings.manners.conditions],
        "wordings": settings.manners.wordings.facts(),
        "repeats": settings.manners.repeats,
        "search": _search_facts(settings),
        "reading": settings.reading and str(settings.reading),
        "store": str(settings.store_mode),
        "limits": asdict(settings.asking),
        "strict": settings.strict,
        "oeis": _oeis_facts(settings.oeis),
        "models": [_model_facts(model) for model in settings.models],
        "versions": _versions(settings),
        "asking": asking and _asking_facts(asking),
    }


def _versions(settings: Settings) -> dict[str, str]:
    packages = _PACKAGES if settings.breaking_point is None else (*_PACKAGES, *_SEARCH_PACKAGES)
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}


def _search_facts(settings: Settings) -> dict[str, int] | None:
    """How each search for a breaking point is made; nothing where none was asked for."""
    if settings.breaking_point is None:
        return None
    return {"budget": settings.breaking_point}


def _oeis_facts(settings: OeisSettings) -> dict[str, Any]:
    """How programs are scored; where they ran stands in every record."""
    return {
        "sets": settings.sets and list(settings.sets),
        "limits": list(settings.limits.seconds),
        "terms": settings.terms,
        "memory_bytes": settings.limits.memory_bytes,
        "rules": str(settings.rules),
        "static_judge": settings.static_judge,
        "judge": settings.judge and _model_facts(settings.judge),
    }


def _asking_facts(asking: Progress) -> dict[str, Any]:
    """Where no reply had a known price, the sum of the known ones is unknown, not 0."""
    facts = {name: fact for name, fact in asdict(asking).items() if name not in _MOMENTARY}
    return facts | {
        "cost_usd": round(asking.cost_usd, _PICODOLLARS) or None,
        "stored_usd": round(asking.stored_usd, _PICODOLLARS) or None,
        "throttled": list(facts["throttled"]),
    }


def _model_facts(model: Model) -> dict[str, Any]:
    return {
        "name": model.name,
        "target": model.target,
        "params": with_headers_hidden(model.params),
        "api_base": model.api_base,
        "system_prompt": model.system_prompt,
        "simulated": model.simulated,
    }
