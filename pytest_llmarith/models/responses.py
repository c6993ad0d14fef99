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

from pytest_llmarith.models.error_bodies import error_in_reply
from pytest_llmarith.models.provider_errors import UnusableResponse
from pytest_llmarith.models.redact import without_known_keys
from pytest_llmarith.records import Reply

# Tokens or US dollars of one reply; more would block the rate limit for days.
MAX_COUNTED = 10**8
_LONGEST_WORD = 100  # characters of a finish reason
# OpenAI's finish reasons by the names of servers, in lower case; any other name means
# `stop`, unless it names a fault.
_FINISH_REASONS = {
    "stop": "stop",
    "length": "length",
    "model_length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_context_window_exceeded": "length",
    "error_limit": "length",
    "content_filter": "content_filter",
    "content_filtered": "content_filter",
    "safety": "content_filter",
    "sensitive": "content_filter",
    "refusal": "content_filter",
    "guardrail_intervened": "content_filter",
    "error_toxic": "content_filter",
    # of Google
    "prohibited_content": "content_filter",
    "recitation": "content_filter",
    "blocklist": "content_filter",
    "spii": "content_filter",
    "image_safety": "content_filter",
    "image_prohibited_content": "content_filter",
    "image_recitation": "content_filter",
    "model_armor": "content_filter",
    "language": "content_filter",
    "tool_calls": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "function_call",
    "repetition": "repetition",  # vLLM ended a reply that repeats itself
}
# OpenRouter, Mistral, Zhipu, DeepSeek, vLLM, Google and others have their own.
_FAULT = re.compile(
    r"error|fail|fault|abort|cancel|malformed|unexpected|time_?out|interrupt|exception"
    r"|unavailable|overload|disconnect|insufficient"
)
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
    finish_reason, native_finish_reason = _finish_reasons(choice)
    content, reasoning = _content_and_reasoning(message)
    usage = usage_in(response)
    return Reply(
        text=_written(content or message.get("refusal")) or "",
        reasoning=_written(reasoning) or None,
        finish_reason=finish_reason,
        native_finish_reason=native_finish_reason,
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
    error = error_in_reply(response)
    if error is not None:
        raise error
    choices = None
    if isinstance(response, dict):
        choices = response.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0]
    raise UnusableResponse("the response holds no choices")


def _finish_reasons(choice: Mapping[str, Any]) -> tuple[str, str | None]:
    """OpenAI's finish reason, and the server's own word if that is another.

    Proxies add the provider's own word to theirs. A fault that either names is one.
    """
    said = [choice.get("native_finish_reason"), choice.get("finish_reason")]
    words = [word for word in said if isinstance(word, str) and word]
    names = [word.lower() for word in words]
    for name, word in zip(names, words, strict=True):
        if name not in _FINISH_REASONS and _FAULT.search(name):
            raise UnusableResponse(f"the provider interrupted the reply: {word}")
    known = [_FINISH_REASONS[name] for name in names if name in _FINISH_REASONS]
    finish_reason = next((one for one in known if one != "stop"), "stop")
    if not words or words[0] == finish_reason:
        return finish_reason, None
    return finish_reason, _written(words[0][:_LONGEST_WORD])


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
