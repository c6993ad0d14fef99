"""A run that has ended, for those who take its figures elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pytest_llmarith.summaries import RunSummary


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A run whose files are written.

    `folder` has them. `complete` says whether everything that was selected is answered,
    `spent_usd` what this run paid as far as prices are known. `parameters` are the
    request parameters of each model, without keys.
    """

    folder: Path
    complete: bool
    spent_usd: float
    parameters: Mapping[str, Mapping[str, object]]
    _summary: RunSummary

    @classmethod
    def of(cls, folder: Path, summary: RunSummary) -> FinishedRun:
        asking = summary.run.asking
        spent = asking.cost_usd if asking else None
        parameters = {model.name: model.params for model in summary.run.models}
        return cls(folder, summary.complete, spent or 0.0, parameters, summary)

    def figures(self, *measures: str) -> Iterator[Mapping[str, object]]:
        """The long table of the run: a row for each figure at each place, with its 95 %
        interval; of these measures only, if some are named.

        The columns are those of `llmarith export --estimates`.
        """
        from pytest_llmarith.report.export import estimates_in
        from pytest_llmarith.report.series import PageRun

        run = PageRun(self._summary.run.id, self._summary, (), ())
        for row in estimates_in([run]):
            if not measures or row["measure"] in measures:
                yield row
