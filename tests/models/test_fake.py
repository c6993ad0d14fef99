"""The fake models:

`exact` answers all that the benches ask, `sloppy` shows every outcome and every class
of error.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.evaluate import AskedTrial
from pytest_llmarith.models import fake
from pytest_llmarith.models.client import Client
from pytest_llmarith.models.fake import KnownSequence, KnownSequences
from pytest_llmarith.models.provider_errors import NotSent
from pytest_llmarith.records import Reply, as_dict
from pytest_llmarith.tasks.oeis.lookup_table import model_judge
from pytest_llmarith.tasks.prompts import render
from pytest_llmarith.tasks.task import TaskProblem
from pytest_llmarith.types import (
    DEFAULT_CONDITION,
    Condition,
    ErrorClass,
    IntegerSequence,
    Model,
    NanReason,
    NumberFormat,
    Symbols,
)
from tests.asked import additions, calculations, number_record, sequence

TEMPLATES = {
    "asked": "What is {lhs} {sign} {rhs}?\nBe brief.",
    "named": "the {operation} of {lhs} and {rhs}",
}
BENCH: list[TaskProblem] = [*calculations(0, range(2, 11), 10), *additions(0, 100)]
OEIS_CACHE = Path(__file__).parents[2] / "oeis_cache"
PELL = KnownSequence(
    "def pell(n):\n    a, b = 0, 1\n    for _ in range(n):\n        a, b = b, 2 * b + a\n    return a\n\n\n"
    "print(pell(int(input()) - 1))\n",
    tuple(
        map(
            str,
            (
                0,
                1,
                2,
                5,
                12,
                29,
                70,
                169,
                408,
                985,
                2378,
                5741,
                13860,
                33461,
                80782,
                195025,
                470832,
            ),
        )
    ),
    1,
)


def ask(name: str, prompt: str, known: KnownSequences = dict, **params: Any) -> Reply:
    return fake.reply(
        f"llmarith/{name}", [{"role": "user", "content": prompt}], params, known
    )


def graded(
    problem: TaskProblem,
    name: str = "sloppy",
    condition: Condition = DEFAULT_CONDITION,
    **more: Any,
) -> dict[str, Any]:
    said = ask(name, str(render(problem, condition, TEMPLATES, 0)), **more)
    subject = AskedTrial.of(problem, Model(name, f"llmarith/{name}"), "", None)
    return as_dict(number_record(problem, subject, None, said))


def program_prompt(name: str, comments: tuple[str, ...] = ()) -> str:
    return str(
        sequence(IntegerSequence("A000129", name, comments, PELL.terms, 1, ())).prompt
    )


def test_exact_is_right_in_every_condition_and_at_the_largest_depth() -> None:
    """Number formats, symbols, contexts and templates, of both tasks of numbers."""
    cells, sums = list(calculations(0, [1, 5, 1000], 1)), list(additions(0, 5))
    ways = [
        Condition(*way)
        for way in product(NumberFormat, Symbols, (None, "1k"), (None, *TEMPLATES))
    ]
    asked: list[tuple[TaskProblem, Condition]] = [*product(cells, ways)]
    asked += product(sums, [way for way in ways if way.prompt is None])
    wrong = [
        (problem, way)
        for problem, way in asked
        if graded(problem, "exact", way)["outcome"] != "correct"
    ]
    assert wrong == []


@pytest.mark.parametrize("name", fake.NAMES)
@pytest.mark.parametrize(
    "prompt",
    ["What is the capital of France?", "", "12 / 0", "1 + 2 + 3", "Write a program."],
)
def test_a_prompt_without_a_question_gets_no_number(name: str, prompt: str) -> None:
    """The fake models say so, and no number is read from that."""
    assert re.fullmatch(r"\D+", ask(name, prompt).text)


def test_the_benches_see_every_outcome_and_every_error_class() -> None:
    """What `make demo` asks shows all that numbers can come to; most answers are right,
    few replies hold none.
    """
    records = [graded(problem) for problem in BENCH]
    outcomes = Counter(record["outcome"] for record in records)
    assert outcomes["correct"] > 400
    assert outcomes["deviate"] > 150
    assert 10 < outcomes["nan"] < 60
    assert {
        one["error_class"]
        for record in records
        if (one := record["grade"].get("details"))
    } == {None, *ErrorClass}
    program_reasons = {
        NanReason.NO_PROGRAM,
        NanReason.SYNTAX_ERROR,
        NanReason.UNCOMPILABLE,
    }
    assert {record["reason"] for record in records} == {
        None,
        *NanReason,
    } - program_reasons - {NanReason.REPETITION}


@pytest.mark.skipif(
    not OEIS_CACHE.is_dir(), reason="the starter set is not part of this copy"
)
@pytest.mark.parametrize(
    "template", ["{bench}", "Write a script for this sequence: {name}"]
)
def test_exact_writes_the_reference_program_of_every_starter_sequence(
    template: str,
) -> None:
    known = fake.starter_sequences(OEIS_CACHE)
    assert len(known) == 87
    for name, entry in known.items():
        prompt = template.replace(
            "{bench}", program_prompt(name, ("Name: other\nComments: ",))
        ).replace("{name}", name)
        assert entry.program.strip() in ask("exact", prompt, known=lambda: known).text


@pytest.mark.parametrize(
    "known", [{"Pell numbers": PELL}, {}], ids=["known", "guessed"]
)
def test_sloppy_writes_programs_of_every_kind(known: dict[str, KnownSequence]) -> None:
    """Right, wrong, too slow, endless, crashed and looked up; and replies without a
    program.
    """
    replies = [
        ask("sloppy", program_prompt("Pell numbers"), known=lambda: known, seed=seed)
        for seed in range(150)
    ]
    marks = (
        *("terms = ", "b64decode", "process_time", "while n == ", "bytearray"),
        *("raise ValueError", "StringIO"),
    )
    assert all(
        any(mark in reply.text for reply in replies)
        for mark in (*marks, "can't help", "step by step")
    )
    assert {reply.finish_reason for reply in replies} == {
        "stop",
        "length",
        "content_filter",
    }
    if known:
        right = [
            reply
            for reply in replies
            if PELL.program.strip() in reply.text and "StringIO" not in reply.text
        ]
        assert len(right) > 45


@pytest.mark.parametrize(
    ("code", "verdict"),
    [
        (PELL.program, "0"),
        ("", "0"),
        (f"a = [{', '.join(PELL.terms)}]\nprint(a[int(input())])", "1"),
    ],
)
def test_verdicts_on_lookup_tables(code: str, verdict: str) -> None:
    """`exact` says 1 of a table and 0 of anything else; `sloppy` says the same as a
    rule.
    """
    assert ask("exact", model_judge.prompt(code)).text == verdict
    said = Counter(
        ask("sloppy", model_judge.prompt(code), seed=seed).text for seed in range(300)
    )
    assert said.most_common(1)[0][0] == verdict
    assert len(said) == 3


def test_a_client_asks_them_with_temperature_and_seed() -> None:
    """What they know is looked up once, and only for a program."""
    calls: list[str] = []

    def known() -> dict[str, KnownSequence]:
        calls.append("looked up")
        return {"Pell numbers": PELL}

    client = Client(known)

    def text(model: str, prompt: str, **params: Any) -> str:
        return asyncio.run(
            client.complete(Model("m", f"llmarith/{model}", params), prompt, 30.0)
        ).text

    assert text("exact", "12 + 5") == "17"
    assert calls == []
    for more in ((), ("Again.",)):
        assert PELL.program.strip() in text(
            "exact", program_prompt("Pell numbers", more)
        )
    assert calls == ["looked up"]
    hard = [f"98765{number} * 456789" for number in range(9)]
    ways: list[dict[str, Any]] = [{}, {"temperature": 0}, {"seed": 1}, {"seed": 2}]
    assert (
        len({"".join(text("sloppy", prompt, **way) for prompt in hard) for way in ways})
        == 4
    )
    for model, params in (
        ("clever", {}),
        ("exact", {"temperature": "hot"}),
        ("exact", {"temperature": 3}),
    ):
        with pytest.raises(NotSent):
            text(model, "1 + 1", **params)
