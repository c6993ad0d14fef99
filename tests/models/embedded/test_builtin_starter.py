"""The sloppy model on the starter set: every outcome comes up, and none of them costs much time."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest

from pytest_llmarith.models.embedded import builtin
from pytest_llmarith.models.embedded.builtin import BuiltinReply
from pytest_llmarith.models.embedded.programming import Memory
from pytest_llmarith.models.embedded.programming.anatomy import anatomy
from pytest_llmarith.tasks.small_talk import small_talk
from tests.models.embedded.programming.specimens import program_prompt

STARTER = Path(__file__).parents[3] / "oeis_cache" / "starter"
HARD_LIMIT_S = 4.0

pytestmark = pytest.mark.skipif(not STARTER.is_dir(), reason="the starter set is not part of this copy")


@cache
def starter() -> dict[str, tuple[Memory, str]]:
    """What is remembered of each sequence by name, and its comments."""
    entries = {path: json.loads(path.read_text())[0] for path in sorted(STARTER.glob("*.json"))}
    return {
        entry["name"]: (
            Memory(
                path.with_suffix(".py").read_text(), tuple(entry["data"].split(",")), int(entry["offset"].split(",")[0])
            ),
            "\n\n".join(entry["comment"]),
        )
        for path, entry in entries.items()
    }


@cache
def replies() -> list[BuiltinReply]:
    remembered = {name: memory for name, (memory, _) in starter().items()}
    prompts = [program_prompt(name, comments) for name, (_, comments) in starter().items()]
    return [builtin.reply("sloppy", [{"role": "user", "content": prompt}], lambda: remembered) for prompt in prompts]


TEMPLATES = {
    "a sentence": "Write a Python program that reads n and prints the n-th term of this sequence: {name}",
    "with comments": "{name}\n\n{comments}\n\nReply with code that reads n from stdin, and nothing else.",
    "comments first": "What is known: {comments}\nIts name: {name} Give a short script, 10 + 10 lines at most.",
    "our own, and more": program_prompt("{name}", "{comments}") + "Think step by step.",
}


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("before", ["", f"{small_talk('1k', 'seed')}\n\n"], ids=["", "small talk"])
def test_a_sequence_is_known_in_other_words(template: str, before: str) -> None:
    """In a template that names it and wants a program, after small talk too, every question is answered rightly."""
    remembered = {name: memory for name, (memory, _) in starter().items()}
    for name, (memory, comments) in starter().items():
        prompt = before + TEMPLATES[template].replace("{name}", name).replace("{comments}", comments)
        said = builtin.reply("exact", [{"role": "user", "content": prompt}], lambda: remembered)
        assert said.text.endswith(f"```python\n{memory.program.rstrip()}\n```"), prompt


def count(pattern: str) -> int:
    return sum(bool(re.search(pattern, said.text, re.MULTILINE)) for said in replies())


def test_the_programs_are_understood() -> None:
    """Every reference program is built so that something can go wrong in it."""
    assert [name for name, (memory, _) in starter().items() if not anatomy(memory.program)] == []


def test_reference_programs_are_the_rule() -> None:
    """A third or so of the replies hold the reference program as it is."""
    texts = [said.text.replace("\r\n", "\n") for said in replies()]
    right = [memory.program.rstrip() in text for text, (memory, _) in zip(texts, starter().values(), strict=True)]
    assert 0.2 < sum(right) / len(right) < 0.6


@pytest.mark.parametrize(
    ("kind", "pattern", "least"),
    [
        ("lookup table", r"^terms = |^known = |^BLOB = |^packed = |^elif n == |^    case ", 4),
        ("late", r"process_time\(\) <", 2),
        ("endless", r"while n == -?\d+:", 1),
        ("crash", r"raise ValueError|def steps|print\((anwser|resutl)\)", 3),
        ("exit status", r"SystemExit\(3\)", 1),
        ("memory", r"bytearray\(1 << 40\)", 1),
        ("no program", r"\A[^`~(]*\Z", 4),
    ],
)
def test_every_outcome_comes_up(kind: str, pattern: str, least: int) -> None:
    """Every kind of outcome comes up often enough to be seen in a summary."""
    assert count(pattern) >= least, kind


def test_what_it_costs() -> None:
    """What the replies add to the reference programs' own time is seconds, not minutes."""
    late = re.compile(r"process_time\(\) \+ ([\d.]+)[\s\S]*? in \[(.*?)\]")
    found = [match for said in replies() if (match := late.search(said.text))]
    late_s = sum(float(seconds) * len(inputs.split(",")) for seconds, inputs in (match.groups() for match in found))
    assert late_s + HARD_LIMIT_S * count(r"while n == -?\d+:") < 30
