"""Whether a text is a Python program. It compiles and never runs; it does not know where the text came from.

CPython guards itself against hostile text: 200 open brackets, 100 indentations, 4300 digits, a depth of recursion. What
it does not guard is size, so that is done here, before it sees the text: memory grows by about a thousand bytes per
character, 0.1 GB at the limit.
"""

from __future__ import annotations

import ast
import warnings
from contextlib import suppress
from typing import Any

LONGEST_PROGRAM = 1 << 17  # characters
_TRIES = 9


class NotPythonError(ValueError):
    """The text is no program; the message is one line and says where."""


def parsed(source: str) -> ast.Module:
    """The syntax tree of a program that compiles; raises NotPythonError where it does not."""
    if len(source) > LONGEST_PROGRAM:
        raise NotPythonError(f"the program has {len(source):,} characters, more than {LONGEST_PROGRAM:,}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = _tree(source)
            # What stands in the wrong place, as a `return` outside of a function, is found only now.
            compile(source, "<program>", "exec", dont_inherit=True)
    except SyntaxError as error:
        raise NotPythonError(f"line {error.lineno or 1}: {error.msg}") from None
    except UnicodeError:
        raise NotPythonError("half of a character stands alone (a surrogate)") from None
    except (RecursionError, MemoryError):
        raise NotPythonError("too deeply nested for Python") from None
    except ValueError as error:  # null bytes, before Python 3.12
        raise NotPythonError(str(error)) from None
    assert isinstance(tree, ast.Module)
    return tree


def _tree(source: str) -> Any:
    # Python 3.11 counts one depth for all threads, and takes somebody else's parsing meanwhile for a fault of its own.
    for _ in range(_TRIES):
        with suppress(SystemError):
            return _parse(source)
    return _parse(source)


def _parse(source: str) -> Any:
    return compile(source, "<program>", "exec", ast.PyCF_ONLY_AST, dont_inherit=True)


def does_something(tree: ast.Module) -> bool:
    """Whether there is more than names and constants: `Sorry` is Python too, and so is `42`."""
    return any(
        not isinstance(statement, ast.Expr) or any(isinstance(node, ast.Call) for node in ast.walk(statement))
        for statement in tree.body
    )
