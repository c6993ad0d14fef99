"""Runs as a dataset of the Hugging Face Hub, and as results for the pages of models
there.

The pages read `.eval_results/*.yaml` of a model's repository, as `huggingface_hub`
2.4 parses them; JSON is YAML, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from pytest_llmarith.exports.common import plain, results_of, task_name
from pytest_llmarith.report.frames import write_parquet
from pytest_llmarith.results.load import LoadedRun
from pytest_llmarith.results.run_files import UsageError, new_folder

_DATASET = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)
_CARD = """\
---
pretty_name: {title}
tags: [llmarith, eval-results]
configs:
- config_name: trials
  data_files: data/trials.parquet
  default: true
- config_name: estimates
  data_files: data/estimates.parquet
---
# {title}

Written by pytest-llmarith. `data/trials.parquet` has a row for each question with its
reply and grade; `data/estimates.parquet` has every figure with its 95 % interval.
Numbers of questions and answers are text, as they may have any number of digits.

| model | task | correct % | 95 % | trials |
|---|---|--:|--:|--:|
"""


def write_hub(
    runs: Sequence[LoadedRun], target: Path, dataset: str, note: Callable[[str], None]
) -> None:
    """Write a new folder to be uploaded as `dataset`; its folder `models` has what
    belongs into the repositories of models.

    Raises UsageError if it cannot be written, if the name is none of a dataset, and if
    the extra [pandas] is not installed.
    """
    if not _DATASET.fullmatch(dataset):
        raise UsageError(
            f"--dataset={dataset}: not the name of a dataset of the Hub; write "
            f"OWNER/NAME"
        )
    with new_folder(target) as folder:
        data = folder / "data"
        data.mkdir()
        write_parquet(runs, data / "trials.parquet", force=False, estimates=False)
        write_parquet(runs, data / "estimates.parquet", force=False, estimates=True)
        rows, of_models = [], dict[str, list[object]]()
        for run in runs:
            date = run.summary().run.started_at
            for result in results_of(run, note).values():
                figure = result.get("correct_percentage")
                if figure is None or not isinstance(figure.value, int | float):
                    continue
                task = task_name(result)
                limits = ""
                if figure.low is not None:
                    limits = f"{figure.low:.1f}-{figure.high:.1f}"
                cells = [plain(result.model), task, f"{figure.value:.1f}", limits]
                rows.append(f"| {' | '.join([*cells, str(figure.n)])} |\n")
                if result.facts.simulated:
                    continue
                entry = {
                    "dataset": {"id": dataset, "task_id": task},
                    "value": figure.value,
                    "date": date or result.facts.date,
                    "source": {
                        "url": f"https://huggingface.co/datasets/{dataset}",
                        "name": "pytest-llmarith",
                    },
                    "notes": f"no-tools; 95 % interval {limits} of {figure.n} trials",
                }
                of_models.setdefault(result.model, []).append(entry)
        card = _CARD.format(title=dataset.partition("/")[2]) + "".join(rows)
        (folder / "README.md").write_text(card, "utf-8")
        for model, entries in of_models.items():
            place = folder / "models" / plain(model) / ".eval_results"
            place.mkdir(parents=True)
            file = place / f"{plain(dataset)}.yaml"
            file.write_text(json.dumps(entries, indent=2) + "\n", "utf-8")
