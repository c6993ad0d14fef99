"""Writes a run as a bundle that others can check."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path

from pytest_llmarith.bundles.identities import refuse_identities
from pytest_llmarith.bundles.manifest import LOCKS, MANIFEST, PAGE, Manifest
from pytest_llmarith.records import Record
from pytest_llmarith.report.page import page_of
from pytest_llmarith.report.page.trials import MOST_TRIALS
from pytest_llmarith.report.series import PageRun
from pytest_llmarith.results.load import LoadedRun, load_runs
from pytest_llmarith.results.log import LOG, SUMMARY
from pytest_llmarith.results.run_files import UsageError, name_of, new_folder
from pytest_llmarith.summaries import RunSummary


def publish(
    path: Path,
    into: Path,
    *,
    allowed: Iterable[str],
    environ: Mapping[str, str],
) -> Manifest:
    """Write the bundle of a run into a new folder.

    Raises UsageError if it is no run that has ended, or has what could identify an
    account, a person or a key.
    """
    run = _run_at(path)
    files = {LOG: run.path / LOG, SUMMARY: run.path / SUMMARY}
    for name in LOCKS:
        if Path(name).is_file():
            files[name] = Path(name)
    refuse_identities(files, environ, frozenset(allowed))
    page = page_text(run.summary(), run.records(MOST_TRIALS))
    with new_folder(into) as new:
        for name, file in files.items():
            shutil.copyfile(file, new / name)
        (new / PAGE).write_bytes(page)
        made = Manifest.of(new, run.summary().run.id, version("pytest-llmarith"))
        (new / MANIFEST).write_bytes(made.encoded())
    return made


def page_text(summary: RunSummary, records: Iterable[Record]) -> bytes:
    """The page of a bundle, made of nothing but its other files."""
    page = page_of([PageRun(summary.run.id, summary, records)])
    return page.encode("utf-8", "backslashreplace")


def _run_at(path: Path) -> LoadedRun:
    """The run, which has ended and is whole."""
    found = load_runs(path)
    if len(found) > 1:
        raise UsageError(f"{name_of(path)}: {len(found)} runs; name one of them")
    [run] = found
    facts = run.facts
    if facts is None:
        raise UsageError(
            f"{name_of(path)}: no {SUMMARY}, so it is no run, was killed or is still "
            f"running; finish it with its own command"
        )
    if run.has_other_log:
        raise UsageError(
            f"{name_of(path)}: {LOG} was changed after the run; restore the file"
        )
    if facts.shard or facts.partial:
        raise UsageError(
            f"{name_of(path)}: only a part of a run; join the parts with llmarith merge"
        )
    return run
