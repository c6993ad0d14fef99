"""What the stub server of the golden runs replies: a function of the model, the prompt,
and how often it asked this.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from tests.golden.adapter import JUDGE, SECOND
from tests.llm_server import Answer, Call, usage

_AT_ONCE = {"Retry-After": "0"}
_N = 8
_SIGNS: Mapping[str, Callable[[Decimal, Decimal], Decimal]] = {
    "+": lambda lhs, rhs: lhs + rhs,
    "-": lambda lhs, rhs: lhs - rhs,
    "*": lambda lhs, rhs: lhs * rhs,
    "/": lambda lhs, rhs: lhs / rhs,
}
# What is wrong with an answer, from the right one and the operands, all as text.
_WRONG: Sequence[Callable[[str, str, str], str]] = (
    lambda right, lhs, rhs: right[:-1] + str((int(right[-1]) + 1) % 10),
    lambda right, lhs, rhs: str(Decimal(right) + 10 ** (len(right) // 2)),
    lambda right, lhs, rhs: str(-Decimal(right)),
    lambda right, lhs, rhs: (
        right + "0" if "." not in right else str(Decimal(right) * 10)
    ),
    lambda right, lhs, rhs: lhs,
    lambda right, lhs, rhs: str(Decimal(lhs) + Decimal(rhs) + 1),
    lambda right, lhs, rhs: (
        right[0] + right[1:][::-1] if "." not in right else right[:-1] + "9"
    ),
    lambda right, lhs, rhs: str(math.floor(Decimal(right))),
    lambda right, lhs, rhs: "31415926",
    lambda right, lhs, rhs: str(Decimal(lhs) * Decimal(rhs)),
    lambda right, lhs, rhs: (
        str(round(Decimal(right), 1)) if "." in right else right[:-1] or "9"
    ),
    lambda right, lhs, rhs: right[:-3] if len(right) > 4 else right + "000",
    lambda right, lhs, rhs: (
        right[:2] + right[2:].replace("5", "6").replace("3", "8").replace("1", "7")
    ),
)
_WORDED: Sequence[str] = (
    "The result is **{grouped}**.",
    "{lhs} {sign} {rhs} = {given}",
    "\\boxed{{{given}}}",
    "<think>First {rhs}, then {lhs}... let me see.</think>\n\n{given}",
    "Step 1: take {lhs}.\nStep 2: take {rhs}.\n\nAnswer: {given}\n\nLet me know if you need more!",
    "```\n{given}\n```",
    "Das Ergebnis ist {given}.",
    "= {given}",
    "{given}.0",
    "It is {lhs}, no, wait: {given}",
)
# Name and terms from n = 0, by number; the programs below are of the second model,
# last, and of the others.
SEQUENCES: dict[str, tuple[str, Sequence[int]]] = {
    "A100001": ("The squares.", [n * n for n in range(_N)]),
    "A100002": ("The cubes.", [n**3 for n in range(_N)]),
    "A100003": ("The even numbers.", [2 * n for n in range(_N)]),
    "A100004": ("Squares and 41.", [n * n + n + 41 for n in range(40)]),
    "A100005": ("The factorials.", [math.factorial(n) for n in range(_N)]),
    "A100006": ("Powers of two.", [2**n for n in range(_N)]),
    "A100007": ("Negative numbers.", [-n for n in range(_N)]),
    "A100008": ("Powers of three.", [3**n for n in range(_N)]),
    "A100009": ("Triangular numbers.", [n * (n + 1) // 2 for n in range(_N)]),
    "A100010": ("Fifth powers.", [n**5 for n in range(_N)]),
}
_TABLE = f"TERMS = {list(SEQUENCES['A100004'][1])}\nprint(TERMS[int(input())])"
_PROGRAMS: Mapping[str, tuple[str, str]] = {
    "A100001": ("print(int(input()) ** 2)", "n = int(input())\nprint(n * n)  # unsure"),
    "A100002": ("n = int(input())\nprint(n ** 3 + (n > 5))", "print(int(input()) ** 2)"),
    "A100003": ("I do not know this one.", "n = int(input())\nprint(n +)"),
    "A100004": (_TABLE, "n = int(input())\nprint(n * n + n + 41)"),
    "A100005": ("import math\nn = int(input())\nassert n < 6\nprint(math.factorial(n))", "print('one')"),
    "A100006": (f"n = int(input())\nwhile n == {_N - 1}: pass\nprint(2 ** n)", "print(1 << int(input()))"),
    "A100007": (f"import time\nn = int(input())\ntime.sleep(n // {_N - 1})\nprint(-n)", "print('-' + input())"),
    "A100008": (
        "import sys\nprint(3 ** int(input()))\nsys.exit(3)",
        "import sys\nprint(3 ** int(input()), file=sys.stderr)",
    ),
    "A100009": ("n = int(input())\nprint(sum(range(n + 1)))", "TERMS = 1\nn = int(input())\nprint(n * (n + 1) // 2)"),
    "A100010": ("", "print(int(input()) ** 5"),
}  # fmt: skip


class Replies:
    """The server's answers, for the runs of one server; the same requests in any order
    get the same ones.
    """

    def __init__(self) -> None:
        self._asked: Counter[tuple[str, str]] = Counter()

    def __call__(self, call: Call) -> Answer:
        model, prompt = str(call.body["model"]), call.prompt
        self._asked[model, prompt] += 1
        if model == _served(JUDGE):
            said = (
                "perhaps"
                if "# unsure" in prompt
                else "1"
                if "TERMS = " in prompt
                else "0"
            )
            return Answer(said, usage=usage(100, 1))
        for number, (name, _) in SEQUENCES.items():
            if f"Name: {name}" in prompt:
                return _program(
                    _PROGRAMS[number][model == _served(SECOND)], len(prompt)
                )
        return _number(model, prompt, self._asked[model, prompt])


def _served(model: str) -> str:
    return model.partition("/")[2]


def _program(program: str, asked: int) -> Answer:
    text = f"Sure!\n```python\n{program}\n```" if "print" in program else program
    return Answer(text, usage=usage(asked, len(text)))


def _number(model: str, prompt: str, nth: int) -> Answer:
    """Some questions fail each time, or at first; of the others the second time is
    another draw.
    """
    drawn = _drawn(f"{model} {prompt}")
    if (failure := _failure(drawn % 64, nth)) is not None:
        return failure
    if nth == 2 and drawn % 64 not in _AT_FIRST:
        drawn = _drawn(f"{model} again {prompt}") // 64 * 64 + 31
    kind, lhs, sign, rhs = drawn % 64, *_question(prompt)
    right = f"{_SIGNS[sign](Decimal(lhs), Decimal(rhs)):f}"
    wrong = _WRONG[drawn // 64 % len(_WRONG)](right, lhs, rhs)
    given = wrong if kind % 4 == 0 or (nth == 2 and drawn // 64 % 3 == 0) else right
    names = {
        "given": given,
        "grouped": f"{Decimal(given):,}",
        "lhs": lhs,
        "rhs": rhs,
        "sign": sign,
    }
    text = (
        _WORDED[drawn // 640 % len(_WORDED)].format(**names) if kind % 3 == 0 else given
    )
    usual = Answer(text, usage=usage(20 + len(prompt) // 4, len(text)))
    others = {
        11: Answer("", usage=usage(30, 0)),
        13: Answer(
            "",
            finish_reason="length",
            usage=usage(30, 512, 512),
            reasoning="Let me think" * 9,
        ),
        14: Answer(
            f"We take {lhs} and then", finish_reason="length", usage=usage(30, 9)
        ),
        17: Answer("I cannot do that.", usage=usage(30, 6)),
        19: Answer(None, message={"refusal": "I will not."}, usage=usage(30, 5)),
        22: Answer("", finish_reason="content_filter", usage=usage(30, 0)),
        23: replace(usual, usage=None),
        25: Answer(right, usage=usage(30, 90, 80), reasoning=f"Is it {wrong}? No."),
        26: Answer("There is no number here.", usage=usage(30, 7)),
        29: Answer(f"{right} or {wrong}", usage=usage(30, 12)),
    }
    return others.get(kind, usual)


_AT_FIRST = {2: 503, 5: 429}


def _failure(kind: int, nth: int) -> Answer | None:
    if kind in _AT_FIRST:
        return Answer(status=_AT_FIRST[kind], headers=_AT_ONCE) if nth == 1 else None
    too_long = {
        "message": "maximum context length exceeded",
        "code": "context_length_exceeded",
    }
    failures = {
        1: Answer(status=500, headers=_AT_ONCE),
        7: Answer(status=400, error=too_long),
        10: Answer(status=400, error={"message": "filtered", "code": "content_filter"}),
    }
    return failures.get(kind)


def _drawn(text: str) -> int:
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)


def _question(prompt: str) -> tuple[str, str, str]:
    """Both operands without separators, and the sign between them."""
    if '"' in prompt.splitlines()[-1]:
        _, lhs, _, rhs, _ = prompt.splitlines()[-1].split('"')
        return lhs, "+", rhs
    lhs, sign, rhs = prompt.splitlines()[-1].replace(",", "").split()
    return lhs, sign, rhs
