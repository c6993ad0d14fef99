"""Records and summaries: what is written is read again, what is broken is refused,
schemas hold of real runs.
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from pytest_llmarith.cli import WRONG_USAGE, main
from pytest_llmarith.records import (
    Record,
    as_dict,
    as_text,
    convert,
    decode_record,
    encode,
)
from pytest_llmarith.results.merge import merge
from pytest_llmarith.sandbox.isolation import UnavailableError, probe
from pytest_llmarith.summaries import KINDS, decode_summary, schema_of
from pytest_llmarith.types import Outcome
from tests.runs_on_disk import asked, run_in
from tests.session.test_oeis_run import write_cache

PUBLISHED_FILES = Path(__file__).parent.parent / "docs" / "schemas"

# All tasks, asked of the embedded models, and again of a model of one's own that is
# wrong, silent, absent or cheats.
BENCH = """
import pytest
from pytest_llmarith import Problem, Task

def problems(seed, trials):
    return [Problem({"word": trial}, str(trial), f"word_{trial}") for trial in range(trials)]

def read(text, problem):
    return text if problem["word"] else text.nothing

own = Task(__name__, problems, lambda problem: f"Echo {problem['word']}", read)

@pytest.mark.llmarith_task(own, trials=4)
def test_own(problem, ask):
    ask(problem)

@pytest.mark.arithmetic(depths=[2, 12], trials=2)
def test_arithmetic(problem, ask):
    ask(problem)

@pytest.mark.integer_addition(trials=4)
def test_integer_addition(problem, ask):
    ask(problem)

@pytest.mark.oeis
def test_oeis(problem, ask):
    ask(problem)

@pytest.mark.breaking_point
def test_breaking_point(problem, search):
    search(problem)
"""
OWN_MODEL = """
import pytest

PROGRAMS = {
    "squares": "print(int(input()) ** 2)",
    "cubes": "import sys; print('hm', file=sys.stderr); print(7)",
    "tables": "print([41, 42, 45, 50, 57, 66][int(input())])",
}

class Mine:
    name = "mine"

    def reply(self, prompt):
        if "*" in prompt:
            raise ConnectionError("the line is dead")
        name = prompt.rpartition("Name: The ")[2].split(".")[0]
        return f"```python\\n{PROGRAMS[name]}\\n```" if name in PROGRAMS else "" if "/" in prompt else "7"

@pytest.fixture
def model():
    return Mine()
"""
OPTIONS = (
    *("--llm-model=llmarith/sloppy", "--oeis-judge=both:llmarith/oracle"),
    *("--llm-repeats=2", "--llm-symbols=ascii,unicode", "--llm-breaking-point=6"),
    *("--llm-price=1,2", "--oeis-terms=6", "-q", "-p", "no:cacheprovider"),
    "--llm-reports=reports",
)


def is_sandboxed() -> bool:
    try:
        probe()
    except UnavailableError:
        return False
    return True


def commit(place: Path) -> None:
    """Make a repository of a folder."""
    identity = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org")
    for command in (("init",), ("add", "test_bench.py"), ("commit", "-m", "A bench")):
        subprocess.run(
            ["git", *identity, *command], cwd=place, check=True, capture_output=True
        )


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, programs: Path) -> list[Path]:
    """A real run of every task and outcome, as a shard of one; and what a merge makes
    of it.
    """
    place = tmp_path_factory.mktemp("runs")
    (place / "own").mkdir()
    (place / "test_bench.py").write_text(BENCH, encoding="utf-8")
    (place / "own" / "test_own_bench.py").write_text(BENCH, encoding="utf-8")
    (place / "own" / "conftest.py").write_text(OWN_MODEL, encoding="utf-8")
    (place / "pytest.ini").touch()
    write_cache(place / "oeis_cache")
    commit(place)  # a run says which commit it was made at
    run = subprocess.run(
        (programs / "pytest", *OPTIONS, "--llm-shard=1/1"),
        cwd=place, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == pytest.ExitCode.TESTS_FAILED, (
        run.stdout
    )  # the model of one's own was away at times
    (folder,) = (place / "reports").glob("*_shard-*")
    merge([folder], merged := folder.parent / "merged")
    return [folder, merged]


def closed(schema: dict[str, Any]) -> dict[str, Any]:
    """The same schema, but an object may hold nothing that it does not name."""
    made = [schema, *schema["$defs"].values()]
    for part in made:
        part |= {"additionalProperties": False} if "properties" in part else {}
    return schema


RECORD_SCHEMA = closed(schema_of("record"))


def fault_of(value: Any, schema: dict[str, Any]) -> str | None:
    """Where a value is not what a schema says, and how."""
    fault = best_match(Draft202012Validator(schema).iter_errors(value))
    return fault and f"{fault.json_path}: {fault.message}"


@pytest.mark.proof
def test_records_of_real_runs(runs: list[Path]) -> None:
    told = set()
    for run in runs:
        for line in (run / "trials.jsonl").read_text("utf-8").splitlines():
            record = decode_record(line)
            assert encode(record) == line
            assert fault_of(json.loads(line), RECORD_SCHEMA) is None
            told.add((record.task, str(record.outcome)))
    assert told >= {
        ("arithmetic", outcome)
        for outcome in ("correct", "deviate", "nan", "unanswered")
    }
    assert {task for task, _ in told} >= {"integer_addition", "breaking_point"}
    if is_sandboxed():
        assert told >= {
            ("oeis", outcome) for outcome in ("correct", "deviate", "nan", "cheat")
        }


@pytest.mark.proof
def test_summaries_of_real_runs(runs: list[Path]) -> None:
    """Of shards and of a merged run: each is read without a loss, and fits the closed
    schema.
    """
    schema = closed(schema_of("summary"))
    summaries = [(run / "summary.json").read_text("utf-8") for run in runs]
    for text in summaries:
        assert json.loads(encode(decode_summary(text))) == json.loads(text)
        assert fault_of(json.loads(text), schema) is None
    assert [bool(decode_summary(text).run.shard) for text in summaries] == [True, False]
    merged = decode_summary(summaries[-1])
    assert merged.run.merged
    assert {row.by for row in merged.differences} == {"model", "condition"}


@pytest.mark.parametrize("name", KINDS)
def test_the_published_schemas(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", name]) == 0
    printed = capsys.readouterr().out
    assert (PUBLISHED_FILES / f"{name}-1.json").read_text("utf-8") == printed
    schema = json.loads(printed)
    Draft202012Validator.check_schema(schema)


# --- one record, as it may be and as it may not ---------------------------------------

ANY_TEXT = st.text(
    st.characters(), max_size=20
)  # half surrogate pairs among them: a reply may hold anything
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**400), 10**400)
    | st.floats(allow_nan=False, allow_infinity=False)
    | ANY_TEXT,
    lambda inside: (
        st.lists(inside, max_size=3) | st.dictionaries(ANY_TEXT, inside, max_size=3)
    ),
    max_leaves=6,
)
SENT: dict[str, Any] = {
    "model": "openai/one",
    "api_base": None,
    "params": {},
    "messages": [{"role": "user", "content": "prompt"}],
}
GOOD = asked("7", sent=SENT)  # deviates


@settings(max_examples=40)
@given(ANY_TEXT, st.dictionaries(ANY_TEXT, JSON, max_size=3), JSON)
def test_what_is_written_is_read_again(
    text: str, inputs: dict[str, Any], value: Any
) -> None:
    """In one line of ASCII, whatever a reply or a custom task holds, and with a schema
    that agrees.
    """
    place = {
        "label": "a",
        "seed": 0,
        "variant": text,
        "depth": None,
        "trial": 0,
        "question": text,
    }
    problem = place | {"inputs": inputs, "expected": value, "strata": {text: 1}}
    reply = GOOD["reply"] | {"text": text, "reasoning": text}
    details = {"kind": "own", "values": inputs}
    changes = {
        "task": "words",
        "problem": problem,
        "prompt": [{"role": "user", "content": text}],
        "answer": value,
        "answers": {text: value},
        "grade": {"score": 0.5, "scores": {text: 1}, "details": details},
        "reply": reply,
    }
    record = decode_record(json.dumps(GOOD | changes))
    line = encode(record)
    assert line.isascii()
    assert line.isprintable()
    assert decode_record(line) == convert(as_dict(record), Record) == record
    assert record.reply is not None
    assert (record.reply.text, record.answer_text) == (text, as_text(value))
    assert fault_of(json.loads(line), RECORD_SCHEMA) is None


DEEP = "[" * 60 + "]" * 60


def changed(path: str, value: Any) -> str:
    """The good record with another value, or without that key; a text that begins with
    `!` is JSON as it is.
    """
    record = json.loads(json.dumps(GOOD))
    *above, last = path.split(".")
    part = record
    for key in above:
        part = part[key]
    if value is ...:
        del part[last]
    else:
        part[last] = value
    return re.sub(r'"!([^"]*)"', r"\1", json.dumps(record))


# What is changed, to what, and a word of the message besides the field.
BROKEN = [
    ("nodeid", ..., "missing"),
    ("format", 2, ""),
    ("outcome", "right", "right"),
    ("model", None, "null"),
    ("repeat", True, "bool"),
    ("problem.label", ..., "missing"),
    ("problem.inputs", "twelve", "inputs"),
    ("problem.expected", {"x": "!1e999"}, ""),
    ("grade.details.digit_match", 2, "<= 1"),
    ("grade.score", 1.5, "score"),
    ("grade.score", 1, "score"),
    ("reply.cost_usd", "!1e999", ""),
    ("reply.cost_usd", "!NaN", "NaN"),
    ("reply.sent.key", "sk-1", "key"),
    ("reply.sent.messages", [], ""),
    ("reply.sent.params", {"x": f"!{DEEP}"}, ""),
    ("reply.sent.params", {"x": "!1e999"}, ""),
    # One field beside another.
    ("reply", None, "no reply"),
    ("outcome", "correct", "error_class"),
    ("grade", None, "no grade"),
    ("grade.details.kind", "program", ""),
]


@pytest.mark.parametrize(("path", "value", "word"), BROKEN)
def test_a_broken_record_is_refused_in_one_line(
    path: str, value: Any, word: str
) -> None:
    decode_record(changed("since", "an unknown key is ignored"))
    with pytest.raises(ValueError, match=r"\A.{3,}\Z") as refused:
        decode_record(changed(path, value))
    assert word in str(refused.value)


@pytest.mark.parametrize("outcome", ["correct", "deviate", "nan", "cheat"])
def test_what_was_measured_has_what_is_counted(outcome: str) -> None:
    """A trial without a reply is no measurement, whatever it says."""
    score = float(outcome == "correct")
    broken = GOOD | {"outcome": outcome, "grade": {"score": score}, "reply": None}
    with pytest.raises(ValueError, match="reply"):
        decode_record(json.dumps(broken))
    unanswered = broken | {"outcome": "unanswered", "reply": None}
    assert decode_record(json.dumps(unanswered)).outcome is Outcome.UNANSWERED


def refused(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """The one line of stderr of a command that ends with exit status 4."""
    assert main(command.split()) == WRONG_USAGE
    (message,) = capsys.readouterr().err.splitlines()
    return message


def test_a_broken_log_is_named_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the file and the field."""
    monkeypatch.chdir(tmp_path)
    run_in(tmp_path / "run", [GOOD])
    for command, line, word in (
        ("trials", changed("reply.cost_usd", "cheap"), "cost_usd"),
        ("export --format=csv", changed("problem.depth", 10**400), "depth"),
        ("regrade", changed("since", "!" + "[" * 100_000 + "]" * 100_000), "deep"),
        ("merge --output=merged", json.dumps(GOOD)[:-5], "JSON"),
        ("report --task=arithmetic", "[]", "object"),
    ):
        Path("run/trials.jsonl").write_text(
            f"{json.dumps(GOOD)}\n{line}\n", encoding="utf-8"
        )
        message = refused(f"{command} run", capsys)
        assert ("trials.jsonl, line 2" in message, word in message) == (True, True)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("started_at", "2026-11-40"),
        ("shard", {"index": 0, "count": 2}),
        ("asking", {"throttled": 1}),
        ("models", [{}]),
    ],
)
def test_a_broken_summary_is_named_with_its_field(
    part: str, value: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_in(tmp_path, [GOOD])
    summary = json.loads((tmp_path / "summary.json").read_text("utf-8"))
    summary["run"][part] = value
    (tmp_path / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
    message = refused(f"report {tmp_path}", capsys)
    assert ("summary.json" in message, f"run.{part}" in message) == (True, True)
