"""Writes `report.html`: the page of one or several runs, in one file that loads nothing
else.
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
from pytest_llmarith.report import formatting
from pytest_llmarith.report.page.charts import curves_of, heatmaps, scatters
from pytest_llmarith.report.page.differences import effects, rankings, repeats
from pytest_llmarith.report.page.overview import overview
from pytest_llmarith.report.page.provenance import provenance
from pytest_llmarith.report.page.tables import errors, scored_variants
from pytest_llmarith.report.page.trials import trial_table
from pytest_llmarith.report.render.html import view
from pytest_llmarith.report.run_status import reasoning_lines
from pytest_llmarith.report.run_tables import thresholds
from pytest_llmarith.report.series import (
    PageRun,
    Series,
    neighbours_of,
    results_of_runs,
    series_of,
    short_name,
)
from pytest_llmarith.results.compare_rows import OfCondition
from pytest_llmarith.safe_text import sanitize
from pytest_llmarith.summaries import RunSummary

_STYLES = ("page.css", "charts.css", "trials.css", "print.css")
_SCRIPTS = (
    "embedded_data.js",
    "texts.js",
    "digits.js",
    "tables.js",
    "filters.js",
    "detail.js",
    "trial_table.js",
)
_LONGEST_REASON = 300
_MOST_NAMED = 2  # models in the title
_FILTERS = {
    "line": sanitize,
    "short_name": short_name,
    "percent_of": formatting.percent_of,
    "interval": formatting.interval,
    "with_interval": formatting.with_interval,
}


def write_run_page(
    folder: Path,
    summary: RunSummary,
    records: Iterable[Record],
    asked: Sequence[OfCondition],
) -> str:
    """Write the page of a run that has ended; returns a line with its path, or with the
    reason why it failed.
    """
    try:
        text = page_of([PageRun(folder.name, summary, records, asked)])
        replace_file(
            page := folder / "report.html", text.encode("utf-8", "backslashreplace")
        )
    except (
        Exception,
        KeyboardInterrupt,
    ) as error:  # the JSON report is still to be written
        return sanitize(
            f"report.html was not written: {type(error).__name__}: {error}",
            _LONGEST_REASON,
        )
    return f"page: {page}"


def page_of(runs: Sequence[PageRun]) -> str:
    """The page of these runs.

    A name may have a lone surrogate, which cannot be encoded.
    """
    series = series_of(runs)
    rows = results_of_runs(runs, series)
    d50 = view(thresholds(rows))
    # The id, heading and content of each part; a part without content is left out.
    parts = [
        ("overview", "Overview", overview(rows)),
        ("differences", "Is the difference real?", rankings(runs, series, rows)),
        ("depth", "By depth", curves_of(rows)),
        ("cells", "Cells", heatmaps(rows)),
        ("conditions", "Conditions", effects(runs, series)),
        ("repeats", "Repeats", repeats(rows)),
        ("cost", "Cost", scatters(rows, neighbours_of(runs, series))),
        ("errors", "Errors", errors(rows)),
        (
            "breaking",
            "Breaking points",
            [row for row in rows if row.result.breaking_points],
        ),
        ("scores", "Scores", scored_variants(rows)),
        ("trials", "Trials", trial_table(runs, series)),
        ("provenance", "Provenance", [provenance(run) for run in runs]),
    ]
    style, script = _joined(_STYLES), _joined(_SCRIPTS)
    return _rendered(
        title=_title(runs, series),
        parts=[
            (part, heading)
            for part, heading, shown in parts
            if shown or (part == "depth" and d50.lines)
        ],
        policy=_policy(style, script),
        style=style,
        script=script,
        models=len(series),
        thresholds=d50,
        ratios=[line for run in runs for line in reasoning_lines(run.summary)],
        **{part: shown for part, _, shown in parts},
    )


def _title(runs: Sequence[PageRun], series: Sequence[Series]) -> str:
    """The names of models if they are few, else their number; and the number of
    runs.
    """
    names = list(dict.fromkeys(model for _, model, _ in (one.key for one in series)))
    models = (
        " and ".join(map(short_name, names))
        if 1 <= len(names) <= _MOST_NAMED
        else f"{len(names)} models"
    )
    return f"{models} in {len(runs)} runs" if len(runs) > 1 else models


def _rendered(**values: Any) -> str:
    """The template of the page with these values; they are escaped, and an undefined
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
    environment.filters.update(_FILTERS)
    environment.globals.update(ninety_percent_to=formatting.NINETY_PERCENT_TO)
    return environment.get_template("page.html").render(**values)


def _joined(names: Sequence[str]) -> str:
    folder = files("pytest_llmarith.report.page").joinpath("static")
    return "\n".join(folder.joinpath(name).read_text("utf-8") for name in names)


def _policy(style: str, script: str) -> str:
    """The Content-Security-Policy of the page, which allows only this style and this
    script.

    Images are allowed as data, for the empty icon that keeps browsers from requesting
    one.
    """
    style_hash, script_hash = (
        b64encode(sha256(text.encode()).digest()).decode("ascii")
        for text in (style, script)
    )
    return (
        f"default-src 'none'; style-src 'sha256-{style_hash}'; script-src "
        f"'sha256-{script_hash}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
