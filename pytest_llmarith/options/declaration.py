"""The options as pytest and its `--help` see them. Values stay text here; `settings` parses them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

import pytest

MODEL = "--llm-model"
MODEL_INI = "llm_model"
MODEL_ENVIRONMENT = "LLMARITH_MODEL"
MODEL_DOTENV = "MODEL"
PARAM = "--llm-param"
API_BASE = "--llm-api-base"
SYSTEM_PROMPT = "--llm-system-prompt"
DEPTHS = "--llm-depths"
TRIALS = "--llm-trials"
ADDITION_TRIALS = "--llm-addition-trials"
SEED = "--llm-seed"
SYMBOLS = "--llm-symbols"
NUMBERS = "--llm-number-format"
CONTEXT = "--llm-context"
PROMPT = "--llm-prompt"
REPEATS = "--llm-repeats"
BREAKING_POINT = "--llm-breaking-point"
CONFIRM = "--llm-confirm"
SHARD = "--llm-shard"
READING = "--llm-reading"
CONCURRENCY = "--llm-concurrency"
TIMEOUT = "--llm-timeout"
RETRIES = "--llm-retries"
RETRY_TIME = "--llm-retry-time"
RPM = "--llm-rpm"
TPM = "--llm-tpm"
MAX_COST = "--llm-max-cost"
MAX_TOKENS = "--llm-max-tokens"
PRICE = "--llm-price"
DRY_RUN = "--llm-dry-run"
STORE = "--llm-store"
STORE_DIR = "--llm-store-dir"
AGAIN = "--llm-again"
REPORTS = "--llm-reports"
STRICT = "--llm-strict"
FAIL_UNDER = "--llm-fail-under"
OEIS_SETS = "--oeis-sets"
OEIS_CACHE = "--oeis-cache"
OEIS_LIMITS = "--oeis-limits"
OEIS_TERMS = "--oeis-terms"
OEIS_MEMORY = "--oeis-memory"
OEIS_SANDBOX = "--oeis-sandbox"
OEIS_RULES = "--oeis-rules"
OEIS_JUDGE = "--oeis-judge"

MODEL_HELP = "Model to benchmark, any litellm model string, as [NAME=]TARGET[?KEY=VALUE&...]; repeatable"


def given(config: pytest.Config) -> bool:
    """Whether anybody asked for anything of ours: if not, nothing of ours needs to be loaded.

    No option has a default of its own, so whatever is set was given; the defaults are `settings`'.
    """
    options = (value for name, value in vars(config.option).items() if name.startswith(("llm_", "oeis_")))
    return (
        any(value not in (None, False, []) for value in options)
        or MODEL_ENVIRONMENT in os.environ
        or bool(config.getini(MODEL_INI))
        or (config.rootpath / ".env").is_file()
    )


def declare(parser: pytest.Parser) -> None:
    """Declare every option and ini value of the plugin."""
    group = parser.getgroup("llmarith", "llmarith: benchmark language models where the right answer is known exactly")
    for declare_group in GROUPS.values():
        declare_group(group)
    parser.addini(MODEL_INI, f"{MODEL_HELP} (one per line)", type="linelist", default=[])


def _declare_models(group: pytest.OptionGroup) -> None:
    group.addoption(
        MODEL,
        action="append",
        metavar="MODEL",
        help=f"{MODEL_HELP}.\nElse {MODEL_ENVIRONMENT}, {MODEL_DOTENV} in .env or the ini value {MODEL_INI}.\n"
        "llmarith/exact and llmarith/sloppy are embedded and need no key",
    )
    group.addoption(
        PARAM,
        action="append",
        metavar="KEY=VALUE",
        help="Request parameter for all models, the value as JSON or text; repeatable.\n"
        "Nothing that was not asked for is sent",
    )
    group.addoption(API_BASE, metavar="URL", help="Base URL of the provider, for all models")
    group.addoption(
        SYSTEM_PROMPT,
        action="append",
        metavar="TEXT",
        help="System prompt, for all models (default: none); given several times, each is a condition of its own",
    )


def _declare_problems(group: pytest.OptionGroup) -> None:
    group.addoption(DEPTHS, metavar="2-10|2,5,8", help="Depths of the arithmetic task (default: the bench's, 2-10)")
    group.addoption(
        TRIALS, metavar="N", help="Trials per cell of arithmetic, and of your own tasks (default: the bench's, 10)"
    )
    group.addoption(ADDITION_TRIALS, metavar="N", help="Trials of integer addition (default: the bench's, 100)")
    group.addoption(
        BREAKING_POINT,
        metavar="N",
        help="Search for the simplest question that is answered wrongly, with up to N questions per\n"
        "variant, such as 80 (default: no search)",
    )
    group.addoption(CONFIRM, metavar="K", help="Ask the question that a search ends with K times more (default: 3)")
    group.addoption(SEED, metavar="N|random", help="Seed of all problems (default: 0); random draws and records one")
    group.addoption(
        SHARD,
        metavar="I/N",
        help="Take the I-th of N even parts of what is selected, for runs on N machines;\nllmarith merge joins them",
    )


def _declare_conditions(group: pytest.OptionGroup) -> None:
    """How questions are put. Several values, with commas between them, make several items of each problem."""
    group.addoption(
        NUMBERS,
        metavar="plain|comma|space|underscore,...",
        help="Groups of three digits in prompts: none (plain, default), 1,234, 1 234 or 1_234",
    )
    group.addoption(
        SYMBOLS, metavar="ascii|unicode,...", help="Operator signs: + - * / (ascii, default) or + - × ÷ (unicode)"
    )
    group.addoption(
        CONTEXT,
        metavar="none|1k|2k|4k,...",
        help="About so many tokens of small talk before the question (default: none)",
    )
    group.addoption(
        PROMPT,
        action="append",
        metavar="FILE|standard",
        help="Template of the prompts, with fields such as {lhs} (default: standard, each task's own); repeatable",
    )
    group.addoption(REPEATS, metavar="K", help="Ask every question K times (default: 1)")


def _declare_asking(group: pytest.OptionGroup) -> None:
    group.addoption(CONCURRENCY, metavar="N", help="Requests in flight, whatever -n is (default: 16)")
    group.addoption(TIMEOUT, metavar="SECONDS", help="Limit of one request (default: 600)")
    group.addoption(RETRIES, metavar="N", help="Further attempts after an outage (default: 3)")
    group.addoption(RETRY_TIME, metavar="SECONDS", help="Begin no further attempt after so long (default: 900)")
    group.addoption(
        STORE,
        metavar="on|refresh|off|only",
        help="Replies paid for earlier: reuse them (on, default), ask anew and keep (refresh),\n"
        "ignore the store (off), never ask (only)",
    )
    group.addoption(STORE_DIR, metavar="DIR", help="Folder of the store (default: .llmarith in the root)")
    group.addoption(
        AGAIN, metavar="REASON,...", help="Ask stored replies anew that were empty, truncated, refusal or filtered"
    )


def _declare_bounds(group: pytest.OptionGroup) -> None:
    group.addoption(RPM, metavar="N", help="Requests per minute of the whole run (default: no bound)")
    group.addoption(TPM, metavar="N", help="Tokens per minute of the whole run (default: no bound)")
    group.addoption(
        MAX_COST, metavar="USD", help="Begin no request that could make the run cost more, the judge included"
    )
    group.addoption(
        MAX_TOKENS, metavar="N", help="Begin no request that could make the run use more tokens, the judge's included"
    )
    group.addoption(
        PRICE,
        metavar="IN,OUT",
        help="US dollars per million prompt and completion tokens, for models whose price is unknown",
    )
    group.addoption(
        DRY_RUN,
        action="store_true",
        help="Ask nothing: show what would be asked, about what it costs, and one prompt of each task",
    )


def _declare_results(group: pytest.OptionGroup) -> None:
    group.addoption(
        READING, metavar="strict|tolerant", help="Reading that is graded (default: tolerant, integer addition strict)"
    )
    group.addoption(REPORTS, metavar="DIR", help="Folder of the runs (default: reports in the root)")
    group.addoption(STRICT, action="store_true", help="Make everything but correct a failure")
    group.addoption(
        FAIL_UNDER,
        action="append",
        metavar="[TASK:]PERCENT",
        help="Exit with 1 where a model's correct percentage is lower; repeatable",
    )


def _declare_oeis(group: pytest.OptionGroup) -> None:
    group.addoption(
        OEIS_SETS,
        metavar="SET,...",
        help="Sets of sequences: classic_easy, classic_hard, contemporary_easy, contemporary_hard, starter\n"
        "(default: both classic sets where the cache has them, else starter)",
    )
    group.addoption(OEIS_CACHE, metavar="DIR", help="Folder of the OEIS entries (default: oeis_cache in the root)")
    group.addoption(
        OEIS_LIMITS, metavar="SECONDS,...", help="Limits per term; programs run once, at the largest (default: 0.5,4)"
    )
    group.addoption(OEIS_TERMS, metavar="N|all", help="Run the first N terms of each sequence (default: all)")
    group.addoption(OEIS_MEMORY, metavar="SIZE", help="Memory of one program, such as 512MiB (default: 1GiB)")
    group.addoption(
        OEIS_SANDBOX,
        metavar="strict|standard|none",
        help="How programs are locked in (default: the strictest that holds here; none only if asked for)",
    )
    group.addoption(
        OEIS_RULES,
        metavar="default|paper",
        help="What makes a term right: exit status 0 and standard output (default), or the paper's\n"
        "evaluator, for which any text on stderr is wrong and the exit status does not matter",
    )
    group.addoption(
        OEIS_JUDGE,
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
