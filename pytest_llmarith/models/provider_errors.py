"""Classifies failed requests: the action, the message, and whether they may be billed.

The facts are in the exceptions of this module, which the client raises for what its
transport saw: the status, codes and message of the provider, a lost connection, a
response that cannot be used. They are found below the errors into which litellm and its
SDKs wrap them. Without one, an error may tell its status itself, as those of the rows
of a batch.

| action | when |
|---|---|
| retry | 408, 409, 425, 429, 5xx; timeout; connection refused or lost |
| retry | a body that is not JSON; no `choices`; a reply that was broken off |
| give up the question | context too long, any other 4xx, an endless body |
| give up the question | any other error |
| stop the run | 401, 402, 403, 404; no key; no money; a refused parameter |
| stop the run | unknown model, provider or host |
| stop the run | a redirect, unless this address has replied to another question |
"""

from __future__ import annotations

import errno
import os
import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from http.client import responses

from pytest_llmarith.models import redact
from pytest_llmarith.models.error_bodies import Refused, codes_in
from pytest_llmarith.models.providers import key_variable
from pytest_llmarith.types import FailureCode, Model


class Action(Enum):
    """The reaction to a failed request."""

    RETRY = auto()
    GIVE_UP = auto()
    STOP_RUN = auto()


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Why a request failed: a one-line message, and a shorter summary, without keys.

    `reason` is the message without the model. `retry_after_s` is the wait asked for.
    `throttled` is set for a 429 that can be retried, `refused` if no server listens.
    """

    action: Action
    message: str
    summary: str
    retry_after_s: float | None = None
    throttled: bool = False
    refused: bool = False
    reason: str = ""
    code: FailureCode = FailureCode.FAILED


class NoConnection(Exception):
    """The connection failed or was lost; the message is the transport's.

    `sent` is set if a server was reached.
    """

    def __init__(self, message: str, *, sent: bool) -> None:
        super().__init__(message)
        self.sent = sent


class UnusableResponse(Exception):
    """A response cannot be used; the message says why."""


class NoText(UnusableResponse):
    """A response is in a form that holds no text."""


class EndlessResponse(UnusableResponse):
    """A response exceeds the maximum length.

    It may have been billed, and a retry would be as long.
    """


class UnreadableHeader(UnusableResponse):
    """A header of a response cannot be read.

    It may have been billed, and that of a retry would be the same.
    """


class FunctionFailed(UnusableResponse):
    """A function of the user raised, or returned no reply; so would another call."""


class Redirected(Exception):
    """The provider redirected to another host; the message says which."""


class NotSent(Exception):
    """No request can be sent to this model; the message says what to write instead."""


_KNOWN = (Refused, NoConnection, UnusableResponse, Redirected, NotSent, TimeoutError)
_RETRY_STATUSES = {408, 409, 425, 429}
_FATAL_STATUSES = {401, 402, 403, 404}
# Codes of providers, in lower case, that come with other statuses as well. Of OpenAI
# and its imitators; Azure; Google; Mistral.
_FATAL_CODES = {
    "model_not_found",
    "invalid_api_key",
    "deploymentnotfound",
    "api_key_invalid",
    "invalid_model",
}
_FILTER_CODES = {
    "content_filter",
    "content_policy_violation",
    "responsibleaipolicyviolation",
    "data_inspection_failed",
}
_LOOKED_AT = 20_000  # characters of a message
# litellm's class names, and its advice for programmers.
_LITELLM_WORDS = re.compile(
    r"(?:(?:litellm\.)?(?:[A-Za-z]+(?:Error|Exception)|Timeout(?: Error)?)(?::\s*|\s+-\s+))*"
)
_LITELLM_ADVICE = re.compile(
    r" To drop unsupported.*| Handle with `litellm\..*|Traceback \(most recent.*",
    re.DOTALL,
)
# A platform may lack either name; 11001 is that of Windows.
_NO_ADDRESS = {
    getattr(socket, "EAI_NONAME", 11001),
    getattr(socket, "EAI_NODATA", 11001),
    11001,
}
_VERSION = re.compile(r"/v\d")


def diagnose(
    error: BaseException,
    model: Model,
    timeout_s: float | None = None,
    *,
    has_replied: bool = False,
) -> Diagnosis:
    """Classify the error of a request to `model`.

    `has_replied` tells whether its address replied to others.
    """
    cause = cause_of(error, model)
    reason, summary = _described(cause, timeout_s)
    secrets = list(redact.header_values(model.params))
    message = redact.one_line(f"{model.target}: {reason}", os.environ, secrets)
    reason = redact.one_line(reason, os.environ, secrets)
    advice = _advice(cause, model)
    if advice:
        advice = redact.one_line(advice, os.environ, secrets)
        message = redact.with_end(message, f"; {advice}")
        reason = redact.with_end(reason, f"; {advice}")
    # Of several servers one may have left for good, with its name.
    has_left = model.servers is not None and _is_unknown_host(error)
    action = _action(cause, has_replied=has_replied)
    if has_left:
        action = Action.RETRY
    status = retry_after_s = None
    if isinstance(cause, Refused):
        status, retry_after_s = cause.status, cause.retry_after_s
    return Diagnosis(
        action,
        message,
        redact.one_line(f"{summary} {model.target}", os.environ, secrets),
        retry_after_s,
        throttled=action is Action.RETRY and status == 429,
        refused=has_left or _is_connection_refused(error),
        reason=reason,
        code=FailureCode.NO_TEXT if isinstance(cause, NoText) else FailureCode.FAILED,
    )


def connection_error(
    error: BaseException, *, sent: bool
) -> NoConnection | NotSent | UnreadableHeader:
    """What the error of a connection means, by its causes."""
    for cause in _causes(error):
        # Of ssl.SSLCertVerificationError.
        not_trusted = getattr(cause, "verify_message", None)
        if not_trusted:
            return NotSent(
                f"the server's certificate is not trusted: {not_trusted}; if it is "
                f"the right server, set SSL_CERT_FILE to the file of the certificate "
                f"that signed it"
            )
        if type(cause).__name__ == "LineTooLong":  # of aiohttp
            return UnreadableHeader(
                "a header of the response cannot be read: it is too long"
            )
    return NoConnection(str(error), sent=sent)


def is_filtered(error: BaseException) -> bool:
    """Whether the error means that the provider's content filter replied."""
    cause = cause_of(error)
    if not isinstance(cause, Refused) or cause.status != 400:
        return False
    return not cause.codes.isdisjoint(_FILTER_CODES)


def is_connection_lost(error: BaseException) -> bool:
    """Whether the connection failed or was lost."""
    return isinstance(cause_of(error), NoConnection)


def may_be_billed(error: BaseException) -> bool:
    """Whether a failed request may be billed: it was sent, and not refused."""
    cause = cause_of(error)
    if isinstance(cause, Refused):
        return cause.billed
    if isinstance(cause, NoConnection):
        return cause.sent
    return not isinstance(
        cause,
        NotSent
        | Redirected
        | ImportError
        | UnicodeEncodeError
        | ConnectionRefusedError,
    )


def may_be_done(error: BaseException) -> bool:
    """Whether a failed request that creates something may have created it.

    It may if it was sent, and was not clearly refused. A lost connection counts as
    sent, as some transports call it a failed attempt to connect. Only a key, an account
    or an address that is refused is clear: a 400 or 429 may also come after the
    provider has acted.
    """
    cause = cause_of(error)
    if isinstance(cause, Refused):
        return cause.status not in _FATAL_STATUSES
    if isinstance(cause, NotSent | Redirected):
        return False
    return not _is_connection_refused(error) and not _is_unknown_host(error)


# --- the cause ------------------------------------------------------------------------


def no_key(model: Model) -> NotSent | None:
    """That the provider's key is not set, which is why nothing was sent.

    None if it is set.
    """
    variable = key_variable(model.target, os.environ)
    if variable is None or os.environ.get(variable):
        return None
    return NotSent(f"no key; set {_place(variable)}")


def words_of(error: BaseException) -> str:
    """The beginning of the text of an error.

    litellm's class names and its advice for programmers are left out.
    """
    text = str(getattr(error, "message", None) or error)[:_LOOKED_AT]
    text = _LITELLM_WORDS.sub("", text, count=1)
    text = _LITELLM_ADVICE.sub("", text)
    return text.strip() or "no reason given"


def cause_of(error: BaseException, model: Model | None = None) -> BaseException:
    """The outermost exception that tells what happened, or the error itself.

    An error that no response explains tells its status itself. litellm and its SDKs
    raise one if they have no key.
    """
    for cause in _causes(error):
        if isinstance(cause, _KNOWN):
            return cause
    package = type(error).__module__.partition(".")[0]
    is_litellms = package in ("litellm", "openai")
    if is_litellms and model is not None and model.api_base is None:
        why = no_key(model)
        if why is not None:
            return why
    status = getattr(error, "status_code", None)
    if type(status) is not int:
        return error
    return Refused(status, words_of(error), codes_in(getattr(error, "body", None)))


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and its causes, outermost first; the chain may be circular."""
    seen = set()
    step: BaseException | None = error
    while step is not None and id(step) not in seen:
        seen.add(id(step))
        yield step
        step = step.__cause__ or step.__context__


def _is_unknown_host(error: BaseException) -> bool:
    """Whether the host name does not exist.

    A temporary failure of the resolver is EAI_AGAIN instead.
    """
    causes = _causes(error)
    errors = [cause for cause in causes if isinstance(cause, socket.gaierror)]
    return any(cause.errno in _NO_ADDRESS for cause in errors)


def _is_connection_refused(error: BaseException) -> bool:
    """Whether no server listens.

    For a host with several addresses, asyncio raises one error with all messages.
    """
    said = f"[Errno {errno.ECONNREFUSED}] Connect call failed"
    errors = [cause for cause in _causes(error) if isinstance(cause, OSError)]
    return any(
        cause.errno == errno.ECONNREFUSED or said in str(cause) for cause in errors
    )


# --- action and message ---------------------------------------------------------------


def _action(cause: BaseException, *, has_replied: bool) -> Action:
    if isinstance(cause, Redirected):
        return Action.GIVE_UP if has_replied else Action.STOP_RUN
    if isinstance(cause, NotSent | ImportError) or _is_unknown_host(cause):
        return Action.STOP_RUN
    if isinstance(cause, EndlessResponse | UnreadableHeader | FunctionFailed):
        return Action.GIVE_UP
    if isinstance(cause, UnusableResponse | NoConnection | OSError):
        return Action.RETRY
    if not isinstance(cause, Refused):
        return Action.GIVE_UP
    if cause.status in _FATAL_STATUSES or cause.codes & _FATAL_CODES:
        return Action.STOP_RUN
    if cause.has_no_money or cause.refuses_parameter:
        return Action.STOP_RUN
    if 400 <= cause.status < 500 and cause.status not in _RETRY_STATUSES:
        return Action.GIVE_UP
    return Action.RETRY  # an outage, or an error with status 200


def _described(cause: BaseException, timeout_s: float | None) -> tuple[str, str]:
    """What happened, and a summary by which retries are counted.

    The model's name follows the summary.
    """
    if isinstance(cause, Refused):
        said = cause.said or "no reason given"
        if cause.status == 200:
            return said, "unusable response from"
        named = f"{cause.status} {responses.get(cause.status, '')}".strip()
        return f"{named}: {said}", f"{cause.status} from"
    if isinstance(cause, TimeoutError):
        when = "in time" if timeout_s is None else f"within {timeout_s:g} s"
        return f"no reply {when}", "no reply from"
    if isinstance(cause, UnusableResponse | NotSent | Redirected):
        return str(cause), "unusable response from"
    if isinstance(cause, NoConnection | OSError):
        said = re.sub(r" ssl:(?:<[^>]*>|\S+)", "", str(cause))
        return f"connection failed: {said}", "no connection to"
    name = type(cause).__name__
    return f"{name}: {words_of(cause)}", f"{name} from"


def _advice(cause: BaseException, model: Model) -> str:
    """What to check after a refusal; empty for most."""
    if not isinstance(cause, Refused):
        return ""
    if cause.status == 401:
        variable = key_variable(model.target, os.environ)
        return "check " + _place(variable or "the provider's key")
    if cause.status != 404 or model.api_base is None or not cause.asked:
        return ""
    base = model.api_base.rstrip("/")
    if base.endswith(model.path):
        right = base.removesuffix(model.path)
        return f"{cause.asked} was asked: write {right} as the address"
    if _VERSION.search(cause.asked) or not cause.asked.endswith(model.path):
        other = f"text-completion-openai/{model.served_as} for a base model"
        if model.is_completion:
            other = f"openai/{model.served_as} to ask it as a chat"
        return f"{cause.asked} was asked; write {other}"
    return (
        f"{cause.asked} was asked, which probably lacks /v1: write {base}/v1 as "
        f"the address"
    )


def _place(variable: str) -> str:
    return f"{variable} in the environment or in .env"
