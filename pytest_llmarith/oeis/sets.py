"""The sets of sequences: four of arXiv 2411.04372, listed by number, and the starter set, the files in its folder."""

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
    """The A-numbers of a set, ascending; `cache` is the folder that the starter's folder is in.

    Raises ValueError if the name is unknown, BrokenEntry if the name of a file of the starter is not an A-number.
    """
    check_name(set_name)
    if set_name != STARTER:
        return _listed(set_name)
    found = [path for path in (cache / STARTER).glob("*.json") if not path.name.startswith(".")]
    for path in found:
        if not is_number(path.stem):
            raise BrokenEntry(str(path), "not named by an A-number, such as A000045.json")
    return tuple(sorted((path.stem for path in found), key=lambda number: int(number[1:])))


def wanted_numbers(names: Sequence[str]) -> tuple[str, ...]:
    """The A-numbers to fetch for names of sets and A-numbers, each once; without a name, those of both classic sets.

    Raises ValueError for another name, and for the starter, which the OEIS does not have.
    """
    found = dict[str, None]()
    for name in names or CLASSIC:
        if name == STARTER:
            raise ValueError(f"{STARTER} comes with a project and is not fetched; name one of {', '.join(_PAPER)}")
        if not is_number(name) and name not in _PAPER:
            raise ValueError(f"{name!r} is neither an A-number such as A000045 nor one of {', '.join(_PAPER)}")
        found |= dict.fromkeys([name] if is_number(name) else _listed(name))
    return tuple(found)


def check_name(set_name: str) -> None:
    """Raises ValueError if no set has this name."""
    if set_name not in SETS:
        raise ValueError(f"{set_name!r} is no set of sequences; write one or more of {', '.join(SETS)}")


def _listed(set_name: str) -> tuple[str, ...]:
    return tuple((files("pytest_llmarith.oeis") / "numbers" / f"{set_name}.txt").read_text("ascii").split())
