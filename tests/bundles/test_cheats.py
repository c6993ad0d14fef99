"""The ways to cheat a bundle of docs/cheats.md, each tried on a real one: it is
found, or the document says that no bundle can show it.

The cheat makes figures, page and manifest anew, as if the run had been so.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pytest_llmarith.bundles.manifest import Manifest
from pytest_llmarith.bundles.publish import page_text
from pytest_llmarith.bundles.verify import Verified, verify
from pytest_llmarith.cli import main
from pytest_llmarith.records import as_dict, convert, encode
from pytest_llmarith.results.keys import key_of
from pytest_llmarith.results.regrade import read_again, tasks_named
from pytest_llmarith.results.summary import Summary
from pytest_llmarith.summaries import LogFacts, Run, as_file
from pytest_llmarith.tasks import arithmetic
from pytest_llmarith.types import Dtype, Op
from tests.documents.blocks import ROOT
from tests.runs_on_disk import record_of

BENCH = """
import pytest

@pytest.mark.arithmetic(depths=[2, 3], trials=3)
def test_arithmetic(problem, ask):
    ask(problem)
"""
SELECTED = "int_add or int_mul"
Json = dict[str, Any]


class Bundle:
    """A bundle that is changed: its records, and the facts of its run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        lines = (folder / "trials.jsonl").read_text("ascii").splitlines()
        self.records: list[Json] = [json.loads(line) for line in lines]
        self.summary = json.loads((folder / "summary.json").read_text("ascii"))
        self.run: Json = self.summary["run"]

    @property
    def wrong(self) -> Json:
        """A trial with a wrong answer."""
        return next(one for one in self.records if one["outcome"] == "deviate")

    @property
    def right(self) -> Json:
        """A trial with the right answer."""
        return next(one for one in self.records if one["outcome"] == "correct")

    def grade_as_right(self, one: Json) -> None:
        """Make a grade that of a right trial, and nothing else."""
        one["outcome"], one["grade"] = (
            "correct",
            json.loads(json.dumps(self.right["grade"])),
        )

    def keep(self, is_kept: Callable[[Json], bool]) -> None:
        """Drop the other trials."""
        self.records = [one for one in self.records if is_kept(one)]

    def as_if_selected(self) -> None:
        """Let the summary say that no more were selected."""
        self.run["selected"] = len(self.records)

    def write(self) -> None:
        """Write records, figures and page as a run would, and the manifest."""
        log = self.folder / "trials.jsonl"
        lines = [f"{encode(record_of(one))}\n" for one in self.records]
        log.write_text("".join(lines), "ascii")
        counted, selected = Summary(), Counter[Any]()
        for one in self.records:
            record = record_of(one)
            counted.add(record)
            selected[key_of(record)] += 1
        summary = counted.of_run(convert(self.run, Run), selected)
        summary.log = LogFacts.of(log)
        (self.folder / "summary.json").write_text(
            json.dumps(as_file(summary), indent=2)
        )
        records = [record_of(one) for one in self.records]
        (self.folder / "report.html").write_bytes(page_text(summary, records))
        self.write_manifest()

    def write_manifest(self) -> None:
        """Make all hashes right."""
        path = self.folder / "manifest.json"
        version = json.loads(path.read_bytes())["version"]
        path.unlink()
        made = Manifest.of(self.folder, self.run["id"], version)
        path.write_bytes(made.encoded())


class Cheat(NamedTuple):
    """A way to cheat; `found` is in a line about it, empty if no bundle shows it.

    `is_note`: whether that line is a note
    """

    number: int
    apply: Callable[[Bundle], None]
    found: str = ""
    is_note: bool = False


# --- files ----------------------------------------------------------------------------


def change_a_reply(bundle: Bundle) -> None:
    log = bundle.folder / "trials.jsonl"
    log.write_text(log.read_text().replace('"text": "', '"text": "0', 1))


def remove_a_file(bundle: Bundle) -> None:
    (bundle.folder / "report.html").unlink()


def add_a_file(bundle: Bundle) -> None:
    (bundle.folder / "uv.lock").write_text("version = 1\n")


def change_a_figure(bundle: Bundle) -> None:
    for series in bundle.summary["series"]:
        for columns in series["estimates"]:
            if columns["measure"] == "correct_percentage":
                columns["value"][0] = 99.0
    (bundle.folder / "summary.json").write_text(json.dumps(bundle.summary))
    bundle.write_manifest()


def change_the_page(bundle: Bundle) -> None:
    page = bundle.folder / "report.html"
    page.write_text(page.read_text().replace("sloppy", "brilliant"))
    bundle.write_manifest()


# --- grades ---------------------------------------------------------------------------


def grade_a_wrong_answer_as_right(bundle: Bundle) -> None:
    bundle.grade_as_right(bundle.wrong)
    bundle.write()


def change_the_answer_that_was_read(bundle: Bundle) -> None:
    one = bundle.wrong
    one["answer"] = one["problem"]["expected"]
    one["answers"] = dict.fromkeys(one["answers"], one["answer"])
    bundle.grade_as_right(one)
    bundle.write()


def expect_the_wrong_answer(bundle: Bundle) -> None:
    one = bundle.wrong
    one["problem"]["expected"] = one["answer"]
    bundle.grade_as_right(one)
    bundle.write()


def ask_an_easier_question(bundle: Bundle) -> None:
    one = bundle.wrong
    one["problem"]["inputs"] |= {"lhs": "10", "rhs": "10"}
    one["problem"]["expected"] = "20"
    one["reply"]["text"] = one["answer"] = "20"
    bundle.grade_as_right(one)
    bundle.write()


def grade_the_lenient_reading(bundle: Bundle) -> None:
    bundle.right["reading"] = "strict"
    bundle.write()


def unanswered_with_the_reply(bundle: Bundle) -> None:
    bundle.wrong.update(
        outcome="unanswered", reason="timeout", grade=None, failure="failed"
    )
    bundle.write()


def unanswered_without_the_reply(bundle: Bundle) -> None:
    bundle.wrong.update(
        outcome="unanswered", reason="timeout", grade=None, reply=None, failure="failed",
        reading=None, answer=None, answers={},
    )  # fmt: skip
    bundle.write()


def change_a_reply_with_its_grade(bundle: Bundle) -> None:
    one = bundle.wrong
    one["reply"]["text"] = one["answer"] = one["problem"]["expected"]
    one["answers"] = dict.fromkeys(one["answers"], one["answer"])
    bundle.grade_as_right(one)
    one["grade"]["details"]["leading_digits"] = len(one["answer"])
    one["reason"] = None
    bundle.write()


# --- trials ---------------------------------------------------------------------------


def drop_wrong_trials(bundle: Bundle) -> None:
    bundle.keep(lambda one: one["outcome"] == "correct")
    bundle.write()


def drop_wrong_trials_and_say_so(bundle: Bundle) -> None:
    bundle.keep(lambda one: one["outcome"] == "correct")
    bundle.as_if_selected()
    bundle.write()


def drop_a_cell(bundle: Bundle) -> None:
    cell = "int_mul", 3
    bundle.keep(
        lambda one: (one["problem"]["variant"], one["problem"]["depth"]) != cell
    )
    bundle.as_if_selected()
    bundle.write()


def drop_the_hardest_depth(bundle: Bundle) -> None:
    bundle.keep(lambda one: one["problem"]["depth"] != 3)
    bundle.as_if_selected()
    bundle.write()


def double_right_trials(bundle: Bundle) -> None:
    bundle.records.append(bundle.right)
    bundle.as_if_selected()
    bundle.write()


def double_with_another_number(bundle: Bundle) -> None:
    bundle.records.append(again := json.loads(json.dumps(bundle.right)))
    again["problem"]["trial"] = 3
    for part, name in ((again, "nodeid"), (again["problem"], "label")):
        part[name] = re.sub(r"trial_\d", "trial_3", part[name])
    bundle.as_if_selected()
    bundle.write()


def double_without_ids(bundle: Bundle) -> None:
    bundle.records.append(again := json.loads(json.dumps(bundle.right)))
    again["nodeid"] = None
    bundle.as_if_selected()
    bundle.write()


def double_with_other_ids(bundle: Bundle) -> None:
    """What was sent is left out, as of a `model` fixture, so that both are counted."""
    bundle.records.append(again := json.loads(json.dumps(bundle.right)))
    again["nodeid"] += "-again"
    again["reply"]["sent"] = None
    bundle.as_if_selected()
    bundle.write()


def put_in_trials_of_another_run(bundle: Bundle) -> None:
    bundle.wrong["run"] = "2026-11-22T00-31-05_better"
    bundle.write()


def replace_by_a_second_run(bundle: Bundle) -> None:
    bundle.wrong["reply"]["asked_at"] = "2031-01-01T00:00:00+00:00"
    change_a_reply_with_its_grade(bundle)


def replace_and_change_times(bundle: Bundle) -> None:
    change_a_reply_with_its_grade(bundle)


def publish_the_best_run(bundle: Bundle) -> None:
    """It is an honest one."""


def keep_the_best_repeat(bundle: Bundle) -> None:
    bundle.keep(lambda one: one["repeat"] == 0 or one["problem"]["trial"] > 0)
    bundle.as_if_selected()
    bundle.write()


def drop_trials_of_one_model(bundle: Bundle) -> None:
    first = bundle.records[0]["model"]
    bundle.keep(lambda one: one["model"] != first or one["problem"]["depth"] == 2)
    bundle.as_if_selected()
    bundle.write()


# --- questions and models -------------------------------------------------------------


def change_the_seed(bundle: Bundle) -> None:
    bundle.run["seed"] = 7
    bundle.write()


def search_for_an_easy_seed(bundle: Bundle) -> None:
    bundle.run["seed"] = 7
    for one in bundle.records:
        seen = one["problem"]
        op = Op.ADD if seen["variant"] == "int_add" else Op.MUL
        made = arithmetic.problem(7, Dtype.INT, op, seen["depth"], seen["trial"])
        text = str(made.prompt)
        one["problem"] = as_dict(made.recorded)
        one["prompt"][0]["content"] = one["reply"]["sent"]["messages"][0]["content"] = (
            text
        )
        one["reply"]["text"] = str(made.expected)
    bundle.records = [regraded(one) for one in bundle.records]
    bundle.write()


def send_a_hint(bundle: Bundle) -> None:
    one = bundle.right
    one["reply"]["sent"]["messages"][0]["content"] += " It is even."
    bundle.write()


def ask_with_a_hint(bundle: Bundle) -> None:
    one = bundle.right
    for message in (one["prompt"][0], one["reply"]["sent"]["messages"][0]):
        message["content"] += " It is even."
    bundle.write()


def say_other_parameters(bundle: Bundle) -> None:
    bundle.run["models"][0]["params"] = {"reasoning_effort": "low"}
    bundle.write()


def change_parameters_everywhere(bundle: Bundle) -> None:
    name = bundle.run["models"][0]["name"]
    bundle.run["models"][0]["params"] = {"temperature": 0}
    for one in bundle.records:
        if one["model"] == name:
            one["reply"]["sent"]["params"] |= {"temperature": 0}
    bundle.write()


def lower_costs(bundle: Bundle) -> None:
    bundle.right["reply"]["cost_usd"] /= 100
    bundle.write()


def price(bundle: Bundle) -> None:
    """Let the run have a price, and a model that is no fake one, whose costs are
    computed from it.
    """
    [model, _] = bundle.run["models"]
    model["target"] = "openai/sloppy"
    bundle.run["limits"]["price"] = {"prompt_usd": 1.1, "completion_usd": 4.4}
    for one in bundle.records:
        if one["model"] == model["name"]:
            one["simulated"] = False
            one["reply"]["own_price"] = True
            one["reply"]["sent"]["model"] = model["target"]
            one["reply"]["sent"]["params"] = {}


def lower_all_costs(bundle: Bundle) -> None:
    price(bundle)
    for one in bundle.records:
        one["reply"]["own_price"] = False
        one["reply"]["cost_usd"] /= 1000
    bundle.write()


def remove_costs(bundle: Bundle) -> None:
    price(bundle)
    for one in bundle.records[::2]:
        one["reply"]["cost_usd"] = None
    bundle.write()


def remove_times_of_the_run(bundle: Bundle) -> None:
    bundle.run["started_at"] = bundle.run["finished_at"] = None
    bundle.wrong["reply"]["asked_at"] = "2020-01-01T00:00:00+00:00"
    bundle.write()


def remove_a_time(bundle: Bundle) -> None:
    bundle.wrong["reply"].update(asked_at=None, stored=True)
    bundle.write()


def say_that_it_is_of_a_batch(bundle: Bundle) -> None:
    bundle.wrong["reply"].update(asked_at="2020-01-01T00:00:00+00:00", batched=True)
    bundle.write()


def _named(bundle: Bundle, old: str, new: str, *, served: bool) -> None:
    """Another name of a model in all records and facts."""
    text = json.dumps([bundle.records, bundle.run]).replace(old, new)
    bundle.records, bundle.run = json.loads(text)
    if not served:
        for one in bundle.records:
            if one["model"] == new:
                one["reply"]["served_model"] = old
    bundle.write()


def name_another_model(bundle: Bundle) -> None:
    _named(bundle, "llmarith/junk", "llmarith/genius", served=False)


def name_another_model_everywhere(bundle: Bundle) -> None:
    _named(bundle, "llmarith/junk", "llmarith/genius", served=True)


def regraded(one: Json) -> Json:
    """The record of a reply, graded honestly."""
    again = read_again(record_of(one))
    assert again is not None
    return as_dict(again)


CHEATS = [
    Cheat(1, change_a_reply, "trials.jsonl: manifest.json has no or another hash"),
    Cheat(2, remove_a_file, "report.html: this file is missing"),
    Cheat(3, add_a_file, "uv.lock: manifest.json has no or another hash"),
    Cheat(4, change_a_figure, "correct_percentage, value, 0: 99.0"),
    Cheat(5, change_the_page, "report.html: not the page"),
    Cheat(6, grade_a_wrong_answer_as_right, "graded anew"),
    Cheat(7, change_the_answer_that_was_read, "graded anew"),
    Cheat(8, expect_the_wrong_answer, "the task makes no such problem"),
    Cheat(9, ask_an_easier_question, "the task makes no such problem"),
    Cheat(10, grade_the_lenient_reading, "graded anew, its reading"),
    Cheat(11, unanswered_with_the_reply, "graded anew, its outcome"),
    Cheat(12, unanswered_without_the_reply, "1 trials are unanswered"),
    Cheat(13, change_a_reply_with_its_grade),
    Cheat(19, drop_wrong_trials, "48 were selected"),
    Cheat(20, drop_wrong_trials_and_say_so, "lacks"),
    Cheat(21, drop_a_cell, "the grid of its problems lacks 3"),
    Cheat(23, drop_the_hardest_depth),
    Cheat(24, double_right_trials, "another trial has this id"),
    Cheat(25, double_with_another_number, "the task makes no such problem"),
    Cheat(26, put_in_trials_of_another_run, "is of the run 2026-11-22"),
    Cheat(27, replace_by_a_second_run, "was asked before the run or after it"),
    Cheat(28, replace_and_change_times),
    Cheat(29, publish_the_best_run),
    Cheat(30, keep_the_best_repeat, "repeat 1 lacks"),
    Cheat(31, drop_trials_of_one_model, "lacks 6 questions"),
    Cheat(32, change_the_seed, "the task makes no such problem"),
    Cheat(33, search_for_an_easy_seed, "the seed is 7", is_note=True),
    Cheat(34, send_a_hint, "was sent with other parameters"),
    Cheat(35, ask_with_a_hint, "has another prompt"),
    Cheat(36, say_other_parameters, "was sent with other parameters"),
    Cheat(37, change_parameters_everywhere),
    Cheat(38, lower_costs, "costs do not fit their tokens"),
    Cheat(39, name_another_model, "served llmarith/junk", is_note=True),
    Cheat(40, name_another_model_everywhere),
    Cheat(44, double_without_ids, "has no id of a test"),
    Cheat(45, double_with_other_ids, "another trial asks this question"),
    Cheat(46, lower_all_costs, "costs do not fit their tokens"),
    Cheat(47, remove_costs, "costs do not fit their tokens"),
    Cheat(48, remove_times_of_the_run, "was asked before the run or after it"),
    Cheat(49, remove_a_time, "does not say when it was asked"),
    Cheat(50, say_that_it_is_of_a_batch, "1 replies are of batches", is_note=True),
]


def no_more_tasks(summary: object) -> dict[str, Any]:
    """None but those that are built in."""
    return {}


def bundle_of(project: Path, *options: str, status: int = 0) -> Path:
    """The bundle of a run of the bench in a project, which ends with this status."""
    command = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q")
    done = subprocess.run(
        (*command, "--llm-store=off", *options),
        cwd=project,
        capture_output=True,
        text=True,
    )
    assert done.returncode == status, done.stdout
    [run] = (project / "reports").iterdir()
    bundle = project / "bundle"
    assert main(["publish", str(run), f"--output={bundle}"]) == 0
    return bundle


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle of a run of two fake models, which say what their replies cost."""
    project = tmp_path_factory.mktemp("project")
    (project / "test_bench.py").write_text(BENCH)
    models = "--llm-model=llmarith/sloppy", "--llm-model=llmarith/junk"
    bundle = bundle_of(project, *models, "--llm-repeats=2", "-k", SELECTED)
    changed = Bundle(bundle)
    for one in changed.records:
        reply = one["reply"]
        tokens = reply["prompt_tokens"], reply["completion_tokens"]
        reply["cost_usd"] = (tokens[0] * 1.1 + tokens[1] * 4.4) / 1e6
    changed.write()
    return bundle


@pytest.fixture
def bundle(honest: Path, tmp_path: Path) -> Bundle:
    """One to be cheated."""
    return Bundle(shutil.copytree(honest, tmp_path / "bundle"))


def test_an_honest_bundle_is_not_contradicted(bundle: Bundle) -> None:
    found = verify(bundle.folder, no_more_tasks)
    assert (found.findings, found.notes) == ([], [])


@pytest.mark.parametrize(
    "cheat", CHEATS, ids=lambda one: f"{one.number}-{one.apply.__name__}"
)
def test_ways_to_cheat(cheat: Cheat, bundle: Bundle) -> None:
    cheat.apply(bundle)
    found = verify(bundle.folder, no_more_tasks)
    if not cheat.found or cheat.is_note:
        assert found.findings == []
    lines = found.notes if cheat.is_note else found.findings
    assert any(cheat.found in line for line in lines) == bool(cheat.found), lines


# --- tasks of one's own ---------------------------------------------------------------

OWN = """
import pytest
from pytest_llmarith import Problem, Task, number_task

def read(text, problem):
    if problem["n"] == 5:
        raise SystemExit(2)  # as an argument parser does
    return int(text)

following = Task(
    "following",
    [Problem({"n": n}, n + 1, label=f"n{n}") for n in range(6)],
    lambda problem: f"Which number follows {problem['n']}?",
    read=read,
    grade=lambda answer, problem: "yes" if answer == 5 else answer == problem.expected,
    replies=lambda problem: ["I do not know" if problem["n"] < 2 else str(problem["n"] + 1)],
)

def uneven(seed, trials):
    for trial in range(trials):
        yield Problem({"t": trial}, trial, variant="a" if trial % 3 else "b", depth=trial % 4)

ragged = number_task(
    "ragged",
    [
        Problem({"n": n}, n, variant=variant, depth=depth, label=f"{variant}-{n}")
        for n, (variant, depth) in enumerate([("x", 1), ("x", 2), ("x", 2), ("y", 5)])
    ],
    lambda problem: f"Repeat {problem['n']}.",
)

@pytest.mark.llmarith_task([ragged, number_task("uneven", uneven, lambda one: f"Say {one['t']}.")], trials=7)
def test_uneven(problem, ask):
    ask(problem)

class Grader:
    limit_s = model = None

    def grade(self, answer, problem, tools):
        return answer == problem.expected

    def unavailable(self):
        return None

    def about(self, variants, verbose):
        return []

judged = Task("judged", [Problem({"n": 1}, "1")], lambda one: "Say 1.", grade=Grader())

@pytest.mark.llmarith_task(judged)
def test_judged(problem, ask):
    ask(problem)

@pytest.mark.llmarith_task(following)
def test_following(problem, ask):
    ask(problem)

@pytest.mark.llmarith_task(following)
def test_following_in_a_second_function(problem, ask):
    ask(problem)
"""


UNGRADED = 43  # a reply that its task cannot grade becomes right


@pytest.fixture(scope="module")
def honest_own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle of a run of a task whose functions raise for some replies."""
    project = tmp_path_factory.mktemp("own")
    (project / "test_own.py").write_text(OWN)
    return bundle_of(project, "--llm-model=llmarith/oracle", status=1)


def verified_own(bundle: Path, honest: Path) -> Verified:
    """What is found with the file of the tasks."""
    file = honest.parent / "test_own.py"
    tasks = tasks_named(
        [f"{file}:{name}" for name in ("following", "ragged", "judged")]
    )
    return verify(bundle, lambda summary: tasks)


def test_replies_that_cannot_be_graded_are_told(honest_own: Path) -> None:
    """A second function with the same questions is no finding, as its trials are in no
    figure; nor are variants that have other depths.
    """
    found = verified_own(honest_own, honest_own)
    assert found.findings == []
    assert "8 replies have no grade, and are in no percentage" in found.notes
    # Like `regrade`, as its grader may ask or run anything.
    assert "1 trials of the task judged were not checked" in found.notes


def test_a_selected_variant_lacks_no_others(tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text(OWN)
    bundle = bundle_of(tmp_path, "--llm-model=llmarith/oracle", "-k", "ragged and x-")
    assert verified_own(bundle, bundle).findings == []


@pytest.mark.parametrize("place", [0, 4, 5], ids=["raises", "no grade", "exits"])
def test_what_cannot_be_graded_is_not_right(
    place: int, honest_own: Path, tmp_path: Path
) -> None:
    """The way `UNGRADED`."""
    bundle = Bundle(shutil.copytree(honest_own, tmp_path / "bundle"))
    one = next(one for one in bundle.records if one["problem"]["label"] == f"n{place}")
    one["answer"], one["reason"] = one["problem"]["expected"], None
    bundle.grade_as_right(one)
    bundle.write()
    found = verified_own(bundle.folder, honest_own)
    assert any("cannot be graded" in line for line in found.findings)


def test_an_answer_is_not_said_to_have_raised(honest_own: Path, tmp_path: Path) -> None:
    bundle = Bundle(shutil.copytree(honest_own, tmp_path / "bundle"))
    bundle.right.update(
        outcome="unanswered", answer=None, grade=None, raised="ValueError: no number"
    )
    bundle.write()
    found = verified_own(bundle.folder, honest_own)
    assert any("graded anew, its outcome" in line for line in found.findings)


# --- programs -------------------------------------------------------------------------

PROGRAMS = """
import pytest

@pytest.mark.oeis
def test_oeis(problem, ask):
    ask(problem)
"""
NUMBERS = "A000010", "A000040", "A000045"


def program_of(bundle: Bundle, outcome: str) -> Json:
    """A trial with this outcome."""
    return next(one for one in bundle.records if one["outcome"] == outcome)


def as_if_right(one: Json) -> None:
    """Let the record say that all outputs were right, and in time."""
    for term in one["grade"]["details"]["values"]["terms"]:
        term.update(got=term["expected"], status="ok", seconds=0.01)
        term.pop("stderr", None)
    raise_the_score(one)


def raise_the_score(one: Json) -> None:
    one.update(outcome="correct", reason=None)
    one["grade"].update(score=1.0, scores=dict.fromkeys(one["grade"]["scores"], 1.0))


def reply_with(one: Json, program: str) -> None:
    """Let a model have replied with another program, whose outputs were right."""
    one["reply"]["text"] = f"```python\n{program}\n```"
    one["grade"]["details"]["values"]["program"] = program
    as_if_right(one)


def raise_a_score(bundle: Bundle) -> None:
    raise_the_score(program_of(bundle, "deviate"))


def change_outputs(bundle: Bundle) -> None:
    as_if_right(program_of(bundle, "deviate"))


def lower_times(bundle: Bundle) -> None:
    reply_with(program_of(bundle, "correct"), "while True: pass")


def record_a_better_program(bundle: Bundle) -> None:
    one = program_of(bundle, "deviate")
    right = program_of(bundle, "correct")["grade"]["details"]["values"]["program"]
    one["grade"]["details"]["values"]["program"] = right
    as_if_right(one)


def clear_a_lookup_table(bundle: Bundle) -> None:
    one = program_of(bundle, "correct")
    number = one["problem"]["inputs"]["number"]
    file = ROOT / "oeis_cache" / "starter" / f"{number}.json"
    [entry] = json.loads(file.read_text())
    first = entry["offset"].partition(",")[0]
    reply_with(one, f"terms = [{entry['data']}]\nprint(terms[int(input()) - {first}])")


def drop_sequences(bundle: Bundle) -> None:
    dropped = program_of(bundle, "deviate")["problem"]["label"]
    bundle.keep(lambda one: one["problem"]["label"] != dropped)
    bundle.as_if_selected()


def say_that_grading_raised(bundle: Bundle) -> None:
    one = program_of(bundle, "deviate")
    right = program_of(bundle, "correct")["grade"]
    one["grade"] = json.loads(json.dumps(right)) | {"details": None}
    one.update(outcome="correct", reason=None, raised="AttributeError: 'NoneType'")


def leave_a_program_ungraded(bundle: Bundle) -> None:
    program_of(bundle, "deviate").update(
        outcome="unanswered", reason=None, grade=None, raised="AttributeError: "
    )


RUN_AGAIN = {15, 16, 18}
PROGRAM_CHEATS = [
    Cheat(14, raise_a_score, "graded anew"),
    Cheat(15, change_outputs, "graded anew"),
    Cheat(16, lower_times, "graded anew"),
    Cheat(17, record_a_better_program, "graded anew"),
    Cheat(18, clear_a_lookup_table, "graded anew"),
    Cheat(22, drop_sequences, "lacks 1 questions"),
    Cheat(41, say_that_grading_raised, "cannot be graded"),
    Cheat(42, leave_a_program_ungraded, "cannot be graded"),
]


@pytest.fixture(scope="module")
def honest_programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle of a run of programs, each for two terms, half of them wrong."""
    project = tmp_path_factory.mktemp("programs")
    (project / "test_bench.py").write_text(PROGRAMS)
    (project / "oeis_cache" / "starter").mkdir(parents=True)
    for number in NUMBERS:
        for file in (ROOT / "oeis_cache" / "starter").glob(f"{number}.*"):
            shutil.copy(file, project / "oeis_cache" / "starter")
    models = "--llm-model=llmarith/oracle", "--llm-model=llmarith/junk"
    return bundle_of(project, *models, "--oeis-terms=4", "--oeis-limits=0.5,1")


def test_honest_programs_run_alike_again(
    honest_programs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cache = f"--cache={honest_programs.parent / 'oeis_cache'}"
    assert main(["verify", str(honest_programs), cache]) == 0
    told = capsys.readouterr().err
    assert "oeis: nothing was run again" in told
    assert "not checked" not in told
    assert main(["verify", str(honest_programs), cache, "--run-programs"]) == 0
    told = capsys.readouterr().err
    assert "nothing was run again" not in told
    assert "not checked" not in told


@pytest.mark.parametrize(
    "cheat", PROGRAM_CHEATS, ids=lambda one: f"{one.number}-{one.apply.__name__}"
)
def test_ways_to_cheat_with_programs(
    cheat: Cheat,
    honest_programs: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    bundle = Bundle(shutil.copytree(honest_programs, tmp_path / "bundle"))
    cheat.apply(bundle)
    bundle.write()
    command = ["verify", str(bundle.folder)]
    command.append(f"--cache={honest_programs.parent / 'oeis_cache'}")
    capsys.readouterr()
    if cheat.number in RUN_AGAIN:
        assert main(command) == 0
        command.append("--run-programs")
    assert main(command) == 1
    assert cheat.found in capsys.readouterr().out


def test_entries_that_are_not_here_are_asked_for(
    honest_programs: Path, tmp_path: Path
) -> None:
    command = ["verify", str(honest_programs), f"--cache={tmp_path}"]
    assert main([*command, "--run-programs"]) == 4


def test_the_document_says_the_same() -> None:
    """docs/cheats.md lists these ways, and those that no bundle shows."""
    text = (ROOT / "docs" / "cheats.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| (\d+) \| (.*) \|$", text, re.MULTILINE))
    numbers = list(range(1, len(rows) + 1))
    assert [int(number) for number in rows] == numbers
    every = [*CHEATS, *PROGRAM_CHEATS]
    assert sorted([UNGRADED, *(cheat.number for cheat in every)]) == numbers
    hidden = [row for row in rows.values() if "| **not from a bundle" in row]
    assert (
        f"of {len(rows)} ways, `verify` finds or tells {len(rows) - len(hidden)}"
        in text
    )
    for cheat in every:
        is_hidden = "| **not from a bundle" in rows[str(cheat.number)]
        assert is_hidden == (not cheat.found or cheat.number == 33), cheat.number
