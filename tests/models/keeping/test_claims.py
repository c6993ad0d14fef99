"""Claims between processes: one holder at a time, and none that outlives its owner."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_llmarith.models.keeping.claims import Claims, alone
from pytest_llmarith.models.keeping.store import StoreError
from tests.models.other_run import OtherRun

KEY, OTHER_KEY = (hashlib.sha256(text).hexdigest() for text in (b"one", b"other"))


@pytest.fixture
def claims(path: Path) -> Iterator[Claims]:
    opened = Claims(path)
    yield opened
    opened.close()


@pytest.fixture
def other(path: Path) -> Iterator[OtherRun]:
    with OtherRun(path) as run:
        yield run


def test_one_of_two_runs_has_a_claim(claims: Claims, other: OtherRun) -> None:
    """Of two runs one has a claim, and the other has to wait or to ask something else."""
    assert other.does("take", KEY) == "True"
    assert not claims.take(KEY)
    assert claims.take(OTHER_KEY)
    assert other.does("take", OTHER_KEY) == "False"


def test_a_claim_that_was_given_up_goes_to_the_next(claims: Claims, other: OtherRun) -> None:
    """A claim that one run gives up is the other's to take, and can be taken back when that gives it up."""
    assert claims.take(KEY)
    claims.release(KEY)
    assert other.does("take", KEY) == "True"
    other.does("release", KEY)
    assert claims.take(KEY)


def test_a_claim_dies_with_its_owner(claims: Claims, other: OtherRun) -> None:
    """A claim ends with its owner, also when that is killed and cannot give anything up."""
    other.does("take", KEY)
    other.kill()
    assert claims.take(KEY)


PARENT_OF_A_SURVIVOR = """
import os, signal, sys
from pathlib import Path
from pytest_llmarith.models.keeping.claims import Claims

claims = Claims(Path(sys.argv[1]))
assert claims.take(sys.argv[2])
if os.fork() == 0:
    sys.stdin.read()
    os._exit(0)
print("ready", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_claim_is_not_inherited(claims: Claims, path: Path) -> None:
    """What a run has started, such as a sandbox, may outlive it and must not keep its claims alive."""
    command = [sys.executable, "-c", PARENT_OF_A_SURVIVOR, str(path), KEY]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.wait()
        assert claims.take(KEY)


def test_a_run_does_not_claim_what_it_has(claims: Claims) -> None:
    """Two keys that share a byte wait for each other, in one process as between two."""
    assert claims.take(KEY)
    assert not claims.take(KEY)


def test_who_wants_the_store_alone_is_refused_while_a_run_uses_it(path: Path, other: OtherRun) -> None:
    """A run keeps others from having the store alone, until it ends, even killed."""
    with pytest.raises(StoreError, match="a run is using it; try again when that has ended"), alone(path):
        pass
    other.kill()
    with alone(path):
        pass


def test_no_run_begins_while_somebody_has_the_store_alone(path: Path) -> None:
    """A run is refused while somebody has the store alone, as it would find replies vanishing."""
    with alone(path), pytest.raises(RuntimeError, match="llmarith store prune is at work on it"), OtherRun(path):
        pass


def test_a_file_system_without_locks_says_so(claims: Claims, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody may believe that two runs can share a store there."""

    def unlocked(*how: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("pytest_llmarith.models.keeping.claims._lock", unlocked)
    with pytest.raises(StoreError, match=r"this file system takes no locks \(Operation not supported\)"):
        claims.take(KEY)


def test_claims_that_cannot_be_opened_say_so(path: Path) -> None:
    """Where a folder stands in place of claims.lock, the error says that it cannot be opened."""
    (path.parent / "claims.lock").mkdir(parents=True)
    with pytest.raises(StoreError, match="beside it cannot be opened"):
        Claims(path)
