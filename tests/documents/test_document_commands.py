"""The commands of each document run as one script, in a project with the runs that the
documents name.

The provider is a stub that always replies with a number. Left out are commands for
other hosts and providers, and what would run these tests; their options are checked by
`test_docs.py`. `test_money.py` runs docs/money.md.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.documents.blocks import DOCUMENTS, blocks, is_in

pytestmark = pytest.mark.proof

LEFT_OUT = re.compile(r"make |source |.*(anthropic/|ssh=|transcripts/|my_rewards)")
REPLACED = {
    "http://localhost:8000/v1": "$OPENAI_BASE_URL",
    "http://proxy.example:4000": "$OPENAI_BASE_URL",
    "llmarith oeis sync classic_easy classic_hard": "llmarith oeis status",
    "classic_easy,classic_hard": "starter",
    "classic_hard": "starter",
    "-n 8": "-n 2",
    "-n 16 --oeis-scheduler=tcp://head.example:8786": "-n 2",
    "llmarith batch cancel batch_68a1f0": "llmarith batch status",
    # Of questions without a stored reply, and of no results yet.
    "--llm-questions-out=questions.jsonl": "--llm-questions-out=questions.jsonl --llm-seed=7",
    "llmarith replies import results.jsonl": "touch results.jsonl; ! llmarith replies import results.jsonl",
    # The run before it.
    "reports/2026-11-22T00-31-05_o4-mini --suite": '"$(ls -td reports/* | head -1)" --suite',
    "--max-cost=2": "--max-cost=1000",
}
# The Python blocks that are saved and run, and the file of each.
FILES = {
    "models.md": "conftest.py",
    "own-bench.md": "test_own.py",
    "own-task.md": "test_reversal.py",
}
RUNS = """
llmarith init .
cd oeis_cache/starter && ls | grep -v -e A000040 -e A000043 -e A000045 | xargs rm && cd ../..
pytest benches --llm-model=o4-mini --llm-number-format=plain,comma --llm-context=none,4k
mv reports/*_o4-mini baseline
for copy in candidate reports/2026-11-2{0,2}T00-31-05_o4-mini; do cp -r baseline $copy; done
cp baseline/trials.jsonl .
pytest benches --llm-model=o4-mini --llm-model=gpt-4o -k 'not oeis'
mv reports/*_2-models reports/2026-11-22T00-31-05_2-models
for number in 1 2 3 4 5; do pytest benches --llm-model=o4-mini --llm-shard=$number/5 -k int_; done
mkdir shards artifacts && mv reports/*_shard-* shards
mv shards/*_shard-3-of-5 shards/2026-11-22T00-31-05_o4-mini_shard-3-of-5
pytest benches --llm-model=o4-mini --llm-reports=artifacts
mv artifacts/*_o4-mini artifacts/2026-11-22T00-31-05_o4-mini
"""


@pytest.fixture(scope="session")
def project(
    environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A project with the runs that the documents name."""
    folder = tmp_path_factory.mktemp("project")
    run(RUNS, folder, environment)
    return folder


def run(script: str, folder: Path, environment: dict[str, str]) -> None:
    """Run a script, which ends at the first command that fails."""
    output_of(["bash", "-ex", "-o", "pipefail", "-c", script], folder, environment)


def output_of(command: list[str], folder: Path, environment: dict[str, str]) -> str:
    """What a command prints, which has to succeed."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-5_000:]
    return done.stdout


def script_of(document: str) -> str:
    """The commands of a document, and its Python blocks as files until the next
    commands have run.
    """
    lines, saved = [], ""
    for block in (block for block in blocks() if block.document == document):
        if block.language == "python" and document in FILES:
            named = re.match(r"# (\w+\.py)\n", block.text)
            saved = named[1] if named else FILES[document]
            lines += [f"cat > {saved} << 'END'", f"{block.text}END"]
        for command in (
            command for command in block.commands if not LEFT_OUT.match(command)
        ):
            for documented, here in REPLACED.items():
                command = command.replace(documented, here)
            lines.append(command + " || [ $? = 1 ]" * ("--fail-if-worse" in command))
        if block.commands and saved:
            lines.append(f"rm {saved}")
            saved = ""
    return "\n".join(
        [*lines, f"pytest {saved} --llm-model=llmarith/oracle"] if saved else lines
    )


SCRIPTS = {
    path.name: script
    for path in DOCUMENTS
    if path.name != "money.md" and (script := script_of(path.name))
}


@pytest.mark.parametrize("document", SCRIPTS)
def test_commands_run(
    document: str, project: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    """Every command succeeds; a comparison with a gate may fail."""
    folder = shutil.copytree(project, tmp_path / "project")
    run(SCRIPTS[document], folder, environment)


def test_the_files_of_a_run(project: Path) -> None:
    """docs/reports.md names all files of a run."""
    (tree,) = (block for block in blocks() if is_in(block, "reports.md", "├──"))
    names = set(re.findall(r"    [├└]── (\S+)", tree.text))
    assert names == {path.name for path in (project / "baseline").iterdir()}
