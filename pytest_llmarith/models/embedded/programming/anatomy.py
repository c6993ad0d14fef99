"""Where a program reads its n and where it prints, so that lines can be put in. It runs nothing."""

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
    """Where a program reads and prints; None where it does so in another way than most.

    A program that reads n in the middle of a statement at its end gets a statement of its own for that.
    """
    try:
        return _dissected(program) or _dissected(_with_variable(program))
    except SyntaxError:
        return None


def _dissected(program: str) -> Anatomy | None:
    tree = ast.parse(program)
    readings = [node for node in ast.walk(tree) if isinstance(node, ast.Assign) and _is_reading(node)]
    printings = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _prints_one_value(node)]
    if len(readings) != 1 or not printings:
        return None
    reading, printing = readings[0], max(printings, key=lambda call: call.lineno)
    return Anatomy(
        lines=tuple(program.rstrip().split("\n")),
        n=ast.unparse(reading.targets[0]),
        source=_text(program, reading.value),
        reading=reading.lineno - 1,
        depth=reading.col_offset,
        printing=_text(program, printing),
        value=_text(program, printing.args[0]),
    )


def _with_variable(program: str) -> str:
    """The program with its n in a variable, where it reads one outside of functions; else as it is."""
    statements = [node for node in ast.parse(program).body if not isinstance(node, ast.FunctionDef | ast.ClassDef)]
    nodes = [node for statement in statements for node in ast.walk(statement)]
    readings = [node for node in nodes if isinstance(node, ast.Call) and _reads_a_number(node)]
    taken = any(isinstance(node, ast.Name) and node.id == "n" for node in nodes)
    if len(readings) != 1 or taken:
        return program
    (line,) = (node.lineno - 1 for node in statements if readings[0] in ast.walk(node))
    lines, source = program.split("\n"), _text(program, readings[0])
    return "\n".join((*lines[:line], f"n = {source}", lines[line].replace(source, "n", 1), *lines[line + 1 :]))


def _is_reading(node: ast.Assign) -> bool:
    """`n = int(...)` on one line."""
    plain = len(node.targets) == 1 and isinstance(node.targets[0], ast.Name) and node.lineno == node.end_lineno
    return plain and isinstance(node.value, ast.Call) and _reads_a_number(node.value)


def _reads_a_number(call: ast.Call) -> bool:
    """`int(...)` of whatever stands on stdin."""
    if not (isinstance(call.func, ast.Name) and call.func.id == "int" and len(call.args) == 1):
        return False
    return ast.unparse(call.args[0]).startswith(("input()", "sys.stdin", "stdin"))


def _prints_one_value(call: ast.Call) -> bool:
    named = isinstance(call.func, ast.Name) and call.func.id == "print"
    return named and len(call.args) == 1 and not call.keywords and not isinstance(call.args[0], ast.Starred)


def _text(program: str, node: ast.AST) -> str:
    return ast.get_source_segment(program, node) or ""


def _joined(lines: tuple[str, ...]) -> str:
    return "\n".join(lines) + "\n"
