"""The table of options: pytest's options, the defaults of `settings` and docs/options.md come from it.

Every pytest run of an environment imports this module.
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
    """A command line option. `settings` parses its text, or `default` if it is not given."""

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
            "System prompt, for all models (default: none); given several times, each is a condition of its own",
            repeatable=True,
        ),
    ),
    "Problems": (
        Option("--llm-depths", "2-10|2,5,8", "Depths of the arithmetic task (default: the bench's, 2-10)"),
        Option(
            "--llm-trials",
            "N",
            "Trials per cell of arithmetic, of integer addition, and of your own tasks (default: the bench's)",
        ),
        Option(
            "--llm-breaking-point",
            "N",
            "Search for the simplest question that is answered wrongly, with up to N questions per\n"
            "variant, such as 80 (default: no search)",
        ),
        Option("--llm-seed", "N|random", "Seed of all problems (default: 0); random draws and records one", "0"),
        Option(
            "--llm-shard",
            "I/N",
            "Take the I-th of N even parts of what is selected, for runs on N machines;\nllmarith merge joins them",
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
    "Asking": (
        Option("--llm-concurrency", "N", "Requests in flight, whatever -n is (default: 16)", "16"),
        Option("--llm-timeout", "SECONDS", "Limit of one request (default: 600)", "600"),
        Option(
            "--llm-retries",
            "N",
            "Further attempts after an outage, and four times as many after a 429 (default: 3)",
            "3",
        ),
        Option(
            "--llm-store",
            "on|refresh|off|only",
            "Cached replies: reuse them (on, default), ask anew and keep (refresh),\n"
            "ignore the store (off), never ask (only)",
            "on",
        ),
        Option("--llm-store-dir", "DIR", "Folder of the store (default: .llmarith in the root)"),
    ),
    "Pace and money": (
        Option("--llm-rpm", "N", "Requests per minute of the whole run (default: no bound)"),
        Option("--llm-tpm", "N", "Tokens per minute of the whole run (default: no bound)"),
        Option("--llm-max-cost", "USD", "Begin no request that could make the run cost more, the judge included"),
        Option(
            "--llm-max-tokens", "N", "Begin no request that could make the run use more tokens, the judge's included"
        ),
        Option(
            "--llm-price",
            "IN,OUT",
            "US dollars per million prompt and completion tokens, for models whose price is unknown",
        ),
        Option(
            "--llm-dry-run",
            None,
            "Ask nothing: show what would be asked, about what it costs, and one prompt of each task",
        ),
    ),
    "Results": (
        Option(
            "--llm-reading", "strict|tolerant", "Reading that is graded (default: tolerant, integer addition strict)"
        ),
        Option("--llm-reports", "DIR", "Folder of the runs (default: reports in the root)"),
        Option("--llm-strict", None, "Make everything but correct a failure"),
        Option(
            "--llm-fail-under",
            "[TASK:]PERCENT",
            "Exit with 1 if a model's correct percentage is lower; repeatable",
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
            "What makes a term right: exit status 0 and standard output (default), or the paper's\n"
            "evaluator, for which any text on stderr is wrong and the exit status does not matter",
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
    """Whether an option, the environment or the ini file asks for anything: if not, nothing more is loaded."""
    return (
        any(config.getoption(flag) not in (None, False, []) for flag in OPTIONS)
        or MODEL_VARIABLE in os.environ
        or bool(config.getini("llm_model"))
    )


@contextmanager
def conflicts_explained() -> Iterator[None]:
    """Turn the error about an option that a conftest.py declares as well into one line."""
    try:
        yield
    except (ValueError, argparse.ArgumentError) as error:
        if not (found := re.search(r"--(?:llm|oeis)-[a-z-]+", str(error))):
            raise
        raise pytest.UsageError(
            f"{found[0]} is declared by a conftest.py and by the plugin pytest-llmarith; "
            "give the option of the conftest.py another name, or switch the plugin off with -p no:llmarith"
        ) from None
