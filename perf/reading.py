"""Speed of reading replies: bare numbers per second, worked replies, the worst replies
of a megabyte, and the real ones of `../shared/transcripts`, if that folder is there.

`LLM_ARITHMETIC=clone python -m perf reading` measures llm_arithmetic's parser, too.
`python perf/reading.py` prints every shape; the exit status is 1 if a bound is missed.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from runpy import run_path
from statistics import median
from time import process_time
from typing import Any

from perf.commands import ROOT
from perf.measures import Measure
from pytest_llmarith.exact import Case, grade, read
from pytest_llmarith.exact.extract import MAX_CHARACTERS
from pytest_llmarith.report.render.terminal import draw
from pytest_llmarith.types import TOLERANCES, Dtype, Op

MEGABYTE = 1_000_000
SECONDS_PER_MEGABYTE = 0.2
BARE_REPLIES_PER_SECOND = 10_000
SHORT_REPLIES_PER_SECOND = 20_000
SHORT_TIMES_SPLITTING = 20
# A worked reply, as a multiple of the time that splitting it into words and signs
# takes.
TIMES_SPLITTING = 18
# Real replies: no slower than the parser of llm_arithmetic, which knows fewer forms.
_TRANSCRIPTS = ROOT.parent / "shared" / "transcripts"
_REAL_TIMES_SPLITTING = 8.5
_LONG_TIMES_SPLITTING = 3.0
_LONG = 2_000  # characters
_ROUNDS = 3
_SPLIT = re.compile(r"\w+|[^\w\s]")

STEPS = """### Step {step}: multiply by the digit {digit}

We take **7391** and multiply it by {digit}: 7391 × {digit} = {product}. Then we shift the result by {step} places,
which gives {product}{zeros}. That is the partial product of this step; at the end, we will add all of them.

"""

UNITS = {
    "digits": "1",
    "digits, full width": "１",
    "digits and a period": "1. ",
    "ones and commas": "1,",
    "minus ones and commas": "-1,",
    "decimals and commas": "1.1, ",
    "ones in cells": "| 1 ",
    "ones and spaces": "1 ",
    "groups of three": ",111",
    "groups with spaces": " 111",
    "groups with thin spaces": "\u2009111",
    "underscores between digits": "1_",
    "points": ".",
    "commas": ",",
    "spaces": " ",
    "no-break spaces": "\u00a0",
    "newlines": "\n",
    "spaced lines": " \n",
    "minus signs": "-",
    "spaced minus signs": "- ",
    "unicode minus signs": "−",
    "plus signs": "+",
    "equals signs": "=",
    "ones and equals signs": "1=",
    "approximations": "1≈",
    "opening braces": "{",
    "closing braces": "}",
    "pairs of braces": "{}",
    "grouping braces": "1{,}",
    "backslashes": "\\",
    "thin spaces of LaTeX": "1\\,",
    "boxes left open": "\\boxed{",
    "boxes left open, with a number": "\\boxed{1",
    "boxes without a number": "\\boxed{}",
    "fractions left open": "\\frac{",
    "fractions": "\\frac{1}{2}",
    "powers of ten of LaTeX": "\\times 10^{",
    "dollars": "$",
    "backticks": "`",
    "spaced backticks": "` ",
    "stars": "*",
    "ones and stars": "1*",
    "underscores": "_",
    "hashes": "#",
    "quotes": ">",
    "brackets": "(",
    "ones in brackets": "(1)",
    "tags left open": "<a",
    "special tokens left open": "<|",
    "thoughts left open": "<think>",
    "thoughts left open, by lines": "<think>\n",
    "thoughts closed": "</think>",
    "thoughts": "<think>1</think>",
    "exponents": "1e",
    "exponents of digits": "1e1",
    "powers": "1^",
    "superscripts": "¹",
    "powers of ten": "1×10¹",
    "words": "answer ",
    "words that announce": "the final answer is ",
    "words that doubt": "wait 1 ",
    "words that refuse": "can n",
    "letters": "a",
    "letters and digits": "a1",
    "approximate words": "about 1 ",
    "phrases that doubt": "let me try I made a ",
    "calculations in words": "12 and 34 is 5 × 6 = 30 ",
    "expressions": "1 + ",
    "magnitudes": "1 million ",
    "magnitudes of magnitudes": "million ",
    "spaces before magnitudes": "1  hundred thousand millio",
    "roundings in letters": "12345, about 1M ",
    "magnitudes of Chinese": "1千",
    "magnitudes of other languages": "1 mil ",
    "letters behind digits": "5zz ",
    "currencies": "USD1",
    "colours left open": "\\color{",
    "mixed scripts": "1٤४a−×·’\u2009½ ⁵،",
    "emoji": "✅",
    "NUL characters": "\0",
    "lines of denials": "it is not 1\n",
    "lines of choices": "1 or 2\n",
    "lines of ranges": "from 1 to 2\n",
    "lines of boxes left open": "\\boxed{1\n",
    "tool calls left open": "<tool_call>",
    "arguments left open": '"arguments": {',
    "arguments of objects": '"input": {{}{}',
    "functions left open": "f1(",
    "functions": "ab(1, 2) ",
    "programs": "```python\nx = 1\n```\n",
    "addresses": "https://",
    "data": '"id": 1, ',
    "footers": "(1 row)\n",
    "lines of sums": "the sum of 1 and 2\n",
}
ENDS = ("", " = 7", "x")


def seconds(action: Callable[[], object]) -> float:
    """Processor time, the shorter of two runs."""
    runs = []
    for _ in range(2):
        start = process_time()
        action()
        runs.append(process_time() - start)
    return min(runs)


def worst_of_shape(unit: str) -> float:
    """Seconds for the slowest reply of a megabyte that repeats `unit`, alone and with
    each of `ENDS`, in one line and with all that is read in the last line.
    """
    text = unit * (MEGABYTE // len(unit))
    cut = len(text) - MAX_CHARACTERS + 10
    worst = 0.0
    for end in ENDS:
        for reply in (text + end, f"{text[:cut]}\n{text[cut:]}{end}"):
            took = seconds(lambda reply=reply: read(reply, ("12", "34"), Dtype.FLOAT))  # type: ignore[misc]
            worst = max(worst, took)
    return worst


def bare_replies_per_second(replies: int = 20_000) -> float:
    """Bare numbers read and graded in a second."""
    texts = [str(12_345_678_901 * (number + 1)) for number in range(replies)]

    def read_and_grade() -> None:
        for text in texts:
            answer = read(text, ("12345", "67890")).strict
            assert answer is not None
            case = Case.of(
                Op.ADD,
                Dtype.INT,
                ("12345", "67890"),
                "80235",
                answer,
                TOLERANCES[Dtype.INT],
            )
            assert not case.is_correct

    return replies / seconds(read_and_grade)


def short_replies() -> tuple[float, float]:
    """Short replies graded in a second, and the time for them as a multiple of
    splitting them by a pattern.
    """
    forms = (
        *("The answer is {}.", "#### {}", "\\boxed{{{}}}", "12 + 30 = {}", "{}"),
        *("**{}**", "The answer is **{}**."),
    )
    texts = [form.format(number) for number in range(1_000, 3_000) for form in forms]
    took = seconds(lambda: [grade(text, "2042") for text in texts])
    return len(texts) / took, took / seconds(
        lambda: [_SPLIT.findall(text) for text in texts]
    )


def times_splitting() -> float:
    """The time for reading a reply that works in steps, as a multiple of splitting it
    by a pattern.
    """
    reply = ""
    for step in range(40):
        digit = step % 10
        reply += STEPS.format(
            step=step, digit=digit, product=7391 * digit, zeros="0" * (step % 7)
        )
    reply += "So the final answer is \\boxed{21034786}."
    return seconds(lambda: read(reply, ("7391", "2846"))) / seconds(
        lambda: sum(1 for _ in _SPLIT.finditer(reply))
    )


def _transcripts() -> list[Measure]:
    """The time for grading real replies, beside splitting them and another parser."""
    trials = [
        json.loads(line)
        for file in sorted(_TRANSCRIPTS.glob("*.jsonl"))
        for line in file.read_text("utf-8").splitlines()
    ]
    trials = [trial for trial in trials if isinstance(trial["raw_response"], str)]
    if not trials:
        return []
    long = [trial for trial in trials if len(trial["raw_response"]) >= _LONG]
    all_of, of_long = _processor_times(trials), _processor_times(long)
    measures = [
        Measure("transcripts, graded", len(trials) / all_of["grade"], "/s"),
        Measure(
            "transcripts, to splitting them",
            all_of["grade"] / all_of["split"],
            "times",
            at_most=_REAL_TIMES_SPLITTING,
        ),
        Measure(
            f"those of {_LONG:,} characters and more, to splitting them",
            of_long["grade"] / of_long["split"],
            "times",
            at_most=_LONG_TIMES_SPLITTING,
        ),
    ]
    if "llm_arithmetic" in all_of:
        times = all_of["llm_arithmetic"] / all_of["grade"]
        name = "transcripts, speed to llm_arithmetic's parser"
        measures.append(Measure(name, times, "times", at_least=1))
    return measures


def _processor_times(trials: list[dict[str, Any]]) -> dict[str, float]:
    """Medians of alternating rounds, for each way to read all replies."""
    ways: dict[str, Callable[[str, str, str], object]] = {
        "split": lambda text, *_: sum(1 for _ in _SPLIT.finditer(text)),
        "grade": lambda text, correct, _: grade(text, correct),
    }
    clone = os.environ.get("LLM_ARITHMETIC")
    if clone:
        file = Path(clone) / "llm_arithmetic" / "parse.py"
        parse = run_path(str(file))["parse_response"]
        ways["llm_arithmetic"] = lambda text, correct, variant: parse(
            text, Decimal(correct), variant
        )
    rows = [
        (trial["raw_response"], str(trial["correct"]), trial["variant"])
        for trial in trials
    ]
    took: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(_ROUNDS):
        for name, way in ways.items():
            start = process_time()
            for row in rows:
                way(*row)
            took[name].append(process_time() - start)
    return {name: median(times) for name, times in took.items()}


def measure() -> list[Measure]:
    """The worst shape, the usual reply, and real ones."""
    a_second, times = short_replies()
    worst, name = max((worst_of_shape(unit), name) for name, unit in UNITS.items())
    return [
        Measure(
            f"1 MB, worst of {len(UNITS)} shapes: {name}",
            worst,
            "s",
            at_most=SECONDS_PER_MEGABYTE,
        ),
        Measure(
            "bare replies read and graded",
            bare_replies_per_second(),
            "/s",
            at_least=BARE_REPLIES_PER_SECOND,
        ),
        Measure(
            "short replies graded", a_second, "/s", at_least=SHORT_REPLIES_PER_SECOND
        ),
        Measure(
            "short replies, to splitting them",
            times,
            "times",
            at_most=SHORT_TIMES_SPLITTING,
        ),
        Measure(
            "worked replies, to splitting them",
            times_splitting(),
            "times",
            at_most=TIMES_SPLITTING,
        ),
        *_transcripts(),
    ]


def main() -> int:
    """Measure and print every shape."""
    measures = [
        Measure(
            f"1 MB of {name}", worst_of_shape(unit), "s", at_most=SECONDS_PER_MEGABYTE
        )
        for name, unit in UNITS.items()
    ]
    rate = Measure(
        "bare replies",
        bare_replies_per_second(),
        "/s",
        at_least=BARE_REPLIES_PER_SECOND,
    )
    measures.append(rate)
    table = draw(("measure", "figure", "bound", ""), [one.row() for one in measures])
    print("\n".join(table))  # noqa: T201
    return 0 if all(one.kept for one in measures) else 1


if __name__ == "__main__":
    sys.exit(main())
