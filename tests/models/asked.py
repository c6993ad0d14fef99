"""Asks a real server in both ways, directly and through litellm, whose outcomes must be
equal but for times.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from pytest_llmarith.models.asking import Transport
from pytest_llmarith.models.client import Client
from pytest_llmarith.models.provider_errors import Diagnosis, diagnose
from pytest_llmarith.records import Reply
from pytest_llmarith.types import Model, Prompt
from tests.llm_server import Answer, LlmServer

OWN = Model("m", "openai/some", {}, "http://127.0.0.1:9/v1")
# What servers send, what is done about it, and what is shown, a row each.
ROWS: dict[str, list[dict[str, Any]]] = {}
for line in (Path(__file__).parent / "answers.jsonl").read_text("utf-8").splitlines():
    row = json.loads(line)
    ROWS.setdefault(row.pop("kind"), []).append(row)


def of(kind: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("row", ROWS[kind])


class Asked:
    """Clients of both ways on one event loop, as litellm keeps its connections by their
    loop.
    """

    def __init__(self, runner: asyncio.Runner) -> None:
        self._runner = runner
        self._clients = {way: Client(transport=way) for way in Transport}
        for client in self._clients.values():
            client.prepare(
                OWN
            )  # litellm takes longer to import than a question may last

    def model(
        self,
        model: Model,
        timeout_s: float = 30.0,
        *,
        has_replied: bool = False,
        prompt: Prompt = "1 + 1",
    ) -> Reply | Diagnosis:
        """The outcome, which is the same in both ways if there are two."""
        asking = self._in_both_ways(model, timeout_s, has_replied, prompt)
        return self._runner.run(asking)

    async def _in_both_ways(
        self, model: Model, timeout_s: float, has_replied: bool, prompt: Prompt
    ) -> Reply | Diagnosis:
        async def ask(client: Client) -> Reply | Diagnosis:
            try:
                async with asyncio.timeout(timeout_s):
                    return await client.complete(model, prompt, timeout_s)
            except Exception as error:
                return diagnose(error, model, timeout_s, has_replied=has_replied)

        if not is_own(model):
            return await ask(self._clients[Transport.DIRECT])
        direct, through_litellm = await asyncio.gather(
            *map(ask, self._clients.values())
        )
        assert without_times(direct) == without_times(through_litellm)
        return direct

    def close(self) -> None:
        for client in self._clients.values():
            self._runner.run(client.close())

    def server(
        self,
        answer: Answer,
        target: str = "openai/some",
        *,
        has_replied: bool = False,
        **how: Any,
    ) -> tuple[Any, LlmServer]:  # a reply, or the diagnosis of a failure
        timeout_s = how.pop("timeout_s", 30.0)
        with LlmServer(lambda call: answer) as server:
            model = Model("m", target, how.pop("params", {}), server.base_url, **how)
            outcome = self.model(model, timeout_s, has_replied=has_replied)
            assert {call.headers["Accept-Encoding"] for call in server.requests} <= {
                "gzip"
            }  # none passed by the guard
            assert len(server.requests) == (
                2 if is_own(model) else 1
            )  # nothing is sent twice by litellm or an SDK
            return outcome, server


def is_own(model: Model) -> bool:
    provider = model.target.partition("/")[0].removeprefix("text-completion-")
    return provider == "openai" and model.api_base is not None


def without_times(outcome: Reply | Diagnosis) -> Reply | Diagnosis:
    """Costs are sums of floats, in another order."""
    if isinstance(outcome, Diagnosis):
        return outcome
    cost_usd = None if outcome.cost_usd is None else round(outcome.cost_usd, 12)
    return structs.replace(outcome, latency_s=0.0, asked_at="", cost_usd=cost_usd)
