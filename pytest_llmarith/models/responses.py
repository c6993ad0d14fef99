"""What a response becomes: a reply, read from JSON of OpenAI's form; or what is raised.

Bodies are bounded while they are inflated.

What is not known is None and never 0, also if the provider says 0 tokens of a reply.
Absurd counts are not believed, because they would defeat the budget.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import zlib
from collections.abc import AsyncIterable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import unquote, urljoin

from pytest_llmarith.exact import thought_and_rest
from pytest_llmarith.models.error_bodies import error_in_reply, refusal
from pytest_llmarith.models.logprobs import logprobs_in
from pytest_llmarith.models.provider_errors import (
    EndlessResponse,
    NoText,
    Redirected,
    UnusableResponse,
)
from pytest_llmarith.models.redact import without_known_keys
from pytest_llmarith.records import Reply

LARGEST = 2**25  # bytes of a decompressed response, a hundred times the longest replies
LARGEST_RESULTS = 2**29  # bytes of the results of a batch
LARGEST_ERROR = 2**16  # bytes of an error that are read
# Others can be decompressed to any length at once.
ACCEPTED_ENCODING = "gzip"
_ERROR_S = 5.0  # to read them
_STEP = 2**16  # bytes that are inflated at once
_JSON = re.compile(rb"\s*[{\[]")
_REDIRECTS = (301, 302, 303, 307, 308)
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
    "max_new_tokens": "length",
    "max_length": "length",
    "truncated": "length",
    "model_context_window_exceeded": "length",
    "error_limit": "length",
    "content_filter": "content_filter",
    "content_filtered": "content_filter",
    "content-filter": "content_filter",
    "blocked": "content_filter",
    "guardrail": "content_filter",
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
    r"|unavailable|overload|disconnect|insufficient|rate_?limit|killed|preempt|evict"
    r"|shut_?down|network|quota|budget|out_of_memory|^oom$|crash"
)
# Names of counts: those of OpenAI, and of others at the top of the usage.
_REASONING = ("reasoning_tokens",)
_CACHED = ("cached_tokens", "cache_read_input_tokens", "cache_read_tokens")
_TO_CACHE = (
    *("cache_creation_input_tokens", "cache_creation_tokens"),
    *("cached_creation_tokens", "cache_write_tokens"),
)
# The parts of a content that are thoughts: Mistral; Anthropic; others.
_THOUGHTS = {"thinking", "redacted_thinking", "reasoning"}


# --- bodies ---------------------------------------------------------------------------


class Response(NamedTuple):
    """A response whose header has arrived.

    `pieces` are those of its body, as they were sent; `address` was asked.
    """

    status: int
    headers: Mapping[str, str]
    address: str
    pieces: AsyncIterable[bytes]


async def reply_body(response: Response) -> bytes:
    """The inflated body of a reply, which begins like JSON, in UTF-8.

    Raises an error of `provider_errors` if it is none.
    """
    body = _as_utf8(b"".join(await _pieces(response, LARGEST)))
    if not _JSON.match(body):
        raise UnusableResponse("the response is no JSON object")
    if b'"error"' in body:
        with suppress(ValueError, RecursionError):  # who reads the reply says it
            said = json.loads(body)
            refused = error_in_reply(said, first_of(said), response.address)
            if refused is not None:
                raise refused
    return body


def _as_utf8(body: bytes) -> bytes:
    """JSON without a byte order mark; that in UTF-16 or UTF-32 is converted. Empty if
    it cannot be read.
    """
    encoding = json.detect_encoding(body)
    if encoding == "utf-8":
        return body
    try:
        return body.decode(encoding, "surrogatepass").encode("utf-8", "surrogatepass")
    except UnicodeError:
        return b""


async def results_body(response: Response) -> bytes:
    """The inflated results of a batch. Raises an error of `provider_errors`."""
    return b"".join(await _pieces(response, LARGEST_RESULTS))


async def _pieces(response: Response, most: int) -> list[bytes]:
    """The pieces of an inflated body.

    They are joined once, as copying megabytes takes long.
    """
    status, headers, address = response.status, response.headers, response.address
    place = headers.get("Location")
    if status in _REDIRECTS and place:
        following = unquote(urljoin(address, place))
        raise Redirected(
            f"redirected to {following}; if that is right, set --llm-api-base"
        )
    if status >= 400:
        body = await _beginning(response)
        raise refusal(status, headers, _as_utf8(body) or body, address)
    pieces: list[bytes] = []
    try:
        has_more = await _read(response, most, pieces)
    except zlib.error as error:
        raise UnusableResponse(
            f"the response cannot be decompressed: {error}"
        ) from error
    if has_more:
        raise EndlessResponse(f"the response is longer than {most:,} bytes")
    return pieces


async def _beginning(response: Response) -> bytes:
    """What arrives of the body of an error, which may be cut short, damaged or
    endless.
    """
    pieces: list[bytes] = []
    with suppress(Exception):
        async with asyncio.timeout(_ERROR_S):
            await _read(response, LARGEST_ERROR, pieces)
    return b"".join(pieces)[:LARGEST_ERROR]


async def _read(response: Response, most: int, pieces: list[bytes]) -> bool:
    """Add about the first `most` bytes of the inflated body; whether there are more.

    Raises zlib.error.

    A few kilobytes may inflate to many megabytes, so that other requests go on between
    the steps.
    """
    is_gzip = response.headers.get("Content-Encoding", "").strip().lower() == "gzip"
    inflater = zlib.decompressobj(wbits=31) if is_gzip else None
    size = 0
    async for piece in response.pieces:
        if inflater is None:
            pieces.append(piece)
        else:
            pieces.append(inflater.decompress(piece, _STEP))
        size += len(pieces[-1])
        while inflater is not None and inflater.unconsumed_tail and size <= most:
            await asyncio.sleep(0)
            pieces.append(inflater.decompress(inflater.unconsumed_tail, _STEP))
            size += len(pieces[-1])
        if size > most:
            return True
    if inflater is not None and not inflater.eof and pieces:
        raise zlib.error("it is incomplete")
    return False


# --- replies --------------------------------------------------------------------------


def parsed(body: bytes) -> Any:
    """The JSON of a response. Raises UnusableResponse."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise UnusableResponse(f"the response cannot be read: {error}") from error


def reply_in(response: Any, tokens: TokenCounts | None = None) -> Reply:
    """The reply with all data of a response, except its cost; its tokens are counted
    unless they are given.

    Raises UnusableResponse.
    """
    choice = _first_choice(response)
    message = choice.get("message")
    if isinstance(choice.get("text"), str):  # a completion
        message = {"content": choice["text"]}
    if not isinstance(message, dict):
        raise NoText("the response holds no message")
    finish_reason, native_finish_reason = _finish_reasons(choice)
    content, reasoning = _content_and_reasoning(message)
    if tokens is None:
        tokens = tokens_in(response)
    text = _written(content or message.get("refusal")) or ""
    logprobs = choice.get("logprobs")
    first_token_s, a_second = speed_in(response, tokens.completion)
    return Reply(
        text=text,
        reasoning=_written(reasoning) or None,
        finish_reason=finish_reason,
        native_finish_reason=native_finish_reason,
        served_model=_written(response.get("model")),
        system_fingerprint=_written(response.get("system_fingerprint")),
        served_tier=served_tier(response),
        prompt_tokens=tokens.prompt,
        completion_tokens=tokens.completion,
        reasoning_tokens=tokens.reasoning,
        logprobs=logprobs_in(logprobs, text) if logprobs else (),
        served_first_token_s=first_token_s,
        served_tokens_a_second=a_second,
    )


class TokenCounts(NamedTuple):
    """The token counts that are believed; None is unknown.

    `cached` tokens of the prompt were read from a cache, `to_cache` written into one.
    """

    prompt: int | None = None
    completion: int | None = None
    reasoning: int | None = None
    cached: int = 0
    to_cache: int = 0


def tokens_in(response: Mapping[str, Any]) -> TokenCounts:
    """The token counts of a response, with what is believed if they disagree.

    | counts | what is believed |
    |---|---|
    | one is no count, or absurd | none of them |
    | more reasoning than completion | their sum, as reasoning is not in completion |
    | more cached tokens than prompt | their sum is the prompt |
    | the total is larger by just the cached tokens | so is the prompt |
    | the total is larger by anything else | so is completion: reasoning |
    | the total is smaller | prompt and completion |

    So the larger count is believed, unless the cache explains it, which costs less.
    """
    usage = response.get("usage")
    if not isinstance(usage, dict):
        return TokenCounts()
    prompt, written, total = (
        usage.get(f"{name}_tokens") for name in ("prompt", "completion", "total")
    )
    reasoning = _most(usage, "completion_tokens_details", _REASONING)
    cached = _most(usage, "prompt_tokens_details", _CACHED) or 0
    to_cache = _most(usage, "prompt_tokens_details", _TO_CACHE) or 0
    counts = (prompt, written, total, reasoning, cached, to_cache)
    if not all(map(_is_count, counts)) or not (total or written):
        return TokenCounts()
    if (reasoning or 0) > (written or 0):
        written = (written or 0) + reasoning
    beside = cached + to_cache
    more = 0
    if prompt is not None and total is not None:
        more = max(0, total - prompt - (written or 0))
    # Completion may lack its reasoning as well.
    is_explained = more > 0 and more in (beside, beside + (reasoning or 0))
    if prompt is not None and (beside > prompt or is_explained):
        prompt, more = prompt + beside, max(0, more - beside)
    if written is not None or more:
        written = (written or 0) + more
    return TokenCounts(prompt, written, reasoning, cached, to_cache)


def speed_in(
    response: Mapping[str, Any], tokens: int | None
) -> tuple[float | None, float | None]:
    """The seconds to the first token and the tokens a second that a server tells of a
    reply of so many tokens; one token has no rate.
    """
    for holder, first_token, rate in _SPEEDS:
        said = response.get(holder) if holder else response
        seconds, a_second = _amount(first_token, said), _amount(rate, said)
        if seconds is not None or a_second is not None:
            return seconds, a_second if (tokens or 0) > 1 else None
    return None, None


_Amount = Callable[[Any], float]
# Where they say it, the seconds to the first token, and the tokens a second after it.
_SPEEDS: Sequence[tuple[str, _Amount, _Amount]] = (
    (  # llama.cpp
        "timings",
        lambda said: said["prompt_ms"] / 1e3,
        lambda said: said["predicted_per_second"],
    ),
    (  # vLLM
        "metrics",
        lambda said: said["time_to_first_token_ms"] / 1e3,
        lambda said: said["tokens_per_second"],
    ),
    (  # Groq
        "usage",
        lambda said: said["queue_time"] + said["prompt_time"],
        lambda said: said["completion_tokens"] / said["completion_time"],
    ),
    (  # Ollama, in nanoseconds
        "",
        lambda said: (said["load_duration"] + said["prompt_eval_duration"]) / 1e9,
        lambda said: said["eval_count"] / said["eval_duration"] * 1e9,
    ),
)


def _amount(amount_of: _Amount, said: Any) -> float | None:
    """An amount that can be true; None if it is not there, or is anything else."""
    with suppress(KeyError, TypeError, ValueError, ArithmeticError):
        amount = float(amount_of(said))
        if 0 <= amount <= MAX_COUNTED:
            return amount
    return None


def served_tier(response: Mapping[str, Any]) -> str | None:
    """The service tier that answered; Anthropic has it in the token counts."""
    usage = response.get("usage")
    tier = response.get("service_tier")
    if tier is None and isinstance(usage, dict):
        tier = usage.get("service_tier")
    return tier.lower()[:_LONGEST_WORD] if isinstance(tier, str) and tier else None


def first_of(answer: Any, name: str = "choices") -> dict[str, Any] | None:
    """The first choice in an answer; None if there is none, or it is no object."""
    choices = answer.get(name) if isinstance(answer, dict) else None
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0]
    return None


def _first_choice(response: Any) -> Mapping[str, Any]:
    choice = first_of(response)
    holders = () if choice is None else (response, choice, choice.get("message"))
    if choice is None or any(
        isinstance(one, dict) and "error" in one for one in holders
    ):
        error = error_in_reply(response, choice)
        if error is not None:
            raise error
    if choice is None:
        raise UnusableResponse("the response holds no choices")
    return choice


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


def _content_and_reasoning(message: Mapping[str, Any]) -> tuple[str, str | None]:
    """The text that answers, and the thought.

    Servers put the thought beside the text, into parts of it, or leave it within, and
    send keys that they do not use, with empty values.
    """
    content = message.get("content")
    thoughts = [_thought_in(message)]
    if isinstance(content, list):
        thoughts += [_text_of_thought(part) for part in content if _is_thought(part)]
        content = "".join(_text_of_part(part) for part in content)
    if not isinstance(content, str | None):
        raise NoText("the content of the response is no text")
    thought, rest = thought_and_rest(content or "")
    return rest, "\n".join(filter(None, [*thoughts, thought])) or None


def _thought_in(message: Mapping[str, Any]) -> str:
    """The first thought with text among the keys of servers."""
    for name in ("reasoning_content", "reasoning", "reasoning_details"):
        thought = _text_of_thought(message.get(name))
        if thought.strip():
            return thought
    return ""


def _text_of_thought(value: Any, depth: int = 3) -> str:
    """All text of a thought: a text, a part, or a list of them."""
    if isinstance(value, str):
        return value
    if depth and isinstance(value, list):
        return "".join(_text_of_thought(part, depth - 1) for part in value)
    if depth and isinstance(value, dict):
        for name in ("thinking", "text", "summary", "content"):
            if value.get(name):
                return _text_of_thought(value[name], depth - 1)
    return ""


def _is_thought(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") in _THOUGHTS


def _text_of_part(part: Any) -> str:
    """The text of a part of the content. Raises UnusableResponse if its kind is not
    known.
    """
    if _is_thought(part):
        return ""
    if isinstance(part, dict) and part.get("type") in ("text", "output_text"):
        text = part.get("text")
        if isinstance(text, str):
            return text
    raise NoText("the content of the response is no text")


def _most(usage: Mapping[str, Any], details: str, names: tuple[str, ...]) -> Any:
    """The largest of the counts with these names, in the usage or its details; one that
    is no count, if there is any.
    """
    found = []
    for holder in (usage, usage.get(details)):
        if isinstance(holder, dict):
            found += [holder[name] for name in names if holder.get(name) is not None]
    invalid = [count for count in found if not _is_count(count)]
    return invalid[0] if invalid else max(found, default=None)


def _is_count(tokens: Any) -> bool:
    return tokens is None or (type(tokens) is int and 0 <= tokens <= MAX_COUNTED)


def _written(text: Any) -> str | None:
    """Text without known keys; None for any other type."""
    if isinstance(text, str):
        return without_known_keys(text, os.environ)
    return None
