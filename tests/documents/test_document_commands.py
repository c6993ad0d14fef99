"""The commands in the documents do what the documents say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.documents.blocks import Block, Command, blocks, is_in
from tests.documents.project import TRANSCRIPTS, MakeProject, Project
from tests.documents.shell import Typed
from tests.documents.staging import Staging, is_elsewhere, staging_of

MEASURED = re.compile(r"^.*\b\d+ (?:correct|deviate|nan)\b.* in \d+", re.MULTILINE)
ASKS_NOTHING = ("--llm-dry-run", "--llm-store=only", "--collect-only")
MEASURES_NOTHING = ("--llm-dry-run", "--collect-only")
# The fixture with the project of a block, by fragments of its text.
PROJECTS = {"paid": ("llmarith store",), "past": ("reports/2", "reports/ ", "reports/*/", "baseline/")}


def to_be_run() -> list[Block]:
    """The blocks with commands, or with commands in `staging`, that no other test runs."""
    return [block for block in blocks() if not is_elsewhere(block) and (block.commands or staging_of(block).after)]


@pytest.mark.proof  # the runs that the documents speak of have to be made first
@pytest.mark.parametrize("block", to_be_run(), ids=str)
def test_blocks_are_true(
    block: Block, make_project: MakeProject, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Every command has the exit status and the output of the document; benches measure, dry runs ask nothing."""
    staging = staging_of(block)
    if "transcripts" in "".join(staging.after) and not TRANSCRIPTS.is_dir():
        pytest.skip("the transcripts are not beside the project")
    project = make_project(tmp_path / "project", request.getfixturevalue(project_of(block)))
    for name, fragment in staging.files.items():
        (project.folder / name).write_text(text_of(block.document, fragment), encoding="utf-8")
    commands = block.commands + [Command(line, "") for line in staging.after]
    done = [*typed_in(project, commands, staging)]
    assert [typed.status for typed in done] == [0] * (len(done) - 1) + [staging.ends], told(done)
    for pattern in staging.says:
        assert re.search(pattern, told(done), re.MULTILINE), f"{pattern} is not in {told(done)}"
    if not block.language:
        assert_shown(block.text, done, staging.exactly)


def project_of(block: Block) -> str:
    """The fixture with the project of a block."""
    return next((past for past, names in PROJECTS.items() if any(name in block.text for name in names)), "fresh")


def text_of(document: str, fragment: str) -> str:
    """The only block of a document with this fragment."""
    (text,) = (block.text for block in blocks() if is_in(block, document, fragment))
    return text


def typed_in(project: Project, commands: list[Command], staging: Staging) -> Iterator[Typed]:
    """Run the commands of a block one by one."""
    with project.shell() as type_in:
        for command in commands:
            for fragment, line in staging.before.items():
                if fragment in command.typed:
                    assert (done := type_in(line)).status == 0, done
            asked = len(project.provider.requests)
            done = type_in(command.typed)
            assert_measured(done, len(project.provider.requests) - asked)
            if command.shown:
                assert plain(project.as_documented(done.out)) == plain(command.shown)
            yield done


def assert_measured(done: Typed, asked: int) -> None:
    """A bench without a model would be skipped with exit status 0."""
    if any(option in done.line for option in ASKS_NOTHING):
        assert asked == 0, done
    if re.match(r"(\w+=\S+ )*pytest ", done.line) and not any(option in done.line for option in MEASURES_NOTHING):
        assert MEASURED.search(done.out), done


def assert_shown(text: str, done: list[Typed], exactly: bool) -> None:
    """Each line of a block of output was printed, however it was wrapped."""
    read = columns if exactly else plain
    printed = " ".join(read(told(done)))
    for line in read(text):
        assert line in printed, f"{line} is not in {told(done)}"


def told(done: list[Typed]) -> str:
    return "\n".join(map(str, done))


def plain(text: str) -> list[str]:
    """Lines without numbers and sizes, which differ between projects."""
    return columns(re.sub(r"\d[\d.,]*k?", "N", text.replace("kB", "MB")))


def columns(text: str) -> list[str]:
    """Lines without the widths of columns."""
    return [re.sub("-{3,}", "---", " ".join(line.split())) for line in text.splitlines()]
