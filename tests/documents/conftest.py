"""A reader's desk: a project as `llmarith init` makes it, providers on loopback, and the runs of some days before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_llmarith.oeis.sets import wanted_numbers
from tests.documents.desk import Desk, Seat
from tests.documents.provider import Provider
from tests.oeis_site import Answer, Site, entry


@pytest.fixture(scope="session")
def provider() -> Iterator[Provider]:
    with Provider() as provider:
        yield provider


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """Every entry of the sets whose names say hard is hard."""
    hard = set(wanted_numbers(["classic_hard"]))
    with Site(lambda call: Answer(entry(call.number, keyword="hard" if call.number in hard else "easy"))) as site:
        yield site


@pytest.fixture(scope="session")
def seat(programs: Path, provider: Provider, site: Site) -> Seat:
    """Makes a folder that project, or else a project of its own, and sits down there."""

    def seated(folder: Path, project: Path | None) -> Desk:
        desk = Desk(folder, programs, provider, site)
        desk.take(project) if project else desk.lay()
        return desk

    return seated


@pytest.fixture(scope="session")
def fresh(seat: Seat, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project as it is made."""
    return seat(tmp_path_factory.mktemp("fresh"), None).folder


@pytest.fixture(scope="session")
def past(fresh: Path, seat: Seat, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in which runs stand under the names that the documents give them."""
    desk = seat(tmp_path_factory.mktemp("past"), fresh)
    desk.type(
        "pytest benches --llm-model=o4-mini --llm-number-format=plain,comma --llm-context=none,4k",
        "mv reports/*_o4-mini trusted",
        "cp trusted/trials.jsonl .",
        "cp -r trusted baseline",
        "cp -r trusted candidate",
        "cp -r trusted reports/2026-11-20T00-31-05_o4-mini",
        "mv trusted reports/2026-11-22T00-31-05_o4-mini",
        "pytest benches --llm-model=o4-mini --llm-model=gpt-4o",
        "mv reports/*_2-models reports/2026-11-22T00-31-05_2-models",
        "rm -r .llmarith",
    )
    return desk.folder


@pytest.fixture(scope="session")
def paid(fresh: Path, seat: Seat, provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a store of two models, and what other machines have published; three replies are missing."""
    desk = seat(tmp_path_factory.mktemp("paid"), fresh)
    provider.outages = 3
    desk.type(
        "pytest benches --llm-model=o4-mini --llm-retries=0 || [ $? = 1 ]",
        "mkdir artifacts shards",
        "mv reports/*_o4-mini artifacts/2026-11-22T00-31-05_o4-mini",
        "pytest benches --llm-model=o4-mini --llm-shard=3/5",
        "mv reports/*_shard-3-of-5 shards/2026-11-22T00-31-05_o4-mini_shard-3-of-5",
        "pytest benches --llm-model=openai/qwen3-14b --llm-api-base=http://localhost:8000/v1 -k int_add",
    )
    return desk.folder
