"""Classifies failed requests: the action, the message, and whether the request may be billed.

It uses class names, status codes and causes, so that it need not import litellm or its transports. litellm sets its own
status on every error; the original one is among the causes.

| action | when |
|---|---|
| retry | 408, 409, 425, 429, 5xx; timeout; connection refused or lost; a body that is not JSON; no `choices` |
| give up the question | context too long, any other 4xx, an endless body, any other error |
| stop the run | 401, 402, 403, 404; no key; no money; unknown model, provider or host; a refused parameter |
| stop the run | a redirect |
"""

from __future__ import annotations

import errno
import os
import re
import socket
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from pytest_llmarith.files import retry_after_s
from pytest_llmarith.models import redact
from pytest_llmarith.models.providers import key_variable
from pytest_llmarith.types import Model


class Action(Enum):
    """The reaction to a failed request."""

    RETRY = auto()
    GIVE_UP = auto()
    STOP_RUN = auto()


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Why a request failed: a one-line message and a shorter summary, both without keys, and the wait asked for.

    `throttled` is set for a 429 that can be retried, `refused` if no server listens.
    """

    action: Action
    message: str
    summary: str
    retry_after_s: float | None = None
    throttled: bool = False
    refused: bool = False


class UnusableResponse(Exception):
    """A response cannot be used; the message says why."""


class EndlessResponse(UnusableResponse):
    """A response exceeds the maximum length. It may have been billed, and a retry would be as long."""


class Redirected(Exception):
    """The provider redirected to another host; the message says which."""


class UnknownModel(Exception):
    """The model does not exist or does not accept a parameter; the message says what to write instead."""


_RETRY_STATUSES = {408, 409, 425, 429}
_FATAL_STATUSES = {401, 402, 403, 404}
_FATAL_ERRORS = {"AuthenticationError", "NotFoundError", "PermissionDeniedError", "UnsupportedParamsError"}
_FATAL_WORDS = re.compile(
    r"LLM Provider NOT provided|Missing credentials|Missing \w+ API Key|insufficient_quota|exceeded your current quota",
    re.IGNORECASE,
)
_KEY_MISSING = re.compile(r"Missing credentials|Missing \w+ API Key|api_key client option must be set", re.IGNORECASE)
# Advice for programmers who use litellm.
_LITELLM_ADVICE = re.compile(r" To drop unsupported.*| Handle with `litellm\..*", re.DOTALL)
_REFUSED_PARAMETERS = re.compile(r"does not support parameters: \[([^]]+)\]")
_FILTERED = re.compile(r"content_filter|content_policy_violation|ResponsibleAIPolicyViolation")
# One match for all repetitions: a provider may repeat them for megabytes, and each substitution copies the text.
_LITELLM_WORDS = re.compile(r"(?:(?:litellm\.)?(?:[A-Za-z]+(?:Error|Exception)|Timeout(?: Error)?)(?::\s*|\s+-\s+))*")

_TIMEOUTS = {"APITimeoutError", "ConnectTimeout", "PoolTimeout", "ReadTimeout", "WriteTimeout"}
_NO_TEXT = {"JSONDecodeError", "UnicodeDecodeError"}
_TRANSPORTS = {"httpx", "httpcore", "aiohttp"}
_NOT_LOST = {"HTTPStatusError", "MaskedHTTPStatusError", "DecodingError", "InvalidURL", "UnsupportedProtocol"}
_NO_ADDRESS = {code for name in ("EAI_NONAME", "EAI_NODATA") if (code := getattr(socket, name, None)) is not None} | {
    11001  # on Windows
}
_STATUS_OF_UNREADABLE = {200, 422, 500}  # set by litellm if the provider sent none

# Of requests that were refused or never reached the provider.
_NOT_BILLED = {
    *("HTTPStatusError", "Redirected", "ConnectError", "ConnectTimeout", "ConnectionRefusedError", "gaierror"),
    *("UnknownModel", "ImportError", "ModuleNotFoundError", "UnsupportedProtocol", "InvalidURL"),
    *("LocalProtocolError", "UnicodeEncodeError"),
}

_RETRY_INFO = re.compile(r'"retryDelay":\s*"(\d{1,9}(?:\.\d+)?)s"')  # Google sends no header


def diagnose(error: BaseException, model: Model, timeout_s: float) -> Diagnosis:
    """Classify the error of a request to `model`."""
    reason, summary = _described(error, timeout_s)
    place = (key_variable(model.target, os.environ) or "the provider's key") + " in the environment or in .env"
    if _is_key_missing(error):
        reason = f"no key; set {place}"
    elif "LLM Provider NOT provided" in reason:
        reason = "litellm knows no such model; write PROVIDER/MODEL, or openai/MODEL with --llm-api-base=URL"
    elif refused := _REFUSED_PARAMETERS.search(reason):
        reason = "takes no " + refused[1].replace("'", "") + "; remove it, or choose another model"
    elif _status(error) == 401:
        reason += f"; check {place}"
    secrets = list(redact.header_values(model.params))
    action = _action(error)
    return Diagnosis(
        action,
        redact.one_line(f"{model.target}: {reason}", os.environ, secrets),
        redact.one_line(f"{summary} {model.target}", os.environ, secrets),
        _retry_after_s(error),
        throttled=action is Action.RETRY and _status(error) == 429,
        refused=_is_connection_refused(error),
    )


def is_filtered(error: BaseException) -> bool:
    """Whether the error means that the provider's content filter replied."""
    if type(error).__name__ == "ContentPolicyViolationError":
        return True
    code = f"{getattr(error, 'code', '')} {getattr(error, 'body', '')}"
    return _status(error) == 400 and _FILTERED.search(code) is not None


def is_gone(error: BaseException) -> bool:
    """Whether the provider says that there is no such thing."""
    return _status(error) == 404


def may_be_billed(error: BaseException) -> bool:
    """Whether a failed request may be billed: it was sent, and the provider did not refuse it."""
    names = {type(cause).__name__ for cause in _causes(error)}
    if names & _NOT_BILLED or _is_key_missing(error):
        return False
    status = getattr(error, "status_code", None)
    return not (isinstance(status, int) and 400 <= status < 500 and status != 408)


def may_be_done(error: BaseException) -> bool:
    """Whether a failed request that creates something may have created it: it was sent, and was not clearly refused.

    A lost connection counts as sent, as some transports call it a failed attempt to connect. Only a key, an account or
    an address that is refused is clear: a 400 or 429 may also come after the provider has acted.
    """
    if _is_connection_refused(error) or _is_unknown_host(error) or _is_key_missing(error):
        return False
    if _caused_by(error, Redirected):
        return False
    answered = [status for status in (_status(error), _answered_status(error)) if status is not None]
    return not answered or any(status not in _FATAL_STATUSES for status in answered)


# --- the action -----------------------------------------------------------------------------------------------------


def _action(error: BaseException) -> Action:
    if _caused_by(error, EndlessResponse):
        return Action.GIVE_UP
    if isinstance(error, UnusableResponse):
        return Action.RETRY
    if _stops_run(error):
        return Action.STOP_RUN
    status = _status(error)
    is_transient = status is not None and (status in _RETRY_STATUSES or status >= 500)
    is_lost = isinstance(error, OSError | TimeoutError) or _lost_connection(error) is not None
    if is_lost or _is_unreadable(error) or is_transient:
        return Action.RETRY
    return Action.GIVE_UP


def _stops_run(error: BaseException) -> bool:
    """Whether every other question would fail as well."""
    if _caused_by(error, UnknownModel, Redirected) or isinstance(error, ImportError):
        return True
    if type(error).__name__ in _FATAL_ERRORS or _status(error) in _FATAL_STATUSES or _is_unknown_host(error):
        return True
    return _FATAL_WORDS.search(f"{error} {getattr(error, 'body', '')}") is not None


# --- messages -------------------------------------------------------------------------------------------------------


def _described(error: BaseException, timeout_s: float) -> tuple[str, str]:
    """What happened, and a summary by which retries are counted; the model's name follows it."""
    if _is_timeout(error):
        return f"no reply within {timeout_s:g} s", "no reply from"
    if (found := _caused_by(error, UnusableResponse, UnknownModel, Redirected)) is not None:
        return str(found), "unusable response from"
    if (lost := _lost_connection(error)) is not None:
        return f"connection failed: {lost}", "no connection to"
    if _is_no_json(error):
        return "the response is not JSON", "unusable response from"
    if _is_unreadable(error):
        return f"the response cannot be read: {_words(error)}", "unusable response from"
    name, status = type(error).__name__, _status(error)
    words = _LITELLM_ADVICE.sub("", _words(error))
    return (f"{name}: {words}", f"{name} from") if status is None else (f"{status} {name}: {words}", f"{status} from")


def _words(error: BaseException) -> str:
    """The provider's message without litellm's class names, which it prefixes, often twice."""
    words = _LITELLM_WORDS.sub("", str(getattr(error, "message", None) or error), count=1)
    return words.partition("Traceback (most recent call last)")[0].strip() or "no reason given"


# --- kinds of errors ------------------------------------------------------------------------------------------------


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and its causes, outermost first; the chain may be circular."""
    seen: set[int] = set()
    step: BaseException | None = error
    while step is not None and id(step) not in seen:
        seen.add(id(step))
        yield step
        step = step.__cause__ or step.__context__


def _caused_by(error: BaseException, *kinds: type[BaseException]) -> BaseException | None:
    return next((cause for cause in _causes(error) if isinstance(cause, kinds)), None)


def _status(error: BaseException) -> int | None:
    """The status that litellm set, except for its 500 for unknown errors: then the provider's, if that is higher."""
    status = _int(getattr(error, "status_code", None))
    answered = _answered_status(error)
    return answered if status == 500 and answered is not None and answered > 500 else status


def _answered_status(error: BaseException) -> int | None:
    """The status of the response, if there is one."""
    for cause in _causes(error):
        if type(cause).__name__.endswith("HTTPStatusError"):
            return _int(getattr(getattr(cause, "response", None), "status_code", None))
    return None


def _is_key_missing(error: BaseException) -> bool:
    """Whether the provider's client had no key and sent nothing."""
    return _KEY_MISSING.search(_words(error)) is not None


def _is_timeout(error: BaseException) -> bool:
    return isinstance(error, TimeoutError) or _led_to(error, lambda cause: type(cause).__name__ in _TIMEOUTS)


def _is_no_json(error: BaseException) -> bool:
    return _led_to(error, lambda cause: type(cause).__name__ in _NO_TEXT)


def _is_unreadable(error: BaseException) -> bool:
    """Whether litellm could not parse the body."""
    return _is_no_json(error) or (
        type(error).__module__.startswith("litellm")
        and _status(error) in _STATUS_OF_UNREADABLE
        and _answered_status(error) is None
        and _lost_connection(error) is None
    )


def _is_unknown_host(error: BaseException) -> bool:
    """Whether the host name does not exist; a temporary resolver failure is EAI_AGAIN instead."""
    return any(isinstance(cause, socket.gaierror) and cause.errno in _NO_ADDRESS for cause in _causes(error))


def _is_connection_refused(error: BaseException) -> bool:
    """Whether no server listens. For a host with several addresses, asyncio raises one error with all messages."""
    return any(
        isinstance(cause, OSError)
        and (cause.errno == errno.ECONNREFUSED or f"[Errno {errno.ECONNREFUSED}] Connect call failed" in str(cause))
        for cause in _causes(error)
    )


def _lost_connection(error: BaseException) -> str | None:
    """Why the connection failed, by the transport's message; the layers above only say `Connection error.`"""
    lost = next((cause for cause in _causes(error) if _is_lost(cause)), None)
    if lost is None or _answered_status(error) is not None:
        return None
    return re.sub(r" ssl:(?:<[^>]*>|\S+)", "", str(lost))


def _is_lost(cause: BaseException) -> bool:
    kind = type(cause)
    return isinstance(cause, OSError) or (
        kind.__module__.split(".")[0] in _TRANSPORTS and kind.__name__ not in _NOT_LOST
    )


def _led_to(error: BaseException, fits: Callable[[BaseException], bool]) -> bool:
    """Whether one of the causes fits, unless there is a response with a status."""
    return _answered_status(error) is None and any(map(fits, _causes(error)))


def _int(status: Any) -> int | None:
    return status if isinstance(status, int) else None


# --- how long the provider asks to wait -----------------------------------------------------------------------------


def _retry_after_s(error: BaseException) -> float | None:
    """The seconds in the headers or the message of the first cause that has them."""
    for cause in _causes(error):
        for headers in (
            getattr(cause, "litellm_response_headers", None),
            getattr(getattr(cause, "response", None), "headers", None),
            getattr(cause, "headers", None),
        ):
            if isinstance(headers, Mapping) and (seconds := _seconds(headers)) is not None:
                return seconds
        if (found := _RETRY_INFO.search(str(cause))) is not None:
            return float(found[1])
    return None


def _seconds(headers: Mapping[str, Any]) -> float | None:
    """Seconds from `Retry-After` (seconds or date) or from the milliseconds that some providers send."""
    lowered = {str(name).lower(): str(value) for name, value in headers.items()}
    if (milliseconds := retry_after_s(lowered.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000
    return retry_after_s(lowered.get("retry-after", ""))
