"""The log probabilities of a reply's tokens: how they are asked for, and what is kept
of those that a server sends.

A server lists the tokens of the whole reply: thoughts, special tokens, and halves of
characters. They are aligned to the text by its visible ASCII characters from the end,
so that none of these matter, and neither do spaces that were stripped. What does not
fit is left out, and the reply stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import zip_longest
from typing import Any

from pytest_llmarith.models.error_bodies import Refused
from pytest_llmarith.models.provider_errors import NotSent, cause_of, is_filtered
from pytest_llmarith.records import TokenLogprob
from pytest_llmarith.types import COMPLETION_PREFIX

_OF_CHATS = {"logprobs": True, "top_logprobs": 5}
_OF_COMPLETIONS = {"logprobs": 5}
_COLUMNS = ("token", "logprob", "top_logprobs")
# OpenAI says 403 to some accounts; others have their own words for a parameter.
_REFUSALS = (400, 403, 422)
_MOST_TOKENS = 1_000  # that are kept, at the end of a reply
_LONGEST_TOKEN = 40
_VISIBLE = re.compile(r"[!-~]")
_HIDDEN = re.compile(r"[^!-~]+")
_LETTER = re.compile(r"[A-Za-z]")
_SPECIAL = re.compile(r"\s*(?:<.+>|\[.+\])\s*", re.DOTALL)
_LEAST = -9_000  # OpenAI and vLLM send -9999 for what they do not know
_MOST = 0.001  # rounding of a server
_NUMBER = "83729461507"  # of a length that shows at which end groups begin


def asked_for(target: str) -> Mapping[str, Any]:
    """The parameters that ask for log probabilities."""
    return _OF_COMPLETIONS if target.startswith(COMPLETION_PREFIX) else _OF_CHATS


def tokenizing(name: str) -> Mapping[str, Any]:
    """What asks llama.cpp or vLLM for the tokens of a number."""
    return {
        "model": name,
        "content": _NUMBER,
        "with_pieces": True,
        "prompt": _NUMBER,
        "return_token_strs": True,
        "add_special_tokens": False,
    }


def number_tokens_in(said: Any) -> str | None:
    """The number as it is cut into tokens; None if these are not its digits."""
    texts = said.get("token_strs") or [one["piece"] for one in said["tokens"]]
    digits = ["".join(filter(str.isdigit, text)) for text in texts]
    found = "|".join(filter(None, digits))
    return found if found.replace("|", "") == _NUMBER else None


def without(params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters without those that ask for log probabilities."""
    return {name: value for name, value in params.items() if name not in _OF_CHATS}


def may_refuse(error: Exception) -> bool:
    """Whether the error may be due to a parameter that the provider does not take."""
    cause = cause_of(error)
    if isinstance(cause, Refused):
        return cause.status in _REFUSALS and not is_filtered(error)
    return isinstance(cause, NotSent)


def logprobs_in(said: Any, text: str) -> tuple[TokenLogprob, ...]:
    """The tokens of the text that may belong to a number, in their order; empty if
    these are not the tokens of the text.
    """
    places = [match.start() for match in _VISIBLE.finditer(text)]
    visible = _HIDDEN.sub("", text)
    end = len(visible)
    found = []
    for one in reversed(_listed(said)):
        if end == 0:
            break
        raw = _raw(one)
        shown = _HIDDEN.sub("", raw)
        if visible.endswith(shown, 0, end):
            end -= len(shown)
            if not _LETTER.search(shown):
                at = places[end] if end < len(places) else len(text)
                others = dict(_others(one.get("top_logprobs"), raw))
                logprob = _logprob(one.get("logprob"))
                found.append(TokenLogprob(at, shown, logprob, others))
        elif not _SPECIAL.fullmatch(raw):
            return ()
    return () if end else tuple(reversed(found[:_MOST_TOKENS]))


def _listed(said: Any) -> list[dict[str, Any]]:
    """The tokens as chat completions list them; completions have columns instead."""
    if not isinstance(said, dict):
        return []
    listed = said.get("content")
    if not isinstance(listed, list):
        columns = []
        for name in ("tokens", "token_logprobs", "top_logprobs"):
            column = said.get(name)
            columns.append(column if isinstance(column, list) else [])
        listed = [
            dict(zip(_COLUMNS, row, strict=True)) for row in zip_longest(*columns)
        ]
    return [one if isinstance(one, dict) else {} for one in listed]


def _raw(token: Mapping[str, Any]) -> str:
    """The text of a token; if it holds halves of characters, its ASCII characters."""
    text, values = token.get("token"), token.get("bytes")
    if isinstance(values, list):
        with suppress(TypeError, ValueError):
            return bytes(values).decode("ascii", "ignore")
    return text if isinstance(text, str) else ""


def _logprob(value: Any) -> float | None:
    """A log probability, or None for anything else."""
    if type(value) in (int, float) and _LEAST < value <= _MOST:
        return min(0.0, round(float(value), 5) + 0.0)
    return None


def _others(top: Any, raw: str) -> Iterator[tuple[str, float]]:
    """The best tokens besides the one itself."""
    if isinstance(top, dict):
        top = [{"token": token, "logprob": top[token]} for token in top]
    for one in top[:5] if isinstance(top, list) else ():
        if isinstance(one, dict):
            token, logprob = _raw(one), _logprob(one.get("logprob"))
            if logprob is not None and token != raw:
                yield token[:_LONGEST_TOKEN], round(logprob, 2)
