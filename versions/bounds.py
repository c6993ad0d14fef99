"""What pyproject.toml promises: the oldest Python, and the lowest version of everything that is required."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parent.parent


def project() -> dict[str, Any]:
    """The table `project` of pyproject.toml."""
    table: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return table


def oldest_python() -> str:
    """Such as 3.11."""
    return lowest(SpecifierSet(project()["requires-python"]))


def lowest_versions() -> list[str]:
    """Constraints that leave of each requirement its lowest version, so that a bound that is too low does not pass."""
    return [
        f"{requirement.name}=={lowest(requirement.specifier)}"
        for requirement in _requirements(project())
        if requirement.specifier
    ]


def lowest(specifiers: SpecifierSet) -> str:
    """The version of its one lower bound."""
    (bound,) = (each.version for each in specifiers if each.operator == ">=")
    return bound


def _requirements(table: dict[str, Any]) -> Iterator[Requirement]:
    for line in [*table["dependencies"], *table["optional-dependencies"]["dev"]]:
        yield Requirement(line)
