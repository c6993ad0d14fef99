"""The bridge to questions in rows: a task from a file or a data set of the Hub."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pytest_llmarith.bridges.row_files import DataRow, RowSource, text_of_value
from pytest_llmarith.records import NUMBER
from pytest_llmarith.tasks.checks import is_size
from pytest_llmarith.tasks.number_tasks import number_task
from pytest_llmarith.tasks.parameters import task_factory
from pytest_llmarith.tasks.prompts import fill, parts_of
from pytest_llmarith.tasks.task import (
    NoAnswer,
    Problem,
    Task,
    UnusableInput,
    short_repr,
)
from pytest_llmarith.types import NanReason

_NUMBER = re.compile(NUMBER, re.ASCII)
_GROUPED = re.compile(r"-?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?", re.ASCII)
_NOT_IN_LABELS = re.compile(r"[^A-Za-z0-9_.+-]+", re.ASCII)
# Where a reply says a letter, the surest first.
_CHOICES = (
    re.compile(r"\W*([A-Za-z])\W*"),
    re.compile(r"\\boxed\{\s*(?:\\text\{)?\W{0,3}([A-Z])\b"),
    re.compile(r"(?i:\banswer\b(?:\s+is)?)\W{0,9}([A-Z])\b"),
    re.compile(r"(?i:\b(?:choice|option)\b(?:\s+is)?)\W{0,9}([A-Z])\b"),
    re.compile(r"^\W{0,3}([A-Z])[).:]", re.MULTILINE),
)


@task_factory
def rows(
    path: str | os.PathLike[str],
    prompt: str = "{question}",
    expected: str = "answer",
    read: Literal["number", "text", "choice"] = "number",
    variant: str | None = None,
    depth: str | None = None,
    *,
    id: str | None = None,
    name: str | None = None,
    size: int | None = None,
    config: str | None = None,
    split: str = "test",
    revision: str | None = None,
) -> Task[Any]:
    """A task with a question of each row of a file (`.jsonl`, `.csv`, `.parquet`), or
    of a data set of the Hub (`hub:NAME`, with its `config`, `split` and `revision`).

    `prompt` is a template with fields of the rows. `expected` names the field of the
    right answer: a number, also behind GSM8K's `####`; a text, which a reply has to be
    but for white space around it; or the letter of a choice. `variant`, `depth` (a
    whole number) and `id` (a part of the item's id) name further fields. `size` rows
    are drawn by the seed of the run, by default there are all. `name` is that of the
    task, by default of the file or data set.

    Rows that cannot be used are named in the error, with which the run ends before
    anything is asked.
    """
    source = RowSource(os.fspath(path), config, split, revision)
    name = name or _name_of(source.path)
    try:
        fields = [one for _, one in parts_of(prompt) if one is not None]
    except ValueError as error:
        raise source.refusal(f"prompt {short_repr(prompt)}: {error}") from None
    if read not in _EXPECTED:
        raise source.refusal(
            f"read is {short_repr(read)}; write {', '.join(map(repr, _EXPECTED))}"
        )
    if not is_size(size):
        raise source.refusal(f"size is {short_repr(size)}; write a number of rows")
    problems = _Problems(source, prompt, fields, expected, read, variant, depth, id)

    def drawn(seed: int, trials: int) -> list[Problem]:
        return problems.drawn(seed, name, size)

    def question(problem: Problem) -> str:
        return fill(prompt, problem.inputs)

    if read == "number":
        return number_task(name, drawn, question)
    if read == "choice":
        return Task(name, drawn, question, _choice)
    return Task(name, drawn, question)


def _name_of(path: str) -> str:
    """The name of a file or a data set as that of a task."""
    name = re.sub(r"[^a-z0-9]+", "_", Path(path).stem.lower())
    return name.lstrip("_0123456789")[:50] or "rows"


@dataclass(frozen=True, slots=True)
class _Problems:
    """The problems of rows, which are read once."""

    source: RowSource
    prompt: str
    fields: list[str]
    expected: str
    read: str
    variant: str | None
    depth: str | None
    id: str | None
    made: list[Problem] = field(default_factory=list)

    def drawn(self, seed: int, name: str, size: int | None) -> list[Problem]:
        """All of them, or `size` in any order."""
        if not self.made:
            self.made.extend(self._distinct())
        if size is None:
            return self.made
        draw = random.Random(f"{seed}/{name}")
        return draw.sample(self.made, min(size, len(self.made)))

    def _distinct(self) -> Iterator[Problem]:
        """Those with different questions. Raises UnusableInput."""
        by_question: dict[str, tuple[Any, str]] = {}
        by_id: dict[str, str] = {}
        for row in self.source.rows():
            problem = self._problem(row)
            if problem.label:
                first = by_id.setdefault(problem.label, row.place)
                if first != row.place:
                    raise self.source.refusal(
                        f"has the id {problem.label!r} of {first}; make ids unique",
                        row.place,
                    )
            question = fill(self.prompt, problem.inputs)
            expected, first = by_question.setdefault(
                question, (problem.expected, row.place)
            )
            if first == row.place:
                yield problem
            elif expected != problem.expected:
                raise self.source.refusal(
                    f"has the question of {first} with another answer; remove one of "
                    f"them",
                    row.place,
                )
        if not by_question:
            raise self.source.refusal("has no rows")

    def _problem(self, row: DataRow) -> Problem:
        inputs = {name: self._text(row, name) for name in self.fields}
        written = self._text(row, self.expected)
        expected = _EXPECTED[self.read](written)
        if not expected:
            raise self._refused(row, self.expected, written, self.read)
        label, variant, depth = "", None, None
        if self.id is not None:
            label = self._label(row, self.id)
        if self.variant is not None:
            variant = self._label(row, self.variant)
        if self.depth is not None:
            depth = self._depth(row, self.depth)
        return Problem(inputs, expected, label, variant, depth)

    def _text(self, row: DataRow, name: str) -> str:
        value = row.values.get(name)
        if value is None:
            there = ", ".join(map(str, row.values)) or "none"
            raise self.source.refusal(
                f"lacks the field {name!r}; it has {there}", row.place
            )
        try:
            return text_of_value(value)
        except (TypeError, ValueError) as error:
            raise self.source.refusal(f"{name}: {error}", row.place) from None

    def _label(self, row: DataRow, name: str) -> str:
        return _NOT_IN_LABELS.sub("_", self._text(row, name))

    def _depth(self, row: DataRow, name: str) -> int:
        written = self._text(row, name).strip()
        if not re.fullmatch("[0-9]{1,9}", written):
            raise self._refused(row, name, written, "depth")
        return int(written)

    def _refused(
        self, row: DataRow, name: str, written: str, wanted: str
    ) -> UnusableInput:
        return self.source.refusal(
            f"{name} is {short_repr(written)}, which is no {wanted}", row.place
        )


# --- answers --------------------------------------------------------------------------


def _number(written: str) -> str | None:
    # GSM8K's solutions end in `#### 42`.
    number = written.rpartition("####")[2].strip()
    if _GROUPED.fullmatch(number):
        number = number.replace(",", "")
    return number if _NUMBER.fullmatch(number) else None


def _letter(written: str) -> str | None:
    found = _CHOICES[0].fullmatch(written)
    return found and found[1].upper()


_EXPECTED: Mapping[str, Callable[[str], str | None]] = {
    "number": _number,
    "text": str.strip,
    "choice": _letter,
}


def _choice(text: str, problem: Problem) -> str | NoAnswer:
    """The letter that a reply chooses: all of it, or the last one that it calls its
    answer.
    """
    alone, *others = _CHOICES
    if found := alone.fullmatch(text):
        return found[1].upper()
    for pattern in others:
        if letters := pattern.findall(text):
            return str(letters[-1])
    return NoAnswer(str(NanReason.UNREADABLE))
