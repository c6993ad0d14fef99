"""Shows that other tools read what `llmarith export` writes:

`python -m conformance.readers NAME FOLDER`, in an environment with the tool.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory


def inspect(folder: Path) -> str:
    """Logs, their headers and tables; and the same logs after inspect has packed and
    unpacked them, in the folder `back` beside them.
    """
    from inspect_ai.analysis import evals_df, messages_df, samples_df
    from inspect_ai.log import list_eval_logs, read_eval_log, write_eval_log

    logs = sorted(folder.glob("*.json"))
    assert len(list_eval_logs(str(folder))) == len(logs)
    back = folder.with_name("back")
    back.mkdir(exist_ok=True)
    with TemporaryDirectory() as packed:
        for log in logs:
            header = read_eval_log(str(log), header_only=True)
            assert header.results is not None
            assert header.results.scores[0].metrics["accuracy"].value is not None
            file = str(Path(packed, f"{log.stem}.eval"))
            write_eval_log(read_eval_log(str(log)), file)
            write_eval_log(read_eval_log(file), str(back / log.name))
    samples = samples_df(str(folder))
    assert set(samples.score_llmarith.dropna()) <= {"C", "I", "N"}
    tables = (evals_df(str(folder)), samples, messages_df(str(folder)))
    return f"{len(logs)} logs; rows of its tables: {', '.join(str(len(t)) for t in tables)}"


def eee(folder: Path) -> str:
    """All files by its own validator."""
    files = [*folder.rglob("*.json"), *folder.rglob("*.jsonl")]
    command = Path(sys.executable).with_name("every_eval_ever")
    subprocess.run([command, "validate", *files], check=True, capture_output=True)
    return f"{len(files)} files are valid"


def hub(folder: Path) -> str:
    """The results of models as the Hub's own client reads them."""
    import yaml
    from huggingface_hub import parse_eval_result_entries

    entries = []
    for file in folder.rglob("*.yaml"):
        entries += parse_eval_result_entries(yaml.safe_load(file.read_text("utf-8")))
    assert entries
    assert all(0 <= entry.value <= 100 for entry in entries)
    return f"{len(entries)} results of models"


READERS = {"inspect": inspect, "eee": eee, "hf": hub}

if __name__ == "__main__":
    print(READERS[sys.argv[1]](Path(sys.argv[2])))  # noqa: T201
