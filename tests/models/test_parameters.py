"""Parameters that a provider does not have, by litellm's lists."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from pytest_llmarith.models.client import Client
from pytest_llmarith.models.providers import similar_model
from pytest_llmarith.types import Model
from tests.models.asked import of

# As in the broker's process: modules of litellm warn when they are imported.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def client() -> Client:
    return Client()


@pytest.mark.parametrize(
    ("target", "parameter", "instead"),
    [
        ("gpt-4o-mini", "temprature", "temperature"),
        ("openai/o4-mini", "reasoning_efort", "reasoning_effort"),
        ("openai/newer-than-the-list", "max_token", "max_tokens"),
        ("claude-sonnet-4-5", "temprature", "temperature"),
        ("gemini/gemini-2.5-pro", "temprature", "temperature"),
        ("mistral/mistral-large-latest", "safe_promt", "safe_prompt"),
        ("gpt-4o-mini", "zzz", "extra_body"),
    ],
)
def test_an_unknown_parameter_and_what_to_write(
    client: Client, target: str, parameter: str, instead: str
) -> None:
    why = client.unknown_parameter(Model("m", target, {"seed": 1, parameter: 0}))
    assert why is not None
    assert why.startswith(f"{target}: ")
    assert repr(parameter) in why
    assert why.endswith(instead)


@of("not refused")
def test_what_is_not_refused(client: Client, row: dict[str, Any]) -> None:
    """A server of one's own and an aggregator may have any parameter."""
    model = Model("m", row["target"], row["params"], row["api_base"])
    assert client.unknown_parameter(model) is None


@pytest.mark.parametrize(
    ("target", "meant"),
    [
        ("gtp-4o-mini", "gpt-4o-mini"),
        ("opnai/gpt-4o", "openai/gpt-4o"),
        ("openai/gtp-4o-mini", "openai/gpt-4o-mini"),
        ("mistral/mistral-lrge-latest", "mistral/mistral-large-latest"),
        ("openai/qwen3", None),
        ("ollama/of-my-own", None),
    ],
)
def test_the_model_that_is_meant(target: str, meant: str | None) -> None:
    assert similar_model(target) == meant


def test_terms_of_a_listed_model_are_known_without_litellm() -> None:
    """Its import takes seconds, on a busy machine a minute."""
    code = (
        "import sys; from pytest_llmarith.models.client import Client; "
        "from pytest_llmarith.types import Model; model = Model('m', 'gpt-4o-mini'); "
        "client = Client(); assert client.unknown_parameter(model) is None; "
        "assert client.terms(model).price; assert 'litellm' not in sys.modules"
    )
    # other tests of this process import litellm, which sets variables
    own = {name: value for name, value in os.environ.items() if "LITELLM" not in name}
    subprocess.run([sys.executable, "-c", code], check=True, env=own)


@pytest.mark.parametrize("target", ["opnai/gpt-4o", "gpt-9"])
def test_a_model_that_litellm_does_not_know_is_refused(target: str) -> None:
    """Before the first question, so also in a dry run."""
    why = Client().unknown_parameter(Model("m", target))
    assert why is not None
    assert "litellm knows no such model; did you mean" in why
