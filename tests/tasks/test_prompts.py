"""The prompt of a question in each prompt config: number format, signs, template,
filler text.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.tasks import addition
from pytest_llmarith.tasks.checks import bound
from pytest_llmarith.tasks.oeis.details import IntegerSequence
from pytest_llmarith.tasks.prompts import (
    check_template,
    checked_prompt,
    filler_text,
    render,
)
from pytest_llmarith.tasks.task import InvalidTask
from pytest_llmarith.types import Condition, NumberFormat, Op, Symbols
from tests.asked import calculation, sequence

PRODUCT = calculation("float_mul", "1234.50", "-98765.43", "", 4)
SUM = bound(addition.TASK, 0, addition.problem_of(1234567, 89, 3))
TABLES = sequence(
    IntegerSequence(
        "A004", "Four times {n}.", ("A {comment}.",), ("0", "4"), 0, ("easy",)
    )
)
PROBLEMS = {problem.task: problem for problem in (PRODUCT, SUM, TABLES)}
NOTHING: dict[str, str] = {}

texts = st.text(st.characters(codec="utf-8"), max_size=50)
terms = st.lists(st.integers(10**20, 10**40).map(str), min_size=1, max_size=9).map(
    tuple
)


def test_prompt() -> None:
    instruction = (
        "Compute the following and reply with just the numeric result (no explanation):"
    )
    for symbols, signs in ((Symbols.ASCII, "+-*/"), (Symbols.UNICODE, "+-×÷")):
        for op, sign in zip(Op, signs, strict=True):
            problem = calculation(f"int_{op}", "12", "5", "")
            assert (
                render(problem, Condition(symbols=symbols), NOTHING, 0)
                == f"{instruction}\n   12 {sign} 5"
            )


def test_a_sequence_without_comments() -> None:
    bare = IntegerSequence("A000290", "The squares.", (), ("0",), 0, ())
    assert str(sequence(bare).prompt).endswith("Name: The squares.\nComments: \n```\n")


@given(texts, st.lists(texts, max_size=3).map(tuple), terms)
def test_no_term_is_in_the_prompt(
    name: str, comments: tuple[str, ...], terms: tuple[str, ...]
) -> None:
    """Name and comments are all that is told of an entry: with other terms the prompt
    is the same.
    """
    ours = IntegerSequence("A000001", name, comments, terms, 0, ("easy",))
    other = IntegerSequence("A999999", name, comments, ("1",), 5, ("hard",))
    assert sequence(ours).prompt == sequence(other, "classic_hard").prompt


@pytest.mark.parametrize(
    ("number", "numbers", "written"),
    [
        ("123", NumberFormat.COMMA, "123"),
        ("1234", NumberFormat.COMMA, "1,234"),
        ("-123456", NumberFormat.COMMA, "-123,456"),
        ("-1234567.8912", NumberFormat.SPACE, "-1 234 567.8912"),
        ("1234567.00", NumberFormat.PLAIN, "1234567.00"),
        ("0", NumberFormat.COMMA, "0"),
    ],
)
def test_groups_of_three(number: str, numbers: NumberFormat, written: str) -> None:
    assert numbers.write(number) == written


def test_a_condition_changes_numbers_and_signs() -> None:
    usual = str(render(PRODUCT, Condition(), NOTHING, 0))
    other = render(PRODUCT, Condition(NumberFormat.COMMA, Symbols.UNICODE), NOTHING, 0)
    assert other == usual.replace("1234.50 * -98765.43", "1,234.50 × -98,765.43")
    assert str(render(SUM, Condition(NumberFormat.SPACE), NOTHING, 0)).endswith(
        '"1 234 567" "89"'
    )


def test_a_template_stands_for_the_prompt() -> None:
    prompt_texts = {"terse": "The {operation}: {lhs}{sign}{rhs} {{exactly}}"}
    prompt = render(
        PRODUCT, Condition(NumberFormat.SPACE, prompt="terse"), prompt_texts, 0
    )
    assert prompt == "The product: 1 234.50*-98 765.43 {exactly}"


def test_filler_text_comes_first() -> None:
    problems = (SUM, SUM, addition.problem(0, 4))
    prompts = [
        str(render(problem, Condition(context="1k"), NOTHING, 0))
        for problem in problems
    ]
    assert prompts[0] == prompts[1]
    filler, _, question = prompts[0].rpartition("\n\n")
    assert question == addition.prompt(SUM)
    assert filler not in prompts[2]
    for size, tokens in (("1k", 1000), ("4k", 4000)):
        filler = filler_text(size, "seed")
        assert 0 <= len(filler) / 4.6 - tokens < 200
        assert not re.search(r"\d", filler)


def test_a_template_that_does_not_fit_is_one_line() -> None:
    message = "template t: arithmetic has no field {int1}; it has {lhs}, {sign}, {rhs}, {operation}"
    with pytest.raises(InvalidTask, match=re.escape(message)):
        check_template("t", "{int1} + {rhs}", PRODUCT)


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_task_has_the_fields_that_it_names(name: str) -> None:
    """A template of all inputs of a task fits it."""
    problem = PROBLEMS[name]
    template = "|".join(f"{{{field}}}" for field in problem.inputs)
    check_template("t", template, problem)
    assert render(problem, Condition(prompt="t"), {"t": template}, 0) == "|".join(
        problem.inputs.values()
    )


@pytest.mark.parametrize(
    "roles",
    [
        ["system", "system", "user"],
        ["user", "system", "user"],
        ["user", "user", "system", "user"],
        ["system"],
        ["user", "assistant"],
    ],
)
def test_roles_that_no_model_takes_are_refused(roles: list[str]) -> None:
    messages = [{"role": role, "content": "text"} for role in roles]
    with pytest.raises(InvalidTask, match="the first message may be of the system"):
        checked_prompt(messages, "task t")


@pytest.mark.parametrize("prompt", ["", " \n", [], 7, "\ud800", [{"role": "user"}]])
def test_what_is_no_prompt_is_refused(prompt: object) -> None:
    with pytest.raises(InvalidTask, match="task t: prompt returned "):
        checked_prompt(prompt, "task t")
