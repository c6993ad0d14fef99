"""Figures of a summary as rows, and the benches of the frozen runs that `adapter` has
not.

A row is a key (result, measure, place and what else names the figure) with value, low,
high and n. Only this module knows the shape of `summary.json`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from pytest_llmarith.summaries import RunTotals, decode_summary, from_file
from tests.golden.shape import difference_of, effect_of, shape_of

# Which series a figure belongs to; what names one of several figures in a list.
SERIES = ("model", "task", "condition", "first", "second", "beside")
NAMES = ("variant", "depth", "class", "position", "value", "name", "place", "question")
# Seconds, dates, what was in flight and what came from the store differ from run to
# run.
UNSTEADY = (
    "latency_s",
    "in_flight",
    "tokens_a_second",
    "term_seconds",
    "date",
    "stored",
    "asked",
    "batched",
)
ENDS = ("percent", "points", "low", "high")

# Fractions as scores, two variants, repeats; a task of depths without variants.
OWN = '''
from fractions import Fraction
import random
import pytest
from pytest_llmarith import Grade, Grid, Problem, Task

def prompt(problem):
    return f"{problem['lhs']} + {problem['rhs']}"

def read(text, problem):
    digits = "".join(filter(str.isdigit, text))
    return digits or None

def grade(answer, problem):
    pairs = zip(answer, problem.expected)
    share = Fraction(sum(one == other for one, other in pairs), len(problem.expected))
    score = share if len(answer) == len(problem.expected) else Fraction(0)
    return Grade(score, scores={"length": float(len(answer) == len(problem.expected))})

def problem_of(seed, variant, depth, trial):
    draw = random.Random(f"{seed}/{variant}/{depth}/{trial}")
    lhs, rhs = (draw.randrange(10 ** (depth - 1), 10**depth) for _ in range(2))
    if variant == "doubles":
        rhs = lhs
    return Problem({"lhs": lhs, "rhs": rhs}, str(lhs + rhs))

def plain_of(seed, trials):
    for depth in (2, 4, 6):
        for trial in range(trials):
            one = problem_of(seed, "plain", depth, trial)
            yield Problem(one.inputs, one.expected, depth=depth)

scored = Task("scored", Grid(problem_of, variants=["sums", "doubles"], depths=[2, 5, 8]), prompt, read, grade)
plain = Task("plain", plain_of, prompt, read)

@pytest.mark.llmarith_task(scored, trials=3)
def test_scored(problem, ask):
    ask(problem)

@pytest.mark.llmarith_task(plain, trials=4)
def test_plain(problem, ask):
    ask(problem)
'''  # fmt: skip
TWICE = """
import pytest

@pytest.mark.arithmetic(depths=[2, 6], trials=2)
def test_once(problem, ask):
    ask(problem)

@pytest.mark.arithmetic(depths=[2, 6], trials=3)
def test_again(problem, ask):
    ask(problem)
"""
# Each with the bench that it runs, in place of our own if there is one.
RUNS: Mapping[str, tuple[str | None, Sequence[str]]] = {
    "own-scores": (OWN, ("--llm-repeats=3", "--llm-context=none,1k")),
    "same-questions-twice": (TWICE, ("-k", "int_add or float_div")),
    "adaptive": (None, ("--llm-adaptive=2,20", "-k", "int_mul or int_add")),
}


def summary_of(text: bytes) -> dict[str, Any]:
    """A summary in the shape of the frozen rows."""
    found = from_file(decode_summary(text))
    totals = {name: getattr(found, name) for name in RunTotals.__struct_fields__}
    results = [shape_of(result) for result in found.results]
    conditions = {
        one.condition.label: msgspec.to_builtins(one.condition)
        for one in found.results
        if one.condition
    }
    whole = msgspec.to_builtins(totals) | {
        "results": results,
        "differences": [difference_of(one) for one in found.contrasts("model")],
        "effects": [
            effect_of(one, conditions)
            for one in found.contrasts("condition")
            if one.questions
        ],
    }
    shape: dict[str, Any] = json.loads(json.dumps(whole))
    return shape


def rows(summary: Mapping[str, Any]) -> Iterator[tuple[str, str, list[Any]]]:
    """Measure, the rest of its key, and its figures."""
    for group in ("results", "differences", "effects"):
        for one in summary[group]:
            series = [group, *(str(one.get(name) or "") for name in SERIES)]
            for key, figures in _flat(one, []):
                measure = ".".join([part for part in key if "=" not in part][:2])
                yield f"{' '.join(series)} {measure}", ",".join(key), figures


def _flat(value: Any, key: list[str]) -> Iterator[tuple[list[str], list[Any]]]:
    if isinstance(value, Mapping) and "low" in value:
        yield key, [value[name] for name in ENDS if name in value]
        value = {name: value[name] for name in value if name not in ENDS}
    if isinstance(value, Mapping):
        for name, each in value.items():
            if name not in (*UNSTEADY, *SERIES, "variant", "depth"):
                yield from _flat(each, [*key, str(name)])
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for number, each in enumerate(value):
            yield from _flat(each, [*key, *_names(each, number)])
    else:
        yield key, [value]


def _names(one: Any, number: int) -> list[str]:
    if not isinstance(one, Mapping):
        return [f"at={number}"]
    named = [f"{name}={one[name]}" for name in NAMES if one.get(name) is not None]
    return named or [f"at={number}"]


def steady(log: str) -> str:
    """A log of trials in which each reply took a second, and was alone."""
    log = re.sub(r'"in_flight": ?[0-9]+', '"in_flight":1', log)
    return re.sub(r'"latency_s": ?[0-9.e+-]+', '"latency_s":1.0', log)


def steady_summary(text: str) -> str:
    """The same for the summary, which does not say that its log is another one."""
    whole = json.loads(text)
    del whole["log"]
    for series in whole["series"]:
        series["estimates"] = [
            one for one in series["estimates"] if one["measure"] != "tokens_a_second"
        ]
        for columns in series["estimates"]:
            if columns["measure"] in ("latency_s", "in_flight"):
                at, n = columns["at"], columns["n"]
                known = n * len(at) if len(n) == 1 else n
                columns["value"] = [
                    float(count) if name == "sum" else 1.0
                    for name, count in zip(at, known, strict=True)
                ]
    return json.dumps(whole)


def undated(screen: str) -> str:
    return re.sub(r"\d{4}-\d\d-\d\d(T\d\d-\d\d-\d\d)?", "(date)", screen)
