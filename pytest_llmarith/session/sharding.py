"""The hooks of `--llm-shard`: what other machines take is deselected, and the summary says of what this is a part."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable
from dataclasses import asdict
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest

from pytest_llmarith.items.shards import deal
from pytest_llmarith.session.selection import Selected, selected
from pytest_llmarith.values import Shard

if TYPE_CHECKING:
    from xdist.workermanage import WorkerController

    from pytest_llmarith.records import Shard as ShardPart

SHARDING = "llmarith-sharding"
_OUTPUT = "llmarith_shard"  # in xdist's `workeroutput`: a controller collects nothing


def shard_facts(config: pytest.Config) -> ShardPart | None:
    """What a summary says of the shard that this run is; None where it is whole."""
    sharding: Sharding | None = config.pluginmanager.getplugin(SHARDING)
    if sharding is None:
        return None
    from pytest_llmarith.records import Shard as ShardPart
    from pytest_llmarith.records import convert

    return convert(sharding.facts, ShardPart)


class Sharding:
    """Registered in every process of a run that is a shard: all workers deselect the same."""

    def __init__(self, config: pytest.Config, shard: Shard) -> None:
        self._config = config
        self._shard = shard
        # How many trials are this shard's and how many all shards', and what tells that selection from others.
        self.facts: dict[str, Any] = asdict(shard) | {"dealt": None, "whole": None, "selection": None}

    def pytest_report_header(self) -> str | None:
        return None if hasattr(self._config, "workerinput") else f"llmarith: {self._shard}"

    @pytest.hookimpl(wrapper=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Generator[None, object, object]:
        """After all that mark or deselect, as -k does; within --lf, which deselects after us."""
        result = yield
        failed = _failed_before(self._config)
        mine, others = deal(items, self._shard, before=failed)
        if not failed:
            self._note(selected(items), selected(mine))
        items[:] = mine
        if others:
            self._config.hook.pytest_deselected(items=others)
        return result

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: WorkerController) -> None:
        self.facts = getattr(node, "workeroutput", {}).get(_OUTPUT, self.facts)

    def _note(self, whole: Iterable[Selected], mine: Iterable[Selected]) -> None:
        questions = sorted(
            f"{one.model and one.model.name} {one.problem.task} {one.problem.label}{one.manner.label}" for one in whole
        )
        self.facts |= {
            "dealt": sum(1 for _ in mine),
            "whole": len(questions),
            "selection": sha256("\n".join(questions).encode(errors="surrogatepass")).hexdigest()[:16],
        }
        if hasattr(self._config, "workeroutput"):
            self._config.workeroutput[_OUTPUT] = self.facts


def _failed_before(config: pytest.Config) -> Collection[str]:
    """What --lf is going to select: it failed on this machine, so it is this shard's already."""
    if not config.getoption("lf", False) or config.cache is None:
        return ()
    failed: dict[str, bool] = config.cache.get("cache/lastfailed", {})
    return failed
