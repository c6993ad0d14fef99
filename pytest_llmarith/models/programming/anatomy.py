"""Room: where a program reads its n and where it prints, so that lines can be put in. It runs nothing."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Anatomy:
    """A program of the usual kind: one statement reads n, and the last `print` writes a single value.

    `n` is the variable and `source` what it is read from, `reading` the line of that statement, counted from 0, and
    `depth` how far it is indented. `printing` is the call, `value` what it prints.
    """

    lines: tuple[str, ...]
    n: str
    source: str
    reading: int
    depth: int
    printing: str
    value: str

    @property
    def program(self) -> str:
        return _joined(self.lines)

    def after_reading(self, *added: str) -> str:
        """The program with lines put in that see n; they are written as if nothing were indented."""
        return self._with(self.lines[self.reading], *map(self._indented, added))

    def reading_as(self, source: str) -> str:
        """The program with its n read from something else."""
        return self._with(self._indented(f"{self.n} = {source}"))

    def for_all_from(self, first: int) -> str | None:
        """The program in a loop over all n up to the one that is read, if it reads it outside of any block."""
        if self.depth:
            return None
        above, below = self.lines[: self.reading], self.lines[self.reading + 1 :]
        loop = f"for {self.n} in range({first}, {self.source} + 1):"
        return _joined((*above, loop, *(f"    {line}".rstrip() for line in below)))

    def printing_as(self, call: str) -> str:
        """The program with its last call of `print` replaced."""
        before, _, after = self.program.rpartition(self.printing)
        return f"{before}{call}{after}"

    def _with(self, *reading: str) -> str:
        return _joined((*self.lines[: self.reading], *reading, *self.lines[self.reading + 1 :]))

    def _indented(self, line: str) -> str:
        return f"{' ' * self.depth}{line}" if line else line


@lru_cache(maxsize=256)
def anatomy(program: str) -> Anatomy | None:
    """Where a program reads and prints; None where it does so in another way than most."""
    try:
        tree = ast.parse(program)
    except SyntaxError:
        return None
    readings = [node for node in ast.walk(tree) if isinstance(node, ast.Assign) and _reads_a_number(node)]
    printings = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _prints_one_value(node)]
    if len(readings) != 1 or not printings:
        return None
    reading, printing = readings[0], max(printings, key=lambda call: call.lineno)
    return Anatomy(
        lines=tuple(program.rstrip().split("\n")),
        n=ast.unparse(reading.targets[0]),
        source=ast.get_source_segment(program, reading.value) or "",
        reading=reading.lineno - 1,
        depth=reading.col_offset,
        printing=ast.get_source_segment(program, printing) or "",
        value=ast.get_source_segment(program, printing.args[0]) or "",
    )


def _reads_a_number(node: ast.Assign) -> bool:
    """`n = int(...)` of whatever stands on stdin, on one line."""
    source = ast.unparse(node.value)
    reads = source.startswith("int(") and ("input()" in source or "stdin" in source)
    plain = len(node.targets) == 1 and isinstance(node.targets[0], ast.Name) and node.lineno == node.end_lineno
    return reads and plain


def _prints_one_value(call: ast.Call) -> bool:
    named = isinstance(call.func, ast.Name) and call.func.id == "print"
    return named and len(call.args) == 1 and not call.keywords and not isinstance(call.args[0], ast.Starred)


def _joined(lines: tuple[str, ...]) -> str:
    return "\n".join(lines) + "\n"
