"""Runs with --llm-batch, against a server with batches of OpenAI's and Anthropic's
form, through the real litellm.
"""

from __future__ import annotations

import os
import signal
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.batch_server import BatchServer
from tests.llm_server import Answer, usage
from tests.session.bench import ITEMS, WAYS, Bench, right, right_in_all_shapes

OPENAI, ANTHROPIC = "openai/gpt-4o-mini", "anthropic/claude-haiku-4-5"
FORMS = pytest.mark.parametrize("model", [OPENAI, ANTHROPIC])
ADDITIONS = ("-k", "integer_addition")


class BatchBench(Bench):
    """A bench whose server has batches."""

    server: BatchServer

    def reserved(self) -> int:
        path = self.pytester.path / ".llmarith" / "store.sqlite"
        with closing(sqlite3.connect(path)) as database:
            ((count,),) = database.execute("SELECT count(*) FROM reserved")
        return int(count)

    def age(self, seconds: float) -> None:
        """Let the batches in the store have been created earlier."""
        path = self.pytester.path / ".llmarith" / "store.sqlite"
        with closing(sqlite3.connect(path)) as database, database:
            database.execute(
                "UPDATE batches SET creating_at = creating_at - ?", (seconds,)
            )

    def outcomes(self, run: int = -1) -> Counter[str]:
        return Counter(record["outcome"] for record in self.records(run))


@pytest.fixture
def batches(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, programs: Path
) -> Iterator[BatchBench]:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-secret-of-the-tests")
    made: BatchBench
    with BatchServer(lambda call: made.script(call)) as server:
        made = BatchBench(bench.pytester, server, right, programs)
        yield made


def processes_in(folder: Path) -> Iterator[Path]:
    """Every process that works in this folder, except that of the test."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (
                Path(os.readlink(process / "cwd")) == folder
                and int(process.name) != os.getpid()
            ):
                yield process


def kill_all(folder: Path) -> None:
    """Kill them at one moment: none sees another one's end."""
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for process in processes_in(folder):
            with suppress(OSError):
                os.kill(int(process.name), number)


@pytest.mark.proof
@FORMS
def test_submit_in_one_job_and_collect_in_another(
    batches: BatchBench, model: str
) -> None:
    """The first ends before any item runs.

    Until the batch has ended, an item is unanswered; then all are correct.
    """
    batches.server.polls = 2
    result = batches.run("--llm-batch=submit", "-n", "2", model=model)
    result.stdout.fnmatch_lines(
        [
            "llmarith: forecast: 20 questions; about *",
            f"llmarith: {model}: batch of 20 submitted*",
        ]
    )
    assert (result.ret, batches.reserved()) == (0, ITEMS)
    result.assert_outcomes()
    assert not (batches.pytester.path / "reports").exists()
    assert batches.run("--llm-batch=submit", *ADDITIONS, model=model).ret == 0
    assert batches.run(*ADDITIONS, "-p", "no:xdist", model=model).ret == 1
    assert {record["reason"][:14] for record in batches.records()} == {"in a batch sin"}
    result = batches.run("--llm-batch=collect", "-n", "2", model=model)
    assert (result.ret, batches.outcomes()) == (0, {"correct": ITEMS})
    assert [len(made.calls) for made in batches.server.made] == [ITEMS]
    assert set(batches.server.asked.values()) == {1}


def test_answers_of_a_batch_behind_thoughts(batches: BatchBench) -> None:
    batches.script = right_in_all_shapes()
    result = batches.run("--llm-batch", "-p", "no:xdist", model=OPENAI)
    assert (result.ret, batches.outcomes()) == (0, {"correct": ITEMS})


def test_a_price_of_ones_own_and_an_alarm(batches: BatchBench) -> None:
    """A reply of a batch costs what the model is said to cost; a batch without an
    answer says how its replies look.
    """
    batches.script = lambda call: Answer(
        None, reasoning=f"I add.\n\n{right(call)}", usage=usage(1000, 10)
    )
    priced = f"{OPENAI}?price=100,1000"
    result = batches.run("--llm-batch", *ADDITIONS, "-p", "no:xdist", model=priced)
    (one,) = batches.summary()["results"]
    assert (one["outcomes"]["nan"], one["batched"]) == (one["measured"],) * 2
    assert one["cost_usd"] == pytest.approx(one["measured"] * 0.11)
    assert one["alarm"]["count"] == one["measured"]
    result.stdout.fnmatch_lines(
        ["*with text in the reasoning*", "this run spent $0.4400 on 4 replies"]
    )


@pytest.mark.parametrize(
    "way",
    [
        "plain",
        *(pytest.param(way, marks=pytest.mark.proof) for way in ("-n 0", "-n 2")),
    ],
)
def test_a_run_waits_for_its_batches(batches: BatchBench, way: str) -> None:
    """Replies are graded, priced and stored as any others; two models have a batch
    each.
    """
    models = [f"--llm-model=other={OPENAI}?max_tokens=9", f"--llm-model={OPENAI}"]
    result = batches.run(
        "--llm-batch", *WAYS[way], *models[1:], model=f"other={OPENAI}?max_tokens=9"
    )
    assert (result.ret, batches.outcomes()) == (0, {"correct": 2 * ITEMS})
    result.stdout.fnmatch_lines(["*2 batches of 40, 0 done*; safe to leave (Ctrl-C)*"])
    assert {len(made.calls) for made in batches.server.made} == {ITEMS}
    assert {
        tuple(map(record["reply"].get, ("latency_s", "stored", "batched")))
        for record in batches.records()
    } == {(None, None, True)}
    assert sum(one["batched"] for one in batches.summary()["results"]) == 2 * ITEMS
    assert len(batches.server.requests) == 2 * ITEMS


@pytest.mark.proof
@pytest.mark.parametrize("way", ["plain", "-n 2"])
def test_a_store_that_cannot_be_read_has_nothing_asked_singly(
    batches: BatchBench, way: str
) -> None:
    """Nor in batches, as their cost cannot be compared with a cap."""
    batches.run("--llm-batch=submit", *ADDITIONS)
    batches.run("--llm-batch=collect", *ADDITIONS, "-p", "no:xdist")
    with (
        closing(
            sqlite3.connect(batches.pytester.path / ".llmarith" / "store.sqlite")
        ) as database,
        database,
    ):
        database.execute("UPDATE replies SET reply = '{'")
    result = batches.run("--llm-batch", *WAYS[way])
    assert any(
        "is damaged" in line
        for line in result.outlines + result.errlines
        if line.startswith("ERROR: ")
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert len(batches.server.requests) == 4


@pytest.mark.proof
def test_ctrl_c_cancels_nothing(batches: BatchBench) -> None:
    def interrupt(event: str) -> None:
        if event == "poll" and batches.server.events.count(event) == 1:
            for process in processes_in(batches.pytester.path):
                with suppress(OSError):  # it has ended meanwhile
                    if b"--llm-batch" in (process / "cmdline").read_bytes():
                        os.kill(int(process.name), signal.SIGINT)

    batches.server.polls, batches.server.happens = 2, interrupt
    batches.cold = True  # a warm one is no child of ours
    result = batches.run("--llm-batch", "-p", "no:xdist")
    assert (result.ret, batches.reserved()) == (pytest.ExitCode.INTERRUPTED, ITEMS)
    result.stdout.fnmatch_lines(
        ["*the batches go on; rerun the same command for their replies"]
    )
    batches.cold = False
    assert batches.run("--llm-batch", "-p", "no:xdist").ret == 0
    assert (len(batches.server.made), set(batches.server.asked.values())) == (1, {1})


@pytest.mark.proof
@FORMS
def test_a_batch_that_is_gone(batches: BatchBench, model: str) -> None:
    """Its questions are unanswered and stay in it; a line says how they are freed.

    The other questions are graded.
    """
    batches.run("--llm-batch=submit", *ADDITIONS, model=model)
    batches.age(7200)
    (gone,) = batches.server.made
    batches.server.made.clear()
    result = batches.run("--llm-batch", "-p", "no:xdist", model=model)
    result.stdout.fnmatch_lines(
        [
            f"*404*4 questions stay in it*llmarith batch cancel --forget {gone.id} frees them*"
        ]
    )
    assert result.ret == 1
    assert batches.outcomes() == {"correct": ITEMS - 4, "unanswered": 4}
    batches.server.made.append(gone)
    assert batches.run("--llm-batch", "-p", "no:xdist", model=model).ret == 0
    assert set(batches.server.asked.values()) == {1}


@pytest.mark.proof
def test_questions_that_follow_from_replies_are_asked_singly(
    batches: BatchBench,
) -> None:
    """Of each search the first question is in the batch, and of adaptive asking."""
    batches.pytester.makepyfile(
        test_bench="""
        import pytest

        @pytest.mark.breaking_point
        def test_breaking_point(problem, search):
            search(problem)

        @pytest.mark.arithmetic(depths=range(2, 6))
        def test_arithmetic(problem, ask):
            ask(problem)
        """
    )
    options = ("--llm-batch", "--llm-breaking-point=30", "--llm-adaptive=1")
    result = batches.run(*options, "-p", "no:xdist", "-k", "int_add")
    result.stdout.fnmatch_lines(["*that follow from replies, *are asked singly"])
    assert result.ret == 0
    assert [len(made.calls) for made in batches.server.made] == [2]
    assert {record["grade"]["details"]["ended"] for record in batches.records()} == {
        "nothing found",
        "reached",
    }
    assert len(batches.server.requests) > 5


# Options, a model, and what the refusal says.
MISTAKES = """
--llm-batch=benches | openai/gpt-4o-mini | 'benches' is unknown; write wait, submit or collect; before a path, write
--llm-batch | | --llm-batch: there is no model to ask; name one with --llm-model
--llm-batch --llm-store=off | openai/gpt-4o-mini | remove --llm-store=off
--llm-batch --llm-store=only | openai/gpt-4o-mini | remove --llm-store=only
--llm-batch | groq/x | groq/x has no batches; OpenAI, Azure, Mistral, xAI, vLLM (hosted_vllm/) and
--llm-batch | llmarith/exact | llmarith/exact has no batches
--llm-batch --llm-param service_tier=flex | openai/gpt-4o-mini | remove service_tier
--llm-batch --llm-param extra_headers={"a":"b"} | openai/gpt-4o-mini | headers
--llm-batch -k nothing | openai/gpt-4o-mini | --llm-batch: no question to a model of --llm-model was selected
--llm-batch=submit -k nothing | openai/gpt-4o-mini | --llm-batch: no question to a model
--llm-batch -n 2 -k nothing | openai/gpt-4o-mini | --llm-batch: no question to a model
--llm-batch --llm-max-cost=1 | openai/unlisted | the price of openai/unlisted in batches is unknown
--llm-batch=submit --llm-max-total-tokens=99999 | openai/gpt-4o-mini | write --llm-max-total-tokens=33
"""


@pytest.mark.proof
@pytest.mark.parametrize("mistake", MISTAKES.strip().splitlines())
def test_wrong_usage_is_one_line_before_any_request(
    batches: BatchBench, mistake: str
) -> None:
    options, model, words = map(str.strip, mistake.split("|"))
    result = batches.run(*options.split(), model=model or None)
    (line,) = [
        line
        for line in (result.outlines + result.errlines)
        if line.startswith("ERROR: ")
    ]
    assert words in line
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert batches.server.events == []
    assert batches.server.requests == []


# Event, its number, and how many batches exist then; the first run is killed there,
# before anything is answered.
KILLS = {
    "before the upload": ("upload", 1, 0),
    "after the upload": ("create", 1, 0),
    "after the creation": ("created", 1, 1),
    "after the id": ("poll", 1, 1),
    "while polling": ("poll", 2, 1),
    "while downloading": ("download", 1, 1),
}


@pytest.mark.proof
@FORMS
@pytest.mark.parametrize("way", ["plain", "-n 2"])
@pytest.mark.parametrize("moment", KILLS)
def test_a_killed_run_goes_on(
    batches: BatchBench, model: str, way: str, moment: str
) -> None:
    """The same command after kill -9 takes the reply to each question, none is asked
    twice, and the bill is right.
    """
    event, number, created = KILLS[moment]
    if event == "upload" and model == ANTHROPIC:
        pytest.skip("its batches are created without an upload")
    server = batches.server
    server.polls = 3

    def kill(what: str) -> bool:
        if what != event or server.events.count(event) != number:
            return False
        kill_all(batches.pytester.path)
        return True

    server.happens = kill
    killed = batches.run("--llm-batch", *WAYS[way], model=model)
    assert killed.ret == -signal.SIGKILL
    assert len(server.made) == created
    assert batches.reserved() == ITEMS
    batches.age(7200)
    result = batches.run("--llm-batch", *WAYS[way], model=model)
    assert (result.ret, batches.outcomes()) == (0, {"correct": ITEMS})
    assert set(server.asked.values()) == {1}
    assert len(server.made) == 1
    assert batches.reserved() == 0
    price = {OPENAI: 7 * 0.075 + 3 * 0.3, ANTHROPIC: 7 * 0.5 + 3 * 2.5}[model] / 1e6
    assert batches.summary()["run"]["asking"]["cost_usd"] == pytest.approx(
        ITEMS * price, rel=1e-9
    )


@pytest.mark.proof
def test_messages_of_a_task_of_ones_own_are_batched(batches: BatchBench) -> None:
    batches.pytester.makepyfile(
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
    batches.script = lambda call: call.body["messages"][-1]["content"][::-1]
    assert batches.run("--llm-batch", "-p", "no:xdist").ret == 0
    assert batches.outcomes() == {"correct": 3}
    (made,) = batches.server.made
    assert len(made.calls) == 3
    single = batches.run("-p", "no:xdist", "--llm-store=off")
    assert single.ret == 0
    told = {str(call.body["messages"]) for call in made.calls.values()}
    assert told == {str(call.body["messages"]) for call in batches.server.requests[-3:]}
