"""The blocks of README.md, CONTRIBUTING.md and docs/*.md, and their commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
_MACHINES = re.compile(r"^machine 1\$ (?P<first>.*)\n\.\.\.\nmachine (?P<last>\d)\$ .*\n", re.MULTILINE)


@dataclass(frozen=True)
class Command:
    """A command with its comments and continued lines, and the output that the document shows."""

    typed: str
    shown: str


@dataclass(frozen=True)
class Block:
    """A block with its first line and its language, or an empty text."""

    document: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.document}:{self.line}"

    @property
    def commands(self) -> list[Command]:
        return [] if self.language != "console" else [*_commands(self.text)]


@cache
def blocks() -> list[Block]:
    """All blocks of all documents in their order."""
    return [block for path in DOCUMENTS for block in _blocks(path)]


def is_in(block: Block, document: str, fragment: str) -> bool:
    """Whether this block is in the document and holds the fragment."""
    return block.document == document and fragment in block.text


def _blocks(path: Path) -> Iterator[Block]:
    for token in MarkdownIt().parse(path.read_text("utf-8")):
        if token.type in ("fence", "code_block") and token.map:
            yield Block(path.name, token.map[0] + 1, token.info, token.content)


def _commands(text: str) -> Iterator[Command]:
    """The commands behind a prompt, each with the output up to the next one."""
    for part in re.split(r"^\$ ", _MACHINES.sub(_on_each, text).replace("\\\n", ""), flags=re.MULTILINE)[1:]:
        typed, _, shown = part.partition("\n")
        yield Command(typed, shown if shown.strip() else "")


def _on_each(machines: re.Match[str]) -> str:
    """The commands of all machines, as the document shows the first and the last."""
    first, last = machines["first"], int(machines["last"])
    return "".join(f"$ {first.replace('=1/', f'={machine}/')}\n" for machine in range(1, last + 1))
