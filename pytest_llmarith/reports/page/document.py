"""The page, put together: parts in, one file out. It does not know what a part is made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_llmarith.files import replace_file
from pytest_llmarith.reports.page.runs import Run, Series, series_of, word

if TYPE_CHECKING:
    from jinja2 import Environment

FILE_NAME = "report.html"

_MOST_STATUS = 3  # runs that are named on top
_MOST_NAMED = 2  # models in the title
# A part of the page, its name, and what it must have to be there.
_PARTS = (
    ("overview", "Overview", "overview"),
    ("depth", "By depth", "curves"),
    ("cells", "Cells", "heatmaps"),
    ("conditions", "Conditions", "conditions"),
    ("repeats", "Repeats", "repeated_tasks"),
    ("cost", "Cost", "scatters"),
    ("errors", "Errors", "errors"),
    ("breaking", "Breaking points", "breaking_points"),
    ("sequences", "Sequences", "sets"),
    ("trials", "Trials", "browser"),
    ("provenance", "Provenance", "provenances"),
)


def write_page(runs: Sequence[Run], target: Path) -> None:
    """Write the page of these runs; a reader finds the old one or the new one. Raises OSError."""
    replace_file(target, page_of(runs))


def page_of(runs: Sequence[Run]) -> Iterator[bytes]:
    """The page, piece by piece."""
    template = _environment().get_template("page.html")
    for piece in template.generate(_parts(runs)):
        yield piece.encode("utf-8", "backslashreplace")  # a lone surrogate of a name is no text for a file


def _parts(runs: Sequence[Run]) -> dict[str, Any]:
    from pytest_llmarith.reports.page import assets
    from pytest_llmarith.reports.page.breaking import breaking_points
    from pytest_llmarith.reports.page.browser import browser
    from pytest_llmarith.reports.page.conditions import conditions
    from pytest_llmarith.reports.page.costs import scatters
    from pytest_llmarith.reports.page.curves import depth_curves, length_curves
    from pytest_llmarith.reports.page.errors import errors
    from pytest_llmarith.reports.page.heatmaps import heatmaps
    from pytest_llmarith.reports.page.overview import overview
    from pytest_llmarith.reports.page.provenance import provenances
    from pytest_llmarith.reports.page.repeats import repeated_tasks
    from pytest_llmarith.reports.page.sequences import sequence_sets

    summaries = [run.summary() for run in runs]
    series = series_of([run.name for run in runs], summaries, [run.unfinished for run in runs])
    shown = {
        "overview": overview(series),
        "curves": [curves for curves in (depth_curves(series), length_curves(series)) if curves],
        "heatmaps": heatmaps(series),
        "conditions": conditions(series, summaries),
        "repeated_tasks": repeated_tasks(series),
        "scatters": scatters(series),
        "errors": errors(series),
        "breaking_points": breaking_points(series),
        "sets": sequence_sets(series),
        "browser": browser(runs, series),
        "provenances": provenances(runs, summaries),
    }
    return {
        "policy": assets.policy(),
        "style": assets.style(),
        "script": assets.script(),
        "title": _title(runs, series),
        "most_status": _MOST_STATUS,
        "parts": [(part, name) for part, name, content in _PARTS if shown[content]],
        **shown,
    }


def _title(runs: Sequence[Run], series: Sequence[Series]) -> str:
    """The models by name where they are few, and in how many conditions and runs they were asked."""
    conditions = len({condition for _, _, condition in (one.whose for one in series)})
    if 1 <= len(series) <= _MOST_NAMED and conditions == 1:
        return " and ".join(one.label for one in series)
    counts = ((conditions, "conditions"), (len(runs), "runs"))
    return " in ".join([_models(series), *(f"{count} {what}" for count, what in counts if count > 1)])


def _models(series: Sequence[Series]) -> str:
    names = dict.fromkeys(model for _, model, _ in (one.whose for one in series))
    return " and ".join(map(word, names)) if 1 <= len(names) <= _MOST_NAMED else f"{len(names)} models"


def _environment() -> Environment:
    """Everything is escaped; a name that a template misspells is an error, not an empty place."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(__package__ or ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
