"""The table of options, from which pytest's options, the defaults of `settings` and docs/options.md are made.

Every pytest run of an environment imports this module, so it imports nothing slow.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pytest

MODEL_VARIABLE = "LLMARITH_MODEL"
INI_VALUES = {
    "llm_model": "Models to benchmark, as for --llm-model, one per line",
    "oeis_sets": "Sets of sequences, as for --oeis-sets",
}


class Option(NamedTuple):
    """A command line option. `settings` parses its value or its `default`."""

    flag: str
    metavar: str | None  # None: a switch without a value
    help: str
    default: str | None = None  # None: the bench, the ini file or `settings` decides
    repeatable: bool = False


SECTIONS: dict[str, tuple[Option, ...]] = {
    "Models": (
        Option(
            "--llm-model",
            "MODEL",
            "Model to benchmark, any litellm model string, as [NAME=]TARGET[?KEY=VALUE&...]; repeatable.\n"
            f"Else {MODEL_VARIABLE} in the environment, the same in .env, or the ini value llm_model.\n"
            "llmarith/exact and llmarith/sloppy are fake models and need no key",
            repeatable=True,
        ),
        Option(
            "--llm-param",
            "KEY=VALUE",
            "Request parameter for all models, the value as JSON or text; repeatable",
            repeatable=True,
        ),
        Option("--llm-api-base", "URL", "Base URL of the provider, for all models"),
        Option(
            "--llm-system-prompt",
            "TEXT",
            "System prompt, for all models (default: none); several ones are conditions",
            repeatable=True,
        ),
    ),
    "Problems": (
        Option("--llm-depths", "2-10|2,5,8", "Depths of the arithmetic task (default: the bench's, 2-10)"),
        Option(
            "--llm-trials",
            "N",
            "Trials per cell of arithmetic, of integer addition, and of custom tasks (default: the bench's)",
        ),
        Option(
            "--llm-breaking-point",
            "N",
            "Search for the simplest question that is answered wrongly, with up to N questions per\n"
            "variant, such as 80 (default: no search)",
        ),
        Option("--llm-seed", "N|random", "Seed of all problems (default: 0); random picks one and records it", "0"),
        Option(
            "--llm-shard",
            "I/N",
            "Run the I-th of N even parts of the selected items, for runs on N machines;\nllmarith merge joins them",
        ),
    ),
    "Conditions": (
        Option(
            "--llm-number-format",
            "plain|comma|space,...",
            "Groups of three digits in prompts: none (plain, default), 1,234 or 1 234",
            "plain",
        ),
        Option(
            "--llm-symbols",
            "ascii|unicode,...",
            "Operator signs: + - * / (ascii, default) or + - × ÷ (unicode)",
            "ascii",
        ),
        Option(
            "--llm-context",
            "none|1k|2k|4k,...",
            "Tokens of filler text before the question (default: none)",
            "none",
        ),
        Option(
            "--llm-prompt",
            "FILE|standard",
            "Template of the prompts, with fields such as {lhs} (default: standard, each task's own); repeatable",
            repeatable=True,
        ),
        Option("--llm-repeats", "K", "Ask every question K times (default: 1)", "1"),
    ),
    "Requests": (
        Option("--llm-concurrency", "N", "Requests in flight, independent of -n (default: 16)", "16"),
        Option("--llm-timeout", "SECONDS", "Time limit of one request (default: 600)", "600"),
        Option(
            "--llm-retries",
            "N",
            "Retries after an outage, and four times as many after a 429 (default: 3)",
            "3",
        ),
        Option(
            "--llm-store",
            "on|refresh|off|only",
            "Cached replies: reuse them (on, default), ask again and replace them (refresh),\n"
            "ignore the store (off), ask no model (only)",
            "on",
        ),
        Option("--llm-store-dir", "DIR", "Folder of the store (default: .llmarith in the root)"),
    ),
    "Rate limits and budget": (
        Option("--llm-rpm", "N", "Requests per minute of the whole run (default: no limit)"),
        Option("--llm-max-cost", "USD", "Send no request that could make the run cost more, the judge included"),
        Option("--llm-max-tokens", "N", "Send no request that could make the run use more tokens, the judge included"),
        Option(
            "--llm-price",
            "IN,OUT",
            "US dollars per million prompt and completion tokens, for models whose price is unknown",
        ),
        Option(
            "--llm-dry-run",
            None,
            "Ask nothing: show the questions, their estimated cost, and one prompt of each task",
        ),
    ),
    "Results": (
        Option("--llm-reading", "strict|tolerant", "Reading to grade (default: tolerant, integer addition strict)"),
        Option("--llm-reports", "DIR", "Folder of the runs (default: reports in the root)"),
        Option("--llm-strict", None, "Fail every item whose outcome is not correct"),
        Option(
            "--llm-fail-under",
            "[TASK:]PERCENT",
            "Exit with 1 if a model's percentage of correct answers is lower; repeatable",
            repeatable=True,
        ),
    ),
    "Sequences": (
        Option(
            "--oeis-sets",
            "SET,...",
            "Sets of sequences: classic_easy, classic_hard, contemporary_easy, contemporary_hard, starter\n"
            "(default: the sets of the bench's mark, else the ini value oeis_sets, else starter)",
        ),
        Option("--oeis-cache", "DIR", "Folder of the OEIS entries (default: oeis_cache in the root)"),
        Option(
            "--oeis-limits",
            "SECONDS,...",
            "Limits per term; programs run once, at the largest (default: 0.5,4)",
            "0.5,4",
        ),
        Option("--oeis-terms", "N|all", "Run the first N terms of each sequence (default: all)"),
        Option("--oeis-memory", "SIZE", "Memory of one program, such as 512MiB (default: 1GiB)", "1GiB"),
        Option(
            "--oeis-sandbox",
            "strict|standard|none",
            "Isolation of programs (default: the strictest that works here; none only if asked for)",
        ),
        Option(
            "--oeis-rules",
            "default|paper",
            "When a term is right: exit status 0 and the right stdout (default), or as in the paper the\n"
            "right stdout and an empty stderr, with any exit status",
            "default",
        ),
        Option(
            "--oeis-judge",
            "JUDGE",
            "What finds lookup tables: static (default), llm:MODEL, both:MODEL or none; MODEL as in --llm-model",
            "static",
        ),
    ),
}
OPTIONS = {option.flag: option for options in SECTIONS.values() for option in options}


def declare(parser: pytest.Parser) -> None:
    """Declare every option and ini value."""
    group = parser.getgroup("llmarith", "llmarith: benchmark language models where the right answer is known exactly")
    for option in OPTIONS.values():
        if option.metavar is None:
            group.addoption(option.flag, action="store_true", help=option.help)
        else:
            action = "append" if option.repeatable else "store"
            group.addoption(option.flag, action=action, metavar=option.metavar, help=option.help)
    parser.addini("llm_model", INI_VALUES["llm_model"], type="linelist", default=[])
    parser.addini("oeis_sets", INI_VALUES["oeis_sets"], default="")


def are_given(config: pytest.Config) -> bool:
    """Whether an option, the environment or the ini file requests a run; if not, nothing else is loaded."""
    return (
        any(config.getoption(flag) not in (None, False, []) for flag in OPTIONS)
        or MODEL_VARIABLE in os.environ
        or bool(config.getini("llm_model"))
    )


@contextmanager
def conflicts_explained() -> Iterator[None]:
    """Turn the error about an option that a conftest.py also declares into one line."""
    try:
        yield
    except (ValueError, argparse.ArgumentError) as error:
        if not (found := re.search(r"--(?:llm|oeis)-[a-z-]+", str(error))):
            raise
        raise pytest.UsageError(
            f"{found[0]} is declared by a conftest.py and by the plugin pytest-llmarith; "
            "rename the option in the conftest.py, or disable the plugin with -p no:llmarith"
        ) from None
