"""Projects for the commands of the documents: a new one, and ones with earlier runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_llmarith.oeis.cache import wanted_numbers
from tests.documents.project import MakeProject, Project
from tests.documents.provider import Provider
from tests.oeis_site import Answer, Site, entry


@pytest.fixture(scope="session")
def provider() -> Iterator[Provider]:
    with Provider() as provider:
        yield provider


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """The OEIS; the entries of classic_hard have the keyword hard, all others easy."""
    hard = set(wanted_numbers(["classic_hard"]))
    with Site(lambda call: Answer(entry(call.number, keyword="hard" if call.number in hard else "easy"))) as site:
        yield site


@pytest.fixture(scope="session")
def make_project(programs: Path, provider: Provider, site: Site) -> MakeProject:
    """Makes a folder a copy of a project, or a new project."""

    def made(folder: Path, original: Path | None) -> Project:
        project = Project(folder, programs, provider, site)
        project.copy(original) if original else project.make()
        return project

    return made


@pytest.fixture(scope="session")
def fresh(make_project: MakeProject, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new project."""
    return make_project(tmp_path_factory.mktemp("fresh"), None).folder


@pytest.fixture(scope="session")
def past(fresh: Path, make_project: MakeProject, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with runs under the names that the documents give them."""
    project = make_project(tmp_path_factory.mktemp("past"), fresh)
    project.run(
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
    return project.folder


@pytest.fixture(scope="session")
def paid(fresh: Path, make_project: MakeProject, provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a store of two models, and runs of other machines; three replies are missing."""
    project = make_project(tmp_path_factory.mktemp("paid"), fresh)
    provider.outages = 3
    project.run(
        "pytest benches --llm-model=o4-mini --llm-retries=0 || [ $? = 1 ]",
        "mkdir artifacts shards",
        "mv reports/*_o4-mini artifacts/2026-11-22T00-31-05_o4-mini",
        "pytest benches --llm-model=o4-mini --llm-shard=3/5",
        "mv reports/*_shard-3-of-5 shards/2026-11-22T00-31-05_o4-mini_shard-3-of-5",
        "pytest benches --llm-model=openai/qwen3-14b --llm-api-base=http://localhost:8000/v1 -k int_add",
    )
    return project.folder
