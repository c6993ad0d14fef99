"""`llmarith store import|status|prune`, as people use them."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from pytest_llmarith.cli import WRONG_USAGE, main
from pytest_llmarith.cli.parser import NOT_DONE
from pytest_llmarith.evaluate import AskedTrial, Graded, record, unanswered_record
from pytest_llmarith.models.redact import sent_of
from pytest_llmarith.models.store import Store, key_of
from pytest_llmarith.records import Reply, Request, as_dict
from pytest_llmarith.results.log import LONGEST_LINE
from pytest_llmarith.tasks import arithmetic
from pytest_llmarith.tasks.oeis.lookup_table import model_judge
from pytest_llmarith.types import (
    Dtype,
    Failure,
    Message,
    Model,
    Op,
    Outcome,
    Question,
    Reading,
)
from tests.asked import number_record
from tests.runs_on_disk import lines_of, programmed

MODEL = Model(
    "mine", "openai/some", {"temperature": 0}, "http://127.0.0.1:1/v1/", "Be brief."
)
JUDGE = Model("judge", "openai/judge", model_judge.PARAMS)
PROBLEM = arithmetic.problem(0, Dtype.INT, Op.ADD, 3, 2)
PROMPT = "What is it?"
TRIAL = AskedTrial.of(PROBLEM, MODEL, PROMPT, "nodeid")
QUESTION = Question("mine", PROMPT, 2)
KEY = key_of(MODEL, QUESTION)
REPLY = Reply(
    "= 42\udfff",
    reasoning="hm",
    finish_reason="stop",
    served_model="some-2026",
    prompt_tokens=7,
    completion_tokens=3,
    cost_usd=0.25,
    latency_s=1.5,
    asked_at="2026-11-22T00:00:00.000+00:00",
    sent=sent_of(MODEL, PROMPT),
)
RECORD = as_dict(number_record(PROBLEM, TRIAL, Reading.TOLERANT, REPLY))
PROGRAM = "print(int(input()))"

Write = Callable[..., Path]
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The store of a project; the command is given in one of its folders."""
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "inside").mkdir()
    monkeypatch.chdir(tmp_path / "inside")
    return tmp_path / ".llmarith" / "store.sqlite"


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A run's folder with a log of these records."""

    def write_log(*records: Mapping[str, Any] | str, name: str = "run") -> Path:
        (folder := tmp_path / name).mkdir(exist_ok=True)
        written = [
            record if isinstance(record, str) else lines_of([record])
            for record in records
        ]
        (folder / "trials.jsonl").write_text("".join(written), encoding="utf-8")
        return folder

    return write_log


def run(*arguments: str | Path) -> int:
    """The exit status, also where the parser leaves by itself."""
    try:
        return main(["store", *map(str, arguments)])
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else -1


def stored(path: Path) -> dict[str, Reply]:
    with closing(sqlite3.connect(path)) as db, closing(Store(path)) as store:
        return store.fetch([key for (key,) in db.execute("SELECT key FROM replies")])


def altered(name: str, value: Any, of: Mapping[str, Any] = RECORD) -> dict[str, Any]:
    """The record with another value at a place such as `reply.sent.model`."""
    record: dict[str, Any] = json.loads(json.dumps(of))
    *way, last = name.split(".")
    inner: Any = record
    for step in way:
        inner = inner[step]
    inner[last] = value
    return record


# --- import ---------------------------------------------------------------------------


def test_a_reply_goes_where_a_run_looks_for_it(
    write: Write, path: Path, capsys: Captured
) -> None:
    """Its key is made from what was sent, whether it was itself stored or not; what is
    there already stays.

    A cost at a price of the user's own holds for one run, and is not taken.
    """
    run_folder = write(RECORD, altered("reply.text", "second"))
    again = write(altered("reply.stored", True), name="again")
    assert run("import", run_folder, again / "trials.jsonl") == 0
    assert stored(path) == {KEY: structs.replace(REPLY, stored=True)}
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        f"store: {path}",
        f"{run_folder / 'trials.jsonl'}: 1 reply taken, 1 in the store already",
        f"{again / 'trials.jsonl'}: 0 replies taken, 1 in the store already",
    ]
    assert err == ""
    own = ["--store-dir", str(path.parent / "own")]
    assert run("import", write(altered("reply.own_price", True)), *own) == 0
    assert stored(path.parent / "own" / path.name)[KEY].cost_usd is None


def test_lines_without_a_reply_to_take_are_counted(
    write: Write, path: Path, capsys: Captured
) -> None:
    """Outages, simulated replies, models of the user's own, and what a kill tore are no
    mistakes.
    """
    own = as_dict(number_record(PROBLEM, TRIAL, Reading.STRICT, Reply("42")))
    outage = as_dict(unanswered_record(TRIAL, Failure("down")))
    fake = altered("reply.sent.model", "llmarith/oracle")
    assert (
        run(
            "import",
            write(outage, fake, fake, own, '{"half": \x18\n', RECORD, '{"torn": '),
        )
        == 0
    )
    assert len(stored(path)) == 1
    out, err = capsys.readouterr()
    assert out.endswith(
        "1 reply taken, 1 of a `model` fixture, 2 simulated, 2 torn by a kill, 1 unanswered\n"
    )
    assert err == ""


def test_a_reply_without_a_verdict_is_taken_while_a_run_has_the_store_open(
    write: Write, path: Path
) -> None:
    """`unanswered` may hold a reply: its judge failed, or the machine was too busy for
    its program.
    """
    with closing(Store(path)):
        assert (
            run(
                "import",
                write(
                    as_dict(
                        record(TRIAL, REPLY, Graded(Outcome.UNANSWERED, "no verdict"))
                    )
                ),
            )
            == 0
        )
    assert list(stored(path)) == [KEY]


def oeis_record(*verdicts: str) -> dict[str, Any]:
    """A program that a language model has judged, in several replies."""
    sent = sent_of(JUDGE, model_judge.prompt(PROGRAM))
    replies = [
        as_dict(structs.replace(REPLY, text=verdict, sent=sent)) for verdict in verdicts
    ]
    judges = {
        "static": None,
        "llm": {"cheat": False, "model": "judge", "replies": replies},
    }
    sequence = programmed("A000045", program=PROGRAM, judges=judges)
    return {**sequence, "reply": RECORD["reply"], "prompt": RECORD["prompt"]}


def test_a_judges_replies_are_taken_with_the_program(write: Write, path: Path) -> None:
    """Its n-th reply answers its n-th question, and a sequence has one trial."""
    assert run("import", write(oeis_record("hm", "0"))) == 0
    judged = [
        key_of(JUDGE, Question("judge", model_judge.prompt(PROGRAM), attempt))
        for attempt in range(2)
    ]
    found = stored(path)
    assert set(found) == {key_of(MODEL, replace(QUESTION, trial=0)), *judged}
    assert [found[key].text for key in judged] == ["hm", "0"]


NESTED = lines_of([altered("reply.sent.params", {"a": 0})]).replace(
    '"a": 0', '"a": ' + "[" * 900 + "]" * 900
)
SECRET = "the request holds a key or a password"
HOSTILE: list[tuple[str | dict[str, Any], str]] = [
    ("hello\n", "not JSON (Expecting value)"),
    ("[" * 100_000 + "]" * 100_000 + "\n", "nested too deep"),
    (NESTED, "reply.sent: params is nested too deep"),
    ("[" + "0," * LONGEST_LINE + "0]\n", "longer than 16,777,216 characters"),
    (altered("reply.asked_at", "2026-11-22T00:00:00+01:00"), "reply.asked_at"),
    (altered("reply.sent.\x1b[31mred", 1), "reply.sent"),
    (altered("reply.sent.model", "\ud800"), "surrogate"),
    (
        altered("reply.sent.params", {"extra_headers": {"X-A": "[hidden]"}}),
        "the request had a header whose value",
    ),
    (altered("reply.sent.api_base", "http://me:pw@x/"), SECRET),
    (altered("reply.sent.params", {"tools": [{"api_key": "sk-1"}]}), SECRET),
    (
        altered("prompt", [{"role": "user", "content": "What else?"}]),
        "the prompt is not the one that was sent",
    ),
]


@pytest.mark.parametrize(("line", "why"), HOSTILE, ids=range(len(HOSTILE)))
def test_a_line_that_no_run_wrote_is_refused(
    line: str | dict[str, Any], why: str, write: Write, path: Path, capsys: Captured
) -> None:
    """In one line, with its number; nothing of its log is taken."""
    log = write(RECORD, line, altered("problem.trial", 5))
    assert run("import", log) == WRONG_USAGE
    out, err = capsys.readouterr()
    assert err.startswith(f"llmarith store import: {log / 'trials.jsonl'}, line 2: ")
    assert why in err
    assert err.count("\n") == 1
    assert "\x1b" not in out + err
    assert stored(path) == {}


# --- status and prune -----------------------------------------------------------------


def reply(
    model: str, day: str | None, api_base: str | None = None, **facts: Any
) -> Reply:
    asked_at = day and f"{day}T12:00:00.000+00:00"
    sent = Request(model, api_base, [Message("user", "?")], {})
    return Reply("", asked_at=asked_at, sent=sent, **facts)


@pytest.fixture
def full(path: Path) -> Path:
    """A store of two models and three days, and one reply without a date."""
    first = reply(
        "a", "2016-11-20", cost_usd=0.5, prompt_tokens=1000, completion_tokens=500
    )
    replies = (
        first,
        reply("a", "2016-11-22", cost_usd=0.25),
        reply("b", "2016-11-21"),
        reply("b", None),
    )
    with closing(Store(path)) as store:
        store.put({str(number): one for number, one in enumerate(replies)})
    return path


def left(path: Path) -> list[str]:
    return sorted(
        f"{found.sent.model} {(found.asked_at or 'never')[:10]}"
        for found in stored(path).values()
        if found.sent is not None
    )


def test_the_status_says_what_there_is(full: Path, capsys: Captured) -> None:
    """A row per model and base URL, with what is known of the cost; an empty store has
    one line.
    """
    with closing(Store(full)) as store:
        store.put(
            {
                "x": reply(
                    "b\x1b[31m", "2016-11-21", "http://localhost:8000/v1", cost_usd=0.1
                )
            }
        )
    assert run("status") == 0
    lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"\d+\.\d kB", lines[0].removeprefix(f"store: {full}, "))
    assert [" ".join(line.split()) for line in lines[4:]] == [
        "a - 2016-11-20 2016-11-22 2 $0.7500 1.5k",
        "b - 2016-11-21 2016-11-21 2 - -",
        "b\\x1b[31m http://localhost:8000/v1 2016-11-21 2016-11-21 1 $0.1000 -",
    ]
    assert (run("prune", "--older-than=0"), run("prune", "--model=b")) == (0, 0)
    capsys.readouterr()
    assert run("status") == 0
    assert capsys.readouterr().out.count("\n") == 1


@pytest.mark.parametrize("command", [("status",), ("prune", "--model=m")])
def test_there_has_to_be_a_store(
    command: tuple[str, ...], path: Path, capsys: Captured
) -> None:
    assert run(*command) == WRONG_USAGE
    assert (
        f"there is no store {path}; name its folder with --store-dir"
        in capsys.readouterr().err
    )
    assert not path.parent.exists()
    path.parent.mkdir()
    path.write_text(
        text := "a shopping list that is long enough to be no header of SQLite's" * 20
    )
    assert run(*command) == NOT_DONE
    err = capsys.readouterr().err
    assert "it is not a store of replies" in err
    assert err.count("\n") == 1
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("criteria", "stays"),
    [
        (["--model=a"], ["b 2016-11-21", "b never"]),
        # a reply without a date is never too old
        (["--older-than=2016-11-22"], ["a 2016-11-22", "b never"]),
        (
            ["--older-than=2016-11-22", "--model=b"],
            ["a 2016-11-20", "a 2016-11-22", "b never"],
        ),
    ],
)
def test_what_meets_all_criteria_is_deleted(
    criteria: list[str], stays: list[str], full: Path
) -> None:
    assert run("prune", *criteria) == 0
    assert left(full) == stays


def test_only_what_is_deleted_is_counted(full: Path, capsys: Captured) -> None:
    assert run("prune", "--model=a", "--older-than=2016-11-22") == 0
    out = capsys.readouterr().out.splitlines()
    assert out[1] == "1 reply deleted"
    assert out[-1].split()[:5] == ["a", "-", "2016-11-20", "2016-11-20", "1"]


@pytest.mark.parametrize(
    ("way", "done", "stay"),
    [((), "deleted", 2), (("--dry-run",), "would be deleted", 4)],
)
def test_what_is_deleted_is_said(
    way: tuple[str, ...], done: str, stay: int, full: Path, capsys: Captured
) -> None:
    with closing(Store(full)):
        assert run("prune", "--model=a", *way) == (0 if way else NOT_DONE)
        assert (
            way
            or "a run is using it; rerun the command when that run has ended"
            in capsys.readouterr().err
        )
        assert len(left(full)) == 4
    capsys.readouterr()
    assert run("prune", "--model=a", *way) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[1] == f"2 replies {done}"
    assert out[-1].split() == [
        *("a", "-", "2016-11-20", "2016-11-22", "2", "$0.7500", "1.5k"),
    ]
    assert len(left(full)) == stay


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            [],
            "choose the replies to delete; add --model=NAME or --older-than=DAYS|DATE",
        ),
        (
            ["--model=a", "--model=c"],
            "the store holds no replies of 'c'; see llmarith store status",
        ),
        (
            ["--older-than=soon"],
            "'soon' is neither a number of days nor a date; write 30 or 2026-11-22",
        ),
        (["--older-than=999999"], "'999999' is neither a number of days nor a date"),
    ],
)
def test_wrong_usage_deletes_nothing(
    arguments: list[str], said: str, full: Path, capsys: Captured
) -> None:
    assert run("prune", *arguments) == WRONG_USAGE
    err = capsys.readouterr().err
    assert (said in err, err.count("\n"), len(left(full))) == (True, 1, 4)
