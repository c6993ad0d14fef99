"""Questions that leave as a file and replies that come in as one: written by real runs,
answered by an engine of a few lines or by a provider's batches, graded by real runs.
"""

from __future__ import annotations

import gzip
import json
import os
import signal
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

# litellm imports it, and it replaces the finder of distributions, which pytester would
# take away again after the test that does so first.
import importlib_metadata  # noqa: F401
import pytest

from pytest_llmarith.cli import main
from pytest_llmarith.models.litellm_client import LitellmClient
from tests.batch_server import BatchServer, message
from tests.llm_server import Answer, Call, prompt_in
from tests.session.bench import ITEMS, WAYS, Bench, right, right_in_all_shapes

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # those of litellm
    pytest.mark.usefixtures("litellm_collected"),
]

OWN, OPENAI, ANTHROPIC = (
    "openai/own",
    "openai/gpt-4o-mini",
    "anthropic/claude-haiku-4-5",
)
OUT = "--llm-questions-out=questions.jsonl"


class FileBench(Bench):
    """A bench whose questions leave as files."""

    server: BatchServer

    @property
    def folder(self) -> Path:
        return self.pytester.path

    @property
    def questions(self) -> Path:
        return self.folder / "questions.jsonl"

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.questions.read_text().splitlines()]

    def answer(
        self, change: Callable[[list[str]], list[str]] = lambda rows: rows
    ) -> Path:
        """Answer the file of questions as an engine that takes it does."""
        rows = []
        for line in self.lines():
            request = Request(
                self.server.base_url.removesuffix("/v1") + line["url"],
                json.dumps(line["body"]).encode(),
                {"Content-Type": "application/json"},
            )
            with urlopen(request) as said:
                response = {"status_code": said.status, "body": json.load(said)}
            row = {"id": "r", "custom_id": line["custom_id"], "error": None}
            rows.append(json.dumps(row | {"response": response}))
        results = self.folder / "results.jsonl"
        results.write_text("".join(f"{row}\n" for row in change(rows)))
        return results

    def outcomes(self) -> Counter[str]:
        return Counter(record["outcome"] for record in self.records())


@pytest.fixture
def files(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, programs: Path
) -> Iterator[FileBench]:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-secret-of-the-tests")
    monkeypatch.chdir(bench.pytester.path)
    made: FileBench
    with BatchServer(lambda call: made.script(call)) as server:
        made = FileBench(bench.pytester, server, right, programs)
        yield made


def llmarith(*arguments: str | Path) -> int:
    return main([str(one) for one in arguments])


IMPORT = ("replies", "import", "results.jsonl", "--questions", "questions.jsonl")


@pytest.mark.parametrize(
    "way", ["plain", *(pytest.param(way, marks=pytest.mark.proof) for way in ("-n 2",))]
)
def test_questions_out_replies_in_and_graded(
    files: FileBench, way: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The run asks nothing and leaves no folder of a run; the bodies are those of the
    single requests; the same command grades what came in, in whichever form servers
    send thoughts.
    """
    files.script = right_in_all_shapes()
    result = files.run(OUT, *WAYS[way], model=OWN)
    result.stdout.fnmatch_lines(["*questions are written, nothing is asked*"])
    result.stdout.fnmatch_lines([f"*{ITEMS} questions to {OWN} in *questions.jsonl"])
    assert (result.ret, files.server.requests) == (0, [])
    assert not (files.folder / "reports").exists()
    lines = files.lines()
    assert {(one["method"], one["url"]) for one in lines} == {
        ("POST", "/v1/chat/completions")
    }
    files.answer()
    assert llmarith(*IMPORT) == 0
    assert f"{ITEMS} replies taken" in capsys.readouterr().out
    asked = [call.body for call in files.server.requests]
    result = files.run("--llm-store=only", *WAYS[way], model=OWN)
    assert (result.ret, files.outcomes()) == (0, {"correct": ITEMS})
    assert len(files.server.requests) == ITEMS
    assert {
        tuple(map(one["reply"].get, ("latency_s", "batched")))
        for one in files.records()
    } == {(None, True)}
    assert files.run("--llm-store=off", *WAYS[way], model=OWN).ret == 0
    single = [call.body for call in files.server.requests[ITEMS:]]
    assert sorted(map(str, single)) == sorted(map(str, asked))


def test_only_what_has_no_reply_is_written(files: FileBench) -> None:
    """And a file that exists is not replaced, as its replies may be on the way."""
    assert files.run("-k", "integer_addition", "-p", "no:xdist", model=OWN).ret == 0
    assert files.run(OUT, model=OWN).ret == 0
    assert len(files.lines()) == ITEMS - 4
    result = files.run(OUT, model=OWN)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "exists" in result.stderr.str()
    files.answer()
    assert llmarith(*IMPORT) == 0
    files.questions.unlink()
    result = files.run(OUT, model=OWN)
    assert (result.ret, files.questions.exists()) == (0, False)
    result.stdout.fnmatch_lines(["*no question lacks a reply*"])


def test_each_model_has_a_file(files: FileBench) -> None:
    """Named by it; one that asks what another one asks has none."""
    result = files.run(
        OUT, "--llm-model=b=openai/x", "--llm-model=c=openai/own", model=OWN
    )
    assert result.ret == 0
    found = sorted(path.name for path in files.folder.glob("questions*.jsonl"))
    assert found == ["questions-b.jsonl", "questions-openai-own.jsonl"]


def test_no_two_models_share_a_file(files: FileBench) -> None:
    """Else the questions of one would be lost."""
    result = files.run(OUT, "--llm-model=openai-own=openai/x", model=OWN)
    assert result.ret == 4
    assert "would have one name" in result.stderr.str()
    assert list(files.folder.glob("questions*.jsonl")) == []


# --- what results may be --------------------------------------------------------------


def test_results_in_any_order_doubled_torn_and_of_others(
    files: FileBench, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each reply is taken once; what is missing and why is counted, and is what a
    later file may bring.
    """
    files.run(OUT, model=OWN)

    def change(rows: list[str]) -> list[str]:
        other = json.dumps(json.loads(rows[0]) | {"custom_id": "9" * 64})
        without = json.dumps({**json.loads(rows[0]), "custom_id": None})
        error = json.dumps(
            {
                "custom_id": json.loads(rows[1])["custom_id"],
                "response": None,
                "error": {"message": "out of memory"},
            }
        )
        return [
            error,
            other,
            without,
            "[1]",
            "",
            *reversed(rows[2:]),
            rows[3],
            rows[4][:40],
        ]

    results = files.answer(change)
    assert llmarith(*IMPORT) == 1
    told = capsys.readouterr().out
    for words in (
        f"{ITEMS - 2} replies taken",
        "2 questions without one: ",
        "out of memory",
        "1 rows of other questions",
        "3 lines that cannot be read",
    ):
        assert words in told
    assert llmarith(*IMPORT) == 1
    assert (
        f"0 replies taken, {ITEMS - 2} in the store already" in capsys.readouterr().out
    )
    files.answer(lambda rows: rows[::-1])
    packed = gzip.compress(results.read_bytes())
    results.write_bytes(packed[: len(packed) // 2])
    assert llmarith(*IMPORT) == 1
    assert "1 lines that cannot be read" in capsys.readouterr().out
    results.write_bytes(packed)
    assert llmarith(*IMPORT) == 0
    assert files.run("--llm-store=only", "-p", "no:xdist", model=OWN).ret == 0
    assert files.outcomes() == {"correct": ITEMS}


def test_results_in_anthropics_form(files: FileBench) -> None:
    """Its questions have the path and the body of its messages."""
    files.run(OUT, model=ANTHROPIC)
    rows = []
    for line in files.lines():
        assert line["url"] == "/v1/messages"
        call = Call(prompt_in(line["body"]), 1, line["body"], {})
        result = {"type": "succeeded", "message": message(Answer(right(call)), call)}
        rows.append(json.dumps({"custom_id": line["custom_id"], "result": result}))
    (files.folder / "results.jsonl").write_text("\n".join(rows))
    assert llmarith(*IMPORT) == 0
    assert files.run("--llm-store=only", "-p", "no:xdist", model=ANTHROPIC).ret == 0
    assert files.outcomes() == {"correct": ITEMS}


def changed(manifest: str, **fields: Any) -> str:
    first, rest = manifest.split("\n", 1)
    return f"{json.dumps(json.loads(first) | fields)}\n{rest}"


# What becomes of the manifest, and what the refusal says.
MANIFESTS: dict[str, tuple[Callable[[str], str], str]] = {
    "another format": (lambda text: changed(text, llmarith_questions=9), "format 9"),
    "another question": (lambda text: text.replace(" + ", " - "), "was changed"),
    "another model": (
        lambda text: text.replace("openai/own", "openai/x"),
        "was changed",
    ),
    "no manifest": (lambda text: "hello", "no manifest"),
    "cut": (lambda text: text[:-40], "was cut"),
}


@pytest.mark.parametrize("case", MANIFESTS)
def test_a_manifest_that_was_changed(
    files: FileBench, case: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Is refused in one line, and no reply of it gets into the store."""
    files.run(OUT, model=OWN)
    files.answer()
    manifest = files.folder / "questions.jsonl.manifest"
    change, words = MANIFESTS[case]
    manifest.write_text(change(manifest.read_text()))
    for command in (IMPORT, ("batch", "submit", "questions.jsonl")):
        assert llmarith(*command) == 4
        (line,) = capsys.readouterr().err.splitlines()
        assert words in line
    assert files.server.events == []


def test_files_that_are_not_there_or_changed(
    files: FileBench, capsys: pytest.CaptureFixture[str]
) -> None:
    assert llmarith(*IMPORT) == 4
    assert "--llm-questions-out" in capsys.readouterr().err
    files.run(OUT, model=OPENAI)
    assert llmarith(*IMPORT) == 4
    assert "results.jsonl" in capsys.readouterr().err
    files.questions.write_text(files.questions.read_text().replace("+", "-"))
    assert llmarith("batch", "submit", "questions.jsonl") == 4
    assert "not the file that its manifest describes" in capsys.readouterr().err
    assert files.server.events == []


# Options, a model, and what the refusal says.
MISTAKES = """
| | there is no model to ask; name one with --llm-model
--llm-dry-run | openai/own | remove --llm-dry-run
--llm-store=off | openai/own | remove --llm-store=off
--llm-store=only | openai/own | remove --llm-store=only
| llmarith/oracle | is asked by this machine alone
--llm-param extra_headers={"a":"b"} | openai/own | headers
--llm-max-cost=1 | openai/own | llmarith batch submit --max-cost
| openai/responses/x | no file
"""


@pytest.mark.parametrize("mistake", MISTAKES.strip("\n").splitlines())
def test_wrong_usage_is_one_line(files: FileBench, mistake: str) -> None:
    options, model, words = map(str.strip, mistake.split("|"))
    result = files.run(OUT, *options.split(), model=model or None)
    lines = result.outlines + result.errlines
    (line,) = [line for line in lines if line.startswith("ERROR: ")]
    assert words in line
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert not files.questions.exists()


# --- batches of a provider ------------------------------------------------------------


@pytest.mark.proof
@pytest.mark.parametrize("model", [OPENAI, ANTHROPIC])
def test_submit_and_collect(
    files: FileBench, model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    files.server.polls = 2
    files.run(OUT, model=model)
    assert llmarith("batch", "submit", "questions.jsonl") == 0
    assert f"batch of {ITEMS} submitted" in capsys.readouterr().out
    result = files.run("-p", "no:xdist", model=model)
    assert result.ret == 1
    assert files.outcomes() == {"unanswered": ITEMS}
    assert llmarith("batch", "collect") == 1
    assert f"{ITEMS} questions in batches" in capsys.readouterr().out
    assert llmarith("batch", "collect", "--wait") == 0
    assert files.run("-p", "no:xdist", model=model).ret == 0
    assert files.outcomes() == {"correct": ITEMS}
    assert [len(made.calls) for made in files.server.made] == [ITEMS]
    assert set(files.server.asked.values()) == {1}
    assert files.summary()["run"]["asking"]["stored_usd"] > 0


@pytest.mark.parametrize(
    "model", ["openai/own", "groq/x", "hosted_vllm/x?service_tier=flex"]
)
def test_a_model_without_batches_is_refused_before_the_upload(
    files: FileBench,
    model: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "gsk-of-the-tests")
    assert files.run(OUT, "-k", "integer_addition", model=model).ret == 0
    status = llmarith("batch", "submit", "questions.jsonl")
    if model == "openai/own":  # its server may have them
        assert status == 0
        return
    assert status == 1
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert files.server.events == []


# Event, its number, and how many batches exist then.
KILLS = {
    "before the upload": ("upload", 1, 0),
    "after the upload": ("create", 1, 0),
    "after the creation": ("created", 1, 1),
    "while polling": ("poll", 1, 1),
    "while downloading": ("download", 1, 1),
}


@pytest.mark.proof
@pytest.mark.parametrize("model", [OPENAI, ANTHROPIC])
@pytest.mark.parametrize("moment", KILLS)
def test_a_killed_command_goes_on(files: FileBench, model: str, moment: str) -> None:
    """The same commands after kill -9 take the reply to each question, and none is
    asked twice.
    """
    event, number, created = KILLS[moment]
    if event == "upload" and model == ANTHROPIC:
        pytest.skip("its batches are created without an upload")
    server = files.server
    fork = get_context("fork")
    running: list[Any] = []

    def kill(what: str) -> bool:
        if what != event or server.events.count(event) != number:
            return False
        os.kill(running[-1].pid, signal.SIGKILL)
        return True

    def command(*arguments: str) -> int | None:
        """In a fork of this process, as importing litellm takes long."""
        running.append(fork.Process(target=lambda: sys.exit(main(list(arguments)))))
        running[-1].start()
        running[-1].join(120)
        exitcode: int | None = running[-1].exitcode
        return exitcode

    LitellmClient().prepare()
    files.run(OUT, model=model)
    server.happens, server.polls = kill, 0
    statuses = [command("batch", "submit", "questions.jsonl")]
    if event in ("poll", "download"):
        statuses.append(command("batch", "collect"))
    assert statuses[-1] == -signal.SIGKILL
    assert len(server.made) == created
    server.happens = lambda what: None
    with closing(sqlite3.connect(".llmarith/store.sqlite")) as store, store:
        store.execute("UPDATE batches SET creating_at = creating_at - 7200")
    assert command("batch", "submit", "questions.jsonl") == 0
    assert command("batch", "collect") == 0
    assert files.run("-p", "no:xdist", "--llm-store=only", model=model).ret == 0
    assert files.outcomes() == {"correct": ITEMS}
    assert set(server.asked.values()) == {1}
    assert len(server.made) == 1


def test_messages_of_a_task_of_ones_own(files: FileBench) -> None:
    files.pytester.makepyfile(
        test_bench="""
        import pytest

        from pytest_llmarith import Problem, Task

        def prompt(problem):
            shown = [{"role": "user", "content": "ab"}, {"role": "assistant", "content": "ba"}]
            return [{"role": "system", "content": "Turn it."}, *shown, {"role": "user", "content": problem["word"]}]

        words = ["abc", "xyz", "klm"]
        turned = Task("turned", [Problem({"word": word}, word[::-1]) for word in words], prompt)

        @pytest.mark.llmarith_task(turned)
        def test_turned(problem, ask):
            ask(problem)
        """
    )
    files.script = lambda call: call.body["messages"][-1]["content"][::-1]
    assert files.run(OUT, model=OWN).ret == 0
    files.answer()
    assert llmarith(*IMPORT) == 0
    assert files.run("--llm-store=only", "-p", "no:xdist", model=OWN).ret == 0
    assert files.outcomes() == {"correct": 3}
