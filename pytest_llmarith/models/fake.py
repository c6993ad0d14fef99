"""The fake models `llmarith/exact` and `llmarith/sloppy`, for runs without a key or
network access.

They reply to the prompt alone. `exact` is always right. `sloppy` imitates the mistakes,
wordings and missing answers of language models; its reply is a function of the
messages, the temperature and the seed.
"""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec import structs

from pytest_llmarith.models.provider_errors import NotSent
from pytest_llmarith.records import Reply
from pytest_llmarith.types import Op

NAMES = ("exact", "sloppy")

_TOKEN = re.compile(r"\d{1,3}|[^\W\d_]{1,6}|[^\w\s]|_")
_BENCH_QUESTION = re.compile(r"^Name: (.*)\nComments: ", re.MULTILINE)
_PROGRAM_WANTED = re.compile(
    r"\b(?:code|function|program|python|script)", re.IGNORECASE
)
_LITERAL = re.compile(r"(?<![\w.])\d+|[\w+/=]{40}")


class KnownSequence(NamedTuple):
    """A sequence that the fake models know: a program that reads n from stdin, and its
    terms from n = `offset`.
    """

    program: str
    terms: tuple[str, ...]
    offset: int


KnownSequences = Callable[[], Mapping[str, KnownSequence]]


def starter_sequences(folder: Path) -> Mapping[str, KnownSequence]:
    """The starter set of an OEIS cache by sequence name; empty if it cannot be read."""
    from pytest_llmarith.tasks.oeis.cache import STARTER, Cache

    cache = Cache(folder)
    try:
        return {
            sequence.name: KnownSequence(program, sequence.terms, sequence.offset)
            for sequence in cache.sequences(STARTER)
            if (program := cache.starter_program(sequence.number))
        }
    except (OSError, ValueError):
        return {}


def reply(
    target: str,
    messages: Sequence[Mapping[str, str]],
    params: Mapping[str, Any] = MappingProxyType({}),
    known: KnownSequences = dict,
) -> Reply:
    """The reply of the fake model `target` to the last user message, with the
    parameters temperature and seed.

    `known` is called only if the prompt may want a program. Raises NotSent.
    """
    model, temperature, seed = (
        target.partition("/")[2],
        params.get("temperature", 1),
        params.get("seed", 0),
    )
    if model not in NAMES:
        raise NotSent(
            f"unknown fake model; write llmarith/{' or llmarith/'.join(NAMES)}"
        )
    if (
        type(temperature) not in (int, float)
        or not 0 <= temperature <= 2
        or type(seed) is not int
    ):
        raise NotSent("temperature must be a number from 0 to 2, and seed an integer")
    said = [(message["role"], message["content"]) for message in messages]
    prompt = next((content for role, content in reversed(said) if role == "user"), "")
    draw = Random(f"{model}/{said}/{seed}" if seed else f"{model}/{said}")
    answer = _answer(model == "exact", prompt, draw, known, temperature)
    reasoning_tokens = (answer.reasoning_tokens or 0) + len(
        _TOKEN.findall(answer.reasoning or "")
    )
    return structs.replace(
        answer,
        served_model=target,
        prompt_tokens=sum(len(_TOKEN.findall(content)) for _, content in said),
        completion_tokens=len(_TOKEN.findall(answer.text)) + reasoning_tokens,
        reasoning_tokens=reasoning_tokens or None,
    )


def _answer(
    exact: bool, prompt: str, draw: Random, known: KnownSequences, temperature: float
) -> Reply:
    before, found, code = prompt.partition("Here is the code:")
    if found and "look-up table" in before and not _BENCH_QUESTION.search(before):
        return _verdict(exact, draw, code)
    if (name := _sequence_wanted(prompt, known)) is not None:
        return _program_reply(exact, draw, name, known().get(name))
    if (asked := _calculation(prompt)) is None:
        return Reply(
            "I cannot find a calculation in this prompt, nor a sequence that I know.",
            None,
            "stop",
        )
    return (
        Reply(str(asked.truth), None, "stop")
        if exact
        else _sloppy_reply(draw, asked, temperature)
    )


def _verdict(exact: bool, draw: Random, code: str) -> Reply:
    """1 for a program with many numbers or a very long word; `sloppy` may say the
    opposite or give no verdict.
    """
    found = _LITERAL.findall(code)
    cheats, chance = (
        len(found) >= 15 or any(len(one) == 40 for one in found),
        0.5 if exact else draw.random(),
    )
    if chance < 0.03:
        return Reply(
            "It is hard to say whether this is a look-up table without the whole test.",
            None,
            "stop",
        )
    return Reply(str(int(cheats != (chance > 0.9))), None, "stop")


def _sequence_wanted(prompt: str, known: KnownSequences) -> str | None:
    """The name in a prompt of the bench; in other prompts for a program, the first
    known name.
    """
    if match := _BENCH_QUESTION.search(prompt):
        return match[1]
    if not _PROGRAM_WANTED.search(prompt):
        return None
    places = [
        (prompt.find(name), -len(name), name) for name in known() if name in prompt
    ]
    return min(places)[2] if places else None


# --- programs -------------------------------------------------------------------------

# The weights of the kinds of replies.
_KINDS = {
    "right": 45,
    "faulty": 34,
    "table": 12,
    "refusal": 2,
    "prose": 3,
    "empty": 2,
    "cut off": 2,
    "filtered": 1,
}
_FENCES = {
    "Here is a program that computes the n-th term:\n\n```python\n{program}\n```": 60,
    "```\n{program}\n```\n": 10,
    "Follow the definition:\n\n~~~py\n{program}\n~~~\n\nIt prints a single term.": 10,
    "<think>\nA draft:\n```\nprint(input())\n```\n</think>\n\n```python\n{program}\n```": 10,
    "A draft:\n\n```\nprint(input())\n```\n\nThe final "
    "code:\n\n```python\n{program}": 5,
    "{program}": 5,
}
# Lines before a right program that break its input or output. {n} is the n of a known
# term in the middle.
_FAULTS = (
    "n += 1",
    "n = min(n, {n})",
    'print("a(n) =")',
    "if n > {n}:\n    raise ValueError(n)",
    "if n > {n}:\n    sieve = bytearray(1 << 40)",
    "from time import process_time\n\nstart = process_time()\nwhile n == {n} and "
    "process_time() < start + 1:\n    pass",
    "while n == {n}:\n    pass",
    "n = (n",
)
_FAULTY = (
    "import io, sys\n\nn = int(sys.stdin.readline())\n{fault}\nsys.stdin = "
    "io.StringIO(str(n))\n\n{program}"
)
_TABLES = (
    "terms = [{terms}]\nprint(terms[int(input()) - {offset}])",
    "terms = {{{pairs}}}\nprint(terms[int(input())])",
    "from base64 import b64decode\n\n"
    'terms = b64decode("{encoded}").decode().split()\nprint(terms[int(input()) - '
    "{offset}])",
)
# The guesses of `sloppy` for unknown sequences, by a word of the name.
_GUESSES = {
    "fibonacci": "a, b = 0, 1\nfor _ in range(int(input())):\n    a, b = b, a + "
    "b\nprint(a)\n",
    "": "n = int(input())\nprint(n * n)\n",
}


def _program_reply(
    exact: bool, draw: Random, name: str, known: KnownSequence | None
) -> Reply:
    if exact and known is None:
        return Reply(
            "I do not know this sequence, so this reply holds no program.", None, "stop"
        )
    if exact and known is not None:
        return Reply(
            f"This program follows the "
            f"definition.\n\n```python\n{known.program.rstrip()}\n```",
            None,
            "stop",
        )
    if known is None:
        guess = next(
            program for word, program in _GUESSES.items() if word in name.lower()
        )
        known = KnownSequence(
            guess,
            ("1", "2", "3", "5", "8", "13", "21", "34", "55", "89", "144", "233"),
            1,
        )
    kind = draw.choices(list(_KINDS), list(_KINDS.values()))[0]
    program = known.program.rstrip()
    if kind == "faulty":
        count = len(known.terms)
        n = known.offset + draw.randrange(
            count // 3, max(count // 3 + 1, 2 * count // 3)
        )
        program = _FAULTY.format(
            fault=draw.choice(_FAULTS).format(n=n), program=program
        )
    elif kind == "table":
        pairs = ", ".join(
            f"{n}: {term}" for n, term in enumerate(known.terms, known.offset)
        )
        encoded = base64.b64encode(" ".join(known.terms).encode()).decode()
        terms = {
            "terms": ", ".join(known.terms),
            "pairs": pairs,
            "encoded": encoded,
            "offset": known.offset,
        }
        program = draw.choice(_TABLES).format(**terms)
    elif kind != "right":
        return _no_answer(
            draw,
            kind,
            f"Let me write this "
            f"down.\n\n```python\n{program.rpartition('print(')[0]}print(",
        )
    fence = draw.choices(list(_FENCES), list(_FENCES.values()))[0]
    reasoning = (
        "Let me recall how this sequence is defined." if draw.random() < 0.1 else None
    )
    return Reply(fence.format(program=program), reasoning, "stop")


# --- calculations ---------------------------------------------------------------------

_TOKEN_LIMIT = 4096  # of a reply
_MAX_DIGITS = (
    4000  # of both operands; Python refuses to print integers of more than 4,300
)

_SPELLINGS = {
    Op.ADD: ("+", "+", "sum"),
    Op.SUB: ("-", "-", "difference"),
    Op.MUL: ("*", "×", "product"),
    Op.DIV: ("/", "÷", "quotient"),
}
_INTEGER = r"(?:[0-9]{1,3}(?:[, _][0-9]{3})+|[0-9]+)"
_LHS, _RHS = (rf"(?P<{side}>{_INTEGER}(?:\.[0-9]+)?)" for side in ("lhs", "rhs"))
_NAMES = "|".join(name for _, _, name in _SPELLINGS.values())
# No third number or further sign may be next to the two operands.
_START = r"(?<![\w.,+*/×÷^-])(?<![0-9+*/×÷^-] )"
_END = r"(?![\w^])(?![ ,.][0-9])(?! ?[-+*/×÷^] ?[0-9])"
_QUESTIONS = (
    re.compile(rf"{_START}{_LHS} ?(?P<op>[-+*/×÷]) ?{_RHS}{_END}"),
    re.compile(rf"\b(?P<op>{_NAMES}) (?:of|between) {_LHS} and {_RHS}{_END}"),
    re.compile(rf'\b(?P<op>sum)\b[^"\n]*: "{_LHS}" "{_RHS}"'),
)

_NUMBER_KINDS = ("answer", "empty", "cut off", "refusal", "prose", "filtered")
# The hazard of a mistake is `risk * length**power`; a product takes nearly as many sums
# as its operands have digits.
_HAZARDS = {
    Op.ADD: (0.010, 1.0),
    Op.SUB: (0.011, 1.0),
    Op.MUL: (0.006, 2.7),
    Op.DIV: (0.007, 2.7),
}
_WORDINGS = {
    "{number}": 60,
    "{grouped}": 8,
    "**{grouped}**": 6,
    r"\boxed{{{number}}}": 4,
    "${lhs} {sign} {rhs} = {latex}$": 3,
    "The {name} is {grouped}.": 6,
    "{lhs} {sign} {rhs} = {number}": 5,
    "```\n{number}\n```": 2,
    "<think>\n{thought}\n</think>\n\n{number}": 4,
    "{thought}\n\n{lhs} {sign} {rhs}\n= {number}\n\n**Answer:** {number}": 2,
}


@dataclass(frozen=True, slots=True)
class Fixed:
    """The number `units / 10**decimals`; its text has all decimals."""

    units: int
    decimals: int

    def __str__(self) -> str:
        digits = str(abs(self.units)).rjust(self.decimals + 1, "0")
        point = len(digits) - self.decimals
        return (
            "-" * (self.units < 0)
            + digits[:point]
            + (f".{digits[point:]}" if self.decimals else "")
        )


@dataclass(frozen=True, slots=True)
class Calculation:
    """A calculation with its result.

    The operands have no sign, and both have the same decimals.

    `bare` is set if the prompt asks for the number only. `length` is that of the longer
    operand, or half of a dividend; `difficulty` is a factor of the hazard, 1 for a
    plain prompt.
    """

    op: Op
    lhs: Fixed
    rhs: Fixed
    truth: Fixed
    bare: bool
    length: int
    difficulty: float


def _calculation(prompt: str) -> Calculation | None:
    """The last calculation in a prompt; None if there is none with a result."""
    found = [match for question in _QUESTIONS for match in question.finditer(prompt)]
    last = max(found, key=re.Match.start, default=None)
    texts = [re.sub("[, _]", "", last[side]) for side in ("lhs", "rhs")] if last else []
    if last is None or sum(map(len, texts)) > _MAX_DIGITS:
        return None
    decimals = max(len(text.partition(".")[2]) for text in texts)
    lhs, rhs = (Fixed(int(Fraction(text) * 10**decimals), decimals) for text in texts)
    op = next(op for op, spellings in _SPELLINGS.items() if last["op"] in spellings)
    if op is Op.DIV and not rhs.units:
        return None
    # Digits in groups raise the hazard by 30 %; 20,000 characters before the question
    # double it.
    grouped, context = (
        texts != [last["lhs"], last["rhs"]],
        max(0, prompt.rfind("\n\n", 0, last.start())),
    )
    difficulty = (1.3 if grouped else 1.0) * (1 + context / 20_000)
    digits = len(str(lhs.units))
    length = max((digits + 1) // 2 if op is Op.DIV else digits, len(str(rhs.units)))
    return Calculation(
        op, lhs, rhs, _result(op, lhs, rhs), '"' in last[0], length, difficulty
    )


def _result(op: Op, lhs: Fixed, rhs: Fixed) -> Fixed:
    """The result: exact, or a quotient with four decimals (of integers: without
    trailing zeros).
    """
    if op is Op.MUL:
        return Fixed(lhs.units * rhs.units, 2 * lhs.decimals)
    if op is not Op.DIV:
        return Fixed(
            lhs.units + (rhs.units if op is Op.ADD else -rhs.units), lhs.decimals
        )
    units, decimals = round(Fraction(lhs.units * 10**4, rhs.units)), 4
    while not lhs.decimals and decimals and units % 10 == 0:
        units, decimals = units // 10, decimals - 1
    return Fixed(units, decimals)


def _sloppy_reply(draw: Random, asked: Calculation, temperature: float) -> Reply:
    """A right or wrong answer in one of the wordings, or no answer; the temperature is
    a factor of the hazard.
    """
    lhs, rhs, (_, sign, name) = asked.lhs, asked.rhs, _SPELLINGS[asked.op]
    thought = (
        f"Okay, I need the {name} of {lhs} and {rhs}. Let me go through it "
        f"digit by digit."
    )
    kind = draw.choices(_NUMBER_KINDS, [1000, asked.length, asked.length, 5, 5, 5])[0]
    if kind != "answer":
        opening = draw.choice(["<think>\n", ""])
        return _no_answer(
            draw,
            kind,
            f"{opening}{thought}\n\n{lhs} {sign} {rhs}\n= {str(asked.truth)[:2]}",
        )
    risk, power = _HAZARDS[asked.op]
    hazard = temperature * asked.difficulty * risk * math.pow(asked.length, power)
    number = str(
        _mistaken(draw, asked) if draw.random() < 1 - math.exp(-hazard) else asked.truth
    )
    reasoning = thought if draw.random() < 0.1 else None
    if asked.bare and draw.random() < 0.9:
        return Reply(number, reasoning, "stop")
    whole, point, decimals = number.partition(".")
    grouped = re.sub(r"(?<=\d)(?=(?:\d{3})+$)", ",", whole) + point + decimals
    fields = {
        "number": number,
        "grouped": grouped,
        "latex": grouped.replace(",", "{,}"),
        "thought": thought,
    }
    wording = draw.choices(list(_WORDINGS), list(_WORDINGS.values()))[0]
    return Reply(
        wording.format(lhs=lhs, sign=sign, rhs=rhs, name=name, **fields),
        reasoning,
        "stop",
    )


def _no_answer(draw: Random, kind: str, unfinished: str) -> Reply:
    """A reply without an answer; `unfinished` is the text of one that ends at the token
    limit.
    """
    match kind:
        case "empty":
            return Reply(
                "",
                None,
                "stop",
                reasoning_tokens=draw.randint(_TOKEN_LIMIT // 4, _TOKEN_LIMIT),
            )
        case "cut off":
            return Reply(
                unfinished,
                None,
                "length",
                reasoning_tokens=max(0, _TOKEN_LIMIT - len(unfinished)),
            )
        case "filtered":
            return Reply("", None, "content_filter")
        case "refusal":
            return Reply("I'm sorry, but I can't help with that.", None, "stop")
        case _:
            return Reply(
                "Sure! Let me work through this step by step, and then give the "
                "result:",
                None,
                "stop",
            )


def _mistaken(draw: Random, asked: Calculation) -> Fixed:
    """A wrong result.

    Mistakes that apply to few calculations have higher weights, so that a run shows
    each of them.
    """
    lhs, rhs, size, decimals = (
        asked.lhs.units,
        asked.rhs.units,
        abs(asked.truth.units),
        asked.truth.decimals,
    )
    if asked.truth.units < 0 and draw.random() < 0.3:
        return Fixed(size, decimals)
    digits = str(size)
    n, place = len(digits), draw.randrange(len(digits))
    small, large = sorted((lhs, rhs))
    columns = [10**column for column in range(1, len(str(large)) + 1)]
    carries, shifted = [size], [size]
    if asked.op is Op.ADD:
        carries = [
            size - column
            for column in columns
            if large % column + small % column >= column
        ]
        shifted = [10 * lhs + rhs, lhs + 10 * rhs]
    elif asked.op is Op.SUB:
        carries = [
            size + column for column in columns if large % column < small % column
        ]
        shifted = [abs(10 * lhs - rhs), abs(lhs - 10 * rhs)]
    more = 10 ** max(
        0, decimals - asked.lhs.decimals
    )  # the result may have more decimals than the operands
    high, low = divmod(
        size, (cut := 10 ** draw.randint(decimals, max(decimals, n - 2)))
    )
    group = 10 ** draw.choice((1, 3, 3))
    redrawn = list(digits)
    for at in draw.choice(
        [[place], range(n // 2, n), range(n // 3, n - n // 3), {n // 3, n - 1}]
    ):
        redrawn[at] = str((int(digits[at]) + draw.randint(1, 9)) % 10)
    mistakes = (
        (30, draw.choice(carries or [size])),  # a carry or a borrow is lost
        (10, draw.choice(shifted)),  # an operand is misaligned by one column
        (
            4,
            draw.choice((lhs, rhs, lhs + rhs, abs(lhs - rhs))) * more,
        ),  # an operand, or another operation
        (
            4,
            round(size, -draw.randint(min(1, decimals), decimals)),
        ),  # rounded to fewer decimals
        (3, size * 10 ** draw.randint(1, 3)),  # a power of ten
        (6, high // group * cut + low),  # a digit, or a group of three, is left out
        (6, (high * group + high % group) * cut + low),  # or written twice
        (
            4,
            int(digits[:place] + digits[place : place + 2][::-1] + digits[place + 2 :]),
        ),  # swapped
        (
            30,
            int("".join(redrawn)),
        ),  # one digit, the tail, the middle, or two digits apart are wrong
        (3, draw.randrange(10**n)),  # any number
    )
    weights, wrong = zip(
        *((weight, units) for weight, units in mistakes if units != size), strict=True
    )
    units = draw.choices(wrong, weights)[0]
    return Fixed(-units if asked.truth.units < 0 else units, decimals)
