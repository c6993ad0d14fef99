"""How the blocks of the documents are run: files, commands before and after, exit status and output.

Other tests check the blocks of `ELSEWHERE`. All other blocks are run as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.documents.blocks import Block, is_in

_SYNC = "llmarith oeis sync classic_easy classic_hard"


@dataclass(frozen=True)
class Staging:
    """How the block of `document` that holds `fragment` is run.

    `files` are written first, each from the block of the document that holds the fragment; `before` are commands by the
    fragment of the line that they precede, `after` follow the block's own; `ends` is the last exit status; `says` are
    patterns for the output. A block of output is printed `exactly`, or with other numbers.
    """

    document: str
    fragment: str
    files: Mapping[str, str] = field(default_factory=dict)
    before: Mapping[str, str] = field(default_factory=dict)
    after: Sequence[str] = ()
    ends: int = 0
    says: Sequence[str] = ()
    exactly: bool = True


@dataclass(frozen=True)
class Elsewhere:
    """A block that is not run here, and the test that checks it, or why there is none."""

    document: str
    fragment: str
    test: str = ""
    why: str = ""


STAGED = [
    Staging(
        "breaking-point.md",
        "--llm-breaking-point=80",
        says=[r"int_add +\d+ \+ \d+ .*\d+$"],
    ),
    Staging(
        "comparing.md",
        "no question is the same",
        after=["cd transcripts", "llmarith compare gpt-4.1.jsonl gpt-4o-mini.jsonl"],
        ends=4,
    ),
    Staging(
        "conditions.md",
        "repeat_1]",
        after=[
            "pytest benches --collect-only -q --llm-model=o4-mini --llm-repeats=2",
            "pytest benches --collect-only -q --llm-model=o4-mini --llm-number-format=plain,comma --llm-context=2k",
        ],
    ),
    Staging(
        "conditions.md",
        "What is {lhs}",
        files={"terse.txt": "What is {lhs}"},
        after=[
            "pytest benches/test_arithmetic.py --llm-model=o4-mini --llm-prompt=terse.txt",
            "pytest benches/test_arithmetic.py --llm-model=o4-mini --llm-prompt=standard --llm-prompt=terse.txt",
        ],
        says=["prompt_terse"],
    ),
    Staging(
        "conditions.md",
        "what conditions do",
        after=[
            "pytest benches/test_arithmetic.py --llm-model=llmarith/sloppy --llm-depths=4-6 --llm-trials=10 "
            "--llm-number-format=plain,comma --llm-context=none,4k -k 'not (numbers_comma and context_4k)'",
        ],
    ),
    Staging(
        "models.md",
        "llm_model =",
        files={"pyproject.toml": "llm_model ="},
        after=["rm pytest.ini", "pytest benches -k depth_3"],
        says=["^o4-mini, arithmetic"],
    ),
    Staging("models.md", "float_sub", files={"conftest.py": "class Adder"}, says=["^adder, arithmetic", "8 nan"]),
    # Three of the replies are still missing.
    Staging("models.md", "store import", before={"store import": "rm -r .llmarith"}, ends=1),
    Staging(
        "models.md",
        "820 questions; about",
        after=[
            "PYTEST_ADDOPTS= pytest benches --llm-model=gpt-4o-mini -k 'not oeis' --llm-dry-run",
        ],
    ),
    Staging(
        "models.md",
        "300 of them stored",
        after=[
            "pytest benches --llm-model=gpt-4o-mini -k 'int_add or trial_1'",
            "pytest benches --llm-model=gpt-4o-mini -k 'not oeis' --llm-dry-run",
        ],
        exactly=False,
    ),
    Staging(
        "own-bench.md",
        "test_small_numbers",
        files={"test_own.py": "test_small_numbers"},
        after=["pytest test_own.py --llm-model=llmarith/exact"],
        says=["64 correct"],
    ),
    Staging("own-task.md", "--llm-model=o4-mini", files={"test_reversal.py": "Task("}, says=["4 correct in"]),
    Staging("paper.md", "--oeis-rules", before={"pytest": _SYNC}),
    Staging("scale.md", "store import", before={"store import": "rm -r .llmarith"}),
    Staging(
        "scale.md",
        "llmarith merge",
        before={"llmarith merge": "mkdir shards && mv reports/*_shard-* shards"},
        says=["^all 71 answered"],
    ),
    Staging("sequences.md", "-k A000045", before={"-n 8": _SYNC}),
]
ELSEWHERE = [
    Elsewhere("README.md", "compare reports/cool", "test_compare_command.py::test_the_example_of_the_readme"),
    Elsewhere("architecture.md", "options ──►", why="a drawing"),
    Elsewhere("breaking-point.md", "27 * 48", "test_run_tables.py::test_breaking_points"),
    Elsewhere("breaking-point.md", "  not reproduced: 6", "test_run_tables.py::test_breaking_points"),
    Elsewhere("ci.md", "--llm-fail-under: ", "test_ci_workflow.py::test_a_model_that_got_worse_fails_the_job"),
    Elsewhere("comparing.md", "          pairs", "test_document_blocks.py::test_an_excerpt_is_one"),
    Elsewhere("comparing.md", "are allowed", "test_compare_command.py::test_runs_are_compared"),
    Elsewhere("models.md", "more replies are stored", "test_run_status.py::test_what_this_run_spent_and_tried_again"),
    *(
        Elsewhere("reports.md", f"import {reader}\n", "test_csv_readers.py::test_every_value_is_read_back_unchanged")
        for reader in ("pandas", "duckdb", "datasets")
    ),
    Elsewhere("reports.md", "├──", "test_document_blocks.py::test_the_files_of_a_run"),
    Elsewhere(
        "reports.md",
        "by variant and depth",
        "test_run_tables.py::test_the_documentation_shows_these_tables",
    ),
    Elsewhere(
        "reports.md",
        "how answers deviate",
        "test_run_tables.py::test_the_documentation_shows_these_tables",
    ),
    Elsewhere("reports.md", "% is required", "test_gates.py::test_failed_gates"),
    Elsewhere(
        "reports.md", "llmarith report transcripts/", "test_report_command.py::test_the_example_in_the_documents"
    ),
    Elsewhere("scale.md", "ssh=bench@", why="it needs another host"),
    Elsewhere("sequences.md", "scores by set", "test_run_tables.py::test_sets"),
    Elsewhere("statistics.md", "z²", why="a formula"),
    Elsewhere("statistics.md", "n1 n2", why="a formula"),
]


def staging_of(block: Block) -> Staging:
    """How a block is run."""
    staged = (staging for staging in STAGED if is_in(block, staging.document, staging.fragment))
    return next(staged, Staging(block.document, block.text))


def is_elsewhere(block: Block) -> bool:
    return any(is_in(block, other.document, other.fragment) for other in ELSEWHERE)


def files_of(document: str) -> list[str]:
    """Fragments of the blocks that are written to files when others are run."""
    return [fragment for staging in STAGED if staging.document == document for fragment in staging.files.values()]
