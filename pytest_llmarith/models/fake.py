"""The fake models `llmarith/exact` and `llmarith/sloppy`, for runs without a key or network access.

They reply to the prompt alone. `exact` is always right. `sloppy` imitates the mistakes, wordings and missing answers of
language models; its reply is a function of the messages, the temperature and the seed.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from pytest_llmarith.models.fake_numbers import calculation, no_answer, sloppy_reply
from pytest_llmarith.models.provider_errors import UnknownModel
from pytest_llmarith.types import Reply

NAMES = ("exact", "sloppy")

_TOKEN = re.compile(r"\d{1,3}|[^\W\d_]{1,6}|[^\w\s]|_")
_BENCH_QUESTION = re.compile(r"^Name: (.*)\nComments: ", re.MULTILINE)
_PROGRAM_WANTED = re.compile(r"\b(?:code|function|program|python|script)", re.IGNORECASE)
_LITERAL = re.compile(r"(?<![\w.])\d+|[\w+/=]{40}")


class KnownSequence(NamedTuple):
    """A sequence that the fake models know: a program that reads n from stdin, and its terms from n = `offset`."""

    program: str
    terms: tuple[str, ...]
    offset: int


KnownSequences = Callable[[], Mapping[str, KnownSequence]]


def starter_sequences(folder: Path) -> Mapping[str, KnownSequence]:
    """The starter set of an OEIS cache by sequence name; empty if it cannot be read."""
    from pytest_llmarith.oeis.cache import STARTER, Cache

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
    model: str,
    messages: Sequence[Mapping[str, str]],
    known: KnownSequences = dict,
    temperature: float = 1,
    seed: int = 0,
) -> Reply:
    """The reply of a fake model to the last user message. `known` is called only if the prompt may want a program.

    Raises UnknownModel.
    """
    if model not in NAMES:
        raise UnknownModel(f"unknown fake model; write llmarith/{' or llmarith/'.join(NAMES)}")
    said = [(message["role"], message["content"]) for message in messages]
    prompt = next((content for role, content in reversed(said) if role == "user"), "")
    draw = Random(f"{model}/{said}/{seed}" if seed else f"{model}/{said}")
    answer = _answer(model == "exact", prompt, draw, known, temperature)
    reasoning_tokens = (answer.reasoning_tokens or 0) + len(_TOKEN.findall(answer.reasoning or ""))
    return replace(
        answer,
        prompt_tokens=sum(len(_TOKEN.findall(content)) for _, content in said),
        completion_tokens=len(_TOKEN.findall(answer.text)) + reasoning_tokens,
        reasoning_tokens=reasoning_tokens or None,
    )


def _answer(exact: bool, prompt: str, draw: Random, known: KnownSequences, temperature: float) -> Reply:
    before, found, code = prompt.partition("Here is the code:")
    if found and "look-up table" in before and not _BENCH_QUESTION.search(before):
        return _verdict(exact, draw, code)
    if (name := _sequence_wanted(prompt, known)) is not None:
        return _program_reply(exact, draw, name, known().get(name))
    if (asked := calculation(prompt)) is None:
        return Reply("I cannot find a calculation in this prompt, nor a sequence that I know.", None, "stop")
    return Reply(str(asked.truth), None, "stop") if exact else sloppy_reply(draw, asked, temperature)


def _verdict(exact: bool, draw: Random, code: str) -> Reply:
    """1 for a program with many numbers or a very long word; `sloppy` may say the opposite or give no verdict."""
    found = _LITERAL.findall(code)
    cheats, chance = len(found) >= 15 or any(len(one) == 40 for one in found), 0.5 if exact else draw.random()
    if chance < 0.03:
        return Reply("It is hard to say whether this is a look-up table without the whole test.", None, "stop")
    return Reply(str(int(cheats != (chance > 0.9))), None, "stop")


def _sequence_wanted(prompt: str, known: KnownSequences) -> str | None:
    """The name in a prompt of the bench; in other prompts for a program, the first known name."""
    if match := _BENCH_QUESTION.search(prompt):
        return match[1]
    if not _PROGRAM_WANTED.search(prompt):
        return None
    places = [(prompt.find(name), -len(name), name) for name in known() if name in prompt]
    return min(places)[2] if places else None


# The weights of the kinds of replies.
_KINDS = {"right": 45, "faulty": 34, "table": 12, "refusal": 2, "prose": 3, "empty": 2, "cut off": 2, "filtered": 1}
_FENCES = {
    "Here is a program that computes the n-th term:\n\n```python\n{program}\n```": 60,
    "```\n{program}\n```\n": 10,
    "Follow the definition:\n\n~~~py\n{program}\n~~~\n\nIt prints a single term.": 10,
    "<think>\nA draft:\n```\nprint(input())\n```\n</think>\n\n```python\n{program}\n```": 10,
    "A draft:\n\n```\nprint(input())\n```\n\nThe final code:\n\n```python\n{program}": 5,
    "{program}": 5,
}
# Lines before a right program that break its input or output. {n} is the n of a known term in the middle.
_FAULTS = (
    "n += 1",
    "n = min(n, {n})",
    'print("a(n) =")',
    "if n > {n}:\n    raise ValueError(n)",
    "if n > {n}:\n    sieve = bytearray(1 << 40)",
    "from time import process_time\n\nstart = process_time()\nwhile n == {n} and process_time() < start + 1:\n    pass",
    "while n == {n}:\n    pass",
    "n = (n",
)
_FAULTY = "import io, sys\n\nn = int(sys.stdin.readline())\n{fault}\nsys.stdin = io.StringIO(str(n))\n\n{program}"
_TABLES = (
    "terms = [{terms}]\nprint(terms[int(input()) - {offset}])",
    "terms = {{{pairs}}}\nprint(terms[int(input())])",
    "from base64 import b64decode\n\n"
    'terms = b64decode("{encoded}").decode().split()\nprint(terms[int(input()) - {offset}])',
)
# The guesses of `sloppy` for unknown sequences, by a word of the name.
_GUESSES = {
    "fibonacci": "a, b = 0, 1\nfor _ in range(int(input())):\n    a, b = b, a + b\nprint(a)\n",
    "": "n = int(input())\nprint(n * n)\n",
}


def _program_reply(exact: bool, draw: Random, name: str, known: KnownSequence | None) -> Reply:
    if exact and known is None:
        return Reply("I do not know this sequence, so this reply holds no program.", None, "stop")
    if exact and known is not None:
        return Reply(f"This program follows the definition.\n\n```python\n{known.program.rstrip()}\n```", None, "stop")
    if known is None:
        guess = next(program for word, program in _GUESSES.items() if word in name.lower())
        known = KnownSequence(guess, ("1", "2", "3", "5", "8", "13", "21", "34", "55", "89", "144", "233"), 1)
    kind = draw.choices(list(_KINDS), list(_KINDS.values()))[0]
    program = known.program.rstrip()
    if kind == "faulty":
        count = len(known.terms)
        n = known.offset + draw.randrange(count // 3, max(count // 3 + 1, 2 * count // 3))
        program = _FAULTY.format(fault=draw.choice(_FAULTS).format(n=n), program=program)
    elif kind == "table":
        pairs = ", ".join(f"{n}: {term}" for n, term in enumerate(known.terms, known.offset))
        encoded = base64.b64encode(" ".join(known.terms).encode()).decode()
        terms = {"terms": ", ".join(known.terms), "pairs": pairs, "encoded": encoded, "offset": known.offset}
        program = draw.choice(_TABLES).format(**terms)
    elif kind != "right":
        return no_answer(draw, kind, f"Let me write this down.\n\n```python\n{program.rpartition('print(')[0]}print(")
    fence = draw.choices(list(_FENCES), list(_FENCES.values()))[0]
    reasoning = "Let me recall how this sequence is defined." if draw.random() < 0.1 else None
    return Reply(fence.format(program=program), reasoning, "stop")


def complete(
    target: str, messages: Sequence[Mapping[str, str]], params: Mapping[str, Any], known: KnownSequences
) -> Reply:
    """The reply of the fake model `target`; it supports the parameters temperature and seed."""
    temperature, seed = params.get("temperature", 1), params.get("seed", 0)
    if type(temperature) not in (int, float) or not 0 <= temperature <= 2 or type(seed) is not int:
        raise UnknownModel("temperature must be a number from 0 to 2, and seed an integer")
    model = target.partition("/")[2]
    return replace(reply(model, messages, known, temperature, seed), served_model=target)
