"""The blocks of the documents beside README.md and in docs."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    ROOT / "CODE_OF_CONDUCT.md",
    *sorted((ROOT / "docs").glob("*.md")),
]


class Block(NamedTuple):
    """A block of code, with its language or an empty text."""

    document: str
    language: str
    text: str

    @property
    def commands(self) -> list[str]:
        """The commands behind a prompt, with continued lines joined."""
        lines = (
            self.text.replace("\\\n", "").splitlines()
            if self.language == "console"
            else []
        )
        return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]


@cache
def blocks() -> list[Block]:
    """All blocks of all documents in their order."""
    return [
        Block(path.name, token.info, token.content)
        for path in DOCUMENTS
        for token in MarkdownIt().parse(path.read_text("utf-8"))
        if token.type in ("fence", "code_block")
    ]


def is_in(block: Block, document: str, fragment: str) -> bool:
    """Whether this block is in the document and contains the fragment."""
    return block.document == document and fragment in block.text
