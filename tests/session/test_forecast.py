"""What a run says of itself before it asks: tokens, money, caps; and the dry run, which
says that alone.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from types import MappingProxyType

import pytest

from pytest_llmarith.models.asking import ModelTerms, Plan
from pytest_llmarith.models.broker import Broker
from pytest_llmarith.models.store import RunStore, Store, key_of
from pytest_llmarith.records import Reply
from pytest_llmarith.session.forecast import Forecast
from pytest_llmarith.session.planned import PlannedQuestion
from pytest_llmarith.settings import Settings, parse_settings
from pytest_llmarith.tasks import addition, search_questions
from pytest_llmarith.types import DEFAULT_CONDITION, Model, Price, Question
from tests.models.scripted import Scripted
from tests.session.bench import BENCH, Bench
from tests.session.test_oeis_run import write_cache

Make = Callable[..., Forecast]
Way = tuple[str, ...]


def test_a_missing_key_is_said_before_litellm_is_loaded(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is wrong usage, and nothing is written."""
    pytester.makepyfile(test_bench=BENCH)
    pytester.makepyfile(litellm="open('loaded', 'w')")
    monkeypatch.setenv("PYTHONPATH", str(pytester.path))
    for name in list(os.environ):
        if name.startswith(("ANTHROPIC_", "OPENAI_")):
            monkeypatch.delenv(name)
    for model, variable in (
        ("gpt-4o-mini", "OPENAI_API_KEY"),
        ("anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
    ):
        result = pytester.runpytest_subprocess(f"--llm-model={model}")
        (line,) = filter(None, result.errlines)
        assert (result.ret, f"no key; set {variable} in" in line) == (4, True), line
    assert not (pytester.path / "loaded").exists()


def asked(question: Question, task: str) -> PlannedQuestion:
    problem = addition.problem(0, question.trial)  # any
    return PlannedQuestion(
        f"{task}-{question.trial}",
        task,
        problem.recorded,
        DEFAULT_CONDITION,
        question,
        500 if task == "oeis" else 20,
    )


SUMS = [
    asked(Question("openai/priced", "x" * 100, trial), "arithmetic")
    for trial in range(3)
]
PROGRAMS = [
    asked(Question("openai/priced", "y" * 1000, trial), "oeis") for trial in range(2)
]


def search(budget: int, model: str = "openai/priced") -> PlannedQuestion:
    """A search of sums, which begins with 0 + 0."""
    problem = next(
        one
        for one in search_questions.breaking_points(0, budget)
        if one.label == "int_add"
    )
    question = Question(model, problem.prompt, 0)
    return replace(
        asked(question, problem.task), problem=problem.recorded, questions=budget
    )


class Listed(Scripted):
    """Knows the prices of all models called priced."""

    def terms(self, model: Model) -> ModelTerms:
        return (
            ModelTerms(Price(1.0, 4.0), 500)
            if model.target == "openai/priced"
            else ModelTerms()
        )


async def planned(
    path: Path, settings: Settings, questions: Sequence[Question], later: Sequence[str]
) -> Plan:
    models = [model for model in (*settings.models, settings.oeis.judge) if model]
    store = RunStore(path, settings.store_mode)
    broker = Broker(
        Listed(), models, store, settings.request_limits, settings.store_mode
    )
    plan = broker.plan(questions, later)
    await broker.close()
    return plan


@pytest.fixture
def forecast(pytester: pytest.Pytester) -> Make:
    """Makes the forecast of a run, some of whose questions have a stored reply."""

    def make(
        wanted: list[PlannedQuestion],
        *options: str,
        stored: Mapping[int, Reply] = MappingProxyType({}),
    ) -> Forecast:
        settings: Settings = parse_settings(
            pytester.parseconfig("--llm-model=openai/priced", *options)
        )
        models = {model.name: model for model in settings.models}
        store = Store(pytester.path / "store.sqlite")
        questions = {place: wanted[place].question for place in stored}
        store.put(
            {
                key_of(models[one.model], one): stored[place]
                for place, one in questions.items()
            }
        )
        store.close()
        return Forecast(
            settings,
            wanted,
            lambda *asked: asyncio.run(planned(store.path, settings, *asked)),
        )

    return make


def test_tokens_by_task(forecast: Make) -> None:
    """A number is short and a program long, unless the model may not write as much, or
    stored replies tell.
    """
    (outlook,) = forecast([*SUMS, *PROGRAMS]).forecasts
    assert (outlook.questions, outlook.stored, outlook.asked) == (5, 0, 5)
    assert outlook.prompt_tokens == 3 * 25 + 2 * 250
    assert outlook.completion_tokens == 3 * 20 + 2 * 500
    heavy = [
        asked(replace(one.question, system_prompt="z" * 4000), one.task) for one in SUMS
    ]
    (bounded,) = forecast([*SUMS, *heavy], "--llm-param=max_tokens=7").forecasts
    assert bounded.prompt_tokens == 3 * 25 + 3 * 1025
    assert bounded.completion_tokens == 6 * 7
    (outlook,) = forecast(
        SUMS, stored={0: Reply("4", completion_tokens=900), 1: Reply("4")}
    ).forecasts
    assert (outlook.stored, outlook.asked, outlook.completion_tokens) == (2, 1, 900)
    assert (outlook.learned_from, outlook.guessed) == (1, False)


@pytest.mark.parametrize(
    ("options", "refusal"),
    [
        (
            ("--llm-max-cost=5", "--llm-price=1,4"),
            "openai/mine .*max_completion_tokens",
        ),
        (
            ("--llm-max-total-tokens=5", "--llm-param=max_tokens=900"),
            "^--llm-max-total-tokens=5: ",
        ),
        ((), None),
    ],
)
def test_a_cap_that_cannot_be_kept_or_lets_nothing_begin(
    forecast: Make, options: Way, refusal: str | None
) -> None:
    """The message names the parameter that bounds a reply; a free model cannot pass a
    cap in dollars.
    """
    mine = [
        replace(one, question=replace(one.question, model="openai/mine"))
        for one in SUMS
    ]
    made = forecast(mine, "--llm-model=openai/mine", *options)
    if refusal is None:
        made.refuse()
    else:
        with pytest.raises(pytest.UsageError, match=refusal):
            made.refuse()


def test_a_search_may_go_on_behind_a_stored_question(forecast: Make) -> None:
    """The first question alone is counted, the forecast says so, and what may be asked
    next needs a price.
    """
    options = ("--llm-breaking-point=80", "--llm-max-cost=1")
    known = {0: Reply("0", cost_usd=0.0024)}
    assert forecast([search(80)], *options, stored=known).lines() == [
        "forecast: 1 question, which is stored",
        "forecast: 1 item asks up to 80 questions, which depend on the replies: only the first of each is counted here",
        "forecast: $0.0024 of $1.00 spent by stored replies",
    ]
    unpriced = ("--llm-model=openai/mine", *options)
    forecast(
        [search(80, "openai/mine")], *unpriced, "--llm-store=only", stored=known
    ).refuse()
    with pytest.raises(
        pytest.UsageError, match="the price of openai/mine is unknown; set --llm-price"
    ):
        forecast([search(80, "openai/mine")], *unpriced, stored=known).refuse()


# --- the dry run ----------------------------------------------------------------------

DRY_BENCH = """
    import pytest

    @pytest.mark.arithmetic(depths=[2, 3], trials=1)
    def test_arithmetic(problem, ask):
        raise AssertionError("it ran")

    @pytest.mark.integer_addition(trials=4)
    def test_integer_addition(problem, ask):
        raise AssertionError("it ran")

    @pytest.mark.oeis
    def test_oeis(problem, ask):
        raise AssertionError("it ran")

    class TestMine:
        @pytest.fixture
        def model(self):
            raise AssertionError("it was made")

        @pytest.mark.arithmetic(depths=[2], trials=1)
        def test_mine(self, problem, ask):
            raise AssertionError("it ran")
"""


@pytest.mark.proof
def test_a_dry_run_asks_and_writes_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It needs neither a key nor workers nor a sandbox, and shows a prompt of each
    task; -k and the store count.
    """
    bench.run("-k", "int_add")
    result = bench.run("--llm-dry-run", "-k", "int_add or int_sub")
    assert (result.ret, len(bench.server.requests), len(bench.runs)) == (0, 2, 1)
    result.stdout.fnmatch_lines(
        ["llmarith: forecast: 4 questions, 2 of them stored; about *"]
    )
    for name in ("reports", ".llmarith"):
        rmtree(bench.pytester.path / name)
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv("PATH", "")
    bench.pytester.makepyfile(test_bench=DRY_BENCH)
    write_cache(bench.pytester.path / "oeis_cache")
    header = 'extra_headers={"X-Team":"blue"}'
    params = (f"--llm-param={header}", "--llm-param=temprature=0")
    result = bench.run("--llm-dry-run", "--llm-fail-under=80", "-q", "-n", "8", *params)
    assert (result.ret, result.errlines, len(bench.server.requests)) == (0, [], 2)
    for name in ("reports", ".llmarith", ".report.json"):
        assert not (bench.pytester.path / name).exists()
    result.stdout.no_fnmatch_line("*workers*")
    result.stdout.fnmatch_lines(
        [
            "llmarith: forecast: 25 questions; about 1.* prompt tokens, about $0.00*",
            "llmarith: forecast: 8 questions to your model fixture, of unknown cost",
            'llmarith: request to http*: {"model": "gpt-4o-mini", *": "[[]hidden]"}, "temprature": 0}',
            "arithmetic, as test_bench.py::test_arithmetic?openai/gpt-4o-mini-int_add-depth_2-trial_0? asks:",
            "    Compute the following and reply with just the numeric result (no explanation):",
            "integer_addition, as *",
            "    Provide the sum of the two numbers.*",
            "oeis, as *",
            "    Name: The squares.",
        ]
    )
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    result = bench.run(
        "--llm-model=gpt-4o-mini",
        "--llm-param=temprature=0",
        "-k",
        "int_add",
        model=None,
    )
    assert (result.ret, len(bench.server.requests)) == (pytest.ExitCode.USAGE_ERROR, 2)
    assert [line for line in result.errlines if line] == [
        "ERROR: gpt-4o-mini: openai has no parameter 'temprature' that litellm knows; write temperature"
    ]
    (bench.pytester.path / "test_bench.py").write_text("import nothing_of_this_name")
    assert bench.run("--llm-dry-run").ret == pytest.ExitCode.INTERRUPTED
