"""All attacks, and a driver: `python -m tests.sandbox.battery STAND SECRET` makes them in a process of its own.

The stand is a level of the sandbox, "subprocess" or "fork". Prints one line of JSON per attack, so that a harness that
an attack ends has printed the ones before.
"""

from __future__ import annotations

import json
import os
import re
import sys

from pytest_llmarith.types import Level, ProgramLimits, ProgramRun, Runner
from tests.sandbox import attacks_files, attacks_memory, attacks_output, attacks_processes, attacks_state
from tests.sandbox.attack import HONEST, Attack
from tests.sandbox.targets import Targets
from tests.sandbox.unprotected import Unprotected

KEY = "LLMARITH_BATTERY_API_KEY"
LIMITS = ProgramLimits(seconds=(0.1, 0.3), memory_bytes=256 << 20)
_FAMILIES = (attacks_files, attacks_memory, attacks_processes, attacks_output, attacks_state)
ATTACKS = {attack.name: attack for family in _FAMILIES for attack in family.ATTACKS}

_HONEST_PROGRAM = "n = int(input())\nprint(n * n)\n"
_TRIES = 3


def main(stand: str, planted: str) -> None:
    targets = Targets([planted, os.environ[KEY]], LIMITS.longest_s)
    try:
        if stand in ("subprocess", "fork"):
            unprotected = Unprotected(stand)
            for attack in ATTACKS.values():
                if attack.exposed == stand:
                    runs = unprotected.run(attack.text(targets.names), attack.inputs)
                    _print(attack=attack.name, through=[*_hits(runs, targets), *targets.traces()])
        else:
            _drive_sandbox(Level(stand), targets)
    finally:
        targets.clear()


def _drive_sandbox(level: Level, targets: Targets) -> None:
    from pytest_llmarith.sandbox.isolation import UnavailableError, probe
    from pytest_llmarith.sandbox.runner import Sandbox

    try:
        sandbox = Sandbox(probe(level), LIMITS)
    except UnavailableError as error:
        _print(unavailable=f"{error}")
        return
    sandbox.run(_HONEST_PROGRAM, [HONEST])
    targets.settle()
    for attack in ATTACKS.values():
        for _ in range(_TRIES):
            outcome = _attacked(attack, sandbox, targets)
            # On a busy machine, a report or the next term may be late.
            if outcome["through"] or not (outcome["report"] or outcome["next"]):
                break
        _print(attack=attack.name, **outcome)


def _attacked(attack: Attack, runner: Runner, targets: Targets) -> dict[str, object]:
    """What got through, what is wrong with the report of the first run, and with the honest term after it."""
    inputs = attack.inputs if attack.raw else (*attack.inputs, HONEST)
    try:
        runs = runner.run(attack.text(targets.names), inputs)
        [after] = runner.run(_HONEST_PROGRAM, [HONEST]) if attack.raw else runs[-1:]
    except Exception as error:
        return {"through": targets.traces(), "report": None, "next": f"the harness raised {error!r:.500}"}
    is_honest = (after.stdout, after.exit_status, after.stderr) == (f"{HONEST**2}\n", 0, "")
    return {
        "through": [*_hits(runs, targets), *targets.traces()],
        "report": attack.promise(runs[0]) if attack.promise else None,
        "next": None if is_honest else f"{after!r:.1000}",
        "first": f"{runs[0]!r:.1000}",
    }


def _hits(runs: list[ProgramRun], targets: Targets) -> list[str]:
    text = "\n".join(part for run in runs for part in (run.stdout, run.stderr))
    lost = [run.detail for run in runs if run.detail is not None and run.detail.startswith("its parent")]
    return [*re.findall(r"^HIT .*", text, re.MULTILINE), *targets.stolen(text), *lost]


def _print(**what: object) -> None:
    os.write(1, (json.dumps(what) + "\n").encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
