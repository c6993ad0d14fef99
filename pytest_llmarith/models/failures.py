"""Room: what went wrong with a request, and what is to be done about it. The only place that decides this.

It looks at names, status codes and causes, and so knows litellm without importing it.

| remedy | when |
|---|---|
| try again | 408, 409, 425, 429, 5xx; timeout; connection refused or lost; a body that is no JSON; no `choices` |
| give up this question | context too long, any other 4xx, anything unforeseen |
| stop the run | 401, 402, 403, 404; no key; no money; unknown model, provider or host; a parameter that is refused |
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import Enum, auto
from time import time
from typing import Any

from pytest_llmarith.models import scrubbing
from pytest_llmarith.values import Model


class Remedy(Enum):
    """What is to be done about a request that failed."""

    TRY_AGAIN = auto()
    GIVE_UP = auto()
    STOP_RUN = auto()


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Why a request failed: a line for people, without keys, and how long the provider asks to wait."""

    remedy: Remedy
    message: str
    retry_after_s: float | None = None


class UnusableResponse(Exception):
    """A response came and cannot be used; the message says why."""


class UnknownModel(Exception):
    """There is no model of this name; the message says which there are."""


_TRY_AGAIN = {408, 409, 425, 429}
_STOP_RUN = {401, 402, 403, 404}
_NO_ADDRESS = {code for name in ("EAI_NONAME", "EAI_NODATA") if (code := getattr(socket, name, None)) is not None} | {
    11001
}  # Windows' own number

_REFUSED_FOR_GOOD = re.compile(
    r"LLM Provider NOT provided|Missing credentials|Missing \w+ API Key|insufficient_quota|exceeded your current quota",
    re.IGNORECASE,
)
_KEY_MISSING = re.compile(r"Missing credentials|Missing \w+ API Key|api_key client option must be set", re.IGNORECASE)
_LITELLM_ADVICE = " To drop unsupported"  # to set a variable of litellm's, which nobody can from here
_FILTERED = re.compile(r"content_filter|content_policy_violation|ResponsibleAIPolicyViolation")
_LITELLM_WORDS = re.compile(r"^(?:litellm\.)?(?:[A-Za-z]+(?:Error|Exception)|Timeout(?: Error)?)(?::\s*|\s+-\s+)")


def diagnose(
    error: BaseException, model: Model, timeout_s: float, environ: Mapping[str, str] = os.environ
) -> Diagnosis:
    """What went wrong with a request to `model`, and what is to be done."""
    reason = _reason(error, timeout_s)
    reason = f"no key; {_where_keys_go(model)}" if _KEY_MISSING.search(reason) else reason.partition(_LITELLM_ADVICE)[0]
    secrets = [*scrubbing.secrets_in(model.params), *_password(model)]
    message = scrubbing.one_line(f"{model.target}: {reason}", environ, secrets)
    return Diagnosis(_remedy(error), message, _retry_after_s(error))


def _where_keys_go(model: Model) -> str:
    """What a provider's client says of a missing key is written for programmers."""
    provider = model.target.partition("/")[0] if "/" in model.target else "openai"
    return f"set {provider.upper()}_API_KEY in the environment or in .env"


def is_filtered(error: BaseException) -> bool:
    """Whether an error is really a reply: the provider's content filter stepped in."""
    if type(error).__name__ == "ContentPolicyViolationError":
        return True
    code = f"{getattr(error, 'code', '')} {getattr(error, 'body', '')}"
    return _status(error) == 400 and _FILTERED.search(code) is not None


def _remedy(error: BaseException) -> Remedy:
    if isinstance(error, UnusableResponse):
        return Remedy.TRY_AGAIN
    if _stops(error):
        return Remedy.STOP_RUN
    if isinstance(error, OSError | TimeoutError) or _is_transient(_status(error)):
        return Remedy.TRY_AGAIN
    return Remedy.GIVE_UP


def _stops(error: BaseException) -> bool:
    """Whether no other question could fare better."""
    if _caused_by(error, UnknownModel) or isinstance(error, ImportError):
        return True
    if type(error).__name__ == "UnsupportedParamsError":
        return True
    if _status(error) in _STOP_RUN or _no_such_host(error):
        return True
    return _REFUSED_FOR_GOOD.search(f"{error} {getattr(error, 'body', '')}") is not None


def _no_such_host(error: BaseException) -> bool:
    """A name that does not exist stops the run; a resolver that is away for a moment (EAI_AGAIN) does not."""
    return any(isinstance(cause, socket.gaierror) and cause.errno in _NO_ADDRESS for cause in _causes(error))


def _is_transient(status: int | None) -> bool:
    return status is not None and (status in _TRY_AGAIN or status >= 500)


def _status(error: BaseException) -> int | None:
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else None


def _reason(error: BaseException, timeout_s: float) -> str:
    """The provider's own words where it said something, else what happened to the connection."""
    if isinstance(error, TimeoutError) or any(type(cause).__name__ == "APITimeoutError" for cause in _causes(error)):
        return f"no reply within {timeout_s:g} s"
    if (ours := _caused_by(error, UnusableResponse, UnknownModel)) is not None:
        return str(ours)
    if (lost := _lost_connection(error)) is not None:
        return f"connection failed: {lost}"
    if any(type(cause).__name__ == "JSONDecodeError" for cause in _causes(error)):
        return "the response is no JSON"
    return f"{_heading(error)}: {_words(error)}"


def _heading(error: BaseException) -> str:
    status = _status(error)
    return type(error).__name__ if status is None else f"{status} {type(error).__name__}"


def _words(error: BaseException) -> str:
    """litellm puts its own class names, often twice, before what the provider said."""
    words = str(getattr(error, "message", None) or error)
    while stripped := _LITELLM_WORDS.match(words):
        words = words[stripped.end() :]
    return words.partition("Traceback (most recent call last)")[0].strip() or "no reason given"


def _lost_connection(error: BaseException) -> str | None:
    """The deepest cause names the host; litellm and the SDK only say `Connection error.`"""
    causes = list(_causes(error))
    if not any(type(cause).__name__ == "APIConnectionError" for cause in causes[1:]) and not isinstance(error, OSError):
        return None
    named = [cause for cause in causes if type(cause).__module__.split(".")[0] in {"httpx", "aiohttp", "builtins"}]
    words = str(named[0] if named else error)
    return re.sub(r" ssl:(?:<[^>]*>|\S+)", "", words)


def _caused_by(error: BaseException, *kinds: type[BaseException]) -> BaseException | None:
    """litellm wraps whatever an embedded model raises."""
    return next((cause for cause in _causes(error) if isinstance(cause, kinds)), None)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what led to it, outermost first; the chain may be a ring."""
    seen: set[int] = set()
    step: BaseException | None = error
    while step is not None and id(step) not in seen:
        seen.add(id(step))
        yield step
        step = step.__cause__ or step.__context__


def _retry_after_s(error: BaseException) -> float | None:
    for cause in _causes(error):
        for headers in _headers(cause):
            if (seconds := _seconds(headers)) is not None:
                return seconds
    return None


def _headers(error: BaseException) -> Iterator[Mapping[str, Any]]:
    holders = (
        getattr(error, "litellm_response_headers", None),
        getattr(getattr(error, "response", None), "headers", None),
        getattr(error, "headers", None),
    )
    return (holder for holder in holders if isinstance(holder, Mapping))


def _seconds(headers: Mapping[str, Any]) -> float | None:
    """`Retry-After` as seconds or as a date, and the milliseconds that some providers send."""
    lowered = {str(name).lower(): str(value) for name, value in headers.items()}
    if (milliseconds := _number(lowered.get("retry-after-ms"))) is not None:
        return milliseconds / 1000
    after = lowered.get("retry-after", "")
    seconds = _number(after)
    return _seconds_until(after) if seconds is None else seconds


def _seconds_until(date: str) -> float | None:
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - time())
    except ValueError:
        return None


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None


def _password(model: Model) -> Iterator[str]:
    userinfo, _, _ = (model.api_base or "").partition("://")[2].partition("/")[0].rpartition("@")
    return (part for part in userinfo.split(":") if part)
