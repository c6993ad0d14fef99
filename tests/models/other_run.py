"""Another run on the same store, as a process of its own that does as it is told: what claims stand between.

with OtherRun(path) as other:
    other.does("take", key)  # "True" or "False"
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Self

_SCRIPT = """
import sys
from pathlib import Path
from pytest_llmarith.models.keeping.claims import Claims
from pytest_llmarith.models.keeping.store import Store, StoreError
from pytest_llmarith.values import Reply

path = Path(sys.argv[1])
claims = Claims(path)
store = Store(path)
deeds = {
    "take": claims.take,
    "release": claims.release,
    "put": lambda key: store.put(key, Reply("reply of the other run", cost_usd=0.25)),
    "lock": lambda word: store._db.execute("BEGIN EXCLUSIVE"),
    "unlock": lambda word: store._db.execute("ROLLBACK"),
}
print("ready", flush=True)
for line in sys.stdin:
    deed, word = line.split()
    print(deeds[deed](word), flush=True)
"""


class OtherRun:
    """It has a seat, holds claims and writes replies."""

    def __init__(self, store: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SCRIPT, str(store)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        if self._heard() != "ready":
            raise RuntimeError(self._process.communicate()[1])

    def does(self, deed: str, word: str = "it") -> str:
        """Tell it to do something; returns what came of it."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{deed} {word}\n")
        self._process.stdin.flush()
        return self._heard()

    def kill(self) -> None:
        """As kill -9 does."""
        self._process.kill()
        self._process.communicate()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.kill()

    def _heard(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().rstrip("\n")
