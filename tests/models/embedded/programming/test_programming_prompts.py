"""Which prompts are questions for a program or for a verdict, and what they are about."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.models.embedded.programming.prompts import (
    program_on_trial,
    sequence_among,
    sequence_named,
    wants_program,
)
from pytest_llmarith.tasks import addition, arithmetic
from pytest_llmarith.tasks.small_talk import small_talk
from tests.models.embedded.programming.specimens import program_prompt, verdict_prompt

ONE_LINE = st.text().filter(lambda text: "\n" not in text)


@pytest.mark.parametrize(
    ("name", "comments"),
    [
        ("Pell numbers", "They grow.\n\nThey are positive."),
        ("Pell numbers", ""),
        ("", ""),
        ("Name: Pell numbers", "Name: Fibonacci numbers\nComments: none"),
        ("Pell numbers. Comments: none", "..."),
        ("Numbers ```of``` blocks", "```\nName: other\nComments: x\n```"),
        ("12 + 5", "12 + 5\n```\n12 + 5"),
        ("Pell numbers", program_prompt("Fibonacci numbers", "inner")),
        ("{name}", "{comments}"),
    ],
)
def test_the_name_is_found(name: str, comments: str) -> None:
    """Whatever the comments hold, the name is the line that the prompt calls so; no verdict is asked for."""
    prompt = program_prompt(name, comments)
    assert sequence_named(prompt) == sequence_named(prompt.rstrip()) == name
    assert program_on_trial(prompt) is None


@given(name=ONE_LINE, comments=st.text())
def test_any_name(name: str, comments: str) -> None:
    """Every name of one line is read as it is written."""
    assert sequence_named(program_prompt(name, comments)) == name


@given(code=st.text())
def test_any_program(code: str) -> None:
    """Whatever code stands in a judge's prompt is read from it unchanged."""
    assert program_on_trial(verdict_prompt(code)) == code
    assert sequence_named(verdict_prompt(code)) is None


@pytest.mark.parametrize("code", ["print('''\n''')", "'''\n", program_prompt("Pell numbers"), verdict_prompt("x = 1")])
def test_hostile_programs(code: str) -> None:
    """Quotes and whole prompts within a program are part of it."""
    assert program_on_trial(verdict_prompt(code)) == code


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "1 + 1",
        "Write a program.",
        f"Please answer this:\n{program_prompt('Pell numbers')}",
        f"{program_prompt('Pell numbers')}Thank you.",
        program_prompt("Pell numbers").replace("\nComments: ", "\nRemarks: "),
        program_prompt("Pell numbers").replace("Name: ", "Title: "),
        f"Look: {verdict_prompt('print(1)')}",
        f"{verdict_prompt('print(1)')} Hm?",
        verdict_prompt("print(1)").replace("Here is the code", "Here is a code"),
    ],
)
def test_other_prompts(prompt: str) -> None:
    """Prompts that only quote such a question, or change its frame, are something else."""
    assert sequence_named(prompt) is None
    assert program_on_trial(prompt) is None


def test_calculations_are_none() -> None:
    """No question of the other benches is taken for one of these."""
    prompts = [
        *(arithmetic.prompt(problem) for problem in arithmetic.problems(0, [2, 10], 3)),
        *(addition.prompt(problem) for problem in addition.problems(0, 5)),
    ]
    assert {(sequence_named(prompt), program_on_trial(prompt)) for prompt in prompts} == {(None, None)}


def test_small_talk_before_it_is_passed_over() -> None:
    """A program is asked for, or a verdict on one, after whatever was said before in other paragraphs."""
    talk = f"{small_talk('1k', 'seed')}\n\n"
    assert sequence_named(talk + program_prompt("Fibonacci numbers.", "")) == "Fibonacci numbers."
    quoting = program_prompt("A name.", "")
    assert sequence_named(talk + verdict_prompt(f"x = 1\n\n{quoting}")) is None
    assert program_on_trial(talk + verdict_prompt("print(1)")) == "print(1)"


@pytest.mark.parametrize(
    ("names", "prompt", "meant"),
    [
        (["Primes", "Squares"], "code for Squares, unlike Primes", "Squares"),
        (["Primes", "Primes p with p + 2 prime"], "code for Primes p with p + 2 prime", "Primes p with p + 2 prime"),
        (["Primes"], "code for squares", None),
        (["Primes"], "code for primes", None),
        (["", "Primes"], "code", None),
        ([], "code for Primes", None),
    ],
)
def test_a_name_is_found_in_other_words(names: list[str], prompt: str, meant: str | None) -> None:
    """The first of those that are known, as it is written, and the whole of it."""
    assert sequence_among(names, prompt) == sequence_among(reversed(names), prompt) == meant


def test_nothing_in_a_calculation_sounds_like_a_program() -> None:
    """What is remembered is not looked up for it, small talk or not."""
    prompts = [
        small_talk("4k", "seed"),
        *(arithmetic.prompt(problem) for problem in arithmetic.problems(0, [2], 1)),
        *(addition.prompt(problem) for problem in addition.problems(0, 2)),
    ]
    assert not any(map(wants_program, prompts))
