"""litellm's response becomes a reply. Its objects are read without importing litellm.

litellm fills in 0 tokens and a price of 0 if the provider said nothing: that becomes None. So does a count below zero
or of four hundred digits, which would undo the caps of a run.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any

from pytest_llmarith.models.provider_errors import UnusableResponse
from pytest_llmarith.models.redact import without_known_keys
from pytest_llmarith.values import Reply

_MOST = 10**8  # tokens or US dollars of one reply; more would hold up a rate limit for days
# The finish reason if the reply was broken off: of OpenRouter, Mistral; Zhipu; DeepSeek; vLLM.
_BROKEN_OFF = {"error", "network_error", "insufficient_system_resource", "abort"}
# Other names of what OpenAI calls so: Mistral's, Anthropic's, the Responses API's; the first in capitals, too.
_FINISH_REASONS = {
    "length": "length",
    "model_length": "length",
    "model_context_window_exceeded": "length",
    "max_output_tokens": "length",
    "content_filter": "content_filter",
}


def reply_from(response: Any, *, latency_s: float, asked_at: str, sent: Mapping[str, Any]) -> Reply:
    """The reply, with every fact that the provider gave."""
    choice = _choice(response)
    usage = _usage(response)
    return Reply(
        text=_written(_text(choice.message)) or "",
        reasoning=_written(getattr(choice.message, "reasoning_content", None)) or None,
        finish_reason=_finish_reason(choice),
        served_model=_written(getattr(response, "model", None)),
        prompt_tokens=getattr(usage, "prompt_tokens", None),
        completion_tokens=None if usage is None else completion_tokens(usage),
        reasoning_tokens=_reasoning_tokens(usage),
        cost_usd=None if usage is None else _cost(response),
        latency_s=latency_s,
        asked_at=asked_at,
        sent=sent,
    )


def filtered_reply(*, latency_s: float, asked_at: str, sent: Mapping[str, Any]) -> Reply:
    """The reply if a provider's content filter stepped in and said so as an error."""
    return Reply("", finish_reason="content_filter", latency_s=latency_s, asked_at=asked_at, sent=sent)


def _written(text: Any) -> str | None:
    """Text as it may be written down; None for anything else."""
    return without_known_keys(text, os.environ) if isinstance(text, str) else None


def _choice(response: Any) -> Any:
    choices = getattr(response, "choices", None)
    if not choices:
        raise UnusableResponse("the response holds no choices")
    return choices[0]


def _finish_reason(choice: Any) -> Any:
    """litellm calls errors and every reason that it does not know `stop`, so the provider's own word counts."""
    said = getattr(choice, "provider_specific_fields", None) or {}
    native, fault = said.get("native_finish_reason"), said.get("error")
    if fault or (isinstance(native, str) and native.lower() in _BROKEN_OFF):
        raise UnusableResponse(f"the provider broke the reply off: {_words(fault) or native}")
    known = _FINISH_REASONS.get(native.lower()) if isinstance(native, str) else None
    return known or choice.finish_reason


def _words(fault: Any) -> str:
    return str(fault.get("message") or fault) if isinstance(fault, Mapping) else str(fault or "")


def _text(message: Any) -> Any:
    """What the model said; a refusal may have a field of its own."""
    refusal = getattr(message, "refusal", None) or (getattr(message, "provider_specific_fields", None) or {}).get(
        "refusal"
    )
    return message.content or refusal


def _usage(response: Any) -> Any:
    """The counts of tokens; None if one of them is no count, as the others and the price are no better then."""
    usage = getattr(response, "usage", None)
    if not (getattr(usage, "total_tokens", 0) or getattr(usage, "completion_tokens", 0)):
        return None
    counts = (getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None))
    return usage if all(map(_is_count, (*counts, _reasoning_tokens(usage)))) else None


def completion_tokens(usage: Any) -> int | None:
    """All tokens that the model wrote: servers such as xAI's count reasoning in the total alone."""
    written, total, prompt = (getattr(usage, f"{name}_tokens", None) for name in ("completion", "total", "prompt"))
    if type(total) is int and type(prompt) is int and _is_count(total) and _is_count(prompt):
        return max(written or 0, total - prompt)
    return written


def _reasoning_tokens(usage: Any) -> int | None:
    return getattr(getattr(usage, "completion_tokens_details", None), "reasoning_tokens", None)


def _is_count(tokens: Any) -> bool:
    return tokens is None or (type(tokens) is int and 0 <= tokens <= _MOST)


def _cost(response: Any) -> float | None:
    cost = (getattr(response, "_hidden_params", None) or {}).get("response_cost")
    usd = float(cost) if isinstance(cost, int | float) else 0.0
    return usd if math.isfinite(usd) and 0 < usd <= _MOST else None
