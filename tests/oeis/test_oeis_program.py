"""The program in a reply is found in any wrapping, and hostile replies do no harm."""

from __future__ import annotations

import warnings
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_llmarith.tasks.oeis import program as program_module
from pytest_llmarith.tasks.oeis.program import (
    MAX_PROGRAM,
    NoProgram,
    Program,
    find_program,
)
from pytest_llmarith.types import NanReason
from tests.oeis.corpus.cases import steps

CODE = "n = int(input())\nif n:\n    print(n)"
OTHER = "print(1)"


def fenced(code: str, opening: str = "```python", closing: str = "```") -> str:
    return f"{opening}\n{code}\n{closing}"


FOUND = {
    "a fence with a language": fenced(CODE),
    "an info string of several words": fenced(CODE, "``` python title=a.py {1,2}"),
    "tildes with backticks in the info string": fenced(CODE, "~~~ `python`", "~~~"),
    "prose around": f"Here you are:\n\n{fenced(CODE)}\n\nIt prints `n`. I hope that helps!",
    "four backticks, never closed": f"````python\r\n{CODE}",
    "CR": fenced(CODE).replace("\n", "\r"),
    "closed at the end of the last line": f"```python\n{CODE}```",
    "several blocks": f"{fenced(OTHER)}\nBetter:\n{fenced(CODE)}",
    "an empty block after it": f"{fenced(CODE)}\n```\n```",
    "in a list": "- a\n  - b\n\n      " + fenced(CODE).replace("\n", "\n      "),
    "code deeper than its fence": fenced("    " + CODE.replace("\n", "\n    ")),
    "a fence in a fence": f"```\n{fenced(CODE)}\n```",
    "a fence that was left open before": f"```\nnot code\n{fenced(CODE)}",
    "a thought with another program": f"<think>\n{fenced(OTHER)}\n</think>\n{fenced(CODE)}",
    "a thought after it": f"{fenced(CODE)}\n<think>\n{fenced(OTHER)}",
    "no fence, and a byte order mark": f"\ufeff{CODE}",
    "text behind the closing fence": f"{fenced(CODE)} This runs fast.",
    "a word behind the closing fence": f"{fenced(CODE)} Done",
    "text behind the closing fence, and more below": f"{fenced(CODE)} It prints `n`.\n\nI hope that helps!",
    "a fence behind text": f"Here is the code: {fenced(CODE)}",
    "a bare fence behind text": f"The code:\n\nHere it is: {fenced(CODE, '```')}\nDone.",
    "a fence behind a byte order mark": f"Sure.\n\ufeff{fenced(CODE)}",
    "an output in tildes": f"{fenced(CODE)}\nIt prints\n{fenced('1', '~~~', '~~~')}",
    "only a closing fence": f"{CODE}\n```",
    "a language and only a closing fence": f"python\n{CODE}\n```",
    "only a closing fence, with text around": f"Here it is:\n{CODE}\n```\n\nIt prints `n`.",
    "a thought in backticks that is cut by the tag": f"```python\n{OTHER}\n</think>\n{fenced(CODE)}",
}
OF_TAGS = "# removes </think> from a text\nprint(input().split('</think>')[0])"


@pytest.mark.parametrize("reply", FOUND.values(), ids=FOUND.keys())
def test_a_program_is_found(reply: str) -> None:
    found = find_program(reply)
    assert isinstance(found, Program)
    assert found.source.strip() == CODE


@pytest.mark.parametrize(
    "reply", [OF_TAGS, fenced(OF_TAGS), f"<think>Easy.</think>\n{fenced(OF_TAGS)}"]
)
def test_a_tag_in_the_program_ends_no_thought(reply: str) -> None:
    found = find_program(reply)
    assert isinstance(found, Program)
    assert found.source == OF_TAGS


OF_FENCES = f'"""Prints n.\n\n```python\nf(3)\n```\n"""\n{CODE}'


@pytest.mark.parametrize(
    "reply",
    [
        OF_FENCES,
        fenced(OF_FENCES),
        f"Sure:\n\n{fenced(OF_FENCES)}\n\nFor 3 it prints 3.",
        f"```python\n{OF_FENCES}",
        fenced(OF_FENCES.replace('"""', "'''")),
        f"{fenced(OTHER)}\nBetter:\n{fenced(OF_FENCES)}",
    ],
)
def test_a_fence_in_a_docstring_ends_no_block(reply: str) -> None:
    found = find_program(reply)
    assert isinstance(found, Program)
    assert found.source.strip().replace("'''", '"""') == OF_FENCES


def test_a_block_on_a_line() -> None:
    """Three backticks may hold a program of one line."""
    found = find_program("Sure:\n```print(int(input()) ** 2)```\n")
    assert isinstance(found, Program)
    assert found.source == "print(int(input()) ** 2)"


NOT_FOUND = [
    ("", NanReason.EMPTY, "the reply is empty"),
    ("<think>print(1)</think>", NanReason.EMPTY, "the reply is empty"),
    (
        f"<think>\n{fenced(CODE)}",
        NanReason.TRUNCATED,
        "the reply ends within its thoughts",
    ),
    ("I'm sorry, but I can't help with that.", NanReason.REFUSAL, "the reply refuses"),
    (
        "The sequence is known to be hard.",
        "no program",
        "the reply holds no code",
    ),
    ("Sorry", "no program", "the reply holds no code"),
    ("```\n\n```", "no program", "the reply holds no code"),
    (fenced("# your code goes here"), "no program", "the code does nothing"),
    (fenced("55"), "no program", "the code does nothing"),
    (
        f"{fenced(CODE)}\nFor 3:\n{fenced('3 -> 3', '```')}",
        "syntax error",
        "line 1: invalid syntax",
    ),
    (fenced("def f(:"), "syntax error", "line 1: invalid syntax"),
    (
        fenced("x = 1\nreturn x"),
        "syntax error",
        "line 2: 'return' outside function",
    ),
    (fenced("x = 1\0"), "syntax error", None),
    (fenced("x = '\ud800'"), "syntax error", "it contains a lone surrogate"),
    (
        fenced("x = 1#" + "1" * MAX_PROGRAM),
        "syntax error",
        "the program has 131,078 characters, more than 131,072",
    ),
    (
        fenced("a" + ".a" * 500),
        "uncompilable",
        "its syntax tree is more than 500 levels deep",
    ),
    (
        fenced(f"x = [{'a,' * 60_000}]"),
        "uncompilable",
        "its syntax tree has more than 100,000 nodes",
    ),
]


@pytest.mark.parametrize(("reply", "reason", "detail"), NOT_FOUND)
def test_no_program_has_a_reason(reply: str, reason: str, detail: str | None) -> None:
    found = find_program(reply)
    assert isinstance(found, NoProgram)
    assert found.reason == reason
    assert detail is None or found.detail == detail
    assert found.detail
    assert "\n" not in found.detail


def _finally(depth: int) -> str:
    lines = [
        line
        for k in range(depth)
        for line in (f"{' ' * k}try: pass", f"{' ' * k}finally:")
    ]
    return "\n".join([*lines, f"{' ' * depth}pass"])


HOSTILE = {
    "brackets": "(" * 100_000,
    "elif": "if n == 0:\n  print(1)\n"
    + "".join(f"elif n == {k}:\n  print(1)\n" for k in range(1, 3000)),
    "digits": "x = " + "9" * 100_000,
    "invalid escapes": r"x = '\d\w\s'",
    "comprehensions in comprehensions": "x = " + "[" * 25 + "1" + " for a in b]" * 25,
}
# They take gigabytes or minutes to compile.
BOMBS = {
    "try and finally, 21 deep": _finally(21),
    "a sum of texts": "x = " + "+".join(["'a'*4000"] * 2000),
}


@pytest.mark.parametrize("name", [*HOSTILE, *BOMBS])
@pytest.mark.filterwarnings("error")
def test_hostile_programs_do_no_harm(name: str) -> None:
    """The parser neither crashes nor warns, and a bomb is uncompilable."""
    before = warnings.filters[:]
    found = find_program(fenced((HOSTILE | BOMBS)[name]))
    assert warnings.filters == before
    assert name not in BOMBS or (
        isinstance(found, NoProgram) and found.reason == "uncompilable"
    )


def test_an_interpreter_that_does_not_start_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A child process that cannot work on this machine says nothing about the reply."""
    monkeypatch.setattr(program_module, "_CHILD", ("/nowhere/python",))
    with pytest.raises(OSError, match="nowhere"):
        find_program(fenced(CODE))


@pytest.mark.parametrize(
    "unit", ["`", "```\n", "``` ```\n", " \n", "a", "```a", "<think>\n", "```a\n"]
)
def test_a_long_reply_is_read_in_linear_time(unit: str) -> None:
    short, long = (
        steps(partial(find_program, unit * (size // len(unit))))
        for size in (20_000, 40_000)
    )
    assert long <= 2.2 * short + 500


@settings(max_examples=20)
@given(st.text(st.characters(exclude_categories=[])))
def test_any_text_is_read(text: str) -> None:
    assert isinstance(find_program(fenced(text)), Program | NoProgram)
