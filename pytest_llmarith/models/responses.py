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

MAX_COUNTED = (
    10**8
)  # tokens or US dollars of one reply; more would block the rate limit for days
# Finish reasons of interrupted replies: OpenRouter and Mistral; Zhipu; DeepSeek; vLLM.
_BROKEN_OFF = {"error", "network_error", "insufficient_system_resource", "abort"}
# OpenAI's finish reasons by the names of servers, in lower case; any other name means
# `stop`.
_FINISH_REASONS = {
    **dict.fromkeys(
        ("length", "model_length", "max_tokens", "max_output_tokens"), "length"
    ),
    **dict.fromkeys(("model_context_window_exceeded",), "length"),
    **dict.fromkeys(
        ("content_filter", "content_filtered", "safety", "sensitive"), "content_filter"
    ),
    **dict.fromkeys(("tool_calls", "tool_use"), "tool_calls"),
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
        usage.get(name)
        for name in ("prompt_tokens", "completion_tokens", "total_tokens")
    ]
    if not all(map(_is_count, (*counts, _reasoning_tokens(usage)))):
        return {}
    said_nothing = not (usage.get("total_tokens") or usage.get("completion_tokens"))
    return {} if said_nothing else usage


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
    return cached if type(cached) is int and 0 < cached <= prompt else 0


def _first_choice(response: Any) -> Mapping[str, Any]:
    choices = response.get("choices") if isinstance(response, dict) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise UnusableResponse("the response holds no choices")
    return choices[0]


def _finish_reason(choice: Mapping[str, Any]) -> str:
    """The finish reason; proxies add the provider's own."""
    native = choice.get("native_finish_reason") or choice.get("finish_reason")
    names = [
        name.lower()
        for name in (native, choice.get("finish_reason"))
        if isinstance(name, str)
    ]
    fault = choice.get("error")
    if fault or (names and names[0] in _BROKEN_OFF):
        words = (fault.get("message") or fault) if isinstance(fault, dict) else fault
        raise UnusableResponse(f"the provider interrupted the reply: {words or native}")
    known = (_FINISH_REASONS[name] for name in names if name in _FINISH_REASONS)
    return next(known, "stop")


def _content_and_reasoning(message: Mapping[str, Any]) -> tuple[str | None, Any]:
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(map(_text_of_part, content))
    if content is not None and not isinstance(content, str):
        raise UnusableResponse("the content of the response is no text")
    for name in ("reasoning_content", "reasoning"):
        if name in message:
            return content, message[name]
    if content is not None and (thought := _THOUGHT.match(content)) is not None:
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
    return found.get(name) if isinstance(found, dict) else None


def _is_count(tokens: Any) -> bool:
    return tokens is None or (type(tokens) is int and 0 <= tokens <= MAX_COUNTED)


def _written(text: Any) -> str | None:
    """Text without known keys; None for any other type."""
    return without_known_keys(text, os.environ) if isinstance(text, str) else None
