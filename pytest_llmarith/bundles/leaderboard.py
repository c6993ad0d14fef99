"""Writes a static site that ranks the models of verified bundles, made of the sections
of a run's page.
"""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from pytest_llmarith.bundles.manifest import MANIFEST, PAGE
from pytest_llmarith.bundles.trial_checks import trials_of
from pytest_llmarith.bundles.verify import TasksOf, Verified, verify
from pytest_llmarith.report.charts import curves_chart
from pytest_llmarith.report.definitions.results import DATE
from pytest_llmarith.report.page import page_of_rankings
from pytest_llmarith.report.provenance import Fact, Provenance, Value, provenance
from pytest_llmarith.report.sections import Block, Section, ranking
from pytest_llmarith.report.series import (
    PageRun,
    Series,
    results_of_runs,
    series_key,
    series_of,
)
from pytest_llmarith.results.keys import USUAL_NAME, parameters_of
from pytest_llmarith.results.load import load_runs
from pytest_llmarith.results.log import LOG, SUMMARY
from pytest_llmarith.results.run_files import UsageError, name_of, new_folder
from pytest_llmarith.safe_text import sanitize
from pytest_llmarith.views import kinds
from pytest_llmarith.views.places import Here, known, short_name
from pytest_llmarith.views.places import name_of as label_of
from pytest_llmarith.views.table import Column, Shown

_LEAD = (
    "The models that were asked the same questions with the same prompts, in the same "
    "way. A model of several runs is ranked by the newest one."
)

# How questions were asked, and hashes of them and their prompts.
Terms = tuple[tuple[str, ...], frozenset[object]]


class SiteBundle(NamedTuple):
    """A bundle without findings."""

    folder: Path
    found: Verified
    run: PageRun

    @property
    def place(self) -> str:
        """Its folder in the site."""
        return f"bundles/{self.found.sha256[:16]}"


def write_site(bundles: Iterable[Path], into: Path, tasks_of: TasksOf) -> list[str]:
    """Write the site of the bundles that nothing contradicts. Returns a line for each
    other one.

    Raises UsageError if one of them is no bundle, or if the site cannot be written.
    """
    checked: dict[str, SiteBundle] = {}
    left_out = []
    for folder in bundles:
        try:
            found = verify(folder, tasks_of)
        except UsageError as error:
            raise UsageError(f"{name_of(folder)}: {error}") from None
        if found.findings:
            number = len(found.findings)
            left_out.append(
                f"{name_of(folder)}: left out, finding 1 of {number}: {found.findings[0]}"
            )
            continue
        [run] = load_runs(folder)
        summary = run.summary()
        page = PageRun(summary.run.id, summary, (), run.asked())
        checked[found.sha256] = SiteBundle(folder, found, page)
    if checked:
        # By time, whatever the order of the arguments.
        shown = sorted(
            checked.values(),
            key=lambda one: (one.run.summary.run.started_at or "", one.place),
        )
        with new_folder(into) as site:
            for one in shown:
                place = site / one.place
                place.mkdir(parents=True)
                for path in one.folder.iterdir():
                    shutil.copyfile(path, place / path.name)
                # That of another version was not compared, and could do anything.
                (place / PAGE).write_bytes(one.found.page)
            index = site / "index.html"
            index.write_bytes(_index(shown).encode("utf-8", "backslashreplace"))
    return left_out


# --- the page -------------------------------------------------------------------------


def _index(bundles: Sequence[SiteBundle]) -> str:
    groups: defaultdict[Terms, list[Series]] = defaultdict(list)
    runs = [one.run for one in bundles]
    for one in series_of(runs):
        # Unique in a ranking, which has the newest run of a model alone.
        label = short_name(label_of(one.results[0]))
        groups[_terms(one, runs[one.key[0]])].append(one._replace(label=label))
    largest = sorted(groups.items(), key=lambda item: -len(item[1]))
    found = [
        _section(f"ranking-{number}", terms, group, bundles)
        for number, (terms, group) in enumerate(largest, 1)
    ]
    return page_of_rankings(runs, found, [_facts(one) for one in bundles])


def _terms(series: Series, page: PageRun) -> Terms:
    """What runs must have in common to be ranked together."""
    number, model, label = series.key
    questions = frozenset(
        (asked.task, one.problem, one.prompt)
        for asked in page.asked
        if series_key(number, asked) == series.key
        for one in asked.questions
    )
    run = page.summary.run
    sent = sorted((parameters_of(run, model) or {}).items())
    how = [
        f"{len(questions):,} questions",
        f"seed: {run.seed}",
        f"condition: {label or USUAL_NAME}",
        f"parameters: {', '.join(f'{name}={value}' for name, value in sent) or 'none'}",
    ]
    for result in series.results:
        facts = result.facts
        own: list[Any] = []
        if facts.searched:  # its questions are not among these
            own = [run.search, *(at for _, at in result.all("adaptive_d50"))]
        if run.tasks and facts.task in run.tasks:
            own.append(run.tasks[facts.task])
        words = sorted(map(str, [*facts.variants, *facts.readings, *own]))
        how.append(f"{facts.task}: {', '.join(words)}")
    return tuple(how), questions


def _section(
    key: str, terms: Terms, group: Sequence[Series], bundles: Sequence[SiteBundle]
) -> Section:
    """The ranking of those with the same terms, which are in the order of time."""
    runs = [one.run for one in bundles]
    newest = {one.label: one for one in group}
    behind = {label: bundles[one.key[0]] for label, one in newest.items()}
    rows = []
    for row in results_of_runs(runs, [*newest.values()]):
        if trials_of(row.task) in behind[row.label].found.unchecked:
            row = row._replace(missing="its trials were not checked")
        rows.append(row)
    pages = {label: f"{one.place}/{PAGE}" for label, one in behind.items()}
    blocks = [
        replace(block, tables=[replace(block.tables[0], pages=pages)])
        for block in ranking(rows, _columns(rows, behind))
    ]
    blocks += _over_time(results_of_runs(runs, group))
    return Section(key, f"{_LEAD} {sanitize('; '.join(terms[0]), 2_000)}.", blocks)


def _columns(
    rows: Sequence[Here], behind: Mapping[str, SiteBundle]
) -> list[Column[Any]]:
    """What the site shows of a model beside its ranks."""

    def slowest(row: Here) -> float | None:
        found = [
            one.value("latency_s", "median") for one in rows if one.label == row.label
        ]
        return max(filter(None, found), default=None)

    def mark(row: Here) -> Shown:
        bundle = behind[row.label]
        trials = bundle.run.summary.answered
        checked = trials - sum(bundle.found.unchecked.values())
        notes = (
            f"{checked:,} of {trials:,} trials",
            f"by pytest-llmarith {version('pytest-llmarith')}",
        )
        link = f"{bundle.place}/{MANIFEST}"
        return Shown(f"✓ {bundle.found.sha256[:16]}", "", notes, link)

    return [
        Column(
            "speed",
            "s/reply",
            kinds.SECONDS,
            "median seconds of a reply, of the slowest task",
            slowest,
        ),
        DATE,
        Column(
            "verified",
            "verified",
            kinds.TEXT,
            "the hash of the bundle, and how many of its trials were checked",
            mark,
        ),
    ]


def _over_time(rows: Sequence[Here]) -> Iterator[Block]:
    """A chart for each model and task with several runs, which are in order."""
    runs: defaultdict[tuple[str, str], list[Here]] = defaultdict(list)
    for row in rows:
        runs[row.label, row.task].append(row)
    charts = []
    for names, some in runs.items():
        curve = known({at: row.share for at, row in enumerate(some, 1)})
        if len(curve) > 1:
            title = short_name(", ".join(names))
            chart = curves_chart(title, "run", {title: curve})
            chart.numbered = [short_name(row.run) for row in some]
            charts.append(chart)
    if charts:
        yield Block((), charts, "Runs over time")


def _facts(one: SiteBundle) -> Provenance:
    """The files of a bundle, what was checked, and the facts of the run."""
    found = one.found
    checks = ("checked", found.asked), ("notes", found.notes), ("sha256", found.sha256)
    made = provenance(one.run, checks)
    names = PAGE, LOG, SUMMARY, MANIFEST
    files = [Value("", name, f"{one.place}/{name}") for name in names]
    return made._replace(facts=[Fact("files", files), *made.facts])
