"""What the golden runs know of the program: its commands and options, and where its
files hold which fact.

Everything that it hands out has names of its own, which stay when those of the program
change. It leaves out times, dates, paths, wording, and whether a reply came from the
store.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from pytest_llmarith.sandbox.isolation import UnavailableError, probe

ROOT = Path(__file__).parents[2]
KEY = "OPENAI_API_KEY"
FIRST, SECOND, PRICED, JUDGE = (
    "openai/gpt-4o-mini",
    "openai/gpt-4.1-mini",
    "openai/house",
    "openai/gpt-4.1-nano",
)
BASE_URL = "{address of the server}"
RECORDED = Path(__file__).with_name("recorded")  # what the fake models reply
FAKES = ("llmarith/oracle", "llmarith/sloppy")

_STUB = ("-ollm_retries=1",)
_NUMBERS = ("benches/test_arithmetic.py", "benches/test_integer_addition.py")
_SEEDED = (
    *_STUB,
    *_NUMBERS,
    f"--llm-model={PRICED}",
    "--llm-price=1.5,6",
    "--llm-depths=2,5,8",
    "--llm-trials=2",
)
_STARTERS = "A000010 or A000040 or A000045 or A000108 or A000110"
# "additions=N" is the number of trials of integer addition, where --llm-trials is that
# of arithmetic.
RUNS: Mapping[str, Sequence[str]] = {
    "stub": (
        *_STUB,
        "benches",
        f"--llm-model={FIRST}",
        f"--llm-model={SECOND}",
        "--llm-trials=1",
        "additions=12",
        "--llm-breaking-point=10",
        f"--oeis-judge=both:{JUDGE}?api_base={BASE_URL}",
        "--oeis-limits=0.5,2",
    ),
    "stub-same-questions": (*_SEEDED, "additions=12", "--llm-param=temperature=0.5"),
    "stub-other-questions": (
        *_SEEDED,
        "additions=10",
        "--llm-seed=1",
        "--llm-system-prompt=Be brief.",
    ),
    "stub-conditions": (
        *_STUB,
        "benches/test_arithmetic.py",
        f"--llm-model={FIRST}",
        "--llm-depths=3,9",
        "--llm-trials=1",
        "--llm-number-format=plain,comma",
        "--llm-context=none,1k",
        "--llm-repeats=3",
        "-k",
        "int_add or float_mul",
    ),
    "fakes": (
        "benches",
        *(f"--llm-model={model}" for model in FAKES),
        "--llm-depths=2,4,6,8,10",
        "--llm-trials=1",
        "additions=10",
        "--llm-breaking-point=10",
        "--oeis-terms=5",
        "-k",
        f"not test_oeis or {_STARTERS}",
    ),
}
# Two runs or one, and what is compared.
COMPARISONS: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "paired models": (["stub"], [f"--model={FIRST}:{SECOND}"]),
    "paired runs": (["stub", "stub-same-questions"], [f"--model={FIRST}:{PRICED}"]),
    "unpaired runs": (
        ["stub", "stub-other-questions"],
        [f"--model={FIRST}:{PRICED}", "--unpaired"],
    ),
    "paired conditions": (["stub-conditions"], ["--condition=usual:numbers_comma"]),
    "gate on unanswered": (
        ["stub"],
        [f"--model={FIRST}:{SECOND}", "--fail-if-worse=60"],
    ),
    "gate on difference": (
        ["stub"],
        [f"--model={FIRST}:{SECOND}", "--fail-if-worse=1", "--allow-unanswered=99"],
    ),
}
FAKES_COMPARED = [f"--model={FAKES[0]}:{FAKES[1]}"]


def can_run_programs() -> bool:
    try:
        probe()
    except UnavailableError:
        return False
    return True


def prepare(
    folder: Path, own_sequences: Mapping[str, tuple[str, Sequence[int]]] | None
) -> None:
    """The benches in a folder, with the starter sequences or with these, which are
    names and terms from n = 0.
    """
    shutil.copytree(ROOT / "benches", folder / "benches")
    (folder / "pytest.ini").write_text("[pytest]\n")
    if own_sequences is None:
        shutil.copytree(ROOT / "oeis_cache", folder / "oeis_cache")
        return
    (entries := folder / "oeis_cache" / "starter").mkdir(parents=True)
    for number, (name, terms) in own_sequences.items():
        entry = {
            "number": int(number[1:]),
            "name": name,
            "data": ",".join(map(str, terms)),
            "offset": "0,1",
        }
        (entries / f"{number}.json").write_text(
            json.dumps([entry | {"keyword": "easy"}])
        )


def run(programs: Path, folder: Path, args: Sequence[str], base_url: str | None) -> int:
    """One run in this folder; its exit status."""
    server = [] if base_url is None else [f"--llm-api-base={base_url}"]
    told = [
        arg.replace(BASE_URL, base_url or "")
        for arg in _write_trials(args, folder / "benches")
    ]
    environment = {**os.environ}
    if base_url is None:
        # Not a fork of a process that runs already.
        programs = Path(sys.executable).parent
        environment["PYTHONPATH"] = f"{RECORDED}"
    done = _command(
        programs / "pytest",
        ["-p", "no:cacheprovider", "-q", *server, *told],
        folder,
        environment,
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.returncode


def _write_trials(args: Sequence[str], benches: Path) -> list[str]:
    """The arguments without numbers of trials, which the marks of the benches get, if
    these are of two kinds.
    """
    trials = dict(
        arg.split("=")
        for arg in args
        if arg.startswith(("--llm-trials=", "additions="))
    )
    if "additions" not in trials:
        return list(args)
    for name, count in (
        ("arithmetic", trials["--llm-trials"]),
        ("integer_addition", trials["additions"]),
    ):
        bench = benches / f"test_{name}.py"
        bench.write_text(
            re.sub(r"trials=\d+", f"trials={count}", bench.read_text("utf-8"))
        )
    return [arg for arg in args if arg.partition("=")[0] not in trials]


def rows(folder: Path) -> list[dict[str, Any]]:
    """The records of the only run in this folder, in the order of their ids."""
    return sorted(
        (row_of(record) for record in _records(_run(folder) / "trials.jsonl")),
        key=_sort_key,
    )


def compare(
    programs: Path, runs: Sequence[Path], args: Sequence[str]
) -> tuple[int, list[Any]]:
    """The exit status of a comparison, and its numbers."""
    done = _command(
        programs / "llmarith",
        ["compare", *map(_run, runs), *args, "--format=json"],
        ROOT,
    )
    made = json.loads(done.stdout)["comparisons"] if done.stdout else []
    return done.returncode, [_comparison(one) for one in made]


def regrade(
    programs: Path, files: Sequence[Path], folder: Path
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The name of its model, and what each reply in files of llm_arithmetic is read and
    graded as.
    """
    written = folder / "regraded.jsonl"
    done = _command(
        programs / "llmarith", ["regrade", *files, f"--output={written}"], folder
    )
    assert done.returncode == 0, done.stderr
    return ((record["model"], row_of(record)) for record in _records(written))


def imported(programs: Path, folder: Path) -> Iterator[tuple[str, list[Any]]]:
    """Of each file of llm_arithmetic: its model, what is correct, what it cost, and the
    depths up to which 90 % are.
    """
    done = _command(programs / "llmarith", ["report", folder, "--format=json"], ROOT)
    found: dict[tuple[str, str], dict[Any, Any]] = {}
    for row in json.loads(done.stdout)["estimates"]:
        if row["depth"] is None:
            measures = found.setdefault((row["run"], row["model"]), {})
            key = row["measure"], row["variant"], row["at"]
            measures[key] = row
    for (_, model), of in found.items():
        correct = of["correct_percentage", None, None]
        depths = {
            variant or "": [row["low"], row["high"]]
            for (measure, variant, _), row in of.items()
            if measure == "ninety_percent_to" and variant is not None
        }
        cost = of.get(("cost_usd", None, "sum"), {}).get("value")
        ends = [correct[end] for end in ("value", "low", "high")]
        yield model, [of["measured", None, None]["value"], ends, cost, depths]


def row_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """What a golden run keeps of a record; which repeat it is depends on the order of
    requests, and is left out.
    """
    reply, answer, graded = (
        record["reply"] or {},
        record["answers"],
        record["grade"] or {},
    )
    details = graded.get("details") or {}
    grade = details if details.get("kind") == "number" else {}
    finish, retries = reply.get("finish_reason"), len(record["retries"])
    row: dict[str, Any] = {
        "id": re.sub(r"-repeat_\d+", "", (record["nodeid"] or "").partition("::")[2]),
        "prompt": _digest(
            record["prompt"] and "\n".join(one["content"] for one in record["prompt"])
        ),
        "reply": _short(reply.get("text")),
        "finish": None if finish == "stop" else finish,
        "tolerant": answer.get("tolerant"),
        "strict": answer.get("strict"),
        "outcome": record["outcome"],
        "error": grade.get("error_class"),
        "size": [grade[name] for name in ("absolute_error", "relative_error")]
        if grade.get("error_class")
        else None,
        "cost": reply.get("cost_usd"),
        "tokens": [
            reply.get(f"{kind}_tokens")
            for kind in ("prompt", "completion", "reasoning")
        ],
        "retries": retries or None,
    }
    if record["outcome"] == "unanswered":
        row["failure"] = (
            re.findall(r": ([45]\d\d) ", record["reason"] or "") or ["other"]
        )[0]
    if record["outcome"] == "nan" and record["task"] != "oeis":
        row["why"] = record["reason"]
    if details.get("kind") == "own" and record["task"] == "oeis":
        oeis = details["values"]
        judges = oeis["judges"]
        row |= {
            "program": _digest(oeis["program"]),
            "terms": " ".join(
                f"{len([*run])}*{status}"
                for status, run in groupby(t["status"] for t in oeis["terms"])
            ),
            "scores": graded.get("scores"),
            "judges": [
                judge and judge["cheat"] for judge in (judges["static"], judges["llm"])
            ],
        }
    if details.get("kind") == "search":
        search = details
        found = search["minimum"] or {}
        row["search"] = [
            search[name]
            for name in ("questions", "not_reproduced", "ended", "largest_right")
        ]
        row["found"] = [
            found.get(name)
            for name in ("question", "expected", "outcome", "answer", "error_class")
        ]
        row["asked"] = "; ".join(
            f"{step['question']} {step['outcome']}" for step in search["trail"]
        )
    return {
        name: value for name, value in row.items() if value not in (None, [None] * 3)
    }


def _comparison(one: Mapping[str, Any]) -> dict[str, Any]:
    counts = ("compared", "repeated", "cells", "unanswered", "at_worst", "same_words")
    sides = ("first", "second")
    paired = one["method"] == "paired"
    rows: dict[str, dict[str, Any]] = {}
    for row in one["estimates"]:
        measure = row["measure"]
        if measure.startswith("difference"):
            part = measure.removeprefix("difference").removeprefix("_")
            rows.setdefault(_name_of(row), {})[part] = row
    return {
        "sides": [[one[side]["model"], one[side]["condition"] or ""] for side in sides],
        "method": [one["method"], sum("p" in row for row in rows.values())],
        "questions": [
            *(one["questions"][name] for name in counts),
            *(_left_out(one["questions"][side]) for side in sides),
        ],
        "rows": {name: _compared(row, paired) for name, row in rows.items()},
    }


def _left_out(side: Mapping[str, Any]) -> dict[str, Any]:
    names = ("answered", "others", "unanswered")
    return {name: side[name] for name in names if name in side}


def _name_of(row: Mapping[str, Any]) -> str:
    task, condition, variant = row["task"], row["condition"], row["variant"]
    kind = "task" if task else "all"
    if variant:
        kind = "set" if task == "oeis" else "variant"
    elif condition:
        kind = "condition"
    return " ".join(filter(None, (kind, task, variant or condition)))


def _compared(row: Mapping[str, Any], paired: bool) -> list[Any]:
    """Of a question that was asked once: on which side it is right, and how often."""
    values = {part: one["value"] for part, one in row.items()}
    whole = row[""]
    first, second = (
        [
            row[f"correct{side}"]["value"],
            row[f"correct{side}"]["n"],
            whole["n"] if paired else row[f"correct{side}"]["n"],
            row[f"percentage{side}"]["value"],
        ]
        for side in ("_beside", "")
    )
    changes = pairs = None
    if paired:
        better, worse = values["better"], values["worse"]
        changes, both = [first[2], better, worse], first[0] - worse
        if first[2] == first[1]:
            pairs = [both, worse, better, first[2] - both - worse - better]
    difference = None
    if whole["value"] is not None:
        difference = [whole[end] for end in ("value", "low", "high")]
    tests = [values.get("p"), values.get("p_holm")]
    return [first, second, pairs, changes, difference, *tests]


def _short(text: str | None) -> str | None:
    return (
        text if text is None or len(text) <= 40 else f"{_digest(text)} of {len(text)}"
    )


def _digest(text: str | None) -> str | None:
    return (
        None
        if text is None
        else hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    )


def _sort_key(row: Mapping[str, Any]) -> str:
    return json.dumps([row["id"], row], sort_keys=True)


def _run(folder: Path) -> Path:
    (summary,) = (folder / "reports").glob("*/summary.json")
    return summary.parent


def _records(log: Path) -> Iterator[dict[str, Any]]:
    with log.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _command(
    program: Path,
    args: Sequence[str | Path],
    folder: Path,
    environment: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program, *args], cwd=folder, env=environment, capture_output=True, text=True
    )
