"""What the documents tell people to type is understood."""

import re
import shlex
from pathlib import Path

import pytest

from pytest_llmarith.settings import parse_settings

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMANDS = [
    pytest.param(command, id=f"{path.name}: {command}")
    for path in DOCUMENTS
    for command in re.findall(
        r"^\$ (?:\w+=\S+ )*pytest (.*)$", path.read_text("utf-8").replace("\\\n", " "), re.MULTILINE
    )
]


@pytest.mark.parametrize("arguments", COMMANDS)
def test_commands_are_understood(arguments: str, pytester: pytest.Pytester) -> None:
    """Every pytest command in the documents parses, down to the values of our options."""
    config = pytester.parseconfig(*shlex.split(arguments))
    assert parse_settings(config)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_options_exist(path: Path, pytester: pytest.Pytester) -> None:
    """Every option of ours that a document names is one."""
    named = set(re.findall(r"--(?:llm|oeis)-[a-z]+(?:-[a-z]+)*", path.read_text("utf-8")))
    config, missing = pytester.parseconfig(), object()
    assert [option for option in sorted(named) if config.getoption(option, missing) is missing] == []
