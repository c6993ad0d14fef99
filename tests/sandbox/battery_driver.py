"""Drives the battery in a process of its own: `python -m tests.sandbox.battery_driver STAND SECRET [ATTACK ...]`.

The stand is a level of the sandbox, or a way to run without any. Prints one line of JSON per attack as soon as it is
known, so that a harness that an attack brings down still tells how far it came.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
import time
from collections.abc import Iterator

from pytest_llmarith.values.programs import Level, ProgramLimits, ProgramRun, Runner
from tests.sandbox.battery import ATTACKS, KEY
from tests.sandbox.battery_attack import HONEST, Attack, Exposed
from tests.sandbox.battery_census import peak_mb
from tests.sandbox.battery_ground import Ground
from tests.sandbox.battery_unprotected import Unprotected

LIMITS = ProgramLimits(seconds=(0.1, 0.3), memory_bytes=256 << 20)

_saying = threading.Lock()
_HONEST_PROGRAM = "n = int(input())\nprint(n * n)\n"
_TRIES = 3
# This process starts bubblewrap, which starts the zygote, or the zygote itself.
_OWN_GENERATIONS = {Level.STRICT: 2, Level.STANDARD: 1}


def main(stand: str, planted: str, *names: str) -> None:
    ground = Ground([planted, os.environ[KEY]], LIMITS.longest_s)
    try:
        runner = _runner(stand)
        if runner is None:
            return
        unprotected = isinstance(runner, Unprotected)
        if not unprotected:
            runner.run(_HONEST_PROGRAM, [HONEST])
            ground.settle()
            threading.Thread(target=_watch_memory, args=(_OWN_GENERATIONS[Level(stand)],), daemon=True).start()
        for attack in _chosen(stand if unprotected else None, names):
            outcome = _exposed(attack, runner, ground) if unprotected else _attacked(attack, runner, ground)
            _say(attack=attack.name, **outcome)
    finally:
        ground.clear()


def _watch_memory(generations: int) -> None:
    """Tell of the sandbox's own processes whenever one has grown: this one and those above the terms."""
    told = 0
    while True:
        if (peak := peak_mb(generations)) > told:
            told = peak
            _say(peak_mb=peak)
        time.sleep(0.02)


def _runner(stand: str) -> Runner | None:
    if stand in (Exposed.SUBPROCESS, Exposed.FORK):
        return Unprotected(Exposed(stand))
    from pytest_llmarith.sandbox.levels import probe
    from pytest_llmarith.sandbox.runner import Sandbox

    isolation = probe(Level(stand))
    if isolation.level != stand:
        _say(unavailable=f"no level better than {isolation.level} here: {'; '.join(isolation.remarks)}")
        return None
    runner: Runner = Sandbox(isolation, LIMITS)
    return runner


def _chosen(exposed: str | None, names: tuple[str, ...]) -> Iterator[Attack]:
    for attack in ATTACKS.values():
        if attack.name in names or (not names and exposed in (None, attack.exposed)):
            yield attack


def _exposed(attack: Attack, runner: Runner, ground: Ground) -> dict[str, object]:
    """What the attack achieves where nothing stops it."""
    runs = runner.run(attack.text(ground.places), attack.inputs)
    return {"through": [*_hits(runs, ground), *ground.traces()]}


def _attacked(attack: Attack, runner: Runner, ground: Ground) -> dict[str, object]:
    """What got through, what is wrong with how its runs were told, and with the honest term that came next."""
    for _ in range(_TRIES):
        outcome = _attacked_once(attack, runner, ground)
        # What got through did. But what is told or comes next may be late because the machine is busy with others.
        if outcome["through"] or not (outcome["told"] or outcome["next"]):
            break
    return outcome


def _attacked_once(attack: Attack, runner: Runner, ground: Ground) -> dict[str, object]:
    start = time.monotonic()
    inputs = attack.inputs if attack.raw else (*attack.inputs, HONEST)
    try:
        runs = runner.run(attack.text(ground.places), inputs)
        [after] = runner.run(_HONEST_PROGRAM, [HONEST]) if attack.raw else runs[-1:]
    except Exception as error:
        return {"through": ground.traces(), "told": None, "next": f"the harness raised {error!r:.500}"}
    return {
        "through": [*_hits(runs, ground), *ground.traces()],
        "told": attack.promise(runs[0]) if attack.promise else None,
        "next": _complaint_of_honest(after),
        "took_s": round(time.monotonic() - start, 2),
        "first": [runs[0].ending, runs[0].exit_status, runs[0].detail, runs[0].seconds, runs[0].stderr[-200:]],
    }


def _hits(runs: list[ProgramRun], ground: Ground) -> Iterator[str]:
    text = "\n".join(part for run in runs for part in (run.stdout, run.stderr))
    yield from re.findall(r"^HIT .*", text, re.MULTILINE)
    yield from ground.stolen(text)
    yield from (run.detail for run in runs if run.detail is not None and run.detail.startswith("its parent"))


def _complaint_of_honest(run: ProgramRun) -> str | None:
    if run.stdout == f"{HONEST**2}\n" and run.exit_status == 0 and not run.stderr:
        return None
    return f"the next term {run.ending}, {run.exit_status}, {run.detail}: {run.stdout!r:.200} {run.stderr!r:.500}"


def _say(**what: object) -> None:
    with _saying:
        sys.stdout.write(json.dumps(what) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
