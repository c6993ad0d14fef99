"""The options as pytest and its `--help` see them. Values stay text here; `settings` parses them."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import pytest

from pytest_llmarith.options import names

_MODEL_HELP = "Model to benchmark, any litellm model string, as [NAME=]TARGET[?KEY=VALUE&...]; repeatable"


def given(config: pytest.Config) -> bool:
    """Whether an option, the environment or the ini file asks for anything: if not, nothing more needs to be loaded.

    No option has a default here, so a value that is set was given; `settings` has the defaults.
    """
    flags = (name for name in vars(names).values() if str(name).startswith("--"))
    return (
        any(config.getoption(flag) not in (None, False, []) for flag in flags)
        or names.MODEL_ENVIRONMENT in os.environ
        or bool(config.getini(names.MODEL_INI))
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


def declare(parser: pytest.Parser) -> None:
    """Declare every option and ini value of the plugin."""
    group = parser.getgroup("llmarith", "llmarith: benchmark language models where the right answer is known exactly")
    for declare_group in GROUPS.values():
        declare_group(group)
    parser.addini(names.MODEL_INI, f"{_MODEL_HELP} (one per line)", type="linelist", default=[])
    parser.addini(names.OEIS_SETS_INI, f"Sets of sequences, as for {names.OEIS_SETS}", default="")


def _declare_models(group: pytest.OptionGroup) -> None:
    group.addoption(
        names.MODEL,
        action="append",
        metavar="MODEL",
        help=f"{_MODEL_HELP}.\n"
        f"Else {names.MODEL_ENVIRONMENT} in the environment, "
        f"the same in .env, or the ini value {names.MODEL_INI}.\n"
        "llmarith/exact and llmarith/sloppy are embedded and need no key",
    )
    group.addoption(
        names.PARAM,
        action="append",
        metavar="KEY=VALUE",
        help="Request parameter for all models, the value as JSON or text; repeatable.\n"
        "Nothing that was not asked for is sent",
    )
    group.addoption(names.API_BASE, metavar="URL", help="Base URL of the provider, for all models")
    group.addoption(
        names.SYSTEM_PROMPT,
        action="append",
        metavar="TEXT",
        help="System prompt, for all models (default: none); given several times, each is a condition of its own",
    )


def _declare_problems(group: pytest.OptionGroup) -> None:
    group.addoption(
        names.DEPTHS, metavar="2-10|2,5,8", help="Depths of the arithmetic task (default: the bench's, 2-10)"
    )
    group.addoption(
        names.TRIALS,
        metavar="N",
        help="Trials per cell of arithmetic, of integer addition, and of your own tasks (default: the bench's)",
    )
    group.addoption(
        names.BREAKING_POINT,
        metavar="N",
        help="Search for the simplest question that is answered wrongly, with up to N questions per\n"
        "variant, such as 80 (default: no search)",
    )
    group.addoption(
        names.SEED, metavar="N|random", help="Seed of all problems (default: 0); random draws and records one"
    )
    group.addoption(
        names.SHARD,
        metavar="I/N",
        help="Take the I-th of N even parts of what is selected, for runs on N machines;\nllmarith merge joins them",
    )


def _declare_conditions(group: pytest.OptionGroup) -> None:
    """How questions are put. Several values, with commas between them, make several items of each problem."""
    group.addoption(
        names.NUMBERS,
        metavar="plain|comma|space,...",
        help="Groups of three digits in prompts: none (plain, default), 1,234 or 1 234",
    )
    group.addoption(
        names.SYMBOLS, metavar="ascii|unicode,...", help="Operator signs: + - * / (ascii, default) or + - × ÷ (unicode)"
    )
    group.addoption(
        names.CONTEXT,
        metavar="none|1k|2k|4k,...",
        help="About so many tokens of small talk before the question (default: none)",
    )
    group.addoption(
        names.PROMPT,
        action="append",
        metavar="FILE|standard",
        help="Template of the prompts, with fields such as {lhs} (default: standard, each task's own); repeatable",
    )
    group.addoption(names.REPEATS, metavar="K", help="Ask every question K times (default: 1)")


def _declare_asking(group: pytest.OptionGroup) -> None:
    group.addoption(names.CONCURRENCY, metavar="N", help="Requests in flight, whatever -n is (default: 16)")
    group.addoption(names.TIMEOUT, metavar="SECONDS", help="Limit of one request (default: 600)")
    group.addoption(
        names.RETRIES,
        metavar="N",
        help="Further attempts after an outage, and four times as many after a 429 (default: 3)",
    )
    group.addoption(
        names.STORE,
        metavar="on|refresh|off|only",
        help="Replies paid for earlier: reuse them (on, default), ask anew and keep (refresh),\n"
        "ignore the store (off), never ask (only)",
    )
    group.addoption(names.STORE_DIR, metavar="DIR", help="Folder of the store (default: .llmarith in the root)")


def _declare_bounds(group: pytest.OptionGroup) -> None:
    group.addoption(names.RPM, metavar="N", help="Requests per minute of the whole run (default: no bound)")
    group.addoption(names.TPM, metavar="N", help="Tokens per minute of the whole run (default: no bound)")
    group.addoption(
        names.MAX_COST, metavar="USD", help="Begin no request that could make the run cost more, the judge included"
    )
    group.addoption(
        names.MAX_TOKENS,
        metavar="N",
        help="Begin no request that could make the run use more tokens, the judge's included",
    )
    group.addoption(
        names.PRICE,
        metavar="IN,OUT",
        help="US dollars per million prompt and completion tokens, for models whose price is unknown",
    )
    group.addoption(
        names.DRY_RUN,
        action="store_true",
        help="Ask nothing: show what would be asked, about what it costs, and one prompt of each task",
    )


def _declare_results(group: pytest.OptionGroup) -> None:
    group.addoption(
        names.READING,
        metavar="strict|tolerant",
        help="Reading that is graded (default: tolerant, integer addition strict)",
    )
    group.addoption(names.REPORTS, metavar="DIR", help="Folder of the runs (default: reports in the root)")
    group.addoption(names.STRICT, action="store_true", help="Make everything but correct a failure")
    group.addoption(
        names.FAIL_UNDER,
        action="append",
        metavar="[TASK:]PERCENT",
        help="Exit with 1 where a model's correct percentage is lower; repeatable",
    )


def _declare_oeis(group: pytest.OptionGroup) -> None:
    group.addoption(
        names.OEIS_SETS,
        metavar="SET,...",
        help="Sets of sequences: classic_easy, classic_hard, contemporary_easy, contemporary_hard, starter\n"
        f"(default: the sets of the bench's mark, else the ini value {names.OEIS_SETS_INI}, else starter)",
    )
    group.addoption(
        names.OEIS_CACHE, metavar="DIR", help="Folder of the OEIS entries (default: oeis_cache in the root)"
    )
    group.addoption(
        names.OEIS_LIMITS,
        metavar="SECONDS,...",
        help="Limits per term; programs run once, at the largest (default: 0.5,4)",
    )
    group.addoption(names.OEIS_TERMS, metavar="N|all", help="Run the first N terms of each sequence (default: all)")
    group.addoption(names.OEIS_MEMORY, metavar="SIZE", help="Memory of one program, such as 512MiB (default: 1GiB)")
    group.addoption(
        names.OEIS_SANDBOX,
        metavar="strict|standard|none",
        help="How programs are locked in (default: the strictest that holds here; none only if asked for)",
    )
    group.addoption(
        names.OEIS_RULES,
        metavar="default|paper",
        help="What makes a term right: exit status 0 and standard output (default), or the paper's\n"
        "evaluator, for which any text on stderr is wrong and the exit status does not matter",
    )
    group.addoption(
        names.OEIS_JUDGE,
        metavar="JUDGE",
        help="Who finds lookup tables: static (default), llm:MODEL, both:MODEL or none; MODEL as in --llm-model",
    )


GROUPS: Mapping[str, Callable[[pytest.OptionGroup], None]] = {
    "Models": _declare_models,
    "Problems": _declare_problems,
    "Conditions": _declare_conditions,
    "Asking": _declare_asking,
    "Pace and money": _declare_bounds,
    "Results": _declare_results,
    "Sequences": _declare_oeis,
}
