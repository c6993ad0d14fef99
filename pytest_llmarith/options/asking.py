"""What bounds the asking: texts of options to `AskingLimits`.

Every function raises ValueError with one line for people, as those of `parsing` do.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from pytest_llmarith.options import names, parsing
from pytest_llmarith.values import AskingLimits, Price

_MOST_IN_FLIGHT = 1024
_MOST_RETRIES = 100
_MOST_PER_MINUTE = 100_000_000
_MOST_TOKENS = 999_999_999

_DEFAULTS = {
    names.CONCURRENCY: "16",
    names.TIMEOUT: "600",
    names.RETRIES: "3",
}
_DOLLARS = re.compile(r"\d{1,9}(\.\d{1,9})?", re.ASCII)


def asking_limits(given: Callable[[str], str | None]) -> AskingLimits:
    """Parse what was given."""

    def text(option: str) -> str:
        asked = given(option)
        return _DEFAULTS[option] if asked is None else str(asked)

    return AskingLimits(
        concurrency=parsing.whole_number(names.CONCURRENCY, text(names.CONCURRENCY), 1, _MOST_IN_FLIGHT),
        timeout_s=parsing.seconds(names.TIMEOUT, text(names.TIMEOUT)),
        retries=parsing.whole_number(names.RETRIES, text(names.RETRIES), 0, _MOST_RETRIES),
        requests_per_minute=parsing.optional(given, names.RPM, _per_minute),
        tokens_per_minute=parsing.optional(given, names.TPM, _per_minute),
        max_cost_usd=parsing.optional(given, names.MAX_COST, _dollars),
        max_tokens=parsing.optional(given, names.MAX_TOKENS, _tokens),
        price=parsing.optional(given, names.PRICE, _price),
    )


def _per_minute(option: str, text: str) -> int:
    return parsing.whole_number(option, text, 1, _MOST_PER_MINUTE)


def _tokens(option: str, text: str) -> int:
    return parsing.whole_number(option, text, 1, _MOST_TOKENS)


def _dollars(option: str, text: str) -> float:
    if _DOLLARS.fullmatch(text) and float(text) > 0:
        return float(text)
    raise ValueError(f"{option}: {text!r} is not a positive amount of US dollars; write 5 or 0.25")


def _price(option: str, text: str) -> Price:
    amounts = [part.strip() for part in text.split(",")]
    if len(amounts) == 2 and all(map(_DOLLARS.fullmatch, amounts)):
        return Price(*map(float, amounts))
    raise ValueError(
        f"{option}: {text!r} is not IN,OUT; write the US dollars per million prompt and completion tokens: 1.1,4.4"
    )
