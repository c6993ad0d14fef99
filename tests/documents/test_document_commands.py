"""What the documents tell people to type does what they say that it does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.documents.blocks import Block, Command, blocks, is_in
from tests.documents.desk import TRANSCRIPTS, Desk, Seat
from tests.documents.shell import Typed
from tests.documents.staging import Staging, is_elsewhere, staging_of

MEASURED = re.compile(r"^.*\b\d+ (?:correct|deviate|nan)\b.* in \d+", re.MULTILINE)
ASKS_NOBODY = ("--llm-dry-run", "--llm-store=only", "--collect-only")
MEASURES_NOTHING = ("--llm-dry-run", "--collect-only")
# The project in which a block is typed, by what it names there.
PROJECTS = {"paid": ("llmarith store",), "past": ("reports/2", "reports/ ", "reports/*/", "baseline/")}


def to_be_run() -> list[Block]:
    """Those with lines to type, of their own or of the text around them, that are not run elsewhere."""
    return [block for block in blocks() if not is_elsewhere(block) and (block.commands or staging_of(block).after)]


@pytest.mark.proof  # the runs that the documents speak of have to be made first
@pytest.mark.parametrize("block", to_be_run(), ids=str)
def test_blocks_are_true(block: Block, seat: Seat, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Every line ends as it says and prints what is shown; benches measure, and who shall ask nobody does not."""
    staging = staging_of(block)
    if "transcripts" in "".join(staging.after) and not TRANSCRIPTS.is_dir():
        pytest.skip("the transcripts are not beside the project")
    desk = seat(tmp_path / "project", request.getfixturevalue(project_of(block)))
    for name, fragment in staging.files.items():
        (desk.folder / name).write_text(text_of(block.document, fragment), encoding="utf-8")
    commands = block.commands + [Command(line, "") for line in staging.after]
    done = [*typed_in(desk, commands, staging)]
    assert [typed.status for typed in done] == [0] * (len(done) - 1) + [staging.ends], told(done)
    for pattern in staging.says:
        assert re.search(pattern, told(done), re.MULTILINE), f"{pattern} is not in {told(done)}"
    if not block.language:
        assert_shown(block.text, done, staging.exactly)


def project_of(block: Block) -> str:
    """The fixture that has what the lines name."""
    return next((past for past, names in PROJECTS.items() if any(name in block.text for name in names)), "fresh")


def text_of(document: str, fragment: str) -> str:
    """The only block of a document with this in it."""
    (text,) = (block.text for block in blocks() if is_in(block, document, fragment))
    return text


def typed_in(desk: Desk, commands: list[Command], staging: Staging) -> Iterator[Typed]:
    """Type the lines of a block one by one."""
    with desk.shell() as type_in:
        for command in commands:
            for fragment, line in staging.before.items():
                if fragment in command.typed:
                    assert (done := type_in(line)).status == 0, done
            asked = len(desk.provider.requests)
            done = type_in(command.typed)
            assert_measured(done, len(desk.provider.requests) - asked)
            if command.shown:
                assert plain(desk.as_said(done.out)) == plain(command.shown)
            yield done


def assert_measured(done: Typed, asked: int) -> None:
    """A bench without a model would be skipped, and end well."""
    if any(option in done.line for option in ASKS_NOBODY):
        assert asked == 0, done
    if re.match(r"(\w+=\S+ )*pytest ", done.line) and not any(option in done.line for option in MEASURES_NOTHING):
        assert MEASURED.search(done.out), done


def assert_shown(text: str, done: list[Typed], exactly: bool) -> None:
    """A block of output: each of its lines is in what was printed, wherever that was wrapped."""
    read = columns if exactly else plain
    printed = " ".join(read(told(done)))
    for line in read(text):
        assert line in printed, f"{line} is not in {told(done)}"


def told(done: list[Typed]) -> str:
    return "\n".join(map(str, done))


def plain(text: str) -> list[str]:
    """Lines without what is another project's: numbers and sizes."""
    return columns(re.sub(r"\d[\d.,]*k?", "N", text.replace("kB", "MB")))


def columns(text: str) -> list[str]:
    """Lines as wide as what stands in them."""
    return [re.sub("-{3,}", "---", " ".join(line.split())) for line in text.splitlines()]
