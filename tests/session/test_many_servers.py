"""Several servers of one model: `--llm-api-base=URL,URL` and `@FILE`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.llm_server import Answer, Call, Gate, LlmServer
from tests.session.bench import ITEMS, WAYS, Bench, right

CONCURRENCY = 8
MODEL = "openai/qwen"


@pytest.fixture
def other() -> Iterator[LlmServer]:
    with LlmServer(right) as server:
        yield server


def run(bench: Bench, *servers: LlmServer | str, way: str = "plain") -> Any:
    given = ",".join(one if isinstance(one, str) else one.base_url for one in servers)
    return bench.run(
        f"--llm-api-base={given}",
        f"--llm-concurrency={CONCURRENCY}",
        *WAYS[way],
        model=MODEL,
    )


def script(server: LlmServer, answer: Callable[[Call], Answer | str]) -> None:
    server._answer = answer


@pytest.mark.parametrize("way", ["plain", "-n 2"])
def test_the_server_with_the_fewest_in_flight_is_asked(
    bench: Bench, other: LlmServer, way: str
) -> None:
    """Each question is asked once, and its record says where; the same questions to
    other servers, in another order, or in a file, find their replies.
    """
    gate, seen = Gate(), list[tuple[int, int]]()

    def held(call: Call) -> Answer:
        at_each = len(bench.server.requests), len(other.requests)
        if sum(at_each) == CONCURRENCY:
            seen.append(at_each)
            gate.open()
        return Answer(right(call), gate=gate)

    bench.script = held
    script(other, held)
    result = run(bench, bench.server, other, way=way)
    assert result.ret == 0
    assert seen[0] == (CONCURRENCY // 2, CONCURRENCY // 2)
    assert Counter((bench.server.asked + other.asked).values()) == {1: ITEMS}
    replies = [record["reply"] for record in bench.records()]
    at = Counter(reply["served_at"] for reply in replies)
    assert at == {
        bench.server.base_url: len(bench.server.requests),
        other.base_url: len(other.requests),
    }
    assert {reply["sent"]["api_base"] for reply in replies} == {"servers"}

    if way != "plain":
        return
    listed = bench.pytester.path / "servers.txt"
    listed.write_text(f"{other.base_url}\n")
    for given in (f"http://127.0.0.1:9/v1,{other.base_url}", f"@{listed.name}"):
        assert run(bench, given, way=way).ret == 0
        assert all(record["reply"]["stored"] for record in bench.records())
    assert len(bench.server.requests) + len(other.requests) == ITEMS


@pytest.mark.parametrize("way", ["plain", "-n 2"])
def test_a_server_that_is_killed_loses_nothing(
    bench: Bench, other: LlmServer, way: str
) -> None:
    """What it had not answered is asked at the other one, and nothing else is asked
    twice.
    """

    def dying(call: Call) -> Answer:
        if len(other.requests) >= 3:
            other.go_away()
            return Answer(right(call), gate=Gate())
        return Answer(right(call))

    script(other, dying)
    result = run(bench, bench.server, other, way=way)
    assert result.ret == 0
    result.stdout.fnmatch_lines([f"*{ITEMS} correct in *"])
    assert set(bench.server.asked.values()) == {1}
    assert set(other.asked.values()) == {1}
    again = bench.server.asked.keys() & other.asked.keys()
    assert 1 <= len(again) <= CONCURRENCY // 2


def test_servers_that_take_nothing(bench: Bench, other: LlmServer) -> None:
    """Questions of servers that drain, are full, refuse connections or have left with
    their name are asked at another one, at once.
    """

    def refusing(call: Call) -> Answer:
        status = 503 if len(other.requests) % 2 else 429
        return Answer(status=status, headers={"Retry-After": "600"})

    script(other, refusing)
    gone = "http://127.0.0.1:9/v1", "http://no-such-host.invalid/v1"
    result = run(bench, *gone, other, bench.server)
    assert result.ret == 0
    result.stdout.fnmatch_lines([f"*{ITEMS} correct in *"])
    assert Counter(bench.server.asked.values()) == {1: ITEMS}
    served = {record["reply"]["served_at"] for record in bench.records()}
    assert served == {bench.server.base_url}


def test_servers_of_different_models_are_told(bench: Bench, other: LlmServer) -> None:
    def named(model: str) -> Callable[[Call], Answer]:
        return lambda call: Answer(right(call), model=model)

    bench.script = named("qwen3-14b")
    script(other, named("qwen3-14b-int4"))
    result = run(bench, bench.server, other)
    differ = bench.summary_file()["other_servers"]
    assert differ == {
        MODEL: {
            bench.server.base_url: ["qwen3-14b"],
            other.base_url: ["qwen3-14b-int4"],
        }
    }
    assert "the servers of openai/qwen differ" in result.stdout.str()


def test_a_file_of_servers_is_read_again(bench: Bench, other: LlmServer) -> None:
    """A scheduler ends one server and starts another; a file that is empty meanwhile
    changes nothing.
    """
    listed = bench.pytester.path / "servers.txt"
    listed.write_text(f"{bench.server.base_url}\n")

    def moving(call: Call) -> Answer:
        if len(bench.server.requests) == CONCURRENCY:
            listed.write_text("")
        if len(bench.server.requests) == CONCURRENCY + 2:
            listed.write_text(f"{other.base_url}\n")
        return Answer(right(call))

    bench.script = moving
    assert run(bench, f"@{listed}").ret == 0
    assert Counter((bench.server.asked + other.asked).values()) == {1: ITEMS}
    assert other.requests
    at = Counter(record["reply"]["served_at"] for record in bench.records())
    assert at[other.base_url] == len(other.requests)
