"""A planted key is searched for in everything that a run writes, prints and starts, whatever goes wrong."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_llmarith.sandbox.isolation import UnavailableError, probe
from tests.llm_server import Answer, Call, LlmServer
from tests.session.bench import WAYS, Bench, right
from tests.session.test_oeis_run import write_cache

# Nothing about it looks like a key: it has to be known to be hidden.
KEY = "planted0Zm9vYmFyIGJheg0that0nobody0may0ever0see"
# A part of it is as bad as all of it, and so is another spelling.
TRACES = (KEY[:10], KEY[-10:], base64.b64encode(KEY.encode()).decode(), KEY.encode().hex())
# Whatever makes pytest say more than usual.
TALKATIVE = ("-rA", "-l", "--full-trace", "--junit-xml=junit.xml", "--log-file=log.txt", "--log-file-level=DEBUG")

Way = tuple[str, ...]


def failing(status: int, **how: str) -> Callable[[str], Answer]:
    return lambda key: Answer(status=status, error={name: text.format(key) for name, text in how.items()})


# Where a provider may put a key that it was sent.
ECHOES: dict[str, Callable[[str], Answer]] = {
    "500": failing(500, message="you sent {}"),
    "503": failing(503, message="you sent {}"),
    "429": failing(429, message="you sent {}", type="{}"),
    "400": failing(400, message="you sent {}", code="{}", param="{}"),
    "422": failing(422, message="you sent {}"),
    "no JSON": lambda key: Answer(body=f"<html>{key}</html>".encode()),
    "an error that is no JSON": lambda key: Answer(status=500, body=f"<html>{key}</html>".encode()),
    "at the end of what is looked at": lambda key: Answer(status=400, error={"message": " " * 19_930 + key}),
    "headers": lambda key: Answer(status=500, headers={"X-Request-Id": key, "Retry-After": key}),
    "reply": lambda key: Answer(f"The key is {key}."),
    "reasoning": lambda key: Answer("7", reasoning=f"They sent {key}."),
    "refusal": lambda key: Answer(None, message={"refusal": f"I do not take {key}."}),
    "served model": lambda key: Answer("7", model=f"gpt-4o-mini-{key}"),
    "finish reason": lambda key: Answer("7", finish_reason=key),
    "other fields": lambda key: Answer("7", message={"name": key, "annotations": [{"type": key}]}),
    "usage": lambda key: Answer("7", usage={"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2, "by": key}),
}
BENCH = f"""
    import pytest

    @pytest.mark.integer_addition(trials={len(ECHOES) + 1})
    def test_integer_addition(problem, ask):
        record = ask(problem)
        assert record["outcome"] == "correct"  # else a traceback, with everything that is in sight
"""


class Watch:
    """A server's script that looks through the list of processes at every request."""

    def __init__(self, script: Callable[[Call], Answer]) -> None:
        self.seen: list[str] = []
        self._script = script

    def __call__(self, call: Call) -> Answer:
        self.seen += [line for line in _command_lines() if KEY in line]
        return self._script(call)


def _command_lines() -> Iterator[str]:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield path.read_text(encoding="utf-8", errors="replace")
        except OSError:  # it has ended meanwhile
            continue


class Echo:
    """Every question gets the key back, each in another place; the last one gets its answer."""

    def __init__(self) -> None:
        self._order: dict[str, int] = {}

    def __call__(self, call: Call) -> Answer:
        place = self._order.setdefault(call.prompt, len(self._order))
        echoes = [*ECHOES.values()]
        key = call.headers["Authorization"].removeprefix("Bearer ")
        return echoes[place](key) if place < len(echoes) else Answer(right(call))


def run(bench: Bench, script: Callable[[Call], Answer], *args: str) -> pytest.RunResult:
    """A run that leaves no trace of the key: neither in a file, nor on the terminal, nor in the list of processes."""
    watch = Watch(script)
    bench.script = watch
    result = bench.run(*TALKATIVE, *args)
    texts = {"stdout": result.stdout.str(), "stderr": result.stderr.str()}
    for path in bench.pytester.path.rglob("*"):
        if path.is_file() and path.name != ".env":
            texts[str(path)] = path.read_bytes().decode("utf-8", "replace")
    assert {(name, trace) for name, text in texts.items() for trace in TRACES if trace in text} == set()
    assert watch.seen == []
    return result


@pytest.fixture
def planted(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A bench of one question per echo, with the key in the environment."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    bench.pytester.makepyfile(test_bench=BENCH)
    return bench


@pytest.fixture
def in_dotenv(planted: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """The same, with the key in `.env`."""
    monkeypatch.delenv("OPENAI_API_KEY")
    (planted.pytester.path / ".env").write_text(f"OPENAI_API_KEY={KEY}\n", encoding="utf-8")
    return planted


def test_a_key_that_comes_back(planted: Bench) -> None:
    """Failures, replies and headers may hold it; nothing that is written or shown does."""
    result = run(planted, Echo(), "--llm-retries=0")
    assert result.ret == 1
    hidden = [record for record in planted.records() if "[hidden]" in f"{record['reason']} {record['reply']}"]
    assert len(hidden) >= 9
    assert {call.headers["Authorization"] for call in planted.server.requests} == {f"Bearer {KEY}"}


def test_a_key_in_dotenv_stays_with_the_controller(in_dotenv: Bench) -> None:
    """Workers have no use for it, and do not get it."""
    in_dotenv.pytester.makeconftest(f"""
        import os

        def pytest_sessionfinish(session):
            if hasattr(session.config, "workerinput"):
                knows = {KEY[::-1]!r} in [value[::-1] for value in os.environ.values()]
                open(f"worker-{{os.getpid()}}-{{knows}}", "w").close()
    """)
    result = run(in_dotenv, Echo(), "--llm-retries=0", *WAYS["-n 2"])
    assert result.ret == 1
    assert {call.headers["Authorization"] for call in in_dotenv.server.requests} == {f"Bearer {KEY}"}
    workers = [path.name.rpartition("-")[2] for path in in_dotenv.pytester.path.glob("worker-*")]
    assert workers == ["False", "False"]


def test_a_crash_shows_no_key(planted: Bench) -> None:
    """A worker that dies, and a plugin that fails in the controller: a traceback with everything in sight."""
    planted.pytester.makeconftest("""
        import os

        def pytest_configure(config):
            global is_controller
            is_controller = not hasattr(config, "workerinput")

        def pytest_runtest_teardown(item):
            if "trial_3" in item.name:
                os._exit(1)

        def pytest_runtest_logreport(report):
            if "trial_12" in report.nodeid and is_controller:
                raise RuntimeError("a plugin failed")
    """)
    result = run(planted, Echo(), "--llm-retries=0", *WAYS["-n 2"])
    assert result.ret == pytest.ExitCode.INTERNAL_ERROR
    assert "a plugin failed" in result.stdout.str() + result.stderr.str()


def test_a_program_sees_no_key(in_dotenv: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that shows its environment, and that of every process that it can look into, has none to show."""
    try:
        probe()
    except UnavailableError as error:
        pytest.skip(str(error))
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    write_cache(in_dotenv.pytester.path / "oeis_cache")
    in_dotenv.pytester.makepyfile(
        test_bench="""
        import pytest

        @pytest.mark.oeis
        def test_oeis(problem, ask):
            ask(problem)
        """
    )
    program = "import glob, os, sys\nprint(dict(os.environ), file=sys.stderr)\n"
    program += (
        "for path in glob.glob('/proc/[0-9]*/environ'):\n    try:\n        print(open(path).read(), file=sys.stderr)\n"
    )
    program += "    except OSError:\n        pass\nprint(len(os.environ), int(input()))"
    run(in_dotenv, lambda call: Answer(f"```python\n{program}\n```"), "--oeis-sets=starter")
    said = [term["stderr"] for record in in_dotenv.records() for term in record["oeis"]["terms"]]
    assert said
    assert all(said)


@pytest.mark.parametrize("place", ["environment", "dotenv"])
@pytest.mark.parametrize(
    ("given", "where"),
    [
        (("--llm-prompt=standard", "--llm-prompt=mine.txt"), "--llm-prompt: the template 'mine'"),
        ((f"--llm-system-prompt=I am {KEY}.",), "--llm-system-prompt: the text"),
        ((f"--llm-param=user=I am {KEY}.",), "llmarith/exact: the parameter user"),
        (("--llm-system-prompt=", f"--llm-system-prompt={KEY}", "--llm-dry-run"), "--llm-system-prompt: the text"),
    ],
)
def test_a_key_in_what_is_asked_is_refused(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, place: str, given: tuple[str, ...], where: str
) -> None:
    """Before anything is collected, in one line that names its variable and never says it."""
    if place == "environment":
        monkeypatch.setenv("SOME_API_KEY", KEY)
    else:
        (pytester.path / ".env").write_text(f"SOME_API_KEY={KEY}\n", encoding="utf-8")
    (pytester.path / "mine.txt").write_text(f"As {KEY}: {{lhs}} {{sign}} {{rhs}}", encoding="utf-8")
    pytester.makepyfile("raise RuntimeError('collected')")
    result = pytester.runpytest("--llm-model=llmarith/exact", "-p", "no:cacheprovider", *given)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.errlines == [
        f"ERROR: {where} holds the key that stands in SOME_API_KEY; take it out, as records and pages would show it",
        "",
    ]
    assert result.outlines == []


@pytest.fixture
def claude(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, programs: Path) -> Iterator[Bench]:
    """A bench of one question, a server that answers as Anthropic does, and the keys of two providers."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    pytester.makepyfile(test_bench=BENCH.replace(f"trials={len(ECHOES) + 1}", "trials=1"))
    content = {"content": [{"type": "text", "text": "7"}], "stop_reason": "end_turn", "role": "assistant"}
    body = {"id": "m", "type": "message", "model": "c", "usage": {"input_tokens": 5, "output_tokens": 1}, **content}
    with LlmServer(lambda call: Answer(body=json.dumps(body).encode())) as server:
        yield Bench(pytester, server, right, programs)


def test_a_key_goes_to_its_own_provider_alone(claude: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model without a prefix is its provider's: another one's base URL is none of its, its own is recorded."""
    own = claude.server.base_url.removesuffix("/v1")
    monkeypatch.setenv("ANTHROPIC_API_BASE", own)
    with LlmServer(lambda call: Answer("7")) as other:
        monkeypatch.setenv("OPENAI_BASE_URL", other.base_url)
        claude.pytester.runpytest_subprocess("--llm-model=claude-sonnet-4-5")
        assert other.requests == []
    (call,) = claude.server.requests
    assert call.headers["x-api-key"] == KEY
    (record,) = claude.records()
    assert record["reply"]["sent"]["api_base"] == own


def test_a_key_in_a_header_of_any_name(bench: Bench) -> None:
    """It is sent, and stands in no file; its name does, and a reply is found again."""
    key = KEY[::-1]  # other tests look for KEY in the list of processes, where this option stands
    for _ in range(2):
        bench.run(f'--llm-param=extra_headers={{"X-Proxy": "{key}"}}', "-k", "int_add and depth_2", "-rA")
    (call,) = bench.server.requests
    assert call.headers["X-Proxy"] == key
    hidden = {"extra_headers": {"X-Proxy": "[hidden]"}}
    assert bench.summary()["run"]["models"][0]["params"] == hidden
    assert bench.records()[0]["reply"]["sent"]["params"] == hidden
    files = [path for path in bench.pytester.path.rglob("*") if path.is_file()]
    assert [path for path in files if key.encode() in path.read_bytes()] == []
