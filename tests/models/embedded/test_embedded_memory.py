"""The embedded models behind litellm: they remember what they were handed, and look it up once, when asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from pytest_llmarith.models.client import Client
from pytest_llmarith.models.embedded.programming import Memory, Remembered
from pytest_llmarith.models.patience.failures import UnknownModel
from tests.models.embedded.programming.specimens import MEMORIES, PELL, program_prompt


@pytest.fixture(scope="module", autouse=True)
def _litellm() -> None:
    Client().prepare()


def asked(remembered: Remembered, *prompts: str, model: str = "exact") -> list[str]:
    """What one provider replies to one prompt after another."""
    import litellm

    from pytest_llmarith.models.embedded.handler import EmbeddedProvider

    provider = EmbeddedProvider(remembered)
    return [_text(provider, litellm.ModelResponse(), model, prompt) for prompt in prompts]


def _text(provider: Any, response: Any, model: str, prompt: str) -> str:
    messages = [{"role": "user", "content": prompt}]
    text = provider.completion(model=model, messages=messages, model_response=response).choices[0].message.content
    assert isinstance(text, str)
    return text


def test_memory_is_looked_up_once_and_late() -> None:
    """A calculation needs no memory, and a second question for a program finds it at hand."""
    calls: list[str] = []

    def remembered() -> Mapping[str, Memory]:
        calls.append("looked up")
        return MEMORIES

    assert asked(remembered, "12 + 5") == ["17"]
    assert calls == []
    first, second = asked(remembered, program_prompt("Pell numbers"), program_prompt("Factorial numbers"))
    assert PELL.program in first
    assert "factorial" in second
    assert calls == ["looked up"]


def test_a_broken_memory_is_no_unknown_model() -> None:
    """Errors of whoever remembers stay what they are; a model that is not there has its own."""

    def broken() -> Mapping[str, Memory]:
        raise KeyError("A000045")

    with pytest.raises(KeyError, match="A000045"):
        asked(broken, program_prompt("Pell numbers"))
    with pytest.raises(UnknownModel, match="exact, sloppy"):
        asked(broken, program_prompt("Pell numbers"), model="clever")


def test_registering_again_replaces_the_memory() -> None:
    """There is one provider of this name, and what it remembers is what was handed in last."""
    import litellm

    from pytest_llmarith.models.embedded import handler

    before = litellm.custom_provider_map
    try:
        for remembered in (dict, lambda: MEMORIES):
            handler.register(remembered)
        ours = [item for item in litellm.custom_provider_map if item["provider"] == "llmarith"]
        assert len(ours) == 1
        reply = litellm.completion("llmarith/exact", [{"role": "user", "content": program_prompt("Pell numbers")}])
        assert PELL.program in reply.choices[0].message.content
    finally:
        litellm.custom_provider_map = before
