"""Writes `report.html`: the page of one or several runs, in one file that loads nothing
else; and the page that ranks the models of many runs.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from pytest_llmarith.files import replace_file
from pytest_llmarith.records import Record
from pytest_llmarith.report.page.differences import effects, rankings
from pytest_llmarith.report.page.trials import trial_table
from pytest_llmarith.report.provenance import Provenance, provenance
from pytest_llmarith.report.render.html import view
from pytest_llmarith.report.run_status import alarms, efforts
from pytest_llmarith.report.sections import Results, Section, sections
from pytest_llmarith.report.series import (
    PageRun,
    Series,
    neighbours_of,
    results_of_runs,
    series_of,
)
from pytest_llmarith.safe_text import sanitize
from pytest_llmarith.summaries import RunSummary
from pytest_llmarith.views.places import short_name
from pytest_llmarith.views.table import Level

_STYLES = ("page.css", "charts.css", "trials.css", "print.css")
_OF_TABLES = ("texts.js", "tables.js")
_SCRIPTS = (
    "embedded_data.js",
    "digits.js",
    *_OF_TABLES,
    "filters.js",
    "detail.js",
    "trial_table.js",
)
# The parts that have content are shown, in this order.
_PARTS = {
    "overview": "Overview",
    "own": "Measures of the task",
    "differences": "Is the difference real?",
    "depth": "By depth",
    "cells": "Cells",
    "conditions": "Conditions",
    "repeats": "Repeats",
    "cost": "Cost and speed",
    "effort": "Effort",
    "replies": "Replies",
    "errors": "Errors",
    "confidence": "Confidence",
    "breaking": "Breaking points",
    "scores": "Scores",
    "trials": "Trials",
    "provenance": "Provenance",
}
_LONGEST_REASON = 300
_MOST_NAMED = 2  # models in the title


def write_run_page(folder: Path, summary: RunSummary, records: Iterable[Record]) -> str:
    """Write the page of a run that has ended; returns a line with its path, or with the
    reason why it failed.
    """
    page = folder / "report.html"
    try:
        text = page_of([PageRun(folder.name, summary, records)])
        replace_file(page, text.encode("utf-8", "backslashreplace"))
    # The JSON report is still to be written.
    except (Exception, KeyboardInterrupt) as error:
        reason = f"report.html was not written: {type(error).__name__}: {error}"
        return sanitize(reason, _LONGEST_REASON)
    return f"page: {page}"


def page_of(runs: Sequence[PageRun]) -> str:
    """The page of these runs.

    A name may have a lone surrogate, which cannot be encoded.
    """
    series = series_of(runs)
    rows = results_of_runs(runs, series)
    only = runs[0].summary if len(runs) == 1 else None
    results = Results(rows, run=only, neighbours=neighbours_of(runs, series))
    shown = {one.key: one for one in sections(results, Level.PAGE)}
    others = {
        "differences": rankings(runs, series, rows),
        "conditions": effects(runs, series),
        "trials": trial_table(runs, series),
        "provenance": [provenance(run) for run in runs],
    }
    parts = []
    for key, heading in _PARTS.items():
        if shown.get(key) or others.get(key):
            parts.append((key, heading))
    return _rendered_page(
        _SCRIPTS,
        title=_title(runs, series),
        parts=parts,
        models=len(series),
        alarms=[
            line
            for run in runs
            for line in (*alarms(run.summary), *efforts(run.summary))
        ],
        simulated=any(row.simulated for row in rows),
        missing={row.label for row in rows if row.missing},
        sections=shown,
        **others,
    )


def page_of_rankings(
    runs: Sequence[PageRun],
    found: Sequence[Section],
    facts: Sequence[Provenance],
) -> str:
    """The page of these sections, and the facts of the runs. Trials are on pages of the
    runs.
    """
    series = series_of(runs)
    parts = [(one.key, f"Ranking {number}") for number, one in enumerate(found, 1)]
    return _rendered_page(
        _OF_TABLES,
        title=_title(runs, series),
        parts=[*parts, ("provenance", _PARTS["provenance"])],
        models=len(series),
        alarms=(),
        simulated=any(one.results[0].facts.simulated for one in series),
        missing=(),
        sections={one.key: one for one in found},
        provenance=facts,
        trials=None,
    )


def _rendered_page(scripts: Sequence[str], **values: Any) -> str:
    style, script = _joined(_STYLES), _joined(scripts)
    policy = _policy(style, script)
    return rendered("page.html", policy=policy, style=style, script=script, **values)


def _title(runs: Sequence[PageRun], series: Sequence[Series]) -> str:
    """The names of models if they are few, else their number; and the number of
    runs.
    """
    names = list(dict.fromkeys(one.key[1] for one in series))
    if 1 <= len(names) <= _MOST_NAMED:
        title = " and ".join(map(short_name, names))
    else:
        title = f"{len(names)} models"
    if len(runs) > 1:
        title += f" in {len(runs)} runs"
    return title


def rendered(template: str, **values: Any) -> str:
    """A template of this package with these values; they are escaped, and an undefined
    name is an error.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("pytest_llmarith.report.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["line"] = sanitize
    environment.globals.update(view=view)
    return environment.get_template(template).render(**values)


def _joined(names: Sequence[str]) -> str:
    folder = files("pytest_llmarith.report.page").joinpath("static")
    return "\n".join(folder.joinpath(name).read_text("utf-8") for name in names)


def _policy(style: str, script: str) -> str:
    """The Content-Security-Policy of the page, which allows only this style and this
    script.

    Images are allowed as data, for the empty icon that keeps browsers from requesting
    one.
    """
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = sha256(text.encode()).digest()
    return f"sha256-{b64encode(digest).decode('ascii')}"
