"""Removes self-tests from a program.

They are assertions, checks that only raise or warn, and what has no use without them.
The result need not be equivalent: it counts only if it gives the same answers when it
runs.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from pytest_llmarith.tasks.oeis.program import Program, compiled

_MAX_ROUNDS = 8  # each removes what has lost its use in the one before
_ENDING = {"exit", "quit"}
_WRITING = {"print", "write", "stdout"}


def without_self_tests(program: Program) -> Program | None:
    """The program without its self-tests.

    None if it has none, or they cannot be removed. Raises OSError if programs cannot be
    compiled on this machine.
    """
    tree = Program.parse(program.source).tree
    removed = 0
    try:
        for _ in range(_MAX_ROUNDS):
            remover = _Remover(tree)
            remover.visit(tree)
            if not remover.removed:
                break
            removed += remover.removed
        if not removed:
            return None
        source = ast.unparse(tree)
    except (RecursionError, ValueError):
        return None  # a deep tree, an integer of more than 4,300 digits
    rest = compiled(source)
    return rest if isinstance(rest, Program) else None


class _Remover(ast.NodeTransformer):
    """Removes statements; `removed` counts them."""

    def __init__(self, tree: ast.Module) -> None:
        self.removed = 0
        self._read = set[str]()
        self._idle = set[str]()  # functions that do nothing
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                self._read.add(node.id)
            if isinstance(node, ast.FunctionDef) and _does_nothing(node.body):
                self._idle.add(node.name)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if getattr(node, "body", None) == []:
            node.body = [ast.Pass()]  # type: ignore[attr-defined]
        return node

    def visit(self, node: ast.AST) -> ast.AST | None:
        """The node with what is left of it, or None."""
        if isinstance(node, ast.Module):
            return self.generic_visit(node)
        if not isinstance(node, ast.stmt):
            return node
        self.generic_visit(node)
        if not self._is_removed(node):
            return node
        self.removed += 1
        return None

    def _is_removed(self, node: ast.stmt) -> bool:
        match node:
            case ast.Assert():
                return True
            case ast.If(body=body, orelse=[]):
                return all(_is_report(one) for one in body)
            case ast.For(body=body, orelse=[]) | ast.While(body=body, orelse=[]):
                return _does_nothing(body)
            case ast.Try(body=body, finalbody=[]):
                return _does_nothing(body)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                return name not in self._read
            case ast.Assign(targets=targets):
                return all(self._is_unread(target) for target in targets)
            case ast.AnnAssign(target=target):
                return self._is_unread(target)
            case ast.Expr(value=ast.Call() as call):
                return self._is_idle(call) or _writes_to_stderr(call)
        return False

    def _is_idle(self, call: ast.Call) -> bool:
        return isinstance(call.func, ast.Name) and call.func.id in self._idle

    def _is_unread(self, target: ast.expr) -> bool:
        return isinstance(target, ast.Name) and target.id not in self._read


def _does_nothing(body: Sequence[ast.stmt]) -> bool:
    for statement in body:
        if isinstance(statement, ast.Expr):
            if not isinstance(statement.value, ast.Constant):
                return False
        elif not isinstance(statement, ast.Pass):
            return False
    return True


def _is_report(node: ast.stmt) -> bool:
    """Whether a statement only raises, ends the program, or writes to stderr."""
    if isinstance(node, ast.Raise):
        return not _mentions(node, _WRITING)
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        return _does_nothing([node])
    if _writes_to_stderr(node.value):
        return True
    return _mentions(node.value.func, _ENDING) and not _mentions(node, _WRITING)


def _mentions(tree: ast.AST, names: Collection[str]) -> bool:
    for node in ast.walk(tree):
        name = getattr(node, "id", getattr(node, "attr", None))
        if name in names:
            return True
    return False


def _writes_to_stderr(call: ast.Call) -> bool:
    return _mentions(call, {"stderr"})
