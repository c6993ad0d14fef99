"""Sources that harm a Python that compiles them without limits: known ones, and a seeded generator of more."""

from __future__ import annotations

from collections.abc import Callable
from random import Random


def _finally(depth: int) -> str:
    lines = [line for k in range(depth) for line in (f"{' ' * k}try: pass", f"{' ' * k}finally:")]
    return "\n".join([*lines, f"{' ' * depth}pass"])


BOMBS = {
    "try and finally, 19 deep": _finally(19),
    "try and finally, 21 deep": _finally(21),
    "a sum of texts": "x = " + "+".join(["'a'*4000"] * 2000),
    "a name of accents": "a" + "\u0316\u0300" * 25_000 + " = 1",
}

# Some versions of Python compile these within the limits; in others they take gigabytes, or end the process.
BOMBS_OF_SOME_VERSIONS = {
    "a shorter sum of texts": "x = " + "+".join(["'a'*4000"] * 400),
    "comprehensions in comprehensions": "x = " + "[" * 25 + "1" + " for a in b]" * 25,
}

_DEPTHS = (5, 19, 25, 60, 95, 190, 400, 1_000, 5_000)
_BLOCKS = (
    "if a:",
    "for a in b:",
    "while a:",
    "with a:",
    "async def f():",
    "def f(a=1):",
    "class A:",
    "try: pass\n{}finally:",
    "try: pass\n{}except a:",
    "try: pass\n{}except* a:",
    "for a in b: pass\n{}else:",
    "match a:\n{} case 1: pass\n{} case [a, *b] if a:",
    "@a\n{}def f():",
)
_AROUND = (
    *(("(", ")"), ("[", "]"), ("{", "}"), ("{1:", "}"), ("a(", ")"), ("a[", "]"), ("(a:=", ")"), ("(*", ",)")),
    *(("-", ""), ("not ", ""), ("lambda:", ""), ("lambda a=", ":1"), ("await ", ""), ("1 if a else ", ""), ("a<", "")),
    *(("[", " for a in b]"), ("{", " for a in b}"), ("(", " for a in b)"), ("{1:", " for a in b}"), ("a**", "")),
    *(("[a for a in ", "]"), ("a or ", ""), ("a and (b or ", ")"), ("f'{", "}'"), ('f"""{', ':{a}}"""'), ("'%s'%", "")),
)
_FOLDED = (
    *("'a'*4000", "b'a'*4000", "(1,)*256", "1<<128", "10**37", "'%d'%9", "(1,2)*100", "'a'*4096", "[1]*9**9", "-1"),
    *("9**9**9", "1<<(1<<40)", "('a'*1000)*1000", "not 1", "1.5*1e300", "'a''b'", "...,1"),
)
_LITERALS = ("9" * 4300, "0x" + "f" * 99_999, "0b" + "1" * 99_999, "'" + "a" * 99_999 + "'", "1e" + "9" * 99_999)
_PIECES = ("a;", "a\n", "1,", "f(),", "x=", "a.", "\\\n", "\x0c", "global a\n", "import a\n", "@a\n", "\t", "''", "\0")
_MARKS = "\u0300\u0301\u0316\u0323\u0345\u05b0\u0e38\u3099"


def _nested_blocks(noise: Random) -> str:
    lines, depth = list[str](), noise.choice(_DEPTHS[:5])
    kinds = noise.sample(_BLOCKS, noise.choice((1, 1, 2, 3)))
    for k in range(depth):
        indent = "  " * k
        lines.append(indent + noise.choice(kinds).replace("{}", indent))
    return "\n".join([*lines, f"{'  ' * depth}pass"])


def _nested_expressions(noise: Random) -> str:
    kinds = [noise.choice(_AROUND) for _ in range(noise.choice((1, 1, 2, 3)))]
    source, depth = "1", noise.choice(_DEPTHS)
    for _ in range(depth // len(kinds)):
        for before, after in kinds:
            source = before + source + after
            if len(source) > 100_000:
                return f"x = {source}"
    return f"x = {source}"


def _folding(noise: Random) -> str:
    parts = [noise.choice(_FOLDED) for _ in range(noise.choice((1, 2, 3)))]
    return "x = " + noise.choice("+*|,").join(parts * noise.choice((10, 100, 1_000, 2_000)))


def _names(noise: Random) -> str:
    marks = "".join(noise.sample(_MARKS, 2)) * noise.choice((10, 1_000, 20_000))
    return noise.choice(("a{} = 1", "def a{}(): pass", "a.a{}", "f(a{}=1)", "import a{}")).format(marks)


def _long(noise: Random) -> str:
    if noise.random() < 0.5:
        return "x = " + noise.choice(("{}", "[{}]", "-{}", "f'{{{}}}'", "{}+{}")).replace("{}", noise.choice(_LITERALS))
    return noise.choice(_PIECES) * noise.choice((100, 1_000, 30_000)) + "1"


_KINDS: tuple[Callable[[Random], str], ...] = (_nested_blocks, _nested_expressions, _folding, _names, _long)


def generated(many: int, seed: int = 13) -> list[str]:
    """This number of sources, each of another kind than the one before; the first ones are the same for any number."""
    return [_KINDS[k % len(_KINDS)](Random(f"{seed}/{k}")) for k in range(many)]
