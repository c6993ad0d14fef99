"""The blocks of README.md and docs/*.md, and the commands that they tell people to type. It runs nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_MACHINES = re.compile(r"^machine 1\$ (?P<first>.*)\n\.\.\.\nmachine (?P<last>\d)\$ .*\n", re.MULTILINE)


@dataclass(frozen=True)
class Command:
    """What is typed, comments and continued lines with it, and what the document shows below."""

    typed: str
    shown: str


@dataclass(frozen=True)
class Block:
    """A block, where it begins, and its language, which is empty where it has none."""

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
    """Whether this is the block of a document that holds a fragment."""
    return block.document == document and fragment in block.text


def _blocks(path: Path) -> Iterator[Block]:
    for token in MarkdownIt().parse(path.read_text("utf-8")):
        if token.type in ("fence", "code_block") and token.map:
            yield Block(path.name, token.map[0] + 1, token.info, token.content)


def _commands(text: str) -> Iterator[Command]:
    """The lines behind a prompt, each with what is shown up to the next one."""
    for part in re.split(r"^\$ ", _MACHINES.sub(_on_each, text).replace("\\\n", ""), flags=re.MULTILINE)[1:]:
        typed, _, shown = part.partition("\n")
        yield Command(typed, shown if shown.strip() else "")


def _on_each(machines: re.Match[str]) -> str:
    """What the dots between the first machine and the last leave out."""
    first, last = machines["first"], int(machines["last"])
    return "".join(f"$ {first.replace('=1/', f'={machine}/')}\n" for machine in range(1, last + 1))
