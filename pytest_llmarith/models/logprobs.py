"""The log probabilities of a reply's tokens: how they are asked for, and what is kept
of those that a server sends.

A server lists the tokens of the whole reply: thoughts, special tokens, and halves of
characters. They are aligned to the text by its visible ASCII characters from the end,
so that none of these matter, and neither do spaces that were stripped. What does not
fit is left out, and the reply stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pytest_llmarith.models.error_bodies import Refused
from pytest_llmarith.models.provider_errors import NotSent, cause_of
from pytest_llmarith.records import TokenLogprob

MOST_OTHERS = 5
_ASKED = {"logprobs": True, "top_logprobs": MOST_OTHERS}
_OF_COMPLETIONS = {"logprobs": MOST_OTHERS}
_ONE_TEXT = "text-completion-"
# OpenAI says 403 to some accounts; others have their own words for a parameter.
_REFUSALS = (400, 403, 422)
_LOOKED_AT = 16_384  # characters at the end of a reply, as the reader of numbers does
_MOST_TOKENS = 1_000  # that are kept
_LONGEST_TOKEN = 40
_VISIBLE = re.compile(r"[!-~]")
_HIDDEN = re.compile(r"[^!-~]+")
_SPECIAL = re.compile(r"<.+>|\[.+\]|<\|.*", re.DOTALL)
_HALF_CHARACTER = re.compile(r"bytes:(?:\\x[0-9a-fA-F]{2})+")  # of OpenAI
_LEAST = -9_000  # OpenAI and vLLM send -9999 for what they do not know
_ABOVE_ONE = 0.001  # rounding of a server


def asked_for(target: str) -> Mapping[str, Any]:
    """The parameters that ask for log probabilities."""
    return _OF_COMPLETIONS if target.startswith(_ONE_TEXT) else _ASKED


def without(params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters without those that ask for log probabilities."""
    return {name: value for name, value in params.items() if name not in _ASKED}


def may_refuse(error: Exception) -> bool:
    """Whether the error may be due to a parameter that the provider does not take."""
    cause = cause_of(error)
    if isinstance(cause, Refused):
        return cause.status in _REFUSALS
    return isinstance(cause, NotSent)


class _Token(NamedTuple):
    raw: str
    logprob: float | None
    others: Any


def logprobs_in(said: Any, text: str) -> tuple[TokenLogprob, ...]:
    """The tokens of the text that may belong to a number, in their order; empty if
    these are not the tokens of the text.
    """
    if not isinstance(said, dict) or not _VISIBLE.search(text):
        return ()
    found: list[TokenLogprob] = []
    start = max(0, len(text) - _LOOKED_AT)
    places = [match.start() for match in _VISIBLE.finditer(text, start)]
    visible = "".join(map(text.__getitem__, places))
    end = len(visible)
    for token in reversed(list(_tokens(said))):
        shown = _HIDDEN.sub("", token.raw)
        if not visible.endswith(shown, 0, end):
            if _SPECIAL.fullmatch(token.raw.strip()):
                continue
            # The first one may begin in a thought, or before what is looked at.
            if not shown.endswith(visible[:end]) or shown[-end - 1].isdigit():
                return ()
            shown = visible[:end]
        end -= len(shown)
        is_number = not any(map(str.isalpha, shown)) or any(map(str.isdigit, shown))
        if is_number and len(found) < _MOST_TOKENS:
            at = places[end] if end < len(places) else len(text)
            others = dict(_others(token.others, token.raw))
            found.append(TokenLogprob(at, shown, token.logprob, others))
        if end == 0:
            return tuple(reversed(found))
    return ()


def _tokens(said: Mapping[str, Any]) -> Iterator[_Token]:
    """The tokens as chat completions list them, or completions."""
    content = said.get("content")
    if isinstance(content, list):
        for one in content:
            named = one if isinstance(one, dict) else {}
            yield _Token(
                _raw(named.get("token"), named.get("bytes")),
                _logprob(named.get("logprob")),
                named.get("top_logprobs"),
            )
        return
    columns = []
    for name in ("tokens", "token_logprobs", "top_logprobs"):
        column = said.get(name)
        columns.append(column if isinstance(column, list) else [])
    tokens, logprobs, tops = columns
    for at, token in enumerate(tokens):
        logprob = logprobs[at] if at < len(logprobs) else None
        top = tops[at] if at < len(tops) else None
        yield _Token(_raw(token, None), _logprob(logprob), top)


def _raw(token: Any, values: Any) -> str:
    """The text of a token, with the ASCII characters that it holds besides halves of
    others.
    """
    text = token if isinstance(token, str) else ""
    if _HALF_CHARACTER.fullmatch(text):
        text = ""
        if isinstance(values, list):
            ascii_ones = [one for one in values if type(one) is int and 0 < one < 128]
            text = "".join(map(chr, ascii_ones))
    return text


def _logprob(value: Any) -> float | None:
    """A log probability, or None for anything else."""
    if type(value) in (int, float) and _LEAST < value <= _ABOVE_ONE:
        return min(0.0, round(float(value), 5) + 0.0)
    return None


def _others(top: Any, raw: str) -> Iterator[tuple[str, float]]:
    """The best tokens besides the one itself."""
    listed: Sequence[Any] = top if isinstance(top, list) else ()
    if isinstance(top, dict):
        listed = [{"token": token, "logprob": top[token]} for token in top]
    for one in listed[:MOST_OTHERS]:
        if isinstance(one, dict):
            token = _raw(one.get("token"), one.get("bytes"))
            logprob = _logprob(one.get("logprob"))
            if logprob is not None and token != raw:
                yield token[:_LONGEST_TOKEN], round(logprob, 2) + 0.0
