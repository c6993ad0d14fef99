"""Writes a run as a bundle that others can check."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path

from pytest_llmarith.bundles.manifest import LOCKS, MANIFEST, PAGE, Manifest
from pytest_llmarith.models.redact import is_secret, key_in, leaked_variable
from pytest_llmarith.records import Record
from pytest_llmarith.report.page import page_of
from pytest_llmarith.report.page.trials import MOST_TRIALS
from pytest_llmarith.report.series import PageRun
from pytest_llmarith.results.load import LoadedRun, load_runs
from pytest_llmarith.results.log import LOG, SUMMARY, lines
from pytest_llmarith.results.run_files import UsageError, name_of, new_folder
from pytest_llmarith.safe_text import sanitize
from pytest_llmarith.summaries import RunSummary

_LONGEST = 80
# Each begins with what is rare: to look for another text takes ten times as long.
_IDENTITIES = {
    "an e-mail address": re.compile(r"@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}", re.ASCII),
    "a home folder": re.compile(
        r"/(?:home|Users|root)/[\w.-]+|\\Users\\\\[\w.-]+", re.ASCII
    ),
    "the id of an organization, a project or a user": re.compile(
        r"(?:\borg-|\bproj_|\buser-)[A-Za-z0-9]{16,}|\barn:aws[^\s\"]+", re.ASCII
    ),
    "an address in a private network": re.compile(
        r"://(?:(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+|\[f[cde][\da-f]{2}:"
        r"[\da-f:]*\]|[\w.-]+\.(?:local|internal)\b)",
        re.ASCII | re.IGNORECASE,
    ),
    "the name of a host": re.compile(
        r"https?://(?!localhost\b)[\w-]+(?![\w.-])", re.ASCII | re.IGNORECASE
    ),
}


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
    _refuse_identities(files, environ, frozenset(allowed))
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


# --- identities -----------------------------------------------------------------------


def _refuse_identities(
    files: Mapping[str, Path], environ: Mapping[str, str], allowed: frozenset[str]
) -> None:
    """Raise UsageError for the first text that must not be published; a key is not
    shown.

    `files` are text, by their names in the bundle; `allowed` are texts that may stay.
    """
    secrets = {name: value for name, value in environ.items() if is_secret(name)}
    for name, path in files.items():
        for number, line in lines(path):
            for what in _found(line, secrets, allowed):
                raise UsageError(
                    f"{name_of(path)}, line {number}: {what} would be published in "
                    f"{name}; nothing was written"
                )


def _found(
    line: str, secrets: Mapping[str, str], allowed: frozenset[str]
) -> Iterator[str]:
    variable = leaked_variable(line, secrets)
    if variable is not None:
        yield f"the value of the environment variable {sanitize(variable, _LONGEST)}"
    if key_in(line) is not None:
        yield "a text like a key"
    for kind, pattern in _IDENTITIES.items():
        for match in pattern.finditer(line):
            if match[0] not in allowed:
                shown = sanitize(match[0], _LONGEST)
                yield f"{kind} ({shown}; if it may be read, add --allow={shown})"
