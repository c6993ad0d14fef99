"""Runs other graders, the adapters and readers of exports in environments of their own:

`make interop` writes docs/conformance.md.

Each environment is made with uv in a folder, `.interop` unless another is named, and
used again.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from typing import Any

from pytest_llmarith.cli import main as llmarith
from pytest_llmarith.records import Record
from pytest_llmarith.results.loaded import load_all_runs
from pytest_llmarith.types import Dtype, Op
from tests.runs_on_disk import added, asked, programmed, run_in, said

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "conformance.md"
START, END = "<!-- table -->", "<!-- end of table -->"
_UV = str(Path(sys.executable).parent / "uv")


@dataclass(frozen=True)
class Tool:
    """A package in an environment of its own, its graders with a title each, and its
    adapter.
    """

    environment: str
    package: str | None
    distribution: str | None
    graders: tuple[tuple[str, str], ...] = ()
    adapter: str | None = None
    with_dependencies: bool = True
    reads: str | None = None  # a format of `llmarith export`
    python: str | None = None


TOOLS = (
    Tool("exactnum", None, "exactnum", (("exactnum:grade", "exactnum `grade`"),)),
    Tool(
        "inspect",
        "inspect_ai latex2sympy2-extended==1.11.0 pandas pyarrow",
        "inspect_ai",
        (
            ("conformance.graders:inspect_match", "inspect_ai `match(numeric=True)`"),
            ("conformance.graders:inspect_math", "inspect_ai `math()`"),
        ),
        "inspect",
        reads="inspect",
    ),
    Tool("eee", "every_eval_ever", "every_eval_ever", reads="eee", python="3.12"),
    Tool("hub", "huggingface_hub pyyaml", "huggingface_hub", reads="hf"),
    Tool(
        "mathverify",
        "math-verify[antlr4_13_2]",
        "math-verify",
        (
            ("conformance.graders:math_verify", "math-verify"),
            (
                "conformance.graders:math_verify_without_timeouts",
                "math-verify without timeouts",
            ),
        ),
    ),
    Tool(
        "lmeval",
        "lm-eval",
        "lm_eval",
        (
            ("conformance.graders:lm_eval_strict", "lm-eval gsm8k `strict-match`"),
            (
                "conformance.graders:lm_eval_flexible",
                "lm-eval gsm8k `flexible-extract`",
            ),
        ),
        "lm_eval",
    ),
    Tool(
        "rg",
        "reasoning-gym",
        "reasoning-gym",
        (
            (
                "conformance.graders:reasoning_gym_score",
                "reasoning-gym `score_answer`, 1.0",
            ),
        ),
    ),
    Tool(
        "verl",
        "verl",
        "verl",
        (
            ("conformance.graders:verl_strict", "verl gsm8k, strict"),
            ("conformance.graders:verl_flexible", "verl gsm8k, flexible"),
        ),
        "verl",
        with_dependencies=False,
    ),
    Tool(
        "exactnum",
        None,
        None,
        (("conformance.graders:simple_evals", "the form of simple-evals"),),
    ),
    Tool("deepeval", "deepeval", "deepeval", adapter="deepeval"),
    Tool("trl", "trl", "trl", adapter="trl"),
    # Its recipe needs torch, which is there.
    Tool("trl", None, None, adapter="openrlhf"),
    Tool("verifiers", "verifiers", "verifiers", adapter="verifiers"),
    Tool("rd", "reward-doctor", "reward-doctor", adapter="reward_doctor"),
)


def prepare(tool: Tool, folder: Path) -> Path:
    """The Python of the tool's environment, with the package and exactnum as it is
    here.
    """
    environment = folder / tool.environment
    python = environment / "bin" / "python"
    settings = os.environ | {"VIRTUAL_ENV": str(environment)}
    if not python.exists():
        version = ["--python", tool.python] if tool.python else []
        make = [_UV, "venv", "--quiet", *version, str(environment)]
        subprocess.run(make, check=True)
        if tool.package is not None:
            options = [] if tool.with_dependencies else ["--no-deps"]
            subprocess.run(
                [_UV, "pip", "install", "--quiet", *options, *tool.package.split()],
                check=True,
                env=settings,
            )
    again = [
        "--no-deps",
        "--reinstall-package",
        "exactnum",
        "--no-cache",
        str(ROOT / "exactnum"),
    ]
    subprocess.run([_UV, "pip", "install", "--quiet", *again], check=True, env=settings)
    return python


def run_module(python: Path, *arguments: str) -> str:
    """What a module prints in an environment; the last line of its errors if it
    fails.
    """
    settings = os.environ | {"HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [python, "-m", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=settings,
    )
    if done.returncode:
        lines = (done.stderr.strip() or "no message").splitlines()
        raise RuntimeError(lines[-1][:200])
    return done.stdout


def written_run(folder: Path) -> Path:
    """A run of 774 trials of three tasks, some wrong or without an answer."""
    texts = ("{}", "It is {}.", "7", "I cannot help with that.", None)
    trials = []
    for number in range(600):
        operation, text = list(Op)[number % 4], texts[number % len(texts)]
        trials.append(asked(text, number % 9 + 2, number, Dtype.FLOAT, operation))
    trials += [added(texts[number % 3], number) for number in range(100)]
    trials += [programmed(f"A{number:06}") for number in range(74)]
    for trial in trials:
        trial["prompt"] = said("prompt")
    rmtree(folder, ignore_errors=True)
    return run_in(folder, trials)


def read_exported(tool: Tool, python: Path, folder: Path) -> str:
    """What a reader says of a run in its format. A log of inspect must give the same
    records, also after inspect has written it.
    """
    form, folder = str(tool.reads), folder / "exports"
    run, target = written_run(folder / "run"), folder / str(tool.reads)
    rmtree(target, ignore_errors=True)
    command = ["export", str(run), f"--format={form}", f"--output={target}"]
    if form == "hf":
        command.append("--dataset=owner/name")
    if llmarith(command):
        raise RuntimeError("llmarith export failed")
    said_of = run_module(python, "conformance.readers", form, str(target)).strip()
    if form == "inspect":
        before = _records(run)
        for logs in (target, folder / "back"):
            changed = sum(
                one != before.get(name) for name, one in _records(logs).items()
            )
            said_of += f"; {changed} of {len(before)} records changed"
            if changed or len(_records(logs)) != len(before):
                raise RuntimeError(said_of)
    return said_of


def _records(path: Path) -> dict[str | None, Record]:
    runs = load_all_runs([path], print)
    return {record.nodeid: record for run in runs for record in run.records()}


def row(title: str, version: str, report: dict[str, Any]) -> str:
    """A row of the table."""
    total = report["total"]
    bare = [
        one
        for one in report["families"]
        if one["family"] in ("bare integers", "long integers", "decimals")
    ]
    accepts = sum(one["false_accepts"] for one in bare)
    refusals = sum(one["false_refusals"] for one in bare)
    slowest = report["slowest"]["seconds"]
    cells = (
        f"{title} {version}".strip(),
        f"{total['false_accepts']} of {total['to_refuse']:,}",
        f"{total['false_refusals']} of {total['to_accept']}",
        f"{accepts}, {refusals}",
        f"{report['median_seconds'] * 1000:.3f}",
        f"{slowest * 1000:,.0f}"
        if not report["faults"]
        else f"{slowest * 1000:,.0f} ({report['faults']} faults)",
    )
    return f"| {' | '.join(cells)} |"


def main() -> int:
    """Run everything; the exit status is 1 if an adapter or a grader does not work."""
    parser = argparse.ArgumentParser(
        description="Run other graders and the adapters of exactnum."
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=ROOT / ".interop",
        help="Where the environments are",
    )
    parser.add_argument(
        "--readers", action="store_true", help="Only readers of exports"
    )
    request = parser.parse_args()
    folder = request.folder
    rows, works = [], True
    for tool in TOOLS:
        if request.readers and tool.reads is None:
            continue
        try:
            python = prepare(tool, folder)
            version = ""
            if tool.distribution is not None:
                code = (
                    f"from importlib.metadata import version; "
                    f"print(version({tool.distribution!r}))"
                )
                version = subprocess.run(
                    [python, "-c", code], capture_output=True, text=True, check=True
                ).stdout.strip()
            if tool.adapter is not None and not request.readers:
                lines = run_module(
                    python, "conformance.adapters", tool.adapter
                ).splitlines()
                print(f"{tool.adapter} {version}: {lines[-1]}", flush=True)  # noqa: T201
            if tool.reads is not None:
                found = read_exported(tool, python, folder)
                print(f"reading {tool.environment} {version}: {found}", flush=True)  # noqa: T201
            for grader, title in () if request.readers else tool.graders:
                report = json.loads(
                    run_module(python, "exactnum.conformance", grader, "--format=json")
                )
                rows.append(row(title, version, report))
                print(rows[-1], flush=True)  # noqa: T201
        except (subprocess.CalledProcessError, RuntimeError) as error:
            works = False
            print(f"{tool.environment}: does not work: {error}", flush=True)  # noqa: T201
    if works and not request.readers:
        before, _, rest = PAGE.read_text("utf-8").partition(START)
        _, _, after = rest.partition(END)
        head = (
            "| grader | false accepts | false refusals | of numbers alone | median ms "
            "| slowest ms |",
            "|---|--:|--:|--:|--:|--:|",
        )
        table = "\n".join([*head, *rows])
        PAGE.write_text(f"{before}{START}\n{table}\n{END}{after}", "utf-8")
    return int(not works)


if __name__ == "__main__":
    sys.exit(main())
