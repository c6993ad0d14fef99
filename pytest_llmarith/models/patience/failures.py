"""What went wrong with a request, and what is to be done about it. The only place that decides this.

It looks at names, status codes and causes, and so knows litellm without importing it.

| remedy | when |
|---|---|
| try again | 408, 409, 425, 429, 5xx; timeout; connection refused or lost; a body that is no JSON; no `choices` |
| give up this question | context too long, any other 4xx, a body without end, anything unforeseen |
| stop the run | 401, 402, 403, 404; no key; no money; unknown model, provider or host; a parameter that is refused |
| stop the run | a redirect to another host |
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto

from pytest_llmarith.models import scrubbing
from pytest_llmarith.models.patience.causes import (
    caused_by,
    causes,
    is_connection_refused,
    is_no_json,
    is_timeout,
    is_unknown_host,
    is_unreadable,
    lost_connection,
    status_of,
)
from pytest_llmarith.models.patience.retry_after import retry_after_s
from pytest_llmarith.providers import key_variable
from pytest_llmarith.values import Model


class Remedy(Enum):
    """What is to be done about a request that failed."""

    TRY_AGAIN = auto()
    GIVE_UP = auto()
    STOP_RUN = auto()


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Why a request failed, without keys: a line for people, the same in short, and how long the provider asks to wait.

    `throttled` is set where the provider is there and only asks for patience, `refused` if no server listens.
    """

    remedy: Remedy
    message: str
    symptom: str
    retry_after_s: float | None = None
    throttled: bool = False
    no_key: bool = False
    refused: bool = False


class UnusableResponse(Exception):
    """A response came and cannot be used; the message says why."""


class EndlessResponse(UnusableResponse):
    """A response is longer than any reply could be. It may have been paid for, and another one is not going to end."""


class Redirected(Exception):
    """The provider named another host, which is not asked; the message says which."""


class UnknownModel(Exception):
    """There is no model of this name; the message says which there are."""


_TRY_AGAIN = {408, 409, 425, 429}
_STOP_RUN = {401, 402, 403, 404}
_HOPELESS = {"AuthenticationError", "NotFoundError", "PermissionDeniedError", "UnsupportedParamsError"}
_REFUSED_FOR_GOOD = re.compile(
    r"LLM Provider NOT provided|Missing credentials|Missing \w+ API Key|insufficient_quota|exceeded your current quota",
    re.IGNORECASE,
)
_KEY_MISSING = re.compile(r"Missing credentials|Missing \w+ API Key|api_key client option must be set", re.IGNORECASE)
# To set a variable of litellm's, or to catch a class of its: nobody can from here.
_LITELLM_ADVICE = re.compile(r" To drop unsupported.*| Handle with `litellm\..*", re.DOTALL)
_FILTERED = re.compile(r"content_filter|content_policy_violation|ResponsibleAIPolicyViolation")
# All of them at once: a provider may repeat them for megabytes, which must not be copied as often.
_LITELLM_WORDS = re.compile(r"(?:(?:litellm\.)?(?:[A-Za-z]+(?:Error|Exception)|Timeout(?: Error)?)(?::\s*|\s+-\s+))*")


def diagnose(
    error: BaseException, model: Model, timeout_s: float, environ: Mapping[str, str] = os.environ
) -> Diagnosis:
    """What went wrong with a request to `model`, and what is to be done."""
    reason = _reason(error, timeout_s)
    is_missing, is_refused = is_key_missing(error), status_of(error) == 401
    reason = f"no key; set {_where_keys_are(model, environ)}" if is_missing else _LITELLM_ADVICE.sub("", reason)
    reason += f"; check {_where_keys_are(model, environ)}" * (is_refused and not is_missing)
    secrets = [*scrubbing.secrets_in(model.params), *_password(model)]
    remedy = _remedy(error)
    return Diagnosis(
        remedy,
        scrubbing.one_line(f"{model.target}: {reason}", environ, secrets),
        scrubbing.one_line(f"{_symptom(error)} {model.target}", environ, secrets),
        retry_after_s(causes(error)),
        throttled=remedy is Remedy.TRY_AGAIN and status_of(error) == 429,
        no_key=is_missing or is_refused,
        refused=is_connection_refused(error),
    )


def _where_keys_are(model: Model, environ: Mapping[str, str]) -> str:
    """What a provider's client says of a missing key is written for programmers."""
    variable = key_variable(model.target, environ) or "the provider's key"
    return f"{variable} in the environment or in .env"


def is_key_missing(error: BaseException) -> bool:
    """Whether a provider's client had no key to ask with, and so asked nobody."""
    return _KEY_MISSING.search(_words(error)) is not None


def is_filtered(error: BaseException) -> bool:
    """Whether an error is really a reply: the provider's content filter stepped in."""
    if type(error).__name__ == "ContentPolicyViolationError":
        return True
    code = f"{getattr(error, 'code', '')} {getattr(error, 'body', '')}"
    return status_of(error) == 400 and _FILTERED.search(code) is not None


def _remedy(error: BaseException) -> Remedy:
    if caused_by(error, EndlessResponse):
        return Remedy.GIVE_UP
    if isinstance(error, UnusableResponse):
        return Remedy.TRY_AGAIN
    if _stops(error):
        return Remedy.STOP_RUN
    if isinstance(error, OSError | TimeoutError) or is_unreadable(error) or _is_transient(status_of(error)):
        return Remedy.TRY_AGAIN
    return Remedy.GIVE_UP


def _stops(error: BaseException) -> bool:
    """Whether no other question could fare better."""
    if caused_by(error, UnknownModel, Redirected) or isinstance(error, ImportError):
        return True
    if type(error).__name__ in _HOPELESS or status_of(error) in _STOP_RUN or is_unknown_host(error):
        return True
    return _REFUSED_FOR_GOOD.search(f"{error} {getattr(error, 'body', '')}") is not None


def _is_transient(status: int | None) -> bool:
    return status is not None and (status in _TRY_AGAIN or status >= 500)


def _reason(error: BaseException, timeout_s: float) -> str:
    """The provider's own words where it said something, else what happened to the connection."""
    if is_timeout(error):
        return f"no reply within {timeout_s:g} s"
    if (ours := caused_by(error, UnusableResponse, UnknownModel, Redirected)) is not None:
        return str(ours)
    if (lost := lost_connection(error)) is not None:
        return f"connection failed: {lost}"
    if is_no_json(error):
        return "the response is no JSON"
    if is_unreadable(error):
        return f"the response cannot be read: {_words(error)}"
    return f"{_heading(error)}: {_words(error)}"


def _symptom(error: BaseException) -> str:
    """A failure in few words, which few kinds of failures share; the model's name goes behind them."""
    if is_timeout(error):
        return "no reply from"
    if lost_connection(error) is not None:
        return "no connection to"
    if is_unreadable(error) or caused_by(error, UnusableResponse):
        return "unusable response from"
    return f"{status_of(error) or type(error).__name__} from"


def _heading(error: BaseException) -> str:
    status = status_of(error)
    return type(error).__name__ if status is None else f"{status} {type(error).__name__}"


def _words(error: BaseException) -> str:
    """litellm puts its own class names, often twice, before what the provider said."""
    words = _LITELLM_WORDS.sub("", str(getattr(error, "message", None) or error), count=1)
    return words.partition("Traceback (most recent call last)")[0].strip() or "no reason given"


def _password(model: Model) -> Iterator[str]:
    userinfo, _, _ = (model.api_base or "").partition("://")[2].partition("/")[0].rpartition("@")
    return (part for part in userinfo.split(":") if part)
