"""How a question is put: in which condition, and as which repeat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from pytest_llmarith.values.words import NumberFormat, Symbols


@dataclass(frozen=True, slots=True)
class Condition:
    """How the numbers and operator signs of a prompt are written, and what stands around it.

    `context` is about how many tokens of filler text come before the question, such as `2k`; `prompt` is the name of a
    template and `system` the name of a system prompt, where a run has several. None leaves it to the task.
    """

    numbers: NumberFormat = NumberFormat.PLAIN
    symbols: Symbols = Symbols.ASCII
    context: str | None = None
    prompt: str | None = None
    system: str | None = None

    @classmethod
    def of_fields(cls, fields: Mapping[str, str | None]) -> Condition:
        """The condition whose `fields` these are."""
        numbers, symbols = NumberFormat(str(fields["numbers"])), Symbols(str(fields["symbols"]))
        return cls(numbers, symbols, fields["context"], fields["prompt"], fields["system"])

    @property
    def label(self) -> str:
        """What tells it from the default condition, such as `numbers_comma-context_2k`; empty for that."""
        return "-".join(self.parts)

    @property
    def parts(self) -> tuple[str, ...]:
        """The same axis by axis, such as `numbers_comma` and `context_2k`."""
        values = ((axis, getattr(self, axis)) for axis in AXES)
        return tuple(f"{axis}_{value}" for axis, value in values if value != getattr(USUAL, axis))

    def only(self, axes: frozenset[str]) -> Condition:
        """The condition as far as it matters to a task, with everything else as usual."""
        return replace(Condition(), **{axis: value for axis, value in asdict(self).items() if axis in axes})

    def fields(self) -> dict[str, str | None]:
        """The condition as it stands in a record: builtins only."""
        return {axis: value and str(value) for axis, value in asdict(self).items()}


USUAL = Condition()
AXES = tuple(axis.name for axis in fields(Condition))


@dataclass(frozen=True, slots=True)
class Manner:
    """A condition, and which repeat of the same question this is, from 0."""

    condition: Condition = USUAL
    repeat: int = 0

    @property
    def label(self) -> str:
        """Its part of a pytest id, such as `-numbers_comma-repeat_3`; empty for the first time in the usual way."""
        parts = (self.condition.label, f"repeat_{self.repeat}" if self.repeat else "")
        return "".join(f"-{part}" for part in parts if part)

    def coordinates(self) -> dict[str, str | int | None]:
        """What tells it from other manners, for marks."""
        return {**self.condition.fields(), "repeat": self.repeat}


@dataclass(frozen=True, slots=True)
class Wordings:
    """The texts behind the names of conditions: templates of prompts, and system prompts."""

    templates: dict[str, str] = field(default_factory=dict)
    systems: dict[str, str] = field(default_factory=dict)

    def facts(self) -> dict[str, Any]:
        """All of them, as they stand in a summary."""
        return asdict(self)
