"""The words of a task stand in its own place; what others have to name is listed."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import pytest_llmarith

ROOT = Path(pytest_llmarith.__file__).parent

OEIS = (
    r"oeis|programs?|judge[sd]?|judging|cheat(?:s|ed|ing)?|lookup|integer.sequences?"
    r"|(?<!return_)(?<!escape )sequences?"
    r"|(?:per|a|right|wrong|seconds)[ _]terms?|terms?_(?:right|status|seconds)"
)
ARITHMETIC = r"carry|carries|borrows?|operands?|lhs|rhs"
# Where the words belong: the task's own place, and libraries for its purpose.
PLACES = {
    OEIS: ("tasks/oeis/", "sandbox/", "programs.py"),
    ARITHMETIC: ("tasks/", "exact/"),
}
# What users write, and how it reaches the task.
INTERFACE = {
    OEIS: {
        "cli/__init__.py": {"oeis"},  # llmarith oeis
        "cli/oeis.py": {"oeis", "sequences"},
        "cli/bundle_command.py": {"oeis", "programs", "sequences"},  # llmarith verify
        "cli/init.py": {"oeis", "integer sequences", "sequences"},  # a project's files
        "options.py": {
            *("oeis", "sequences", "sequence", "programs", "program", "judge"),
            *("lookup", "per term", "a term"),
        },
        "settings.py": {"oeis"},
        "session/fixtures.py": {"oeis"},  # marks
        "session/items.py": {"oeis"},
        "session/marks.py": {"oeis", "sequences", "sequence"},
        "session/xdist.py": {"oeis"},  # the folder that each host needs
        "tasks/registry.py": {"oeis"},
        "tasks/task.py": {"oeis"},  # a name that users' tasks cannot have
        "exact/unsaid.py": {"program"},  # code in the reply to any question
    },
    ARITHMETIC: {"results/llm_arithmetic.py": {"operands", "lhs", "rhs"}},  # its rows
}
# The outcome has its word in the interface of tasks, and wherever all are listed.
OUTCOME = {"cheat"}


def texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Names and strings, without docstrings."""
    docstrings = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            docstrings.add(node.value)
    for node in ast.walk(tree):
        if node in docstrings:
            continue
        for _, value in ast.iter_fields(node):
            if isinstance(value, str) and value != "Sequence":
                yield getattr(node, "lineno", 0), value


@pytest.mark.parametrize("words", [OEIS, ARITHMETIC], ids=["oeis", "arithmetic"])
def test_the_words_of_a_task_stand_in_its_place(words: str) -> None:
    pattern = re.compile(rf"(?<![a-z])(?:{words})(?![a-z])", re.IGNORECASE)
    misplaced = []
    needed = dict[str, set[str]]()
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if name.startswith(PLACES[words]):
            continue
        for line, text in texts(ast.parse(path.read_text("utf-8"))):
            for found in pattern.findall(text):
                word = found.lower()
                if word in OUTCOME:
                    continue
                if word in INTERFACE[words].get(name, ()):
                    needed.setdefault(name, set()).add(word)
                else:
                    misplaced.append(f"{name}:{line}: {word}")
    assert misplaced == []
    assert needed == INTERFACE[words], "the list has more than is needed"
