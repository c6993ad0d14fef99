"""A driver of all attacks:

`python -m tests.sandbox.battery LEVEL SECRET` makes them in a process of its own.

Prints one line of JSON per attack, so that a harness that an attack ends has printed
the ones before.
"""

from __future__ import annotations

import json
import os
import re
import sys
from contextlib import closing

from pytest_llmarith.sandbox.isolation import probe
from pytest_llmarith.sandbox.program_runs import (
    IsolationLevel,
    ProgramLimits,
    ProgramRun,
)
from pytest_llmarith.sandbox.runner import Sandbox
from tests.sandbox.attack import ATTACKS, HONEST, Attack
from tests.sandbox.targets import Targets

KEY = "LLMARITH_BATTERY_API_KEY"
LIMITS = ProgramLimits(seconds=(0.1, 0.3), memory_bytes=256 << 20)
_TRIES = 3


def main(level: str, planted: str) -> None:
    sandbox = Sandbox(probe(IsolationLevel(level)), LIMITS)
    with closing(Targets([planted, os.environ[KEY]], LIMITS.longest_s)) as targets:
        for attack in ATTACKS.values():
            for _ in range(_TRIES):
                found = _attacked(attack, sandbox, targets)
                # On a busy machine, a report or the next term may be late.
                if found["through"] or not found["wrong"]:
                    break
            _print(attack=attack.name, **found)


def _attacked(
    attack: Attack, sandbox: Sandbox, targets: Targets
) -> dict[str, list[str]]:
    """What got through, and what is wrong with the report of the first run or with the
    honest term after it.
    """
    try:
        runs = sandbox.run(attack.text(targets.names), (*attack.inputs, HONEST))
    except Exception as error:
        return {
            "through": targets.traces(),
            "wrong": [f"the harness raised {error!r:.500}"],
        }
    first, after = runs[0], runs[-1]
    wrong = (
        [f"{after!r:.1000}"]
        if (after.stdout, after.exit_status) != (f"{HONEST**2}\n", 0)
        else []
    )
    if attack.endings and first.ending not in attack.endings:
        wrong.append(f"ended {first.ending}, {first.detail}")
    if attack.output not in (None, (first.stdout, first.exit_status)):
        wrong.append(f"{first!r:.1000}")
    return {"through": [*_hits(runs, targets), *targets.traces()], "wrong": wrong}


def _hits(runs: list[ProgramRun], targets: Targets) -> list[str]:
    text = "\n".join(part for run in runs for part in (run.stdout, run.stderr))
    lost = [
        run.detail
        for run in runs
        if run.detail is not None and " was lost" in run.detail
    ]
    return [*re.findall(r"^HIT .*", text, re.MULTILINE), *targets.stolen(text), *lost]


def _print(**what: object) -> None:
    os.write(1, (json.dumps(what) + "\n").encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
