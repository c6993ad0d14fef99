"""Every block of the documents is run, is part of what is run, or has a test that the table names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.documents.blocks import ROOT, Block, blocks, is_in
from tests.documents.staging import ELSEWHERE, STAGED, Elsewhere, files_of, is_elsewhere, staging_of

BY_PLACE = {str(block): block for block in blocks()}


@pytest.mark.parametrize("block", BY_PLACE.values(), ids=BY_PLACE)
def test_every_block_is_run_or_excepted(block: Block) -> None:
    """Console blocks are run as they are; other blocks must be entered in `staging`."""
    is_run = bool(block.commands or staging_of(block).after)
    is_part = any(fragment in block.text for fragment in files_of(block.document))
    assert is_elsewhere(block) or is_run or is_part, (
        f"{block} is run by no test: enter it in tests/documents/staging.py"
    )


@pytest.mark.parametrize("entry", [*STAGED, *ELSEWHERE], ids=lambda entry: f"{entry.document}: {entry.fragment}")
def test_every_entry_is_of_one_block(entry: Elsewhere) -> None:
    """Every entry belongs to exactly one block."""
    assert len([block for block in blocks() if is_in(block, entry.document, entry.fragment)]) == 1


@pytest.mark.parametrize("entry", ELSEWHERE, ids=lambda entry: f"{entry.document}: {entry.fragment}")
def test_every_exception_has_its_test_or_its_reason(entry: Elsewhere) -> None:
    """The test that an entry names exists."""
    assert bool(entry.test) != bool(entry.why)
    if entry.test:
        module, _, name = entry.test.partition("::")
        (path,) = (ROOT / "tests").rglob(module)
        assert re.search(rf"^def {name}\(", path.read_text("utf-8"), re.MULTILINE)


def test_an_excerpt_is_one() -> None:
    """docs/comparing.md explains the table of README.md, whose figures it repeats."""
    (excerpt,) = (block for block in blocks() if is_in(block, "comparing.md", "          pairs"))
    assert excerpt.text in (ROOT / "README.md").read_text("utf-8")


@pytest.mark.proof  # the runs that the documents speak of have to be made first
def test_the_files_of_a_run(past: Path) -> None:
    """docs/reports.md names all files that a run writes, and no others."""
    (tree,) = (block for block in blocks() if is_in(block, "reports.md", "├──"))
    names = set(re.findall(r"[├└]── (\S+)", tree.text))
    run = past / "reports" / "2026-11-22T00-31-05_o4-mini"
    assert names == {path.name for path in run.iterdir()} | {f"{run.name}/"}
