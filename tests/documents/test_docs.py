"""The commands in the documents parse."""

import re
import shlex
from pathlib import Path

import pytest

from pytest_llmarith.settings import parse_settings

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMANDS = [
    pytest.param(command, id=f"{path.name}: {command}")
    for path in DOCUMENTS
    for command in re.findall(
        r"^\$ (?:\w+=\S+ )*pytest (.*)$", path.read_text("utf-8").replace("\\\n", " "), re.MULTILINE
    )
]


@pytest.mark.parametrize("arguments", COMMANDS)
def test_commands_are_understood(arguments: str, pytester: pytest.Pytester) -> None:
    """Every pytest command in the documents parses, with the values of its options."""
    config = pytester.parseconfig(*shlex.split(arguments))
    assert parse_settings(config)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_options_exist(path: Path, pytester: pytest.Pytester) -> None:
    """Every option that a document names exists."""
    named = set(re.findall(r"--(?:llm|oeis)-[a-z]+(?:-[a-z]+)*", path.read_text("utf-8")))
    config, missing = pytester.parseconfig(), object()
    assert [option for option in sorted(named) if config.getoption(option, missing) is missing] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    """Every link into the repository names a file and, in a document, a heading."""
    for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", path.read_text("utf-8")):
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def anchors(path: Path) -> set[str]:
    """The anchors that GitHub gives to headings."""
    headings = re.findall(r"^#+ (.+)$", path.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
