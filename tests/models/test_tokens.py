"""Token counts that disagree, service tiers, and prices of one's own: asked directly,
through litellm, and in batches.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_llmarith.model_options import parse_model
from pytest_llmarith.models.budget import Prices
from pytest_llmarith.models.client import Client
from pytest_llmarith.records import Reply
from pytest_llmarith.types import Model, Price
from tests.llm_server import Answer, LlmServer, usage
from tests.models.asked import Asked, of

pytestmark = pytest.mark.filterwarnings("ignore")  # as in the broker's process


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in ("OPENAI", "ANTHROPIC", "OPENROUTER"):
        monkeypatch.setenv(f"{provider}_API_KEY", "sk-planted-key")


@of("counts")
def test_counts_that_disagree(asked: Asked, row: dict[str, Any]) -> None:
    """The larger one is believed, unless the cache explains it."""
    said, believed = row["usage"], tuple(row["believed"])
    body = json.loads(Answer("2", usage=said).payload(CALL))
    for target in ("openai/gpt-4o", "openrouter/x/y"):
        reply, _ = asked.server(Answer("2", usage=said), target)
        found = (reply.prompt_tokens, reply.completion_tokens, reply.reasoning_tokens)
        assert found == believed
        if target == "openai/gpt-4o":  # $2.50 and $10, cached $1.25
            prompt, completion, _ = believed
            if prompt is None or completion is None:
                assert reply.cost_usd is None
            else:
                most = Price(2.5, 10.0).of(prompt, completion)
                assert most / 2 <= reply.cost_usd <= most * 1.001
    in_batch = Client().read(Model("m", "openai/gpt-4o"), body)
    assert (
        in_batch.prompt_tokens,
        in_batch.completion_tokens,
        in_batch.reasoning_tokens,
    ) == believed


class _Call:
    body: dict[str, Any] = {"model": "gpt-4o"}  # noqa: RUF012


CALL: Any = _Call()


@pytest.mark.parametrize(
    ("asked_tier", "served", "recorded", "usd"),
    [
        ("flex", "flex", "flex", 0.55),
        ("flex", "default", "default", 1.1),
        ("flex", "DEFAULT", "default", 1.1),
        ("flex", None, None, 0.55),
        (None, "default", "default", 1.1),
        (None, "flex", "flex", 1.1),
        (None, "priority", "priority", 2.0),
        ("priority", "default", "default", 2.0),
        ("flex", "nobody-knows", "nobody-knows", None),
    ],
)
def test_the_dearer_tier_counts(
    asked: Asked,
    asked_tier: str | None,
    served: str | None,
    recorded: str | None,
    usd: float | None,
) -> None:
    body = json.loads(Answer("2", usage=usage(1_000_000, 0)).payload(CALL))
    body["service_tier"] = served
    params = {"service_tier": asked_tier} if asked_tier else {}
    answer = Answer(body=json.dumps(body).encode())
    reply, _ = asked.server(answer, "openai/o4-mini", params=params)
    assert reply.served_tier == recorded
    assert reply.cost_usd == (usd and pytest.approx(usd))


def test_a_price_of_the_user_s_for_one_model(asked: Asked) -> None:
    """A local model may be named like one of a provider."""
    with LlmServer(lambda call: Answer("2", usage=usage(10**6, 10**6))) as server:
        free = parse_model("gpt-4o=openai/gpt-4o?price=0&temperature=0")
        paid = parse_model("openai/gpt-4o?price=1,2.5")
        listed = parse_model("openai/gpt-4o")
        for model, usd in ((free, 0.0), (paid, 3.5), (listed, 12.5)):
            reply = asked.model(
                Model(model.name, model.target, model.params, server.base_url)
            )
            assert isinstance(reply, Reply)
            prices = Prices(Client(), None)
            assert prices.priced(model, reply).cost_usd == pytest.approx(usd)
            price = prices.terms(model).price
            assert price is not None
            assert price.of(10**6, 10**6) == pytest.approx(usd)
    assert free.params == {"temperature": 0}
    with pytest.raises(ValueError, match="IN,OUT"):
        parse_model("openai/gpt-4o?price=free")
