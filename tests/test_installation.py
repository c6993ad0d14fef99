"""What is missing is installed by a command that works in this environment."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pytest_llmarith import installation


@pytest.mark.parametrize(
    ("extra", "packages"),
    [
        ("plot", ["vl-convert-python"]),
        ("pandas", ["pandas", "pyarrow"]),
        ("gguf", ["xllamacpp"]),
    ],
)
@pytest.mark.parametrize("has_pip", [True, False])
def test_an_extra_is_installed_by_what_is_here(
    extra: str, packages: list[str], has_pip: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An environment of uv has no pip, and no index may have this package."""
    monkeypatch.setattr(
        installation, "find_spec", lambda name: object() if has_pip else None
    )
    command = installation.install_extra(extra)
    assert all(package in command for package in packages)
    assert "pytest-llmarith" not in command.replace(sys.prefix, "")
    assert ("-m pip install" in command) is has_pip
    assert command.startswith("uv pip install --python ") is not has_pip


def test_the_environment_is_named_as_it_is_seen_from_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / ".venv/bin/python"))
    monkeypatch.chdir(tmp_path)
    assert ".venv/bin/python" in installation.install_command("x")
    assert str(tmp_path) not in installation.install_command("x")
