"""A script that compiles the source on stdin under limits and writes the result.

It runs once per reply, as `python -I -S compile_child.py`, and has few imports, so that
it starts fast.
"""

import resource
import sys
from typing import Any

MEMORY_BYTES = 256 << 20
CPU_S = 3
# A quarter of the default: a source that passes here can be parsed safely elsewhere.
STACK_BYTES = 2 << 20
MAX_NODES = 100_000
MAX_DEPTH = 500  # of the syntax tree
_ONLY_AST = 0x400  # ast.PyCF_ONLY_AST

PASSED, SYNTAX_ERROR, UNCOMPILABLE = "passed", "syntax error", "uncompilable"


def _limit() -> None:
    for kind, wanted in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_CPU, CPU_S),
        (resource.RLIMIT_STACK, STACK_BYTES),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(kind, (soft, hard))


def parse(source: bytes) -> Any:
    """The syntax tree of the bytes that the sandbox executes.

    They are not decoded before, as a coding cookie can make code of a comment.
    """
    return compile(source, "<program>", "exec", _ONLY_AST, dont_inherit=True)


def _verdict(source: bytes) -> tuple[str, str]:
    """One of the three results, and a line with the reason unless it is PASSED."""
    try:
        tree = parse(source)
        why = _too_large(tree)
        if why is not None:
            return UNCOMPILABLE, why
        # This finds a misplaced `return`.
        compile(source, "<program>", "exec", dont_inherit=True)
    except SyntaxError as error:
        return SYNTAX_ERROR, f"line {error.lineno or 1}: {error.msg}"
    except ValueError as error:  # null bytes, before Python 3.12
        return SYNTAX_ERROR, str(error)
    except Exception as error:
        # RecursionError, MemoryError, OverflowError, SystemError
        return UNCOMPILABLE, f"Python cannot compile it: {type(error).__name__}"
    return PASSED, ""


def _too_large(tree: Any) -> str | None:
    level = [tree]
    nodes = 0
    for _ in range(MAX_DEPTH):
        nodes += len(level)
        if nodes > MAX_NODES:
            return f"its syntax tree has more than {MAX_NODES:,} nodes"
        below = []
        for node in level:
            below += _children(node)
        level = below
        if not level:
            return None
    return f"its syntax tree is more than {MAX_DEPTH} levels deep"


def _children(node: Any) -> list[Any]:
    found = []
    for field in node._fields:
        value = getattr(node, field, None)
        parts = value if isinstance(value, list) else [value]
        found += [part for part in parts if hasattr(part, "_fields")]
    return found


if __name__ == "__main__":
    program = sys.stdin.buffer.read()
    _limit()
    verdict = "\n".join(_verdict(program))
    sys.stdout.buffer.write(verdict.encode("utf-8", "backslashreplace"))
