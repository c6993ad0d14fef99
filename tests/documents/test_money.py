"""docs/money.md shows what its commands print: each block runs in a new project, with a
stub as the provider.
"""

from __future__ import annotations

import math
import re
import subprocess
from pathlib import Path
from random import Random

import pytest

from tests.batch_server import BatchServer
from tests.documents.blocks import Block, blocks
from tests.documents.test_document_commands import run
from tests.llm_server import Answer, Call, usage
from tests.session.bench import right

pytestmark = pytest.mark.proof

# Digits at which half of the answers are right.
HARD = {
    "o4-mini": {"+": 14, "-": 13, "*": 5.5, "/": 6},
    "gpt-4.1-mini": {"+": 13, "-": 12, "*": 3.5, "/": 4},
}
BLOCKS = [
    block for block in blocks() if block.document == "money.md" and block.commands
]


def answer(call: Call) -> Answer:
    """Right or wrong by the seed of model and prompt; o4-mini spends 40 tokens a digit
    on reasoning.
    """
    model = str(call.body["model"])
    lhs, sign, rhs = call.prompt.splitlines()[-1].split()
    digits = max(len(re.sub(r"\D", "", number)) for number in (lhs, rhs))
    wrong = Random(f"{model} {call.prompt}").random() > 1 / (
        1 + math.exp(1.2 * (digits - HARD[model][sign]))
    )
    reasoning = 40 * digits if model == "o4-mini" else 0
    return Answer(
        "1" * wrong + right(call),
        usage=usage(len(call.prompt) // 4, reasoning + 10, reasoning),
    )


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.commands[0])
def test_a_block_is_as_shown(
    block: Block, environment: dict[str, str], tmp_path: Path
) -> None:
    """Every line that it shows is printed, except for the paths of runs."""
    own = {
        name: value for name, value in environment.items() if name != "PYTEST_ADDOPTS"
    }
    with BatchServer(answer) as server:
        own |= {"OPENAI_BASE_URL": server.base_url, "COLUMNS": "150"}
        run("llmarith init .", tmp_path, own)
        script = "\n".join(f"{command} || true" for command in block.commands)
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=tmp_path,
            env=own,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
    shown = [
        line.rstrip() for line in block.text.splitlines() if not line.startswith("$ ")
    ]
    missing = [
        line
        for line in shown
        if line and line not in map(str.rstrip, done.stdout.splitlines())
    ]
    assert not missing, done.stdout
