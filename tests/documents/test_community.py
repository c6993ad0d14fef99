"""What contributors meet: forms for issues that GitHub accepts, and hooks that check
what `make lint` checks.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.documents.blocks import ROOT

FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))


def parsed(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return content


@pytest.mark.parametrize(
    "form",
    [form for form in FORMS if form.name != "config.yml"],
    ids=lambda form: form.stem,
)
def test_a_form_is_one_that_github_accepts(form: Path) -> None:
    """It has a name, a description and a body whose fields have an id of their own and
    a label; it asks for the version.
    """
    content = parsed(form)
    assert {"name", "description", "body"} <= set(content)
    fields = [field for field in content["body"] if field["type"] != "markdown"]
    assert {field["type"] for field in fields} <= {"textarea", "input"}
    ids = [field["id"] for field in fields]
    assert len(ids) == len(set(ids))
    assert "version" in ids
    assert all(field["attributes"]["label"] for field in fields)


def test_every_kind_of_fault_has_a_form() -> None:
    assert {form.stem for form in FORMS} == {
        "config",
        "provider-error",
        "sandbox",
        "wrong-grade",
    }


def test_the_hooks_check_what_make_lint_checks() -> None:
    """The commands are defined once, in the Makefile."""
    (repository,) = parsed(ROOT / ".pre-commit-config.yaml")["repos"]
    assert repository["repo"] == "local"
    entries = [hook["entry"].split() for hook in repository["hooks"]]
    targets = [words[-1] for words in entries]
    assert all(words[0] == "make" for words in entries)
    assert commands_of(*targets) == commands_of("lint")


def commands_of(*targets: str) -> list[str]:
    """The commands that make runs for these targets in a prepared clone."""
    prepared = ["VENV=prepared", "--old-file=prepared/.developer"]
    own = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MAKE", "MFLAGS"))
    }
    done = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", *prepared, *targets],
        cwd=ROOT,
        env=own,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()
