"""A name of a class or of a module stands for one thing in the whole package."""

import ast
from collections import Counter
from pathlib import Path

import pytest_llmarith

MODULES = list(Path(pytest_llmarith.__file__).parent.rglob("*.py"))


def repeated(names: list[str]) -> list[str]:
    return [name for name, times in Counter(names).items() if times > 1]


def test_no_two_modules_have_one_name() -> None:
    assert set(repeated([path.name for path in MODULES])) == {"__init__.py"}


def test_no_two_classes_have_one_name() -> None:
    trees = [ast.parse(path.read_text("utf-8")) for path in MODULES]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    assert repeated([n.name for n in nodes if isinstance(n, ast.ClassDef)]) == []
