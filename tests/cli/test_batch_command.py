"""`llmarith batch`: what it shows of the batches of a store, and how they are cancelled
or forgotten.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from pytest_llmarith.cli import main
from pytest_llmarith.models.batch_providers import batch_provider
from pytest_llmarith.models.litellm_client import LitellmClient
from pytest_llmarith.models.redact import sent_of
from pytest_llmarith.models.reservations import Batch, Reservations
from pytest_llmarith.types import Model
from tests.batch_server import BatchServer

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # those of litellm
    pytest.mark.usefixtures("litellm_collected"),
]
TARGETS = ("openai/gpt-4o-mini", "anthropic/claude-haiku-4-5")


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[BatchServer]:
    """A batch of two questions to each model, and one that is perhaps created."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text(
        "OPENAI_API_KEY=sk-openai-of-the-tests\nANTHROPIC_API_KEY=sk-anthropic-of-the-tests\n"
    )
    with BatchServer() as opened:
        opened.polls = 9
        with closing(Reservations(store())) as reservations:
            for target in TARGETS:
                model = Model(target, target, {"max_tokens": 9}, opened.base_url)
                sent = sent_of(model, "1 + 1")
                keys = [f"{target}-{number}" for number in range(3)]
                reservations.reserve(dict.fromkeys(keys[:2], sent))
            intent = reservations.reserve({keys[2]: sent})
            assert intent is not None
            reservations.creating(intent)
            monkeypatch.setenv("OPENAI_API_KEY", "sk-openai-of-the-tests")
            monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-anthropic-of-the-tests")
            for batch in reservations.batches():
                if batch.creating_at is None:
                    reservations.created(batch.intent, asyncio.run(create(batch)))
        yield opened


def store() -> Path:
    return Path(".llmarith", "store.sqlite").absolute()


async def create(batch: Batch) -> str:
    client = LitellmClient()
    provider = batch_provider(client, batch.model)
    line = provider.line(
        "k", '{"model": "m", "messages": [{"role": "user", "content": "1 + 1"}]}'
    )
    state = await provider.create(
        batch.model, batch.intent, await provider.upload(batch.model, [line])
    )
    await client.close()
    return state.id


def left() -> list[Batch]:
    with closing(Reservations(store())) as reservations:
        return reservations.batches()


@pytest.mark.proof
def test_status_and_cancel(
    server: BatchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["batch", "status"]) == 0
    shown = capsys.readouterr().out
    assert [shown.count(text) for text in (*TARGETS, "0 done", "perhaps created")] == [
        1,
        2,
        2,
        1,
    ]
    assert (shown.count("max_tokens=9"), "sk-" in shown) == (3, False)
    first, second = server.made
    assert main(["batch", "cancel", first.id]) == 0
    assert (first.end, second.end) == ("cancelled", "completed")
    first.end, first.polls = "completed", 0
    capsys.readouterr()
    assert main(["batch", "cancel", first.id]) == 0
    assert (first.end, "has ended" in capsys.readouterr().out) == ("completed", True)
    server.made.remove(second)
    assert main(["batch", "cancel", second.id]) == 1
    assert "404" in capsys.readouterr().err
    assert len(left()) == 3


@pytest.mark.proof
def test_forgetting_frees_the_questions(
    server: BatchServer, capsys: pytest.CaptureFixture[str]
) -> None:
    (unknown,) = [batch for batch in left() if batch.id is None]
    assert main(["batch", "cancel", "--forget", unknown.intent[:8]]) == 0
    assert [batch.id for batch in left()] == [made.id for made in server.made]
    with closing(Reservations(store())) as reservations:
        reservations.created(left()[0].intent, "batch_\x1b[2J")
    assert main(["batch", "cancel", "--forget", "--all"]) == 0
    assert "\x1b" not in capsys.readouterr().out
    assert (left(), [made.end for made in server.made]) == ([], ["completed"] * 2)
    with closing(Reservations(store())) as reservations, reservations.submitting():
        assert main(["batch", "cancel", "--forget", "--all"]) == 1
    capsys.readouterr()
    for command in (["status"], ["cancel", "--all"], ["cancel", "--forget", "--all"]):
        assert main(["batch", *command]) == 0
        assert "no batches" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["cancel"], "name them as llmarith batch status does, or write --all"),
        (
            ["cancel", "--all", "x"],
            "name them as llmarith batch status does, or write --all",
        ),
        (["cancel", "x"], "there is no batch 'x'; see llmarith batch status"),
        (
            ["cancel", "--all"],
            "has no id yet; llmarith batch collect looks for it, or add --forget",
        ),
        (["status", "--store-dir", "elsewhere"], "elsewhere"),
    ],
)
def test_wrong_usage_is_one_line(
    server: BatchServer,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    words: str,
) -> None:
    assert main(["batch", *arguments]) == 4
    (line,) = capsys.readouterr().err.splitlines()
    assert words in line
    assert [made.end for made in server.made] == ["completed"] * 2
