"""litellm's response made into a reply. It takes the objects as they come and does not import litellm.

Nobody's silence becomes a number: litellm fills 0 tokens and a price of 0 where the provider said nothing. Nor does
nonsense: what is spent is added up, and one count below zero, or of four hundred digits, would undo the caps of a run.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any

from pytest_llmarith.models.patience.failures import UnusableResponse
from pytest_llmarith.models.scrubbing import without_known_keys
from pytest_llmarith.values import Reply

_MOST = 10**8  # tokens or US dollars of one reply; who says more would hold a bounded pace up for days
# What stands in the place of a finish reason where it was not the model that ended: OpenRouter, Mistral; Zhipu;
# DeepSeek; vLLM.
_BROKEN_OFF = {"error", "network_error", "insufficient_system_resource", "abort"}
# Other names of what OpenAI calls so: Mistral's, Anthropic's, the Responses API's; the first in capitals, too.
_FINISH_REASONS = {
    "length": "length",
    "model_length": "length",
    "model_context_window_exceeded": "length",
    "max_output_tokens": "length",
    "content_filter": "content_filter",
}


def reply_from(response: Any, *, simulated: bool, latency_s: float, asked_at: str, sent: Mapping[str, Any]) -> Reply:
    """What came back from a model, with every fact that the provider gave."""
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
        cost_usd=None if simulated or usage is None else _cost(response),
        latency_s=latency_s,
        asked_at=asked_at,
        sent=sent,
    )


def filtered_reply(*, latency_s: float, asked_at: str, sent: Mapping[str, Any]) -> Reply:
    """A provider's content filter that came as an error is a reply all the same."""
    return Reply("", finish_reason="content_filter", latency_s=latency_s, asked_at=asked_at, sent=sent)


def _written(text: Any) -> str | None:
    """Text as it may be written down; what a provider sends in its place is none."""
    return without_known_keys(text, os.environ) if isinstance(text, str) else None


def _choice(response: Any) -> Any:
    choices = getattr(response, "choices", None)
    if not choices:
        raise UnusableResponse("the response holds no choices")
    return choices[0]


def _finish_reason(choice: Any) -> Any:
    """litellm calls whatever it does not know `stop`, as if the model had come to its end; and errors, too."""
    said = getattr(choice, "provider_specific_fields", None) or {}
    native, fault = said.get("native_finish_reason"), said.get("error")
    if fault or (isinstance(native, str) and native.lower() in _BROKEN_OFF):
        raise UnusableResponse(f"the provider broke the reply off: {_words(fault) or native}")
    known = _FINISH_REASONS.get(native.lower()) if isinstance(native, str) else None
    return known or choice.finish_reason


def _words(fault: Any) -> str:
    return str(fault.get("message") or fault) if isinstance(fault, Mapping) else str(fault or "")


def _text(message: Any) -> Any:
    """A refusal in a field of its own is what the model said."""
    refusal = getattr(message, "refusal", None) or (getattr(message, "provider_specific_fields", None) or {}).get(
        "refusal"
    )
    return message.content or refusal


def _usage(response: Any) -> Any:
    """The counts of tokens, unless one of them is none: then the others, and the price made of them, are no better."""
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
