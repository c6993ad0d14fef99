"""The table of options, from which pytest's options, the defaults of `settings` and
docs/options.md are made.

Every pytest run of an environment imports this module, so it imports nothing slow.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Literal, NamedTuple

import pytest

MODEL_VARIABLE = "LLMARITH_MODEL"


class Option(NamedTuple):
    """A command line option, or an ini value if the name has no dashes; `settings`
    parses its value or `default`.
    """

    name: str
    metavar: str | None  # None: a switch without a value
    help: str
    default: str | None = None  # None: the bench, the ini file or `settings` decides
    repeatable: bool = False

    @property
    def is_ini(self) -> bool:
        return not self.name.startswith("--")


SECTIONS: dict[str, tuple[Option, ...]] = {
    "models": (
        Option(
            "--llm-model",
            "MODEL",
            "Model to benchmark, as [NAME=]TARGET[?KEY=VALUE&...]; TARGET is "
            "litellm's name, gguf:PATH or python:MODULE:FUNCTION; repeatable",
            repeatable=True,
        ),
        Option(
            "--llm-param",
            "KEY=VALUE",
            "Request parameter for all models; repeatable",
            repeatable=True,
        ),
        Option(
            "--llm-sweep",
            "KEY=V,V,...",
            "Ask with each value: reasoning_effort=low,high",
            repeatable=True,
        ),
        Option(
            "--llm-logprobs",
            None,
            "Ask for log probabilities, and keep those of answers (default: of model "
            "files)",
        ),
        Option(
            "--llm-api-base",
            "URL[,URL...]",
            "Base URL of the provider, for all models; several servers of the same "
            "model, or @FILE with a URL a line",
        ),
        Option(
            "--llm-system-prompt",
            "TEXT",
            "System prompt; several are compared as conditions",
            repeatable=True,
        ),
        Option(
            "--llm-baseline",
            "NAME",
            "Model that the others are compared with (default: the first one)",
        ),
    ),
    "questions": (
        Option(
            "--llm-suite",
            "NAME",
            "Ask the questions of benches/papers/NAME.py, and no others",
        ),
        Option(
            "--llm-depths",
            "2-10|2,5,8",
            "Digits of arithmetic (default: the bench's, 2-10)",
        ),
        Option(
            "--llm-trials", "N", "Trials per variant and depth (default: the bench's)"
        ),
        Option(
            "--llm-task-param",
            "NAME.KEY=VALUE",
            "Argument of a task that a bridge or a task_factory makes; repeatable",
            repeatable=True,
        ),
        Option("--llm-seed", "N|random", "Seed of all problems (default: 0)", "0"),
        Option("--llm-repeats", "K", "Ask every question K times (default: 1)", "1"),
        Option(
            "--llm-breaking-point",
            "N",
            "Search for breaking points, with up to N questions per variant",
        ),
        Option(
            "--llm-adaptive",
            "HALF_WIDTH[,QUESTIONS]",
            "Find D50, the depth at which half of the answers are right, to +- "
            "HALF_WIDTH, "
            "with at most QUESTIONS (100) per variant",
        ),
        Option(
            "--llm-shard", "I/N", "Run the I-th of N parts; llmarith merge joins them"
        ),
        Option(
            "--llm-number-format",
            "plain|comma|space,...",
            "How digits are grouped in prompts",
            "plain",
        ),
        Option(
            "--llm-symbols",
            "ascii|unicode,...",
            "Operator signs in prompts: + - * / or + - × ÷",
            "ascii",
        ),
        Option(
            "--llm-context",
            "none|1k|2k|4k,...",
            "Tokens of filler text before the question",
            "none",
        ),
        Option(
            "--llm-prompt-template",
            "FILE|standard",
            "Template of prompts; repeatable",
            repeatable=True,
        ),
    ),
    "money and limits": (
        Option(
            "--llm-questions-out",
            "FILE",
            "Ask nothing: write the questions that have no stored reply, as JSONL in the "
            "form of OpenAI's batches",
        ),
        Option(
            "--llm-dry-run",
            None,
            "Ask nothing: show questions, prompts and the estimated cost",
        ),
        Option(
            "--llm-max-cost", "USD", "Send no request that could make the run cost more"
        ),
        Option(
            "--llm-max-total-tokens",
            "N",
            "Send no request that could make the run use more tokens",
        ),
        Option(
            "--llm-price",
            "IN,OUT",
            "US dollars per million prompt and completion tokens, if litellm lists "
            "none",
        ),
        Option(
            "--llm-concurrency",
            "N[,fixed]",
            "Requests in flight, independent of -n (default: 16); fixed: however many "
            "429s come",
            "16",
        ),
        Option(
            "--llm-rpm", "N", "Requests per minute of the whole run (default: no limit)"
        ),
        Option(
            "--llm-store",
            "on|refresh|off|only",
            "Use, replace or ignore stored replies, or ask no model",
            "on",
        ),
    ),
    "results": (
        Option(
            "--llm-match",
            "strict|tolerant",
            "Grade bare numbers only, or any stated answer (default: by task)",
        ),
        Option(
            "--llm-reports", "DIR", "Folder of the runs (default: reports in the root)"
        ),
        Option("--llm-strict", None, "Fail every item whose outcome is not correct"),
        Option(
            "--llm-fail-under",
            "[TASK:]PERCENT",
            "Exit with 1 if fewer answers are correct, or the mean score of a task with "
            "scores between 0 and 1 is lower; repeatable",
            repeatable=True,
        ),
    ),
    "OEIS": (
        Option(
            "--oeis-sets",
            "SET,...",
            "Sets of sequences (default: the bench's, else starter)",
        ),
        Option(
            "--oeis-terms",
            "N|all",
            "Run the first N terms of each sequence (default: all)",
        ),
        Option(
            "--oeis-limits", "SECONDS,...", "Limits per term (default: 0.5,4)", "0.5,4"
        ),
        Option(
            "--oeis-sandbox",
            "strict|standard|none",
            "Isolation of programs (default: the strictest that works)",
        ),
        Option(
            "--oeis-judge",
            "JUDGE",
            "Finds lookup tables: static (default), llm:MODEL, both:MODEL, none",
            "static",
        ),
        Option(
            "--oeis-scheduler",
            "tcp://HOST:PORT",
            "Run programs on the workers of a Dask cluster (extra [dask])",
        ),
    ),
    "ini values": (
        Option(
            "llm_model",
            "MODEL",
            "Models to benchmark, as for --llm-model, one per line",
            repeatable=True,
        ),
        Option(
            "llm_timeout", "SECONDS", "Time limit of one request (default: 600)", "600"
        ),
        Option(
            "llm_retries",
            "N",
            "Retries after an outage, and four times as many after a 429 (default: 3)",
            "3",
        ),
        Option(
            "llm_transport",
            "direct|litellm",
            "How a server of one's own is asked (default: direct)",
            "direct",
        ),
        Option(
            "llm_store_dir",
            "DIR",
            "Folder of the store (default: .llmarith)",
            ".llmarith",
        ),
        Option("oeis_sets", "SET,...", "Sets of sequences, as for --oeis-sets"),
        Option(
            "oeis_cache",
            "DIR",
            "Folder of the OEIS entries (default: oeis_cache)",
            "oeis_cache",
        ),
        Option(
            "oeis_memory",
            "SIZE",
            "Memory of one program, such as 512MiB (default: 1GiB)",
            "1GiB",
        ),
        Option(
            "oeis_rules",
            "default|paper",
            "A term is right with exit status 0 and the right stdout (default), or as "
            "in the paper with "
            "the right stdout and an empty stderr",
            "default",
        ),
    ),
}
OPTIONS = {option.name: option for options in SECTIONS.values() for option in options}


def declare(parser: pytest.Parser) -> None:
    """Declare every option and ini value."""
    for title, options in SECTIONS.items():
        group = parser.getgroup(f"llmarith {title}", f"llmarith: {title}")
        for option in options:
            if option.is_ini:
                kind: Literal["linelist", "string"] = (
                    "linelist" if option.repeatable else "string"
                )
                parser.addini(
                    option.name,
                    option.help,
                    type=kind,
                    default=[] if option.repeatable else "",
                )
            elif option.metavar is None:
                group.addoption(option.name, action="store_true", help=option.help)
            else:
                action = "append" if option.repeatable else "store"
                group.addoption(
                    option.name, action=action, metavar=option.metavar, help=option.help
                )


def are_given(config: pytest.Config) -> bool:
    """Whether an option, the environment or the ini file requests a run; if not,
    nothing else is loaded.
    """
    for name, option in OPTIONS.items():
        if option.is_ini:
            is_given = bool(config.getini(name))
        else:
            is_given = config.getoption(name) not in (None, False, [])
        if is_given:
            return True
    return MODEL_VARIABLE in os.environ


def suggest(parser: pytest.Parser, arguments: Sequence[str]) -> None:
    """Name the option of this plugin that may be meant by an unknown one, in pytest's
    own message about it.
    """
    given = [one.partition("=")[0] for one in arguments if one.startswith("--")]
    ours = [name for name, option in OPTIONS.items() if not option.is_ini]
    for name in given:
        nearest = get_close_matches(name, ours, n=1, cutoff=0.7)
        if nearest and nearest[0] != name and name not in _known(parser):
            parser.extra_info["did you mean"] = f"{nearest[0]} for {name}"


def _known(parser: pytest.Parser) -> set[str]:
    """All options of pytest and its plugins."""
    groups = [*parser._groups, parser._anonymous]
    return {name for group in groups for one in group.options for name in one.names()}


@contextmanager
def conflicts_explained() -> Iterator[None]:
    """Turn the error about an option that a conftest.py also declares into one line."""
    try:
        yield
    except (ValueError, argparse.ArgumentError) as error:
        if not (found := re.search(r"--(?:llm|oeis)-[a-z-]+", str(error))):
            raise
        raise pytest.UsageError(
            f"{found[0]} is declared by a conftest.py and by the plugin "
            f"pytest-llmarith; "
            "rename the option in the conftest.py, or disable the plugin with -p "
            "no:llmarith"
        ) from None
