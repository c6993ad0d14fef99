"""The conditions in which questions are put, from the options: every combination of the values that were given."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count, product
from pathlib import Path
from typing import Any

from pytest_llmarith.options import names, parsing
from pytest_llmarith.values import USUAL, Condition, NumberFormat, Symbols, Wordings
from pytest_llmarith.values.templates import parts_of

_MOST_REPEATS = 1_000
_CONTEXTS = ("1k", "2k", "4k")
_NONE = "none"
_STANDARD = "standard"
_LONGEST_TEMPLATE = 100_000
_UNFIT = re.compile(r"[^A-Za-z0-9_]")  # in an id, where "-" stands between parts


@dataclass(frozen=True, slots=True)
class Manners:
    """How the questions of a run are put: every condition, the texts behind their names, and how often."""

    conditions: tuple[Condition, ...] = (USUAL,)
    wordings: Wordings = field(default_factory=Wordings)
    repeats: int = 1

    @property
    def are_usual(self) -> bool:
        """Whether every question is put once, as its task puts it."""
        return self.conditions == (USUAL,) and self.repeats == 1


def manners(given: Callable[[str], Any], folder: Path) -> Manners:
    """What the options ask for; files stand below `folder`. Raises ValueError with one line for people."""

    def text(option: str, usual: str) -> str:
        return usual if given(option) is None else str(given(option))

    templates = _templates(given(names.PROMPT) or (), folder)
    systems = _systems(given(names.SYSTEM_PROMPT) or ())
    numbered = {number: text for number, text in systems.items() if number is not None}
    axes = (
        parsing.choices(names.NUMBERS, text(names.NUMBERS, NumberFormat.PLAIN), NumberFormat),
        parsing.choices(names.SYMBOLS, text(names.SYMBOLS, Symbols.ASCII), Symbols),
        _contexts(text(names.CONTEXT, _NONE)),
        tuple(templates) or (None,),
        tuple(systems) or (None,),
    )
    return Manners(
        conditions=tuple(Condition(*values) for values in product(*axes)),
        wordings=Wordings({name: text for name, text in templates.items() if name is not None}, numbered),
        repeats=parsing.whole_number(names.REPEATS, text(names.REPEATS, "1"), 1, _MOST_REPEATS),
    )


def _contexts(text: str) -> tuple[str | None, ...]:
    words = parsing.distinct(names.CONTEXT, [word.strip() for word in text.split(",")])
    for word in words:
        if word not in (_NONE, *_CONTEXTS):
            raise ValueError(f"{names.CONTEXT}: {word!r} is unknown; write some of {_NONE},{','.join(_CONTEXTS)}")
    return tuple(None if word == _NONE else word for word in words)


def _systems(texts: Sequence[str]) -> dict[str | None, str]:
    """Several system prompts, by number; None is an empty one, which is not sent, as usual.

    One alone is the models' own and makes no condition.
    """
    if len(texts) < 2:
        return {}
    numbers = count(1)
    return {
        str(next(numbers)) if text else None: parsing.sendable(names.SYSTEM_PROMPT, text)
        for text in parsing.distinct(names.SYSTEM_PROMPT, texts)
    }


def _templates(files: Sequence[str], folder: Path) -> dict[str | None, str]:
    """The text of each template by the name of its file; None is each task's own."""
    found: dict[str | None, str] = {}
    for file in files:
        name, text = (None, "") if file == _STANDARD else (_name(file), _text(file, folder))
        if name in found:
            raise ValueError(f"{names.PROMPT}: two templates are called {name or _STANDARD}; give one another name")
        found[name] = text
    return found


def _name(file: str) -> str:
    return _UNFIT.sub("_", Path(file).stem) or "_"


def _text(file: str, folder: Path) -> str:
    """The template without its last line's end. Which fields it may have, the tasks know."""
    path = folder / file
    if not path.is_file():  # a pipe would be waited for
        raise ValueError(f"{names.PROMPT}: {file!r} is no file; name a text file, or {_STANDARD}")
    try:
        with path.open(encoding="utf-8-sig") as opened:  # some editors begin a text with a mark that nobody sees
            text = opened.read(_LONGEST_TEMPLATE + 1)
    except OSError as fault:
        raise ValueError(f"{names.PROMPT}: {file!r} cannot be read ({fault.strerror}); name a text file") from None
    except UnicodeDecodeError:
        raise ValueError(f"{names.PROMPT}: {file!r} is not UTF-8 text; name a text file") from None
    if len(text) > _LONGEST_TEMPLATE:
        raise ValueError(f"{names.PROMPT}: {file!r} is longer than {_LONGEST_TEMPLATE:,} characters; make it shorter")
    try:
        parts_of(text)
    except ValueError as fault:
        raise ValueError(f"{names.PROMPT}: {file!r}: {fault}") from None
    return text.removesuffix("\n")
