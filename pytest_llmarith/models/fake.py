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
    known = {}
    try:
        for one in cache.sequences(STARTER):
            program = cache.starter_program(one.number)
            if program:
                known[one.name] = KnownSequence(program, one.terms, one.offset)
    except (OSError, ValueError):
        return {}
    return known


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
    model = target.partition("/")[2]
    temperature, seed = params.get("temperature", 1), params.get("seed", 0)
    if model not in NAMES:
        raise NotSent(
            f"unknown fake model; write llmarith/{' or llmarith/'.join(NAMES)}"
        )
    is_number = type(temperature) in (int, float)
    if not is_number or not 0 <= temperature <= 2 or type(seed) is not int:
        raise NotSent("temperature must be a number from 0 to 2, and seed an integer")
    said = [(message["role"], message["content"]) for message in messages]
    prompt = ""
    prompt_tokens = 0
    for role, content in said:
        prompt_tokens += _tokens_of(content)
        if role == "user":
            prompt = content
    drawn_from = f"{model}/{said}"
    if seed:
        drawn_from += f"/{seed}"
    draw = Random(drawn_from)
    answer = _answer(model == "exact", prompt, draw, known, temperature)
    reasoning_tokens = (answer.reasoning_tokens or 0) + _tokens_of(answer.reasoning)
    return structs.replace(
        answer,
        served_model=target,
        prompt_tokens=prompt_tokens,
        completion_tokens=_tokens_of(answer.text) + reasoning_tokens,
        reasoning_tokens=reasoning_tokens or None,
    )


def _tokens_of(text: str | None) -> int:
    return len(_TOKEN.findall(text or ""))


def _answer(
    exact: bool, prompt: str, draw: Random, known: KnownSequences, temperature: float
) -> Reply:
    before, found, code = prompt.partition("Here is the code:")
    if found and "look-up table" in before and not _BENCH_QUESTION.search(before):
        return _verdict(exact, draw, code)
    name = _sequence_wanted(prompt, known)
    if name is not None:
        return _program_reply(exact, draw, name, known().get(name))
    asked = _calculation(prompt)
    if asked is None:
        return Reply(
            "I cannot find a calculation in this prompt, nor a sequence that I know.",
            None,
            "stop",
        )
    if exact:
        return Reply(str(asked.truth), None, "stop")
    return _sloppy_reply(draw, asked, temperature)


def _verdict(exact: bool, draw: Random, code: str) -> Reply:
    """1 for a program with many numbers or a very long word; `sloppy` may say the
    opposite or give no verdict.
    """
    found = _LITERAL.findall(code)
    cheats = len(found) >= 15 or any(len(one) == 40 for one in found)
    chance = 0.5 if exact else draw.random()
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
    match = _BENCH_QUESTION.search(prompt)
    if match is not None:
        return match[1]
    if not _PROGRAM_WANTED.search(prompt):
        return None
    names = [name for name in known() if name in prompt]
    # Of two names at one place, the longer one.
    return min(names, key=lambda name: (prompt.find(name), -len(name)), default=None)


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
# The guesses of `sloppy` for unknown sequences.
_FIBONACCI = (
    "a, b = 0, 1\nfor _ in range(int(input())):\n    a, b = b, a + b\nprint(a)\n"
)
_SQUARES = "n = int(input())\nprint(n * n)\n"


def _program_reply(
    exact: bool, draw: Random, name: str, known: KnownSequence | None
) -> Reply:
    if exact:
        text = "I do not know this sequence, so this reply holds no program."
        if known is not None:
            program = known.program.rstrip()
            text = f"This program follows the definition.\n\n```python\n{program}\n```"
        return Reply(text, None, "stop")
    if known is None:
        is_fibonacci = "fibonacci" in name.lower()
        known = KnownSequence(
            _FIBONACCI if is_fibonacci else _SQUARES,
            ("1", "2", "3", "5", "8", "13", "21", "34", "55", "89", "144", "233"),
            1,
        )
    kind = draw.choices(list(_KINDS), list(_KINDS.values()))[0]
    program = known.program.rstrip()
    if kind == "faulty":
        third = len(known.terms) // 3
        two_thirds = 2 * len(known.terms) // 3
        n = known.offset + draw.randrange(third, max(third + 1, two_thirds))
        fault = draw.choice(_FAULTS).format(n=n)
        program = _FAULTY.format(fault=fault, program=program)
    elif kind == "table":
        pairs = enumerate(known.terms, known.offset)
        program = draw.choice(_TABLES).format(
            terms=", ".join(known.terms),
            pairs=", ".join(f"{n}: {term}" for n, term in pairs),
            encoded=base64.b64encode(" ".join(known.terms).encode()).decode(),
            offset=known.offset,
        )
    elif kind != "right":
        begun = f"{program.rpartition('print(')[0]}print("
        text = f"Let me write this down.\n\n```python\n{begun}"
        return _no_answer(draw, kind, text)
    fence = draw.choices(list(_FENCES), list(_FENCES.values()))[0]
    reasoning = None
    if draw.random() < 0.1:
        reasoning = "Let me recall how this sequence is defined."
    return Reply(fence.format(program=program), reasoning, "stop")


# --- calculations ---------------------------------------------------------------------

_TOKEN_LIMIT = 4096  # of a reply
_MAX_DIGITS = 4000  # of both operands; Python prints no integers of more than 4,300

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
        text = digits[:point]
        if self.decimals:
            text += f".{digits[point:]}"
        if self.units < 0:
            text = f"-{text}"
        return text


@dataclass(frozen=True, slots=True)
class Exercise:
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


def _calculation(prompt: str) -> Exercise | None:
    """The last calculation in a prompt; None if there is none with a result."""
    found: list[re.Match[str]] = []
    for question in _QUESTIONS:
        found += question.finditer(prompt)
    if not found:
        return None
    last = max(found, key=re.Match.start)
    texts = [re.sub("[, _]", "", last[side]) for side in ("lhs", "rhs")]
    if sum(map(len, texts)) > _MAX_DIGITS:
        return None
    decimals = max(len(text.partition(".")[2]) for text in texts)
    lhs, rhs = (Fixed(int(Fraction(text) * 10**decimals), decimals) for text in texts)
    op = next(op for op, spellings in _SPELLINGS.items() if last["op"] in spellings)
    if op is Op.DIV and not rhs.units:
        return None
    # Digits in groups raise the hazard by 30 %; 20,000 characters before the question
    # double it.
    is_grouped = texts != [last["lhs"], last["rhs"]]
    context = max(0, prompt.rfind("\n\n", 0, last.start()))
    difficulty = (1.3 if is_grouped else 1.0) * (1 + context / 20_000)
    length = len(str(lhs.units))
    if op is Op.DIV:
        length = (length + 1) // 2
    length = max(length, len(str(rhs.units)))
    truth, is_bare = _result(op, lhs, rhs), '"' in last[0]
    return Exercise(op, lhs, rhs, truth, is_bare, length, difficulty)


def _result(op: Op, lhs: Fixed, rhs: Fixed) -> Fixed:
    """The result: exact, or a quotient with four decimals (of integers: without
    trailing zeros).
    """
    if op is Op.ADD:
        return Fixed(lhs.units + rhs.units, lhs.decimals)
    if op is Op.SUB:
        return Fixed(lhs.units - rhs.units, lhs.decimals)
    if op is Op.MUL:
        return Fixed(lhs.units * rhs.units, 2 * lhs.decimals)
    units, decimals = round(Fraction(lhs.units * 10**4, rhs.units)), 4
    while not lhs.decimals and decimals and units % 10 == 0:
        units, decimals = units // 10, decimals - 1
    return Fixed(units, decimals)


def _sloppy_reply(draw: Random, asked: Exercise, temperature: float) -> Reply:
    """A right or wrong answer in one of the wordings, or no answer; the temperature is
    a factor of the hazard.
    """
    lhs, rhs = asked.lhs, asked.rhs
    _, sign, name = _SPELLINGS[asked.op]
    thought = (
        f"Okay, I need the {name} of {lhs} and {rhs}. Let me go through it "
        f"digit by digit."
    )
    kind = draw.choices(_NUMBER_KINDS, [1000, asked.length, asked.length, 5, 5, 5])[0]
    if kind != "answer":
        opening = draw.choice(["<think>\n", ""])
        begun = f"{lhs} {sign} {rhs}\n= {str(asked.truth)[:2]}"
        return _no_answer(draw, kind, f"{opening}{thought}\n\n{begun}")
    risk, power = _HAZARDS[asked.op]
    hazard = temperature * asked.difficulty * risk * math.pow(asked.length, power)
    result = asked.truth
    if draw.random() < 1 - math.exp(-hazard):
        result = _mistaken(draw, asked)
    number = str(result)
    reasoning = thought if draw.random() < 0.1 else None
    if asked.bare and draw.random() < 0.9:
        return Reply(number, reasoning, "stop")
    whole, point, decimals = number.partition(".")
    grouped = re.sub(r"(?<=\d)(?=(?:\d{3})+$)", ",", whole) + point + decimals
    wording = draw.choices(list(_WORDINGS), list(_WORDINGS.values()))[0]
    text = wording.format(
        lhs=lhs,
        sign=sign,
        rhs=rhs,
        name=name,
        number=number,
        grouped=grouped,
        latex=grouped.replace(",", "{,}"),
        thought=thought,
    )
    return Reply(text, reasoning, "stop")


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


def _mistaken(draw: Random, asked: Exercise) -> Fixed:
    """A wrong result.

    Mistakes that apply to few calculations have higher weights, so that a run shows
    each of them.
    """
    lhs, rhs = asked.lhs.units, asked.rhs.units
    size, decimals = abs(asked.truth.units), asked.truth.decimals
    if asked.truth.units < 0 and draw.random() < 0.3:
        return Fixed(size, decimals)
    digits = str(size)
    n, place = len(digits), draw.randrange(len(digits))
    small, large = sorted((lhs, rhs))
    columns = [10**column for column in range(1, len(str(large)) + 1)]
    carries, shifted = [], [size]
    if asked.op is Op.ADD:
        for column in columns:
            if large % column + small % column >= column:
                carries.append(size - column)
        shifted = [10 * lhs + rhs, lhs + 10 * rhs]
    elif asked.op is Op.SUB:
        for column in columns:
            if large % column < small % column:
                carries.append(size + column)
        shifted = [abs(10 * lhs - rhs), abs(lhs - 10 * rhs)]
    # The result may have more decimals than the operands.
    more = 10 ** max(0, decimals - asked.lhs.decimals)
    cut = 10 ** draw.randint(decimals, max(decimals, n - 2))
    high, low = divmod(size, cut)
    group = 10 ** draw.choice((1, 3, 3))
    redrawn = list(digits)
    tail, middle, apart = range(n // 2, n), range(n // 3, n - n // 3), {n // 3, n - 1}
    for at in draw.choice([[place], tail, middle, apart]):
        redrawn[at] = str((int(digits[at]) + draw.randint(1, 9)) % 10)
    after = digits[place + 2 :]
    swapped = digits[:place] + digits[place : place + 2][::-1] + after
    operands = (lhs, rhs, lhs + rhs, abs(lhs - rhs))
    mistakes = (
        # A carry or a borrow is lost.
        (30, draw.choice(carries or [size])),
        # An operand is misaligned by one column.
        (10, draw.choice(shifted)),
        # An operand, or another operation.
        (4, draw.choice(operands) * more),
        # Rounded to fewer decimals.
        (4, round(size, -draw.randint(min(1, decimals), decimals))),
        # A power of ten.
        (3, size * 10 ** draw.randint(1, 3)),
        # A digit, or a group of three, is left out, or written twice.
        (6, high // group * cut + low),
        (6, (high * group + high % group) * cut + low),
        # Two digits are swapped.
        (4, int(swapped)),
        # One digit, the tail, the middle, or two digits apart are wrong.
        (30, int("".join(redrawn))),
        # Any number.
        (3, draw.randrange(10**n)),
    )
    weights, wrong = [], []
    for weight, units in mistakes:
        if units != size:
            weights.append(weight)
            wrong.append(units)
    units = draw.choices(wrong, weights)[0]
    if asked.truth.units < 0:
        units = -units
    return Fixed(units, decimals)
