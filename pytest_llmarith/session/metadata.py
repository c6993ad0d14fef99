"""The metadata of a run for its summary, without keys: everything needed to repeat the run."""

from __future__ import annotations

import os
import platform
import subprocess
from dataclasses import fields, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

from pytest_llmarith.models.redact import with_headers_hidden
from pytest_llmarith.records import ProgramRules, Run
from pytest_llmarith.settings import OeisSettings, Settings
from pytest_llmarith.types import Model, Progress, RequestTotals

_PICODOLLARS = 12  # decimals of a dollar; further ones depend on the order of float additions
_PACKAGES = ("pytest-llmarith", "pytest", "pytest-xdist", "litellm")
_GIT_S = 2.0
# Read-only: takes no lock, and starts no program that the repository configures.
_GIT_STATUS = (
    *("git", "--no-optional-locks", "-c", "core.fsmonitor=false"),
    *("status", "--porcelain=v2", "--branch", "--untracked-files=no"),
)
_COMMIT = "# branch.oid "


def run_metadata(settings: Settings, root: Path, progress: Progress | None, **times: Any) -> Run:
    """Settings, versions, commit and request totals, with the fields of `RunTimes`."""
    configs = settings.prompt_configs
    packages = (
        _PACKAGES if settings.breaking_point is None else (*_PACKAGES, "hypothesis")
    )  # it generates the questions
    return Run(
        **times,
        seed=settings.seed,
        conditions=list(configs.conditions),
        prompt_texts={"templates": {**configs.templates}, "systems": {**configs.systems}},
        repeats=configs.repeats,
        search=None if settings.breaking_point is None else {"budget": settings.breaking_point},
        baseline=settings.baseline,
        reading=settings.reading,
        store=settings.store_mode,
        limits=settings.request_limits,
        strict=settings.strict,
        oeis=_oeis(settings.oeis),
        models=[_without_headers(model) for model in settings.models],
        versions={"python": platform.python_version(), **{name: version(name) for name in packages}},
        asking=progress and _request_totals(progress),
        merged=None,
        git=git_metadata(root),
    )


def _oeis(settings: OeisSettings) -> ProgramRules:
    return ProgramRules(
        sets=None if settings.sets is None else list(settings.sets),
        limits=list(settings.limits.seconds),
        terms=settings.terms,
        memory_bytes=settings.limits.memory_bytes,
        rules=settings.rules,
        static_judge=settings.static_judge,
        judge=settings.judge and _without_headers(settings.judge),
    )


def _request_totals(progress: Progress) -> RequestTotals:
    """The totals; a sum is None if no reply had a known price."""
    totals = RequestTotals(**{field.name: getattr(progress, field.name) for field in fields(RequestTotals)})
    return replace(
        totals,
        cost_usd=round(progress.cost_usd, _PICODOLLARS) or None,
        stored_usd=round(progress.stored_usd, _PICODOLLARS) or None,
    )


def _without_headers(model: Model) -> Model:
    return replace(model, params=with_headers_hidden(model.params))


def git_metadata(root: Path) -> dict[Literal["commit", "dirty"], str | bool | None] | None:
    """`commit` and whether files differ from it (`dirty`); None if unknown or if git takes too long."""
    try:
        status = subprocess.run(
            _GIT_STATUS,
            cwd=root,
            env=os.environ | {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_GIT_S,
            check=True,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    lines = status.stdout.decode("utf-8", "replace").splitlines()
    commit = next((line.removeprefix(_COMMIT) for line in lines if line.startswith(_COMMIT)), "")
    if not commit.isalnum():  # "(initial)": there is no commit
        return None
    return {"commit": commit, "dirty": any(not line.startswith("#") for line in lines)}
