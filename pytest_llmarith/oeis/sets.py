"""The sets of sequences: those of the paper by their numbers, and the starter by the files that are there.

It does not know what stands in an entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from pytest_llmarith.oeis.entries import BrokenEntry, is_number

CLASSIC = ("classic_easy", "classic_hard")
STARTER = "starter"
_PAPER = (*CLASSIC, "contemporary_easy", "contemporary_hard")
SETS = (*_PAPER, STARTER)


def numbers(set_name: str, cache: Path) -> tuple[str, ...]:
    """The A-numbers of a set, ascending; `cache` is the folder in which the starter lies.

    Raises ValueError where the name is unknown, BrokenEntry where a file of the starter is not named by an A-number.
    """
    check_name(set_name)
    if set_name == STARTER:
        return _starter(cache / STARTER)
    return _listed(set_name)


def wanted_numbers(names: Sequence[str]) -> tuple[str, ...]:
    """The A-numbers that names of sets and A-numbers stand for, each once; without a name, those of both classic sets.

    Raises ValueError where a name is neither, or is the starter's, which is nowhere to be fetched.
    """
    numbered = [number for name in names or CLASSIC for number in _meant(name)]
    return tuple(dict.fromkeys(numbered))


def check_name(set_name: str) -> None:
    """Raises ValueError where no set has this name."""
    if set_name not in SETS:
        raise ValueError(f"{set_name!r} is no set of sequences; write one or more of {', '.join(SETS)}")


def _meant(name: str) -> Sequence[str]:
    if is_number(name):
        return (name,)
    if name == STARTER:
        raise ValueError(f"{STARTER} comes with a project and is not fetched; name one of {', '.join(_PAPER)}")
    if name not in _PAPER:
        raise ValueError(f"{name!r} is neither an A-number such as A000045 nor one of {', '.join(_PAPER)}")
    return _listed(name)


def _listed(set_name: str) -> tuple[str, ...]:
    return tuple((files("pytest_llmarith.oeis") / "numbers" / f"{set_name}.txt").read_text("ascii").split())


def _starter(folder: Path) -> tuple[str, ...]:
    found = [path for path in folder.glob("*.json") if not path.name.startswith(".")]
    for path in found:
        if not is_number(path.stem):
            raise BrokenEntry(str(path), "not named by an A-number, such as A000045.json")
    return tuple(sorted((path.stem for path in found), key=lambda number: int(number[1:])))
