"""Stored replies are read again; what was never answered is never graded, and inputs are never touched."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

import pytest

from pytest_llmarith.evaluate import Trial, number_record, unanswered_record
from pytest_llmarith.records import ArithmeticProblem, Record, as_dict, convert
from pytest_llmarith.reports.logs import llm_arithmetic
from pytest_llmarith.reports.logs.stored import changes, read_again
from pytest_llmarith.reports.mistake import Mistake
from pytest_llmarith.reports.regrade import Request, Tally, regrade
from pytest_llmarith.tasks import addition, arithmetic
from pytest_llmarith.values import Dtype, Failure, Model, NumberProblem, Op, Reading, Reply
from tests.runs_on_disk import programmed

TRANSCRIPTS = Path(__file__).parents[3] / "shared" / "transcripts"
MODEL = Model("m", "provider/m")
SUM = arithmetic.problem(0, Dtype.INT, Op.ADD, 3, 0)

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A file of records, one a line."""

    def write_file(*records: Mapping[str, Any], name: str = "trials.jsonl", end: str = "") -> Path:
        file = tmp_path / name
        file.write_text("".join(json.dumps(record) + "\n" for record in records) + end, encoding="utf-8")
        return file

    return write_file


def _record(
    text: str, problem: NumberProblem = SUM, reading: Reading = Reading.TOLERANT, **facts: Any
) -> dict[str, Any]:
    return as_dict(_made(text, problem, reading, **facts))


def _made(text: str, problem: NumberProblem = SUM, reading: Reading = Reading.TOLERANT, **facts: Any) -> Record:
    return number_record(problem, Trial.of(problem, MODEL, "prompt", "nodeid"), reading, Reply(text, **facts))


def _row(raw_response: str | None, classification: str = "NaN", **facts: Any) -> dict[str, Any]:
    row = {
        "model": "m",
        "variant": "float_add",
        "depth": 2,
        "operands": [12.10, "30.05"],
        "correct": 42.15,
        "raw_response": raw_response,
        "parsed": None,
        "classification": classification,
        "error": None,
        "tokens": {"prompt_tokens": 9, "completion_tokens": 0},
        "cost": 0.0,
        "timestamp": "2025-06-03T13:15:43Z",
    }
    return row | facts


def _printed(request: Request) -> tuple[str, str]:
    out, err = io.StringIO(), io.StringIO()
    regrade(request, out, err)
    return out.getvalue(), err.getvalue()


def _fifo(path: Path) -> Path:
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes")
    os.mkfifo(path)
    return path


def _link(path: Path, target: Path) -> Path:
    try:
        path.symlink_to(target)
    except OSError:
        pytest.skip("links are not allowed here")
    return path


@pytest.mark.parametrize(
    ("text", "facts"),
    [(SUM.expected, {}), ("7", {}), ("no number", {}), ("", {}), ("7", {"finish_reason": "length"})],
)
def test_a_fresh_record_does_not_change(text: str, facts: dict[str, Any]) -> None:
    """What was graded by today's rules is graded the same again."""
    stored = _made(text, **facts)
    assert read_again(stored) == stored


def test_an_old_verdict_is_replaced() -> None:
    """The verdict comes from the reply, not from the record."""
    stale = _record("7") | {"outcome": "correct", "reason": None, "answer": None, "grade": None}
    assert read_again(convert(stale, Record)) == _made("7")


def test_a_reading_may_override() -> None:
    """A record names the reading it was graded by; the command line may name another."""
    stored = _made(f"= {SUM.expected}")
    again = read_again(stored, Reading.STRICT)
    assert (stored.outcome, again.outcome, again.reading) == ("correct", "nan", "strict")


def test_additions_are_read_by_their_own_reading() -> None:
    """Additions are regraded by the strict reading that they were graded by."""
    problem = addition.problem(0, 0)
    stored = _made(f"= {problem.expected}", problem, Reading.STRICT)
    assert read_again(stored) == stored
    assert stored.outcome == "nan"


def test_what_was_unanswered_stays_so() -> None:
    """An unanswered record is the same after regrading, as an outage is never graded."""
    stored = unanswered_record(Trial.of(SUM, MODEL, "prompt", None), Failure("timeout"))
    assert read_again(stored) == stored


def test_programs_are_left_alone() -> None:
    """Records of programs are kept as they are."""
    stored = convert(programmed("A000045"), Record)
    assert read_again(stored) == stored


@pytest.mark.parametrize(("count", "told"), [(1, "1 record is left as it was"), (2, "2 records are left as they were")])
def test_searches_are_left_alone_which_is_said(write: Write, count: int, told: str) -> None:
    """Each question hung on how the reply before was graded."""
    problem = {"kind": "breaking_point", "seed": 0, "of": "arithmetic", "variant": "int_add", "op": "add"}
    found = {
        "ended": "budget",
        "questions": 0,
        "minimum": None,
        "not_reproduced": 0,
        "largest_right": None,
        "trail": [],
    }
    search = _record(SUM.expected) | {
        "task": "breaking_point",
        "problem": problem | {"dtype": "int", "budget": 12},
        "search": found,
        "grade": None,
    }
    out, err = _printed(Request([write(*[search] * count)]))
    assert f"correct         {count}        {count}" in out
    assert err == (
        f"note: {told}: a search whose replies are graded otherwise goes another way; the tests that searched can "
        "search again, from the store as far as it goes the same way\n"
    )


@pytest.mark.parametrize(
    ("row", "outcome"),
    [
        (_row("42.15", "Correct"), "correct"),
        (_row("42.1", "Deviate"), "deviate"),
        (_row("", failed_to_get_reply=True), "unanswered"),
        (_row("", failed_to_get_reply=True, tokens={"completion_tokens": 5}), "unanswered"),
        (_row(""), "unanswered"),
        (_row(None, tokens=None), "unanswered"),
        (_row("", tokens={"completion_tokens": 4352}), "nan"),
        (_row("<think>4", failed_to_get_reply=False), "nan"),
    ],
)
def test_an_empty_reply_that_was_paid_for_is_a_reply(row: dict[str, Any], outcome: str) -> None:
    """In rows of llm_arithmetic, only what was never answered is unanswered: a flag says so, or no token was billed."""
    assert read_again(llm_arithmetic.record_of(llm_arithmetic.row_in(json.dumps(row)))).outcome == outcome


def test_rows_become_records() -> None:
    """Facts that a row lacks are null, numbers stay as they are written, a cost of 0 is an unknown one."""
    row = _row("42.15", "Correct", tokens={"completion_tokens": 4})
    made = llm_arithmetic.record_of(llm_arithmetic.row_in(json.dumps(row)))
    assert isinstance(made.problem, ArithmeticProblem)
    assert (made.problem.lhs, made.problem.expected, made.problem.seed, made.prompt) == ("12.1", "42.15", None, None)
    assert made.reply
    assert (made.reply.cost_usd, made.reply.finish_reason) == (None, None)


def test_classes_and_transitions_are_counted(write: Write) -> None:
    """Per file and in all: the classes before and after, the table of transitions, the reasons for nan."""
    log = write(_record(SUM.expected), _record("") | {"outcome": "correct"})
    rows = write(_row("", failed_to_get_reply=True), name="rows.jsonl")
    out, err = _printed(Request([log, rows]))
    words = [line.split() for line in out.splitlines()]
    assert f"{log}: 2 replies" in out
    assert "2 files: 3 replies" in out
    assert ["correct", "1", "1", "0"] in words
    assert ["nan", "0", "0", "1"] in words
    assert "Reasons for nan: 1 empty" in out
    assert err == ""


def test_the_replies_behind_a_cell_are_shown(write: Write) -> None:
    """With where they stand, what was asked and what was read; nothing in them can steer a terminal."""
    hostile = f"\x1b[2J\u202e{'x' * 5_000}\r\n= {SUM.expected}"
    out, _ = _printed(
        Request([write(_record(hostile) | {"outcome": "deviate", "grade": None})], show=["deviate->correct"])
    )
    assert "trials.jsonl:1  deviate -> correct" in out
    assert f"int_add {SUM.lhs} {SUM.rhs}" in out
    assert rf"\r\n= {SUM.expected}" in out
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert len(out) < 2_000


def test_a_torn_line_is_left_out_with_a_note(write: Write) -> None:
    """A kill may tear the last line, and the next run closes it."""
    log = write(_record("7"), end='{"format": 1, "out\x18\n{"format"')
    out, err = _printed(Request([log]))
    assert "1 reply\n" in out
    assert err.count("a kill tore this line") == 2
    assert "line 2" in err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("what?\n", "line 1: not JSON"),
        ("[1]\n", "object"),
        ('{"a": 1}\n', "missing required field `format`"),
    ],
)
def test_a_foreign_line_is_named(tmp_path: Path, content: str, said: str) -> None:
    """A line that is no record is refused with file, number, what is wrong and what was expected."""
    (file := tmp_path / "x.jsonl").write_text(content, encoding="utf-8")
    with pytest.raises(Mistake, match=r"x\.jsonl, line 1: .*expected a record of a run log") as mistake:
        list(changes(file, None, []))
    assert said in str(mistake.value)


def test_operands_that_are_no_numbers_are_named(write: Write) -> None:
    """A record that cannot be graded is a mistake, not a crash."""
    broken = _record("7")
    broken["problem"]["expected"] = "seven"
    with pytest.raises(Mistake, match=r"problem\.expected"):
        _printed(Request([write(broken)]))


def test_bytes_that_are_no_text_are_named(tmp_path: Path) -> None:
    """A file of another kind is a mistake, not a crash."""
    (file := tmp_path / "x.jsonl").write_bytes(b"\xff\xfe\n")
    with pytest.raises(Mistake, match="not UTF-8"):
        list(changes(file, None, []))


def test_new_records_are_written(write: Write, tmp_path: Path) -> None:
    """One for each reply, in order; the input keeps every byte."""
    log = write(_record("7") | {"outcome": "correct", "grade": None}, _record("\ud800"))
    before, out = log.read_bytes(), tmp_path / "new.jsonl"
    _printed(Request([log], write=out))
    assert [json.loads(line) for line in out.read_text("utf-8").splitlines()] == [_record("7"), _record("\ud800")]
    assert log.read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["new.jsonl", "trials.jsonl"]


def test_no_input_and_no_other_file_is_overwritten(write: Write, tmp_path: Path) -> None:
    """An input never, also not by another name; another file only by force."""
    log, other = write(_record("7")), write(_record("8"), name="other.jsonl")
    for out in (log, tmp_path / "x" / ".." / log.name):
        with pytest.raises(Mistake, match="one of the files to read"):
            _printed(Request([log], write=out, force=True))
    with pytest.raises(Mistake, match="exists"):
        _printed(Request([log], write=other))
    _printed(Request([log], write=other, force=True))
    assert other.read_bytes() == log.read_bytes()


def test_an_input_is_known_by_its_other_names(write: Write, tmp_path: Path) -> None:
    """A link to an input is the input, and so is the log of a folder that is read."""
    log = write(_record("7"))
    with pytest.raises(Mistake, match="one of the files to read"):
        _printed(Request([log], write=_link(tmp_path / "link.jsonl", log), force=True))
    with pytest.raises(Mistake, match="one of the files to read"):
        _printed(Request([tmp_path], write=log, force=True))


def test_force_spares_what_is_no_regular_file(write: Write, tmp_path: Path) -> None:
    """A pipe in whose place a file was put would be gone for everybody who uses it."""
    log, pipe = write(_record("7")), _fifo(tmp_path / "pipe")
    for force in (False, True):
        with pytest.raises(Mistake, match=r"--write .*pipe: this exists and is not a regular file; name another"):
            _printed(Request([log], write=pipe, force=force))
    assert pipe.is_fifo()
    with pytest.raises(Mistake, match="not a regular file"):
        _printed(Request([log], write=tmp_path, force=True))


def test_force_spares_links(write: Write, tmp_path: Path) -> None:
    """Neither a link nor what it leads to is replaced, even where it leads nowhere."""
    log, other = write(_record("7")), write(_record("8"), name="other.jsonl")
    before = other.read_bytes()
    for target in (other, tmp_path / "nowhere"):
        link = _link(tmp_path / f"to-{target.name}", target)
        with pytest.raises(Mistake, match="not a regular file"):
            _printed(Request([log], write=link, force=True))
        assert link.is_symlink()
    assert other.read_bytes() == before


def test_a_name_that_is_too_long_is_named(write: Write, tmp_path: Path) -> None:
    """No system takes 300 characters; the longest that it takes are taken."""
    log = write(_record("7"))
    with pytest.raises(Mistake, match=r"--write .*cannot be written"):
        _printed(Request([log], write=tmp_path / ("x" * 300), force=True))
    assert [file.name for file in tmp_path.iterdir()] == ["trials.jsonl"]


@pytest.mark.skipif(os.name == "nt", reason="Windows limits whole paths, not names")
def test_the_longest_name_is_taken(write: Write, tmp_path: Path) -> None:
    """A regraded log may have the longest name there is, as its draft needs no longer one."""
    _printed(Request([write(_record("7"))], write=(out := tmp_path / ("x" * 255))))
    assert out.is_file()


@pytest.mark.timeout(30)
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """Reading a pipe into which nobody writes would never end."""
    with pytest.raises(Mistake, match=r"pipe: not a regular file; name a trials\.jsonl"):
        _printed(Request([_fifo(tmp_path / "pipe")]))


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"classification": "Fine"}, "the classification is none of Correct, Deviate, NaN"),
        ({"classification": []}, "the classification is none of Correct, Deviate, NaN"),
        ({"tokens": [1]}, "the tokens are not a JSON object"),
        ({"raw_response": 7}, "the raw_response is not a string"),
        ({"operands": "12"}, "the operands are not a list of two"),
        ({"operands": [1, 2, 3]}, "the operands are not a list of two"),
        ({"depth": float("inf")}, "depth is no whole number: inf"),
        ({"attempts": "many"}, "attempts is no whole number: 'many'"),
        ({"cost": ["free"]}, r"the cost is no number: \['free'\]"),
        ({"correct": float("nan")}, "problem.expected: .*"),
    ],
)
def test_a_row_of_another_shape_is_named(write: Write, facts: dict[str, Any], said: str) -> None:
    """What is wrong is said in the words of the row."""
    with pytest.raises(Mistake, match=f"line 1: {said}; expected a record"):
        _printed(Request([write(_row("42.15", "Correct") | facts)]))


def test_a_folder_without_a_log_is_named(tmp_path: Path) -> None:
    """Of a folder without a log it is said that the log is what it lacks."""
    with pytest.raises(Mistake, match=r"the folder holds no trials\.jsonl; name a trials\.jsonl of a run"):
        _printed(Request([tmp_path]))


def test_a_file_that_came_meanwhile_is_spared(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading takes its time, and somebody else may use the name."""
    log, new = write(_record("7")), tmp_path / "new.jsonl"

    def write_beside(file: IO[bytes], value: Any) -> None:
        write(_record("8"), name=new.name)

    monkeypatch.setattr("pytest_llmarith.reports.regrade.write_line", write_beside)
    with pytest.raises(Mistake, match="the file exists"):
        _printed(Request([log], write=new))
    assert json.loads(new.read_text("utf-8")) == _record("8")


def test_a_folder_stands_for_its_log(write: Write, tmp_path: Path) -> None:
    """A folder stands for the log in it, as runs are known by their folders."""
    log = write(_record("7"))
    out, _ = _printed(Request([tmp_path]))
    assert f"{log}: 1 reply\n" in out


def test_a_byte_order_mark_is_no_part_of_the_text(write: Write) -> None:
    """A byte order mark, as editors on Windows put it at the start, is no part of the log."""
    log = write(_record("7"))
    log.write_bytes(b"\xef\xbb\xbf" + log.read_bytes())
    assert _printed(Request([log]))[0].startswith(f"{log}: 1 reply\n")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_names_cannot_steer_a_terminal(write: Write, tmp_path: Path) -> None:
    """Hostile names are harmless in the tables, in notes and in mistakes."""
    log = write(_record("7"), name="a\x1b[2J\n.jsonl", end="{")
    printed = _printed(Request([log], show=["deviate->deviate"]))
    for text in printed:
        assert r"a\x1b[2J\n.jsonl" in text
        assert "\x1b" not in text
    for request in (Request([log], write=log), Request([tmp_path / "\x1b"]), Request([log], show=["\x1b"])):
        with pytest.raises(Mistake) as mistake:
            _printed(request)
        assert str(mistake.value).isprintable()


def test_what_other_tasks_say_cannot_steer_a_terminal(write: Write) -> None:
    """Their reasons and answers are shown, but harmless."""
    problem = {"kind": "custom", "label": "a", "seed": 0, "trial": 0, "given": {}, "expected": 1}
    other = _record("no") | {"task": "other", "problem": problem, "reason": "\x1b[2J", "reading": None}
    log = write(other, other | {"answer": {"kind": "custom", "read": "\x1b[2J"}})
    out, _ = _printed(Request([log], show=["nan->nan"]))
    assert r"2 \x1b[2J" in out
    assert "\x1b" not in out


def test_a_depth_beyond_every_integer_is_named(write: Write) -> None:
    """A depth that is infinite, as Python's JSON has it, is refused."""
    broken = _record("7")
    broken["problem"]["depth"] = float("inf")
    with pytest.raises(Mistake, match=r"line 1: .*(float|Infinity)"):
        _printed(Request([write(broken)]))


def test_a_mistake_leaves_no_file_behind(write: Write, tmp_path: Path) -> None:
    """New records appear when all of them are written, or not at all."""
    log = write(_record("7"), end="what?\n")
    with pytest.raises(Mistake):
        _printed(Request([log], write=tmp_path / "new.jsonl"))
    assert [file.name for file in tmp_path.iterdir()] == ["trials.jsonl"]


@pytest.mark.parametrize("cell", ["deviate", "deviate->right", "->", "a->b->c"])
def test_a_cell_that_is_none_is_a_mistake(write: Write, cell: str) -> None:
    """What names no cell of the table is refused with the outcomes that there are."""
    with pytest.raises(Mistake, match="correct, deviate, nan, cheat, unanswered"):
        _printed(Request([write(_record("7"))], show=[cell]))


@pytest.mark.skipif(not TRANSCRIPTS.is_dir(), reason="the transcripts are not beside the project")
def test_the_table_of_the_transcripts() -> None:
    """On 9,360 replies of 13 models, no class changes but those that docs/grading.md defends."""
    tally = Tally()
    for file in sorted(TRANSCRIPTS.glob("*.jsonl")):
        for change in changes(file, None, []):
            tally.count(change)
    assert dict(tally.transitions) == {
        ("correct", "correct"): 5527,
        ("correct", "deviate"): 11,
        ("deviate", "correct"): 6,
        ("deviate", "deviate"): 3277,
        ("deviate", "nan"): 1,
        ("nan", "nan"): 111,
        ("nan", "unanswered"): 427,
    }
    assert dict(tally.reasons) == {"empty": 98, "truncated": 13, "unreadable": 1}
