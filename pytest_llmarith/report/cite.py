"""What a paper has to state about runs: the facts that the page of a run has, the first
prompts, and BibTeX.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import version

from pytest_llmarith.report.provenance import provenance
from pytest_llmarith.report.render.documents import latex
from pytest_llmarith.report.series import PageRun
from pytest_llmarith.results.keys import label_of, parameters_of
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.safe_text import sanitize
from pytest_llmarith.summaries import RunSummary
from pytest_llmarith.views.formatting import ascii_keys

_LONGEST_LINE = 2_000
_Entry = tuple[str, dict[str, str]]  # a name, and the fields of BibTeX


def cite(runs: Sequence[LoadedRun]) -> Iterator[str]:
    """The lines for runs, with one entry for each version of the program.

    Raises UsageError if a file is invalid.
    """
    entries = []
    releases: dict[str, str] = {}  # the first year of each version
    for run in runs:
        summary = run.summary()
        about = provenance(PageRun(run.name, summary, (), unfinished=run.unfinished))
        yield about.name
        for fact in about.facts:
            values = [f"{value.name} {value.text}".strip() for value in fact.values]
            yield sanitize(f"{fact.name}: {'; '.join(values)}", _LONGEST_LINE)
        for line in _of_tasks(run):
            yield sanitize(line, _LONGEST_LINE)
        yield ""
        day = min(
            (one.facts.date for one in summary.results if one.facts.date), default=""
        )
        year = day[:4]
        fields = {"title": _title(summary), "year": year}
        if day:
            fields["note"] = f"Asked from {day} on"
        entries.append((run.name, fields))
        release = summary.run.versions.get("pytest-llmarith")
        if not release:  # asked by another program, and graded now
            release = version("pytest-llmarith")
            year = str(datetime.now(UTC).year)
        releases.setdefault(release, year)
    ours = [_our_entry(release, year) for release, year in releases.items()]
    yield from _bibtex([*ours, *entries])


def _of_tasks(run: LoadedRun) -> Iterator[str]:
    """The first prompt of each task in its usual condition, and how it was read."""
    seen = set()
    for record in run.records():
        task = record.task
        if task in seen or label_of(record.condition) or not record.prompt_text:
            continue
        seen.add(task)
        if record.reading:
            yield f"reading of {task}: {record.reading}"
        yield f"first prompt of {task}: {record.prompt_text}"


def _title(summary: RunSummary) -> str:
    """The models with their parameters, fake ones marked, and the tasks."""
    models: dict[str, None] = {}
    tasks: dict[str, None] = {}
    for result in summary.results:
        known = parameters_of(summary.run, result.model) or {}
        about = [f"{key}={value}" for key, value in known.items()]
        if result.facts.simulated:
            about.append("simulated")
        name = f"{result.model} ({', '.join(about)})" if about else result.model
        models[name] = None
        tasks[result.task.replace("_", " ")] = None
    return f"{', '.join(models)}: {', '.join(tasks)}"


def _our_entry(release: str, year: str) -> _Entry:
    title = (
        "pytest-llmarith: language models on questions whose right answer is "
        "known exactly"
    )
    author = "{The pytest-llmarith developers}"
    fields = {"author": author, "title": title, "year": year}
    return f"pytest-llmarith-{release}", fields | {"note": f"Version {release}"}


def _bibtex(entries: Sequence[_Entry]) -> Iterator[str]:
    keys = ascii_keys(name for name, _ in entries)
    for key, (_, fields) in zip(keys, entries, strict=True):
        yield f"@misc{{{key},"
        for name, text in fields.items():
            shown = text if name == "author" else latex(text)
            if name == "title":
                shown = f"{{{shown}}}"
            if text:
                yield f"  {name} = {{{shown}}},"
        yield "}"
        yield ""
