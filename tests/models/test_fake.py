"""The fake models: `exact` gives the right reply, `sloppy` every kind of reply."""

from __future__ import annotations

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
from pytest_llmarith.types import Model, Question
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


def test_exact_is_always_right() -> None:
    assert {graded(problem, "exact")["outcome"] for problem in BENCH} == {"correct"}


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
    """`exact` writes the reference program; `sloppy` also a lookup table."""
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


@pytest.mark.parametrize("name", fake.NAMES)
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
    [("clever", {}), ("exact", {"temperature": "hot"}), ("exact", {"temperature": 3})],
)
def test_what_they_cannot_do_is_not_sent(name: str, params: dict[str, Any]) -> None:
    with pytest.raises(NotSent):
        ask(name, BENCH[0], **params)
