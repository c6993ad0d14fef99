"""What the embedded models reply where a program is asked for, or a verdict on one."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from functools import cache
from random import Random

import pytest

from pytest_llmarith.models.embedded import builtin
from pytest_llmarith.models.embedded.builtin import NAMES, BuiltinReply
from pytest_llmarith.models.embedded.programming import Memory
from pytest_llmarith.models.embedded.programming.cribs import CRIBS
from tests.models.embedded.programming.specimens import MEMORIES, PELL, program_prompt, verdict_prompt


def ask(target: str, prompt: str, remembered: Mapping[str, Memory] = MEMORIES) -> BuiltinReply:
    return builtin.reply(target, [{"role": "user", "content": prompt}], lambda: remembered)


def forbidden() -> Mapping[str, Memory]:
    raise AssertionError("nobody asked for a program")


@cache
def sloppy_replies(known: bool) -> list[BuiltinReply]:
    """Many replies of the sloppy model, to sequences that it remembers or to others."""
    names = [f"Sequence {number}" for number in range(1500)]
    remembered = dict.fromkeys(names, PELL) if known else {}
    return [ask("sloppy", program_prompt(name), remembered) for name in names]


@pytest.mark.parametrize("name", MEMORIES)
def test_exact_answers_with_the_reference_program(name: str) -> None:
    """The exact model ends its short reply with the reference program in a fence."""
    said = ask("exact", program_prompt(name, "Name: something else\nComments: ```"))
    assert said.text.endswith(f"\n\n```python\n{MEMORIES[name].program}```")
    assert said.text.count("```") == 2
    assert said.finish_reason == "stop"


@pytest.mark.parametrize(
    "name", ["Lucas numbers", "pell numbers", "", "Pell numbers\n", "Pell numbers\nComments: Pell"]
)
def test_exact_says_what_it_does_not_know(name: str) -> None:
    """Asked for a sequence that it does not know, the exact model says so, in words that do not compile."""
    said = ask("exact", program_prompt(name), {"Lucas": PELL})
    assert "do not remember" in said.text
    assert "```" not in said.text
    with pytest.raises(SyntaxError):
        compile(said.text, "<reply>", "exec")


@pytest.mark.parametrize("target", NAMES)
@pytest.mark.parametrize("prompt", ["12 + 5", verdict_prompt("print(1)"), "Name: Pell numbers\nComments: ", ""])
def test_memory_is_asked_only_for_programs(target: str, prompt: str) -> None:
    """What is remembered may cost something to look up."""
    assert builtin.reply(target, [{"role": "user", "content": prompt}], forbidden).text


@pytest.mark.parametrize("target", NAMES)
def test_nothing_is_remembered_by_default(target: str) -> None:
    """A model that was handed nothing replies all the same."""
    messages = [{"role": "user", "content": program_prompt("Pell numbers")}]
    assert builtin.reply(target, messages) == ask(target, messages[0]["content"], {})


def test_sloppy_repeats_itself() -> None:
    """The same question gets the same reply, in another process too."""
    prompt = program_prompt("Lucas numbers")
    asked = f"[{{'role': 'user', 'content': {prompt!r}}}]"
    code = f"from pytest_llmarith.models.embedded import builtin; print(ascii(builtin.reply('sloppy', {asked})))"
    elsewhere = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert elsewhere.stdout.strip() == ascii(ask("sloppy", prompt))


@pytest.mark.parametrize("known", [True, False])
def test_every_kind_of_reply_comes_up(known: bool) -> None:
    """Among sloppy replies are programs of every kind, and every way to give none."""
    replies = sloppy_replies(known)
    assert {said.finish_reason for said in replies} == {"stop", "length", "content_filter"}
    texts = [said.text for said in replies]
    kinds = {
        "fence": r"```python\n",
        "other fence": r"```(py|Python|python3|Python 3\.11)\n",
        "nameless fence": r"\A```\n",
        "tildes": r"~~~python\n",
        "carriage returns": r"\r\n",
        "thoughts": r"<think>",
        "no fence": r"\A(import|from|def|n =)",
        "refusal": r"\AI('m sorry| cannot)",
        "empty": r"\A\Z",
        "exit status": r"SystemExit\(3\)",
        "endless": r"while n == \d+:",
        "slow": r"process_time",
        "memory": r"sieve = bytearray",
        "list": r"terms = \[",
        "dictionary": r"known = \{",
        "branches": r"elif n == 3",
    }
    assert [kind for kind, pattern in kinds.items() if not any(re.search(pattern, text) for text in texts)] == []


def test_remembered_sequences_are_often_right() -> None:
    """A third is the reference program as it is, a tenth or so looks terms up."""
    texts = [said.text.replace("\r\n", "\n") for said in sloppy_replies(known=True)]
    assert 0.25 < sum(PELL.program.rstrip() in text for text in texts) / len(texts) < 0.45
    assert (
        0.04
        < sum(bool(re.search(r"terms = |known = |BLOB|packed|elif|case", text)) for text in texts) / len(texts)
        < 0.2
    )


@pytest.mark.parametrize(("known", "most"), [(True, 0.05), (False, 0.01)])
def test_endless_programs_are_rare(known: bool, most: float) -> None:
    """Few sloppy programs run without end, as each costs as long as a program may run."""
    texts = [said.text for said in sloppy_replies(known)]
    assert 0 < sum("while n ==" in text for text in texts) / len(texts) < most


def test_cut_replies_do_not_compile() -> None:
    """A program that was cut off is never taken for a whole one."""
    cut = [said for known in (True, False) for said in sloppy_replies(known) if said.finish_reason == "length"]
    assert len(cut) > 20
    for said in cut:
        assert said.completion_tokens == 4096
        with pytest.raises(SyntaxError):
            compile(said.text.rpartition("```python\n")[2], "<program>", "exec")


def test_replies_without_a_program_do_not_compile() -> None:
    """Replies without a program are prose that is no Python by accident either."""
    bare = {said.text for said in sloppy_replies(known=True) if said.text and " " in said.text and "`" not in said.text}
    prose = [text for text in bare if "~~~" not in text and "print(" not in text and "n == 1" not in text]
    assert prose
    for text in prose:
        with pytest.raises(SyntaxError):
            compile(text, "<reply>", "exec")


TABLES = {way: program for way, share in CRIBS.items() if (program := share.make(Random(0), PELL))}


@pytest.mark.parametrize(
    ("code", "verdict"),
    [
        *((memory.program, "0") for memory in MEMORIES.values()),
        *((program, "1") for program in TABLES.values()),
        ("", "0"),
        ("print('''\n''')", "0"),
    ],
)
def test_exact_judges(code: str, verdict: str) -> None:
    """As a judge the exact model says a bare 1 of a table, and a bare 0 of anything else."""
    assert ask("exact", verdict_prompt(code)).text == verdict


def test_sloppy_judges_otherwise_now_and_then() -> None:
    """Mostly as the exact model does; sometimes the opposite, and sometimes prose."""
    codes = [f"{PELL.program}# {number}" for number in range(500)]
    verdicts = Counter(ask("sloppy", verdict_prompt(code)).text for code in codes)
    assert 0.8 < verdicts["0"] / 500 < 0.95
    assert 0.03 < verdicts["1"] / 500 < 0.15
    assert 0.005 < (500 - verdicts["0"] - verdicts["1"]) / 500 < 0.06
