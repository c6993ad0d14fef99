"""The fake models: `oracle` gives the right reply, `sloppy` every kind of reply,
`junk` a wrong one, and `parrot` the question.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pytest_llmarith.evaluate import AskedTrial
from pytest_llmarith.models import fake
from pytest_llmarith.models.provider_errors import NotSent
from pytest_llmarith.records import Reply, as_dict
from pytest_llmarith.session.planned import known_to
from pytest_llmarith.tasks.oeis.cache import STARTER, Cache
from pytest_llmarith.tasks.oeis.grader import ProgramRules, Programs
from pytest_llmarith.tasks.oeis.sequences import task
from pytest_llmarith.tasks.task import TaskProblem
from pytest_llmarith.types import Message, Model, Question
from tests.asked import additions, calculations, number_record

BENCH: list[TaskProblem] = [*calculations(0, range(2, 11), 10), *additions(0, 100)]
OEIS_CACHE = Path(__file__).parents[2] / "oeis_cache"


def ask(name: str, problem: TaskProblem, repeat: int = 0, **params: Any) -> Reply:
    model = Model(name, f"llmarith/{name}", params)
    question = Question(name, problem.prompt, 0, repeat, known=known_to(model, problem))
    return fake.reply(model.for_question(question), problem.prompt)


def graded(problem: TaskProblem, name: str) -> dict[str, Any]:
    trial = AskedTrial.of(problem, Model(name, f"llmarith/{name}"), "", None)
    return as_dict(number_record(problem, trial, None, ask(name, problem)))


def test_oracle_is_always_right() -> None:
    assert {graded(problem, "oracle")["outcome"] for problem in BENCH} == {"correct"}


def test_junk_is_always_wrong() -> None:
    assert {graded(problem, "junk")["outcome"] for problem in BENCH} == {"deviate"}


@pytest.mark.parametrize(
    ("right", "form"),
    [
        ("-1203.50", r"-[1-9]{4}\.[1-9]{2}"),
        ("[[1, 2], [3, 4]]", r"\[\[\d, \d\], \[\d, \d\]\]"),
        ("x = 3", r"x = \d"),
        ("(B)", r"\([A-Z]\)"),
        ("True", "False"),
        ("no", "yes"),
        ("Apple pie", "[A-Z][a-z]{4} [a-z]{3}"),
        ("[]", r"not \[\]"),
    ],
)
def test_junk_has_the_form_of_the_right_reply(right: str, form: str) -> None:
    for seed in range(20):
        junk = Model("junk", "llmarith/junk", {"seed": seed}, known=(right,))
        said = fake.reply(junk, "Which?").text
        assert said != right
        assert re.fullmatch(form, said)


def test_junk_prefers_a_wrong_reply_of_the_task() -> None:
    junk = Model("junk", "llmarith/junk", known=("1/2", "1/3"))
    assert fake.reply(junk, "Which?").text == "1/3"


def test_parrot_says_the_question() -> None:
    prompt = (Message("user", "1 + 1"), Message("assistant", "2"), Message("user", "7"))
    parrot = Model("parrot", "llmarith/parrot", known=("8",), system_prompt="Be brief.")
    assert fake.reply(parrot, prompt).text == "7"


def test_sloppy_shows_every_outcome_and_every_reason() -> None:
    """Most answers are right, few replies hold none."""
    records = [graded(problem, "sloppy") for problem in BENCH]
    outcomes = Counter(record["outcome"] for record in records)
    assert outcomes["correct"] > 400
    assert outcomes["deviate"] > 100
    assert 10 < outcomes["nan"] < 60
    reasons = {"empty", "truncated", "refusal", "filtered", "unreadable"}
    assert {record["reason"] for record in records} == {None, *reasons}
    classes = {
        (record["grade"].get("details") or {}).get("error_class") for record in records
    }
    assert len(classes) > 6


@pytest.mark.skipif(
    not OEIS_CACHE.is_dir(), reason="the starter set is not part of this copy"
)
def test_programs_of_the_starter_set() -> None:
    """`oracle` writes the reference program; `sloppy` also a lookup table."""
    cache = Cache(OEIS_CACHE)
    oeis = task([STARTER], cache, Programs(ProgramRules()))
    assert isinstance(oeis.problems, list)
    assert len(oeis.problems) == 87
    for problem in oeis.problems:
        right, _, table = oeis.replies(problem)
        program = cache.starter_program(problem["number"])
        assert program is not None
        assert program.strip() in right
        assert problem.private.terms[-1] in table


@pytest.mark.parametrize("name", sorted({*fake.NAMES} - {"parrot"}))
def test_a_prompt_of_no_problem_gets_no_number(name: str) -> None:
    assert not any(
        map(str.isdecimal, fake.reply(Model(name, f"llmarith/{name}"), "1 + 2").text)
    )


def test_a_reply_depends_on_temperature_seed_and_repeat() -> None:
    ways: list[dict[str, Any]] = [{}, {"temperature": 0.1}, {"seed": 7}, {"repeat": 1}]
    said = {"".join(ask("sloppy", one, **way).text for one in BENCH) for way in ways}
    again = "".join(ask("sloppy", one).text for one in BENCH)
    assert again in said
    assert len(said) == 4


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("clever", {}),
        ("oracle", {"temperature": "hot"}),
        ("oracle", {"temperature": 3}),
    ],
)
def test_what_they_cannot_do_is_not_sent(name: str, params: dict[str, Any]) -> None:
    with pytest.raises(NotSent):
        ask(name, BENCH[0], **params)
