"""Reservations of questions for batches: each is in one batch at most, also after a
kill and with several processes.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.models.redact import sent_of
from pytest_llmarith.models.reservations import Locked, Reservations
from pytest_llmarith.models.store import Store
from pytest_llmarith.records import Reply, Request
from pytest_llmarith.types import Model

MODEL = Model("openai/x", "openai/x", {"temperature": 0}, "http://h/v1")
SENT = sent_of(MODEL, "1 + 1")
KEYS = [f"{number:064}" for number in range(6)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".llmarith" / "store.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[Reservations]:
    with closing(Reservations(path)) as opened:
        yield opened


def asked(*numbers: int) -> dict[str, Request]:
    return {KEYS[number]: SENT for number in numbers}


def test_a_question_is_in_one_batch_until_it_has_a_reply_or_the_batch_ends(
    store: Reservations, path: Path
) -> None:
    """What is stored or reserved is not reserved again; a stored reply stays; the rest
    is free after the end.
    """
    store.put({KEYS[0]: Reply("stored")})
    assert store.free(KEYS[:3]) == KEYS[1:3]
    first_intent = store.reserve(asked(1, 2))
    for others in ((0,), (1, 3), (2,)):
        assert store.reserve(asked(*others)) is None
    assert store.free(KEYS) == KEYS[3:]
    second_intent = store.reserve(asked(3))
    first, second = store.batches()
    assert (first.intent, second.intent) == (first_intent, second_intent)
    assert (first.model, first.questions) == (MODEL, 2)
    assert (first.id, first.creating_at) == (None, None)
    assert store.questions(second.intent) == asked(3)
    with closing(Store(path)) as other:
        assert other.awaited(KEYS) == {
            KEYS[1]: first.made_at,
            KEYS[2]: first.made_at,
            KEYS[3]: second.made_at,
        }
        other.put({KEYS[2]: Reply("imported")})
    assert store.settle({KEYS[1]: Reply("paid"), KEYS[2]: Reply("late")}) == 1
    assert store.settle({KEYS[1]: Reply("read twice")}) == 0
    assert {key: reply.text for key, reply in store.fetch(KEYS).items()} == {
        KEYS[0]: "stored",
        KEYS[1]: "paid",
        KEYS[2]: "imported",
    }
    assert [batch.intent for batch in store.batches()] == [second.intent]
    store.created(second.intent, "batch_2")
    store.release(first)
    store.release(replace(second, id="batch_2"))
    assert (store.batches(), store.awaited(KEYS)) == ([], {})
    assert store.ids() == ["batch_2"]
    assert store.reserve(asked(4)) is not None


def test_the_steps_of_a_batch_outlive_its_process(
    store: Reservations, path: Path
) -> None:
    store.reserve(asked(1))
    (batch,) = store.batches()
    store.creating(batch.intent)
    with closing(Reservations(path)) as later:
        (found,) = later.batches()
        assert (found.creating_at or 0) > 0
        assert found.id is None
        later.created(batch.intent, "batch_1")
    assert [one.id for one in store.batches()] == ["batch_1"]


def test_the_parameters_of_a_batch_are_one_line_without_keys(
    store: Reservations, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-the-tests")
    given: list[dict[str, Any]] = [
        {},
        {"max_tokens": 9, "stop": "\x1b"},
        {"user": "key-of-the-tests"},
    ]
    for number, params in enumerate(given):
        sent = sent_of(replace(MODEL, params=params), "1 + 1")
        store.reserve({KEYS[number]: sent})
    assert [batch.parameters for batch in store.batches()] == [
        "none",
        "max_tokens=9, stop=",
        "user=[hidden]",
    ]


def test_a_batch_that_another_process_has_found_is_not_released(
    store: Reservations,
) -> None:
    store.reserve(asked(1))
    (batch,) = store.batches()
    store.created(batch.intent, "batch_1")
    store.release(batch)
    assert [one.id for one in store.batches()] == ["batch_1"]


def test_several_processes_reserve_each_question_once(path: Path) -> None:
    def reserve(number: int) -> list[str]:
        with closing(Reservations(path)) as store:
            return [
                KEYS[which]
                for which in ((number + step) % 6 for step in range(6))
                if store.reserve(asked(which))
            ]

    with ThreadPoolExecutor(4) as threads:
        reserved = Counter(
            key for keys in threads.map(reserve, range(8)) for key in keys
        )
    assert reserved == Counter(KEYS)


HOLD = """
import sys
from pathlib import Path
from pytest_llmarith.models.redact import sent_of
from pytest_llmarith.models.reservations import Reservations
with Reservations(Path(sys.argv[1])).submitting():
    print("held", flush=True)
    sys.stdin.read()
"""


def test_one_process_submits_and_a_killed_one_no_longer(
    store: Reservations, path: Path
) -> None:
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(Locked), store.submitting():
            pass
        other.kill()
    with store.submitting():
        pass
