"""What a response becomes: a reply, read from JSON of OpenAI's form.

What is not known is None and never 0, also if the provider says 0 tokens of a reply.
Absurd counts are not believed, because they would defeat the budget.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Any

from pytest_llmarith.models.provider_errors import UnusableResponse
from pytest_llmarith.models.redact import without_known_keys
from pytest_llmarith.records import Reply

# Tokens or US dollars of one reply; more would block the rate limit for days.
MAX_COUNTED = 10**8
# Finish reasons of interrupted replies: OpenRouter and Mistral; Zhipu; DeepSeek; vLLM.
_BROKEN_OFF = {"error", "network_error", "insufficient_system_resource", "abort"}
# OpenAI's finish reasons by the names of servers, in lower case; any other name means
# `stop`.
_FINISH_REASONS = {
    "length": "length",
    "model_length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_context_window_exceeded": "length",
    "content_filter": "content_filter",
    "content_filtered": "content_filter",
    "safety": "content_filter",
    "sensitive": "content_filter",
    "tool_calls": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "function_call",
}
# A server without a parser for reasoning leaves it in the text.
_THOUGHT = re.compile(r"<(?:think|thinking)>(.*?)</(?:think|thinking)>(.*)", re.DOTALL)


def parsed(body: bytes) -> Any:
    """The JSON of a response. Raises UnusableResponse."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise UnusableResponse(f"the response cannot be read: {error}") from error


def reply_in(response: Any) -> Reply:
    """The reply with all data of a response, except its cost.

    Raises UnusableResponse.
    """
    choice = _first_choice(response)
    message = choice.get("message")
    if not isinstance(message, dict):
        raise UnusableResponse("the response holds no message")
    finish_reason = _finish_reason(choice)
    content, reasoning = _content_and_reasoning(message)
    usage = usage_in(response)
    return Reply(
        text=_written(content or message.get("refusal")) or "",
        reasoning=_written(reasoning) or None,
        finish_reason=finish_reason,
        served_model=_written(response.get("model")),
        system_fingerprint=_written(response.get("system_fingerprint")),
        prompt_tokens=usage.get("prompt_tokens"),
        completion_tokens=completion_tokens(usage),
        reasoning_tokens=_reasoning_tokens(usage),
    )


def usage_in(response: Mapping[str, Any]) -> Mapping[str, Any]:
    """The token counts; empty if one of them is invalid, as then neither the others nor
    the price can be trusted.
    """
    usage = response.get("usage")
    if usage is None:
        return {}
    if not isinstance(usage, dict):
        raise UnusableResponse("the token counts of the response cannot be read")
    counts = [
        usage.get("prompt_tokens"),
        usage.get("completion_tokens"),
        usage.get("total_tokens"),
        _reasoning_tokens(usage),
    ]
    if not all(map(_is_count, counts)):
        return {}
    if not usage.get("total_tokens") and not usage.get("completion_tokens"):
        return {}
    return usage


def completion_tokens(usage: Mapping[str, Any]) -> int | None:
    """All tokens that the model wrote; some servers, such as xAI's, count reasoning
    only in the total.
    """
    written: int | None = usage.get("completion_tokens")
    total: int | None = usage.get("total_tokens")
    prompt: int | None = usage.get("prompt_tokens")
    if total is None or prompt is None:
        return written
    return max(written or 0, total - prompt)


def cached_tokens(usage: Mapping[str, Any]) -> int:
    """The tokens of the prompt that the server had in its cache; 0 if it says
    nothing.
    """
    cached = _detail(usage, "prompt_tokens_details", "cached_tokens")
    prompt = usage.get("prompt_tokens") or 0
    if type(cached) is int and 0 < cached <= prompt:
        return cached
    return 0


def _first_choice(response: Any) -> Mapping[str, Any]:
    choices = None
    if isinstance(response, dict):
        choices = response.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0]
    raise UnusableResponse("the response holds no choices")


def _finish_reason(choice: Mapping[str, Any]) -> str:
    """The finish reason; proxies add the provider's own."""
    usual = choice.get("finish_reason")
    native = choice.get("native_finish_reason") or usual
    names = [name.lower() for name in (native, usual) if isinstance(name, str)]
    fault = choice.get("error")
    if fault or (names and names[0] in _BROKEN_OFF):
        words = fault or native
        if isinstance(fault, dict) and fault.get("message"):
            words = fault["message"]
        raise UnusableResponse(f"the provider interrupted the reply: {words}")
    for name in names:
        if name in _FINISH_REASONS:
            return _FINISH_REASONS[name]
    return "stop"


def _content_and_reasoning(message: Mapping[str, Any]) -> tuple[str | None, Any]:
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(map(_text_of_part, content))
    if content is not None and not isinstance(content, str):
        raise UnusableResponse("the content of the response is no text")
    for name in ("reasoning_content", "reasoning"):
        if name in message:
            return content, message[name]
    if content is not None:
        thought = _THOUGHT.match(content)
        if thought is not None:
            return thought[2], thought[1]
    return content, None


def _text_of_part(part: Any) -> str:
    """The text of a part of the content. Raises UnusableResponse if it has none."""
    if isinstance(part, dict) and part.get("type") == "text":
        text = part.get("text")
        if isinstance(text, str):
            return text
    raise UnusableResponse("the content of the response is no text")


def _reasoning_tokens(usage: Mapping[str, Any]) -> Any:
    return _detail(usage, "completion_tokens_details", "reasoning_tokens")


def _detail(usage: Mapping[str, Any], details: str, name: str) -> Any:
    found = usage.get(details)
    if isinstance(found, dict):
        return found.get(name)
    return None


def _is_count(tokens: Any) -> bool:
    return tokens is None or (type(tokens) is int and 0 <= tokens <= MAX_COUNTED)


def _written(text: Any) -> str | None:
    """Text without known keys; None for any other type."""
    if isinstance(text, str):
        return without_known_keys(text, os.environ)
    return None
