"""Other graders as functions of a reply and the expected number.

Each needs its own package, and is imported alone.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

# --- inspect_ai -----------------------------------------------------------------------


def _inspect(scorer: Any, reply: str, expected: str) -> bool:
    import asyncio
    from types import SimpleNamespace

    from inspect_ai.scorer import CORRECT, Target

    state = SimpleNamespace(output=SimpleNamespace(completion=reply))
    return bool(asyncio.run(scorer(state, Target(expected))).value == CORRECT)


def inspect_match(reply: str, expected: str) -> bool:
    """`match(numeric=True)`, as gsm8k, mgsm and aime of inspect_evals use it."""
    from inspect_ai.scorer import match

    return _inspect(match(numeric=True), reply, expected)


def inspect_math(reply: str, expected: str) -> bool:
    """`math()`, which compares expressions."""
    from inspect_ai.scorer import math

    return _inspect(math(), reply, expected)


def inspect_exactnum(reply: str, expected: str) -> bool:
    """The scorer of exactnum, found by its name in inspect_ai's registry."""
    from inspect_ai.scorer._scorer import scorer_create

    return _inspect(scorer_create("exactnum/number"), reply, expected)


# --- math-verify, and TRL's reward on it ----------------------------------------------


def math_verify(reply: str, expected: str) -> bool:
    """With its timeouts, which need the main thread."""
    from math_verify import parse, verify

    return bool(verify(parse(expected), parse(reply)))


def math_verify_without_timeouts(reply: str, expected: str) -> bool:
    """Without timeouts, as in threads."""
    from math_verify import parse, verify

    gold = parse(expected, parsing_timeout=None)
    return bool(verify(gold, parse(reply, parsing_timeout=None), timeout_seconds=None))


# --- lm-evaluation-harness ------------------------------------------------------------


def _lm_eval(pattern: str, group: int, reply: str, expected: str) -> bool:
    from lm_eval.api.metrics import exact_match_hf_evaluate
    from lm_eval.filters.extraction import RegexFilter

    found = RegexFilter(regex_pattern=pattern, group_select=group).apply(
        [[reply]], [{}]
    )
    taken = [next(iter(one)) for one in found]
    ignored = [",", "\\$", "(?s).*#### ", "\\.$"]
    result = exact_match_hf_evaluate(
        taken, [expected], regexes_to_ignore=ignored, ignore_case=True
    )
    return bool(result["exact_match"] == 1)


def lm_eval_strict(reply: str, expected: str) -> bool:
    """The filter `strict-match` of gsm8k."""
    return _lm_eval("#### (\\-?[0-9\\.\\,]+)", 0, reply, expected)


def lm_eval_flexible(reply: str, expected: str) -> bool:
    """The filter `flexible-extract` of gsm8k."""
    return _lm_eval("(-?[$0-9.,]{2,})|(-?[0-9]+)", -1, reply, expected)


# --- reasoning-gym --------------------------------------------------------------------


@cache
def _chain_sum() -> Any:
    import reasoning_gym

    return reasoning_gym.create_dataset("chain_sum", size=1, seed=1)


def reasoning_gym_score(reply: str, expected: str) -> float:
    """The default `score_answer`; only 1.0 counts as accepted."""
    return float(
        _chain_sum().score_answer(
            answer=reply, entry={"answer": expected, "metadata": {}}
        )
    )


# --- verl -----------------------------------------------------------------------------


@cache
def _verl() -> Any:
    from importlib.util import module_from_spec, spec_from_file_location

    package = find_spec("verl")
    assert package is not None
    assert package.submodule_search_locations
    # The package itself needs Ray and torch; this file needs neither.
    path = (
        Path(package.submodule_search_locations[0])
        / "utils"
        / "reward_score"
        / "gsm8k.py"
    )
    spec = spec_from_file_location("verl_gsm8k", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def verl_strict(reply: str, expected: str) -> float:
    """gsm8k, method strict."""
    return float(_verl().compute_score(reply, expected, method="strict"))


def verl_flexible(reply: str, expected: str) -> float:
    """gsm8k, method flexible."""
    return float(_verl().compute_score(reply, expected, method="flexible"))


# --- simple-evals ---------------------------------------------------------------------


def simple_evals(reply: str, expected: str) -> bool:
    """The form of simple-evals' mgsm_eval.py: the last number after the prefix
    "Answer", compared as text.
    """
    if "Answer" not in reply:
        return False
    numbers = re.findall(
        r"\d+\.?\d*", reply.split("Answer")[-1].strip().replace(",", "")
    )
    answer = numbers[-1].rstrip(".") if numbers else ""
    if "." in answer:
        answer = answer.rstrip("0").rstrip(".")
    return bool(expected.replace(",", "") == answer)
