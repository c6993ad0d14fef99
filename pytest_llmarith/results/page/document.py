"""Renders the page: parts, title, templates, and the Content-Security-Policy."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined

from pytest_llmarith.results import formatting
from pytest_llmarith.results.formatting import sanitize
from pytest_llmarith.results.page.charts import depth_curves, heatmaps, length_curves, share
from pytest_llmarith.results.page.costs import scatters
from pytest_llmarith.results.page.differences import rankings
from pytest_llmarith.results.page.errors import errors
from pytest_llmarith.results.page.runs import provenance
from pytest_llmarith.results.page.tables import breaking_points, effects, overview, repeated_tasks, sequence_sets
from pytest_llmarith.results.page.trials import trial_table
from pytest_llmarith.results.series import PageRun, Series, series_of, short_name

STYLES = ("page.css", "charts.css", "trials.css", "print.css")
SCRIPTS = ("embedded_data.js", "texts.js", "digits.js", "tables.js", "filters.js", "detail.js", "trial_table.js")

_MOST_STATUS = 3  # runs that are named in the header
_MOST_NAMED = 2  # models in the title
_FILTERS = {
    "line": sanitize,
    "short_name": short_name,
    "dollars": formatting.dollars,
    "one_decimal": formatting.one_decimal,
    "interval": formatting.interval,
    "points": formatting.points_of,
    "interval_of_points": formatting.interval_of,
    "p": formatting.p_of,
    "star": formatting.star,
}


def page_of(runs: Sequence[PageRun]) -> bytes:
    """The page of these runs."""
    series = series_of(runs)
    results = [(one.label, result) for one in series for result in one.results]
    # The id, heading and content of each part; a part without content is left out.
    parts = [
        ("overview", "Overview", overview(series)),
        ("differences", "Is the difference real?", rankings(runs, series)),
        ("depth", "By depth", [found for found in (depth_curves(results), length_curves(results)) if found]),
        ("cells", "Cells", heatmaps(results)),
        ("conditions", "Conditions", effects(runs, series)),
        ("repeats", "Repeats", repeated_tasks(results)),
        ("cost", "Cost", scatters(results)),
        ("errors", "Errors", errors(results)),
        ("breaking", "Breaking points", breaking_points(results)),
        ("sequences", "Sequences", sequence_sets(results)),
        ("trials", "Trials", trial_table(runs, series)),
        ("provenance", "Provenance", [provenance(run) for run in runs]),
    ]
    style, script = _joined(STYLES), _joined(SCRIPTS)
    page = (
        _environment()
        .get_template("page.html")
        .render(
            title=_title(runs, series),
            parts=[(part, heading) for part, heading, shown in parts if shown],
            policy=_policy(style, script),
            style=style,
            script=script,
            most_status=_MOST_STATUS,
            models=len(series),
            **{part: shown for part, _, shown in parts},
        )
    )
    return page.encode("utf-8", "backslashreplace")  # a lone surrogate in a name cannot be encoded


def _title(runs: Sequence[PageRun], series: Sequence[Series]) -> str:
    """The names of models if they are few, else their number, and the numbers of conditions and runs."""
    conditions = len({condition for _, _, condition in (one.key for one in series)})
    if 1 <= len(series) <= _MOST_NAMED and conditions == 1:
        return " and ".join(one.label for one in series)
    names = list(dict.fromkeys(model for _, model, _ in (one.key for one in series)))
    models = " and ".join(map(short_name, names)) if 1 <= len(names) <= _MOST_NAMED else f"{len(names)} models"
    counts = ((conditions, "conditions"), (len(runs), "runs"))
    return " in ".join([models, *(f"{count} {what}" for count, what in counts if count > 1)])


def _environment() -> Environment:
    """Jinja2 with autoescape; an undefined name in a template is an error."""
    environment = Environment(
        loader=PackageLoader("pytest_llmarith.results.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(_FILTERS)
    environment.globals["share"] = share
    return environment


def _joined(names: Sequence[str]) -> str:
    folder = files("pytest_llmarith.results.page").joinpath("static")
    return "\n".join(folder.joinpath(name).read_text("utf-8") for name in names)


def _policy(style: str, script: str) -> str:
    """The Content-Security-Policy of the page, which allows only this style and this script.

    Images are allowed as data, for the empty icon that keeps browsers from requesting one.
    """
    style_hash, script_hash = (b64encode(sha256(text.encode()).digest()).decode("ascii") for text in (style, script))
    return (
        f"default-src 'none'; style-src 'sha256-{style_hash}'; script-src 'sha256-{script_hash}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
