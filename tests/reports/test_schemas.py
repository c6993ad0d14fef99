"""The published JSON Schemas: made from the code, and true of what runs really write."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from pytest_llmarith.cli import WRONG_USAGE, main
from pytest_llmarith.reports.logs.stored import changes
from pytest_llmarith.reports.merging import Request, merge
from pytest_llmarith.reports.schemas import schema_of
from pytest_llmarith.reports.shapes import PUBLISHED
from pytest_llmarith.reports.shapes import replies as reply_shapes
from pytest_llmarith.reports.shapes import run as run_shapes
from pytest_llmarith.sandbox.levels import UnavailableError, probe
from pytest_llmarith.trials.kept import kept
from pytest_llmarith.values import AskingLimits, Price, Reply, Retry, Throttled
from tests.runs_on_disk import ROW
from tests.session.test_oeis_run import write_cache

ROOT = Path(__file__).parent.parent.parent
PUBLISHED_FILES = ROOT / "docs" / "schemas"
TRANSCRIPTS = sorted((ROOT.parent / "shared" / "transcripts").glob("*.jsonl"))

# All tasks, asked of the embedded models, and again of a model of one's own that is wrong, silent, absent or cheats.
BENCH = """
import pytest
from pytest_llmarith import Problem, Task

def problems(seed, trials):
    return [Problem(f"word_{trial}", {"word": trial}, str(trial)) for trial in range(trials)]

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
    *("--llm-model=llmarith/exact", "--llm-model=llmarith/sloppy", "--oeis-judge=both:llmarith/exact"),
    *("--llm-repeats=2", "--llm-symbols=ascii,unicode", "--llm-breaking-point=6"),
    *("--llm-price=1,2", "--oeis-terms=6", "-q", "-p", "no:cacheprovider", "--llm-reports=reports"),
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
        subprocess.run(["git", *identity, *command], cwd=place, check=True, capture_output=True)


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two real runs, each a shard of one selection: every task, every outcome."""
    place = tmp_path_factory.mktemp("runs")
    (place / "own").mkdir()
    (place / "test_bench.py").write_text(BENCH, encoding="utf-8")
    (place / "own" / "test_own_bench.py").write_text(BENCH, encoding="utf-8")
    (place / "own" / "conftest.py").write_text(OWN_MODEL, encoding="utf-8")
    (place / "pytest.ini").touch()
    write_cache(place / "oeis_cache")
    commit(place)  # a run says which commit it was made at
    (runtime := place / "runtime").mkdir(mode=0o700)  # processor slots of its own
    env = {**os.environ, "XDG_RUNTIME_DIR": str(runtime)}
    for shard in ("1/2", "2/2"):
        command = (sys.executable, "-m", "pytest", *OPTIONS, f"--llm-shard={shard}")
        run = subprocess.run(command, cwd=place, env=env, capture_output=True, text=True, check=False)
        assert run.returncode == pytest.ExitCode.TESTS_FAILED, run.stdout  # the model of one's own was away at times
    return sorted((place / "reports").glob("*_shard-*"))


@pytest.fixture(scope="module")
def runs(shards: list[Path]) -> list[Path]:
    """The shards, and the run that they are together."""
    merge(Request(shards, merged := shards[0].parent / "merged"))
    return [*shards, merged]


def records_in(run: Path) -> Iterator[dict[str, Any]]:
    with (run / "trials.jsonl").open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def summaries_in(run: Path) -> Iterator[dict[str, Any]]:
    yield json.loads((run / "summary.json").read_text("utf-8"))


def closed(part: Any) -> Any:
    """The same schema, but an object may hold nothing that it does not name."""
    if isinstance(part, list):
        return [closed(item) for item in part]
    if not isinstance(part, dict):
        return part
    made = {key: closed(value) for key, value in part.items()}
    return made | {"additionalProperties": False} if "properties" in part else made


def keys_of(schema: dict[str, Any]) -> set[str]:
    """All keys that a schema names."""
    return {key for shape in (schema, *schema["$defs"].values()) for key in shape.get("properties", ())}


def keys_in(value: Any) -> Iterator[str]:
    """All keys that stand in a value, wherever."""
    if isinstance(value, dict):
        yield from value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from keys_in(item)


def fault_of(value: Any, schema: dict[str, Any]) -> str | None:
    """Where a value is not what a schema says, and how."""
    fault = best_match(Draft202012Validator(schema).iter_errors(value))
    return fault and f"{fault.json_path}: {fault.message}"


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_files_are_what_the_code_says(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`make schemas` would change nothing: what `llmarith schema` prints is what docs/schemas holds."""
    assert main(["schema", name]) == 0
    assert (PUBLISHED_FILES / f"{name}-1.json").read_text("utf-8") == capsys.readouterr().out


@pytest.mark.parametrize("name", PUBLISHED)
def test_they_are_json_schemas(name: str) -> None:
    """Of the dialect that they name, with an id of their own that is no address, and open for keys to come."""
    schema = schema_of(name)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"urn:pytest-llmarith:{name}:1"
    assert '"additionalProperties": false' not in json.dumps(schema)


def test_there_is_no_other_schema(capsys: pytest.CaptureFixture[str]) -> None:
    """A name that is none is wrong usage, in one line that says which there are."""
    with pytest.raises(SystemExit) as left:
        main(["schema", "report"])
    assert left.value.code == WRONG_USAGE
    assert "'report' (choose from " in capsys.readouterr().err


def test_every_record_of_a_run_is_one(runs: list[Path]) -> None:
    """Of all tasks and outcomes, of the embedded models and of one's own: no key is missing, and none is unnamed."""
    schema = closed(schema_of("record"))
    records = [record for run in runs for record in records_in(run)]
    assert [fault for record in records if (fault := fault_of(record, schema))] == []
    told = {(record["task"], record["outcome"]) for record in records}
    assert told >= {("arithmetic", outcome) for outcome in ("correct", "deviate", "nan", "unanswered")}
    assert {task for task, _ in told} >= {"arithmetic", "integer_addition"}
    if is_sandboxed():
        assert told >= {("oeis", outcome) for outcome in ("correct", "deviate", "nan", "cheat")}


def test_every_summary_of_a_run_is_one(runs: list[Path]) -> None:
    """Of a shard, and of a merged run."""
    schema = closed(schema_of("summary"))
    summaries = [summary for run in runs for summary in summaries_in(run)]
    assert [fault for summary in summaries if (fault := fault_of(summary, schema))] == []
    assert any(summary["run"]["shard"] for summary in summaries)
    assert any(summary["run"]["merged"] for summary in summaries)


@pytest.mark.parametrize(
    ("name", "read", "scripted"),
    [("record", records_in, {"waited_s", "usage"}), ("summary", summaries_in, {"target", "halved", "lowest", "most"})],
)
def test_every_key_of_a_schema_is_written(runs: list[Path], name: str, read: Any, scripted: set[str]) -> None:
    """A schema promises nothing that no run writes; what takes trouble or megabytes is compared apart."""
    if not is_sandboxed():
        pytest.skip("what is said of programs needs a sandbox to run them")
    written = {key for run in runs for value in read(run) for key in keys_in(value)}
    assert keys_of(schema_of(name)) - written <= scripted


@pytest.mark.parametrize(
    ("values", "shape"),
    [
        (Retry, reply_shapes.Retry),
        (Throttled, run_shapes.Throttled),
        (AskingLimits, run_shapes.Limits),
        (Price, run_shapes.Price),
    ],
    ids=lambda one: f"{one.__module__}.{one.__name__}",
)
def test_what_is_written_as_it_is_has_its_keys(values: Any, shape: Any) -> None:
    """Values that go into a file as they are have the fields that their shape names."""
    assert {field.name for field in fields(values)} == {*get_type_hints(shape)}


def test_what_is_kept_of_a_long_reply_has_its_keys() -> None:
    """A reply that finds no room in a trail leaves what its shape names."""
    (one,) = kept([Reply("7" * 5_000_000)])
    assert one["usage"].keys() == get_type_hints(reply_shapes.Usage).keys()


def test_rows_of_llm_arithmetic_become_records(tmp_path: Path) -> None:
    """What another program asked is a record too, once it was graded by our rules; so are its runs, once counted."""
    said: list[dict[str, Any]] = [
        {},
        {"raw_response": "580"},
        {"raw_response": "no"},
        {"raw_response": "", "failed_to_get_reply": True},
    ]
    rows = [json.dumps({**ROW, "classification": "NaN", **what}) for what in said]
    (file := tmp_path / "rows.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    found = [change.record for change in changes(file, None, [])]
    assert [record["outcome"] for record in found] == ["correct", "deviate", "nan", "unanswered"]
    assert [fault_of(record, closed(schema_of("record"))) for record in found] == [None] * 4


@pytest.mark.parametrize("file", TRANSCRIPTS, ids=lambda file: file.name)
def test_what_llm_arithmetic_published_becomes_records(file: Path) -> None:
    """The first rows of each of its runs that lie beside this project."""
    schema = closed(schema_of("record"))
    for change, _ in zip(changes(file, None, []), range(20), strict=False):
        assert fault_of(change.record, schema) is None


@pytest.mark.parametrize("name", PUBLISHED)
def test_what_is_none_is_refused(runs: list[Path], name: str) -> None:
    """A schema is no formality: a key that is missing, a NaN and a word that is none do not pass."""
    (good, *_) = records_in(runs[0]) if name == "record" else summaries_in(runs[0])
    schema = schema_of(name)
    assert fault_of(good | {"since": "tomorrow"}, schema) is None
    for key in schema["required"]:
        assert fault_of({**good, key: object()}, schema), key
        assert fault_of({had: value for had, value in good.items() if had != key}, schema), key
