"""A planted key is searched for in everything that a run writes, prints and starts,
whatever goes wrong.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.llm_server import Answer, Call, LlmServer
from tests.session.bench import WAYS, Bench, right

# Nothing about it looks like a key: it has to be known to be hidden.
KEY = "planted0Zm9vYmFyIGJheg0that0may0never0be0seen"
# A part of it is as bad as all of it, and so is another spelling.
TRACES = (
    KEY[:10],
    KEY[-10:],
    base64.b64encode(KEY.encode()).decode(),
    KEY.encode().hex(),
)
# All that makes pytest say more than usual.
TALKATIVE = (
    *("-rA", "-l", "--full-trace", "--junit-xml=junit.xml", "--log-file=log.txt"),
    "--log-file-level=DEBUG",
)
HEADER = "another0header0of0a0name0that0is0not0known"

Way = tuple[str, ...]


def failing(status: int, **how: str) -> Callable[[str], Answer]:
    return lambda key: Answer(
        status=status, error={name: text.format(key) for name, text in how.items()}
    )


# Where a provider may put a key that it was sent.
ECHOES: list[Callable[[str], Answer]] = [
    *(failing(status, message="you sent {}") for status in (500, 503, 422)),
    failing(429, message="you sent {}", type="{}"),
    failing(400, message="you sent {}", code="{}", param="{}"),
    lambda key: Answer(body=f"<html>{key}</html>".encode()),
    lambda key: Answer(status=500, body=f"<html>{key}</html>".encode()),
    lambda key: Answer(status=400, error={"message": " " * 19_930 + key}),
    lambda key: Answer(status=500, headers={"X-Request-Id": key, "Retry-After": key}),
    lambda key: Answer(f"The key is {key}."),
    lambda key: Answer("7", reasoning=f"They sent {key}."),
    lambda key: Answer(None, message={"refusal": f"I do not take {key}."}),
    lambda key: Answer("7", model=f"gpt-4o-mini-{key}"),
    lambda key: Answer("7", finish_reason=key),
    lambda key: Answer("7", message={"name": key, "annotations": [{"type": key}]}),
    lambda key: Answer(
        "7",
        usage={
            "prompt_tokens": 1,
            "completion_tokens": 1,
            "total_tokens": 2,
            "by": key,
        },
    ),
]
BENCH = f"""
    import pytest

    @pytest.mark.integer_addition(trials={len(ECHOES) + 1})
    def test_integer_addition(problem, ask):
        record = ask(problem)
        assert record.outcome == "correct"  # else a traceback, with everything that is in sight
"""


class Echo:
    """Every question gets the key back, each in another place; the last one gets its
    answer.
    """

    def __init__(self) -> None:
        self._order: dict[str, int] = {}

    def __call__(self, call: Call) -> Answer:
        place = self._order.setdefault(call.prompt, len(self._order))
        key = call.headers["Authorization"].removeprefix("Bearer ")
        return ECHOES[place](key) if place < len(ECHOES) else Answer(right(call))


def run(bench: Bench, script: Callable[[Call], Answer], *args: str) -> pytest.RunResult:
    """A run that leaves no trace of the key: neither in a file, nor on the terminal,
    nor in the list of processes.
    """
    seen: list[str] = []

    def watch(call: Call) -> Answer:
        seen.extend(line for line in _command_lines() if KEY in line)
        return script(call)

    bench.script = watch
    result = bench.run(*TALKATIVE, *args)
    texts = {"stdout": result.stdout.str(), "stderr": result.stderr.str()}
    for path in bench.pytester.path.rglob("*"):
        if path.is_file() and path.name != ".env":
            texts[str(path)] = path.read_bytes().decode("utf-8", "replace")
    assert {
        (name, trace)
        for name, text in texts.items()
        for trace in TRACES
        if trace in text
    } == set()
    assert seen == []
    return result


def _command_lines() -> Iterator[str]:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield path.read_text(encoding="utf-8", errors="replace")
        except OSError:  # it has ended meanwhile
            continue


@pytest.fixture
def in_dotenv(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A bench of one question per echo, with the key in `.env`."""
    monkeypatch.delenv("OPENAI_API_KEY")
    (bench.pytester.path / ".env").write_text(
        f"OPENAI_API_KEY={KEY}\n", encoding="utf-8"
    )
    bench.pytester.makepyfile(test_bench=BENCH)
    return bench


@pytest.mark.proof
def test_a_key_that_comes_back(in_dotenv: Bench) -> None:
    """Failures, replies and headers may hold it; nothing that is written or shown does.

    A header of any name is sent as well, and stands in no file; its name does.
    """
    header = f'--llm-param=extra_headers={{"X-Proxy": "{HEADER}"}}'
    result = run(in_dotenv, Echo(), "-ollm_retries=0", header, *WAYS["-n 2"])
    assert result.ret == 1
    records = in_dotenv.records()
    assert (
        sum(
            "[hidden]"
            in f"{record['reason']} {record['reply'] and record['reply']['text']}"
            for record in records
        )
        >= 8
    )
    sent = {
        (call.headers["Authorization"], call.headers["X-Proxy"])
        for call in in_dotenv.server.requests
    }
    assert sent == {(f"Bearer {KEY}", HEADER)}
    hidden = {"extra_headers": {"X-Proxy": "[hidden]"}}
    assert in_dotenv.summary()["run"]["models"][0]["params"] == hidden
    assert {
        str(record["reply"]["sent"]["params"]) for record in records if record["reply"]
    } == {str(hidden)}
    files = [path for path in in_dotenv.pytester.path.rglob("*") if path.is_file()]
    assert [path for path in files if HEADER.encode() in path.read_bytes()] == []


def test_a_key_in_what_is_asked_is_refused(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    (pytester.path / ".env").write_text(f"SOME_API_KEY={KEY}\n", encoding="utf-8")
    (pytester.path / "mine.txt").write_text(
        f"As {KEY}: {{lhs}} {{sign}} {{rhs}}", encoding="utf-8"
    )
    pytester.makepyfile("raise RuntimeError('collected')")
    for where, given in {
        "--llm-system-prompt: the text": (
            "--llm-system-prompt=",
            f"--llm-system-prompt={KEY}",
            "--llm-dry-run",
        ),
        "llmarith/oracle: the parameter user": (f"--llm-param=user=I am {KEY}.",),
        "--llm-prompt-template: the template 'mine'": (
            "--llm-prompt-template=mine.txt",
        ),
    }.items():
        result = pytester.runpytest(
            "--llm-model=llmarith/oracle", "-p", "no:cacheprovider", *given
        )
        assert (result.ret, result.outlines) == (pytest.ExitCode.USAGE_ERROR, [])
        (line,) = filter(None, result.errlines)
        assert line.startswith(f"ERROR: {where} holds the key in SOME_API_KEY, ")
        assert KEY not in line
        monkeypatch.setenv("SOME_API_KEY", KEY)  # then also from the environment


@pytest.mark.proof
def test_a_key_goes_to_its_own_provider_alone(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model without a prefix is its provider's: another one's base URL is not used,
    its own is recorded.
    """
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    content = {
        "content": [{"type": "text", "text": "7"}],
        "stop_reason": "end_turn",
        "role": "assistant",
    }
    body = {
        "id": "m",
        "type": "message",
        "model": "c",
        "usage": {"input_tokens": 5, "output_tokens": 1},
        **content,
    }
    bench.script = lambda call: Answer(body=json.dumps(body).encode())
    own = bench.server.base_url.removesuffix("/v1")
    monkeypatch.setenv("ANTHROPIC_API_BASE", own)
    with LlmServer(lambda call: Answer("7")) as other:
        monkeypatch.setenv("OPENAI_BASE_URL", other.base_url)
        bench.pytester.run(
            bench.programs / "pytest",
            "--llm-model=claude-sonnet-4-5",
            "-k",
            "int_add and depth_2",
        )
        assert other.requests == []
    (call,) = bench.server.requests
    assert call.headers["x-api-key"] == KEY
    (record,) = bench.records()
    assert record["reply"]["sent"]["api_base"] == own
