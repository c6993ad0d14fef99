"""Loads the runs that a user names: runs of this plugin, files of llm_arithmetic
(graded again), folders of both.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

from pytest_llmarith import records, summaries
from pytest_llmarith.records import Record
from pytest_llmarith.results import llm_arithmetic
from pytest_llmarith.results.keys import Key, key_of
from pytest_llmarith.results.log import (
    LOG,
    SUMMARY,
    Replaced,
    is_torn,
    lines,
    log_of,
    records_in,
)
from pytest_llmarith.results.questions import AskedQuestions, Systems, asked_in
from pytest_llmarith.results.regrade import changes
from pytest_llmarith.results.run_files import UsageError, name_of
from pytest_llmarith.results.summary import Summary
from pytest_llmarith.safe_text import sanitize
from pytest_llmarith.summaries import RunSummary, SummaryFile, described
from pytest_llmarith.types import Outcome

UNFINISHED = f"unfinished: no {SUMMARY}, killed or still running"

_DEEPEST = 3  # levels of folders that are searched
_A_RUN = (
    f"a run's folder, its {LOG}, JSONL of llm_arithmetic, a log of inspect or of "
    f"lm-evaluation-harness, or a folder with some of them"
)
_LONGEST_CAUSE = 200

Wanted = Callable[[Record], bool]


class LoadedRun:
    """A run, read on demand. Its methods raise UsageError if a file is invalid."""

    def __init__(
        self, file: Path, *, has_rows: bool, wanted: Wanted | None = None
    ) -> None:
        self.path = file.parent if file.name == LOG else file
        # models and tasks of all records, before selection
        self.seen: set[tuple[str, str]] = set()
        self._file = file
        self._has_rows = has_rows
        self._wanted = wanted

    @property
    def name(self) -> str:
        """The name of its folder or file, which may hold control characters."""
        return os.path.basename(os.path.abspath(self.path)) or str(self.path)

    @property
    def facts(self) -> summaries.Run | None:
        """The facts in its summary; None without one, as for a killed run or a file of
        llm_arithmetic.
        """
        if self._written is None:
            return None
        return self._written.run

    @property
    def unfinished(self) -> str:
        """The remark about a run that has not ended, else empty."""
        is_folder = self.path != self._file
        return UNFINISHED if is_folder and self.facts is None else ""

    @property
    def systems(self) -> Systems | None:
        """The texts of its system prompts by name; None if they are unknown."""
        if self.facts is None or self.facts.prompt_texts is None:
            return None
        return self.facts.prompt_texts.get("systems")

    @property
    def complete(self) -> bool | None:
        """Whether everything that was selected is answered; None for a file, which does
        not say what was selected.
        """
        if self.path == self._file:
            return None
        return self._written is not None and self._written.complete

    @cached_property
    def has_other_log(self) -> bool:
        """Whether its log is no longer the one that its summary was made of."""
        if self._written is None or self._written.log is None:
            return False
        summary = self._file.with_name(SUMMARY)
        return not self._written.log.agree(self._file, summary)

    def filtered(self, wanted: Wanted) -> LoadedRun:
        """The same run with the records for which `wanted` is true."""
        return LoadedRun(self._file, has_rows=self._has_rows, wanted=wanted)

    @property
    def left_out(self) -> list[str]:
        """Measures of the run that only their task, which is not known here, counts
        anew for chosen records.
        """
        if self._written is None or self._wanted is None:
            return []
        counted = {key for one in self.summary().results for key in one.own}
        known = described(self._written.measures)
        return sorted(set(self._written.measures) - set(known) - counted)

    def records(self, most_right: int | None = None) -> Iterator[Record]:
        """One record per trial: the last one with an answer, else the last one; with
        `most_right` perhaps no more correct ones than these.

        May be called again.
        """
        if self._wanted is None:
            yield from self._records(most_right)
            return
        for record in self._records():
            self.seen.add((record.model, record.task))
            if self._wanted(record):
                yield record

    def _records(self, most_right: int | None = None) -> Iterator[Record]:
        if self._has_rows:
            for change in changes(self._file, None, []):
                yield change.record
            return
        replaced = self._replaced
        if not replaced:
            yield from records_in(self._file, most_right)
            return
        for place, record in enumerate(records_in(self._file)):
            if place not in replaced:
                yield record

    @cached_property
    def _replaced(self) -> set[int]:
        """The positions of the records that another one of their trial replaces."""
        if self._written and self._written.log and not self.has_other_log:
            return set()  # a run writes each trial once
        # The keys before `simulated` identify the trial. Usually each trial occurs
        # once.
        heads = set()
        count = 0
        for _, line in lines(self._file):
            head, _, _ = line.partition(', "simulated": ')
            heads.add(hash(head))
            count += 1
        if len(heads) == count:
            return set()
        replaced = Replaced()
        for place, record in enumerate(records_in(self._file)):
            trial = hash((record.model, record.nodeid or place))
            is_answered = record.outcome is not Outcome.UNANSWERED
            replaced.add(place, trial, is_answered=is_answered)
        return replaced.places

    def summary(self) -> RunSummary:
        """The run in numbers: as it was written, else counted from its records."""
        if self._written and self._wanted is None and not self.has_other_log:
            return self._read
        return self._counted[0]

    def asked(self) -> list[AskedQuestions]:
        """The questions of each model, task and condition."""
        if "_counted" in vars(self):
            return self._counted[1]
        return asked_in(self.records(), self.systems)

    @cached_property
    def _read(self) -> RunSummary:
        assert self._written is not None
        return summaries.from_file(self._written)

    @cached_property
    def _counted(self) -> tuple[RunSummary, list[AskedQuestions]]:
        summary = Summary(self.systems)
        days = set()
        for record in self.records():
            summary.add(record)
            reply = record.reply
            if reply and reply.asked_at and not reply.stored:  # else of another run
                days.add(reply.asked_at[: len("2026-11-22")])
        run = self.facts or summaries.unknown_run(self.name)
        counted = summary.of_run(run, self._selected, min(days, default=None))
        return counted, summary.asked()

    @property
    def _selected(self) -> Mapping[Key, int]:
        """How many trials of each result were selected; unknown if records are
        filtered.
        """
        if self._written is None or self._wanted is not None:
            return {}
        selected = {}
        for one in self._written.series:
            if one.facts.selected is not None:
                selected[key_of(one.facts)] = one.facts.selected
        return selected

    @cached_property
    def _written(self) -> SummaryFile | None:
        if self.path == self._file:
            return None
        return read_summary(self._file)


def read_summary(log: Path) -> SummaryFile | None:
    """The summary beside a run log, None if there is none.

    Raises UsageError if it is invalid.
    """
    file = log.with_name(SUMMARY)
    if not file.exists():
        return None
    try:
        if not file.is_file():  # reading a pipe would block
            raise ValueError("not a regular file")
        return summaries.decode_summary(file.read_bytes())
    except OSError as error:
        raise UsageError(
            f"{name_of(file)}: cannot be read ({error.strerror})"
        ) from error
    except ValueError as error:
        cause = sanitize(str(error), _LONGEST_CAUSE)
        raise UsageError(
            f"{name_of(file)}: {cause}; restore the file, or delete it: then the trials "
            f"beside it are counted anew"
        ) from error


def load_runs(path: Path) -> list[LoadedRun]:
    """The runs at a path: the folder of a run, its log, a file of llm_arithmetic, or
    all of these in a folder, up to three levels deep, by name.

    Raises UsageError if there is none.
    """
    if os.path.isdir(path) and not os.path.lexists(path / LOG):
        runs = list(_below(path))
        if not runs:
            raise UsageError(f"{name_of(path)}: no run in this folder; name {_A_RUN}")
        return runs
    file = log_of(path)
    run = _run_in(file)
    if run is None:
        raise UsageError(f"{name_of(file)}: no log that can be read; name {_A_RUN}")
    return [run]


def _below(folder: Path) -> Iterator[LoadedRun]:
    """The runs in a folder.

    A folder with a log is one run; its other files are ignored.
    """
    for place, folders, files in os.walk(folder):
        if LOG in files:
            folders.clear()
            files = [LOG]
        depth = len(Path(place).relative_to(folder).parts)
        if depth == _DEEPEST:
            folders.clear()
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            file = Path(place, name)
            if not name.endswith((".jsonl", ".json")) or not file.is_file():
                continue
            try:
                run = _run_in(file)
            except UsageError:  # other JSON is ignored; a run is not
                if name == LOG:
                    raise
                continue
            if run is not None:
                yield run


def _run_in(file: Path) -> LoadedRun | None:
    """The run in a file, by its first line; None for another file.

    A log without records is a killed run.
    """
    first = ""
    for _, line in lines(file):
        if not is_torn(line):
            first = line
            break
    try:
        if llm_arithmetic.values_in(first):
            return LoadedRun(file, has_rows=True)
        if file.name != LOG:
            records.decode_record(first)
    except ValueError:
        if file.name != LOG:
            return None
    return LoadedRun(file, has_rows=False)
