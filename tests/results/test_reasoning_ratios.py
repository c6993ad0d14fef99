"""How many times the reasoning tokens of another value of a parameter: simulated, from
records, and in every report.
"""

from __future__ import annotations

from math import exp, log, log1p
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pytest_llmarith.cli import main
from pytest_llmarith.statistics.ratios import mean_ratio
from tests.runs_on_disk import asked, counted, log_in, run_in

EFFORTS = ("low", "medium", "high")
MODELS = [
    {
        "name": f"m-{effort}",
        "target": "openai/m",
        "params": {"reasoning_effort": effort},
    }
    for effort in EFFORTS
]
Trials = list[dict[str, Any]]


def trials(
    model: str,
    tokens: list[int | None],
    finish: str = "stop",
    first: int = 0,
    **named: Any,
) -> Trials:
    """Sums with these reasoning tokens."""
    messages = [{"role": "user", "content": "prompt"}]
    params = {"reasoning_effort": model.rpartition("-")[2]}
    sent = {
        "model": "openai/m",
        "api_base": None,
        "messages": messages,
        "params": params,
    }
    return [
        asked(
            "{}",
            trial=trial,
            model=model,
            reasoning_tokens=count,
            finish_reason=finish,
            sent=sent,
            **named,
        )
        for trial, count in enumerate(tokens, first)
    ]


def ratios(
    *records: Trials, models: list[dict[str, Any]] = MODELS
) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = counted(
        [one for some in records for one in some], {"models": models}
    )["reasoning_ratios"]
    return found


@pytest.mark.parametrize("rounds", [100, pytest.param(2_000, marks=pytest.mark.proof)])
@pytest.mark.parametrize(
    ("ratio", "of_each", "flagged"),
    [
        (1.0, False, (0.9, 1)),
        (1.3, False, (0, 0.05)),
        # If the logarithms of both counts vary by 0.5, and independently, 200 questions
        # are too few.
        (1.0, True, (0.45, 0.75)),
        (1.3, True, (0, 0.05)),
    ],
)
def test_a_model_that_ignores_the_effort(
    rounds: int, ratio: float, of_each: bool, flagged: tuple[float, float]
) -> None:
    """200 questions, whose ratios have a standard deviation of 0.5 on the logarithmic
    scale.
    """
    random, found = Random(f"{ratio} {of_each}"), 0
    for _ in range(rounds):
        logarithms = []
        for _ in range(200):
            typical = exp(random.gauss(6.5, 1))  # tokens
            before = typical * exp(random.gauss(0, 0.5) if of_each else 0)
            after = ratio * typical * exp(random.gauss(0, 0.5))
            logarithms.append(log1p(round(after)) - log1p(round(before)))
        found += mean_ratio(logarithms).is_like_1
    assert flagged[0] <= found / rounds <= flagged[1]


@pytest.mark.parametrize("questions", [6, 20, 50, 100])
def test_few_questions_do_not_hide_an_effect(questions: int) -> None:
    """If one question in ten takes five times the tokens, "no visible effect" is said
    in at most 6 % of cases.
    """
    random, found = Random(questions), 0
    for _ in range(200):
        found += mean_ratio(
            [log(5) if random.random() < 0.1 else 0.0 for _ in range(questions)]
        ).is_like_1
    assert found <= 0.06 * 200


def test_a_sweep_is_corrected_as_a_family() -> None:
    """A sweep of five ignored values seldom shows an effect; one of five has a p below
    0.05.
    """
    random, found = Random(1), 0
    models: list[dict[str, Any]] = [
        {"name": f"m-{n}", "target": "openai/m", "params": {"reasoning_effort": str(n)}}
        for n in range(5)
    ]
    for _ in range(40):
        tokens: list[list[int | None]] = [
            [round(exp(random.gauss(6, 0.5))) for _ in range(20)] for _ in models
        ]
        made = [
            trials(model["name"], counts)
            for model, counts in zip(models, tokens, strict=True)
        ]
        found += any(one["effect"] == "visible" for one in ratios(*made, models=models))
    assert found <= 6  # at 5 %, more in one of 200 simulations


def test_neighbours_are_compared_over_the_same_questions() -> None:
    """The geometric mean of (tokens + 1); unanswered questions and those of one side do
    not count.
    """
    low = trials("m-low", [99, 199, 399, 99, 199, 399, 7, 8])
    medium = trials("m-medium", [199, 399, 799, 199, 399, 799])
    lost = [asked(None, trial=6, model="m-medium")]
    (found,) = ratios(medium, lost, low)
    assert [found[name] for name in ("model", "beside", "parameter")] == [
        "m-medium",
        "m-low",
        "reasoning_effort",
    ]
    assert [
        found[name] for name in ("questions", "ratio", "low", "high", "effect")
    ] == [6, 2.0, 2.0, 2.0, "visible"]


@pytest.mark.parametrize(
    ("first", "second", "effect"),
    [
        ([100] * 50, [100] * 50, "none visible"),
        ([100] * 50, [112] * 50, "none visible"),
        ([100] * 49, [100] * 49, "cannot tell"),
        ([100] * 6, [130] * 6, "visible"),
        ([100] * 5, [100] * 5, "cannot tell"),
        ([100, 1_000] * 3, [1_000, 100] * 3, "cannot tell"),
        ([0] * 6, [500, 510, 520] * 2, "visible"),
        ([0, 0, 1, 0, 0, 0], [0] * 6, "cannot tell"),
        ([0] * 5 + [10**15], [10**15] * 5 + [0], "cannot tell"),
        ([0] * 6, [0] * 6, None),
        ([None] * 6, [100] * 6, None),
        ([], [100] * 6, None),
    ],
)
def test_effects(
    first: list[int | None], second: list[int | None], effect: str | None
) -> None:
    """Unknown tokens, and no reasoning at all, say nothing."""
    found = ratios(trials("m-low", first), trials("m-medium", second))
    assert [one["effect"] for one in found] == ([] if effect is None else [effect])


def test_the_last_value_is_compared_with_the_first() -> None:
    """Two steps that are too small to matter may matter together."""
    found = ratios(
        *[
            trials(f"m-{effort}", [n] * 50)
            for effort, n in zip(EFFORTS, (99, 111, 124), strict=True)
        ]
    )
    assert [(one["model"], one["beside"], one["effect"]) for one in found] == [
        ("m-medium", "m-low", "none visible"),
        ("m-high", "m-medium", "none visible"),
        ("m-high", "m-low", "visible"),
    ]


def test_truncated_replies_hide_an_effect() -> None:
    """Their tokens were cut: they are left out, and with more than 5 % of them nothing
    is shown to be ignored.
    """
    both = [trials(model, [100] * 57) for model in ("m-low", "m-medium")]
    few, more = (
        ratios(
            *both,
            *[
                trials(model, [512] * cut, "length", 57)
                for model in ("m-low", "m-medium")
            ],
        )
        for cut in (3, 4)
    )
    assert [
        (one["questions"], one["truncated"], one["effect"]) for one in (*few, *more)
    ] == [
        (57, 3, "none visible"),
        (57, 4, "cannot tell"),
    ]


def test_repeats_and_conditions_are_one_question() -> None:
    """Ten repeats of a question show no more than one."""
    repeats = [
        one | {"repeat": repeat}
        for repeat in range(10)
        for one in (
            *trials("m-low", [50 + repeat] * 3),
            *trials("m-high", [400 - repeat] * 3),
        )
    ]
    commas = [
        one | {"condition": one["condition"] | {"numbers": "comma"}} for one in repeats
    ]
    (found,) = ratios(repeats, commas, models=[MODELS[0], MODELS[2]])
    assert (found["questions"], found["effect"]) == (3, "cannot tell")


@pytest.mark.parametrize(
    "models",
    [
        [
            {"name": "m-low"},
            {"name": "m-medium", "params": {"reasoning_effort": "medium"}},
        ],
        [MODELS[0], MODELS[1] | {"target": "openai/other"}],
        [MODELS[0], MODELS[1] | {"api_base": "http://localhost:1/v1"}],
        [model | {"target": "llmarith/sloppy"} for model in MODELS[:2]],
        [
            MODELS[0] | {"params": {"a": 1, "b": 1}},
            MODELS[1] | {"params": {"a": 2, "b": 2}},
        ],
    ],
)
def test_other_models_are_no_neighbours(models: list[dict[str, Any]]) -> None:
    """Only models that differ in the value of one parameter, and that are not fake."""
    models = [{"target": "openai/m"} | model for model in models]
    assert (
        ratios(*[trials(model["name"], [100] * 6) for model in models], models=models)
        == []
    )


def test_reports_of_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line per pair for one run, some of its trials, several runs, and on the page;
    the plots join the sweep.
    """
    records = [
        one
        for model, count in zip(MODELS, (100, 200, 400), strict=True)
        for one in trials(
            str(model["name"]),
            [count + trial for trial in range(20)],
            completion_tokens=count + 30,
        )
    ]
    cut = trials("m-high", [512, 512], "length", 20)
    run = run_in(tmp_path / "one", [*records, *cut], models=MODELS)
    other = run_in(tmp_path / "other", trials("n", [1]), models=[{"name": "n"}])
    for args in (
        [str(run)],
        [str(run), "--min-depth=2"],
        [str(run), str(other)],
        [str(run), "--format=markdown"],
    ):
        assert main(["report", *args]) == 0
        said = " ".join(capsys.readouterr().out.split())
        assert said.count("the reasoning tokens of ") == 3
        assert "m-high uses 1.95 times the reasoning tokens of m-medium (1.9" in said
        assert "truncated: 90.9 % correct with them, 100.0 (83.9-100) % without" in said
    assert (
        main(
            [
                "report",
                str(run),
                str(other),
                "--format=html",
                f"--output={tmp_path / 'page.html'}",
            ]
        )
        == 0
    )
    page = (tmp_path / "page.html").read_text("utf-8")
    assert page.count("times the reasoning tokens of ") == 3
    assert page.count('<path class="swept" d="M') == 2
    assert "2 of 22 truncated: 90.9 % correct" in page


def test_merged_regraded_and_killed_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a summary the records say which parameters were sent."""
    whole = [*trials("m-low", [100] * 8), *trials("m-high", [300] * 8)]
    shard = {"count": 2, "dealt": 8, "whole": 16, "selection": "abc"}
    parts = [
        run_in(
            tmp_path / f"{index}",
            whole[index::2],
            models=[MODELS[0], MODELS[2]],
            seed=0,
            shard=shard | {"index": index + 1},
        )
        for index in (0, 1)
    ]
    merged, regraded = tmp_path / "merged", tmp_path / "new.jsonl"
    assert main(["merge", *map(str, parts), f"--output={merged}"]) == 0
    assert main(["regrade", str(merged), f"--output={regraded}"]) == 0
    killed = log_in(tmp_path / "killed", whole).parent
    for run in (merged, regraded, killed):
        capsys.readouterr()
        assert main(["report", str(run)]) == 0
        assert "m-high uses 2.98 times the reasoning tokens of m-low" in " ".join(
            capsys.readouterr().out.split()
        )
