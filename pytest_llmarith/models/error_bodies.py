"""Reads what a provider says in place of a reply, or beside one that it broke off: the
status it stands for, its words, and its codes.

Many send an error with status 200, in which case its codes and words tell the status.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any
from urllib.parse import urlsplit

from pytest_llmarith.files import retry_after_s

_LOOKED_AT = 20_000  # characters of a message
_TEXT = 300  # characters of an exception, which litellm searches
_DEEPEST = 4  # errors in an error
# Fields of an error: its words, its codes, its status, and what holds more of them.
_WORDS = ("message", "msg", "status_msg", "error_msg", "detail", "error_description")
_CODES = ("code", "type", "status", "reason", "error_code", "error_type")
_STATUSES = ("code", "status", "status_code", "statusCode", "error_code")
# MiniMax's is the last.
_MORE = (
    *("error", "errors", "detail", "details", "raw"),
    *("innererror", "inner_error", "base_resp"),
)
_SUCCESS = (0, 200, "0", "200")  # codes of servers that always have an error
_SUCCEEDED = re.compile(
    r"(?i)\W*(?:ok(?:ay)?|success(?:ful|fully)?|no(?: |_)?error|none)\W*"
)
# Google sends no header.
_RETRY_INFO = re.compile(r'"retryDelay":\s*"(\d{1,9}(?:\.\d+)?)s"')

# The status for which a code stands, in lower case and without `_error`.
_STATUS_OF_CODE = {
    "authentication": 401,
    "invalid_authentication": 401,
    "invalid_api_key": 401,
    "api_key_invalid": 401,
    "unauthorized": 401,
    "unauthenticated": 401,
    "payment_required": 402,
    "permission": 403,
    "permission_denied": 403,
    "forbidden": 403,
    "access_denied": 403,
    "not_found": 404,
    "notfound": 404,
    "model_not_found": 404,
    "rate_limit": 429,
    "ratelimit": 429,
    "rate_limit_exceeded": 429,
    "rate_limit_reached": 429,
    "rate_limited": 429,
    "too_many_requests": 429,
    "toomanyrequests": 429,
    "resource_exhausted": 429,
    "throttling": 429,
    "overloaded": 503,
    "engine_overloaded": 503,
    "unavailable": 503,
    "service_unavailable": 503,
    "timeout": 504,
    "deadline_exceeded": 504,
    "server": 500,
    "internal": 500,
    "internal_server": 500,
    "api": 500,
    "invalid_request": 400,
    "badrequest": 400,
    "bad_request": 400,
    "invalid_argument": 400,
    "context_length_exceeded": 400,
    "content_filter": 400,
    "content_policy_violation": 400,
    "data_inspection_failed": 400,
}
_STATUS_OF_WORDS = {
    401: r"(?:invalid|incorrect|missing|wrong|no) (?:\w+ )?api[ _-]?key|unauthori[sz]ed"
    r"|not authenticated|authentication (?:fail|required|error)",
    429: r"rate[ _-]?limit|too many requests|throttl|try again later",
    404: r"unexpected endpoint|unknown (?:endpoint|route|url)|no such (?:model|route)"
    r"|^not found|model\b.{0,80}\b(?:does not exist|not found|not loaded)"
    r"|no models? loaded",
}
_STATUS_OF_WORDS_IN = {
    status: re.compile(words, re.IGNORECASE)
    for status, words in _STATUS_OF_WORDS.items()
}

# An account that is empty, suspended, or at its limit of money. Google says `exceeded
# your current quota, please check your plan and billing details` of a rate limit.
_NO_MONEY_CODES = {
    "insufficient_quota",
    "billing_not_active",
    "billing_hard_limit_reached",
    "billing_disabled",
    "exceeded_current_quota_error",
    "payment_required",
    "arrearage",
    "budget_exceeded",
}
_NO_MONEY = re.compile(
    r"insufficient[\W_]+(?:\w+[\W_]+)?(?:balance|credits?|funds?|quota)(?![a-z])"
    r"|\b(?:balance|credits?|funds?)\b.{0,40}\b(?:insufficient|too low|depleted"
    r"|exhausted|used up|run out|ran out|not (?:enough|sufficient)|negative|overdrawn)\b"
    r"|(?:\b(?:out of|not enough|no|no more|zero|ran out of|used (?:up )?all)"
    r"|(?:n't|not) have (?:any|enough))\s+"
    r"(?:(?:your|available|remaining|account|prepaid) )*(?:balance|credits?|funds)\b"
    r"|requires more credits|exceeded your (?:\w+ ){0,2}credits"
    r"|\b(?:payment required|unpaid|overdue|arrears|arrearage|past invoices)\b"
    r"|\brecharge (?:your|the) account"
    r"|\b(?:spend|spending|billing|credit) (?:hard |soft )?(?:limit|cap)\b"
    r"|api usage limits|budget has been exceeded"
    r"|billing (?:is |has been )?(?:disabled|not active|not enabled)"
    r"|\baccount\b.{0,80}\b(?:suspended|not active|in good standing)\b"
    r"|[余餘][额額].{0,8}(?:不足|[耗用]尽|用完|为0|为零)|[额額]度.{0,8}(?:不足|[耗用]尽|用完)"
    r"|欠[费費]|[请請]充值"
    r"|недостаточно (?:средств|баланса)|残高.{0,4}不足|잔액.{0,4}부족"
    r"|saldo insuficiente|solde insuffisant|guthaben",
    re.IGNORECASE,
)

# A parameter that is refused for each question alike. The second group is also said of
# a question that is too long.
_PARAMETER_CODES = {
    "unsupported_parameter",
    "unsupported_value",
    "unsupported_param",
    "unknown_parameter",
    "unrecognized_parameter",
    "unsupportedparamserror",
    "extra_forbidden",
}
_PERHAPS_PARAMETER_CODES = {
    "invalid_parameter",
    "invalid_parameter_error",
    "invalid_parameter_value",
    "invalidparameter",
    "invalid_value",
    "invalid_type",
}
_PARAMETER = re.compile(
    r"unrecognized request argument|unknown (?:parameter|name|field|argument)\b"
    r"|unsupported (?:parameter|value|argument)\b"
    r"|extra (?:inputs|fields)(?: are)? not permitted"
    r"|\b(?:property|parameter|argument|field)s?:? ['\"`]?[\w.-]{1,60}['\"`]? (?:is|are) "
    r"(?:not |un)(?:supported|known|recognized|allowed)"
    r"|not support (?:the )?parameters?\b|argument not supported",
    re.IGNORECASE,
)
_LENGTH = re.compile(
    r"length|long|context|token|character|content|message|input|prompt", re.IGNORECASE
)


class Refused(Exception):
    """The provider answered with an error: its status, what it said, and its own codes.

    `retry_after_s` is the wait that it asks for. The text of the exception is the
    beginning of `said`, as litellm searches it for keys, which may take seconds.
    `asked` is the address of the request without keys. `billed` is set if it may have
    been billed.
    """

    def __init__(
        self,
        status: int,
        said: str,
        codes: frozenset[str] = frozenset(),
        retry_after_s: float | None = None,
        asked: str = "",
        *,
        billed: bool = False,
    ) -> None:
        super().__init__(said[:_TEXT])
        self.status = status
        self.said = said
        self.codes = codes
        self.retry_after_s = retry_after_s
        self.asked = asked
        self.billed = billed

    @property
    def has_no_money(self) -> bool:
        """Whether the account is empty."""
        return bool(self.codes & _NO_MONEY_CODES) or any(
            _NO_MONEY.search(text) for text in (self.said, *self.codes)
        )

    @property
    def refuses_parameter(self) -> bool:
        """Whether a parameter is refused, which all questions have."""
        if self.status not in (200, 400, 404, 422):
            return False
        if self.codes & _PARAMETER_CODES or _PARAMETER.search(self.said):
            return True
        is_perhaps = bool(self.codes & _PERHAPS_PARAMETER_CODES)
        return is_perhaps and _LENGTH.search(self.said) is None


def refusal(
    status: int, headers: Mapping[str, str], body: bytes, asked: str
) -> Refused:
    """The error in a response, by the beginning of its body."""
    text = body.decode("utf-8", "replace")
    error = _parsed(text)
    if isinstance(error, list) and error:  # of Google
        error = error[0]
    if isinstance(error, dict) and _is_error(error.get("error")):
        error = error["error"]
    wait_s = _seconds(headers)
    if wait_s is None:
        wait_s = _wait_in(text)
    said = _cleaned(_said(error) or text)
    return Refused(status, said, codes_in(error), wait_s, _without_keys(asked))


def error_in_reply(
    reply: Any, choice: Mapping[str, Any] | None, asked: str = ""
) -> Refused | None:
    """The error in the JSON of a response with the status of a reply, as proxies send
    it; None if there is none.

    Beside a choice, the reply was broken off.
    """
    if not isinstance(reply, dict):
        return None
    holders = (reply, choice, choice.get("message") if choice else None)
    errors = [one.get("error") for one in holders if isinstance(one, dict)]
    error = next(filter(_is_error, errors), None)
    # Without an id, it is none of another kind of answer.
    is_lacking = choice is None and ("choices" in reply or "id" not in reply)
    if error is True or (error is None and is_lacking and _said(reply)):
        error = reply
    if not _is_error(error):
        return None
    codes = codes_in(error)
    said = _cleaned(_said(error) or json.dumps(error))
    status = _status_in(error, codes, said)
    is_refusal = choice is None and 400 <= status < 500
    if choice is not None:
        said = f"the provider interrupted the reply: {said}"
        if status not in (401, 402, 403, 404, 429):
            status = 200
    return Refused(
        status,
        said,
        codes,
        _wait_in(json.dumps(error)[:_LOOKED_AT]),
        _without_keys(asked),
        billed=not is_refusal,
    )


def codes_in(error: Any, depth: int = 0) -> frozenset[str]:
    """The codes of an error in lower case, also those of its details."""
    codes = set[str]()
    if depth > _DEEPEST:
        return frozenset()
    if isinstance(error, str):
        error = _parsed(error)
    if isinstance(error, list):
        for one in error:
            codes |= codes_in(one, depth + 1)
    if isinstance(error, dict):
        for name in _CODES:
            codes.add(_text(error, name).lower())
        for one in _inner(error):
            codes |= codes_in(one, depth + 1)
    return frozenset(codes - {""})


def _inner(error: Mapping[str, Any]) -> Iterator[Any]:
    """What may hold more about an error; OpenRouter's `metadata.raw` is what its
    provider said, as text.
    """
    metadata = error.get("metadata")
    for holder in (error, metadata):
        if isinstance(holder, dict):
            for name in _MORE:
                if isinstance(holder.get(name), dict | list | str):
                    yield holder[name]


def _said(error: Any, depth: int = 0) -> str:
    """The words of an error, with those of the provider behind the provider."""
    if isinstance(error, str):
        inner = _parsed(error) if depth else None
        if not isinstance(inner, dict | list):
            return error
        error = inner
    if depth > _DEEPEST:
        return ""
    if isinstance(error, list):
        words = [_said(one, depth + 1) for one in error[:5]]
        return "; ".join(filter(None, words))
    if not isinstance(error, dict):
        return ""
    said = next(filter(None, (_text(error, name) for name in _WORDS)), "")
    place = error.get("loc")  # of FastAPI
    if isinstance(place, list):
        said = f"{'.'.join(map(str, place))}: {said}"
    if not said:
        said = next(filter(None, (_said(one, depth + 1) for one in _inner(error))), "")
    metadata = error.get("metadata")
    if isinstance(metadata, dict) and metadata.get("raw"):
        raw = _said(metadata["raw"], depth + 1)
        if raw and raw not in said:
            said = f"{said}: {raw}" if said else raw
    return said


def _status_in(error: Any, codes: frozenset[str], said: str) -> int:
    """The status for which an error in a reply stands; 200 if that is not known."""
    if isinstance(error, dict):
        for name in _STATUSES:
            value = error.get(name)
            if isinstance(value, str) and re.fullmatch("[45][0-9][0-9]", value):
                value = int(value)
            if type(value) is int and 400 <= value < 600:
                return value
    named = [_STATUS_OF_CODE.get(re.sub("_?error$", "", code)) for code in codes]
    # 400 is that of a type beside a code that says more.
    statuses = sorted(filter(None, named), key=lambda status: (status == 400, status))
    if statuses:
        return statuses[0]
    for status, words in _STATUS_OF_WORDS_IN.items():
        if words.search(said):
            return status
    return 200


def _is_error(error: Any) -> bool:
    """Whether the field of an error holds one; some servers always have the field."""
    if isinstance(error, dict) and error.get("code") in _SUCCESS:
        said = _said(error)
        return bool(said) and not _SUCCEEDED.fullmatch(said)
    return any(error.values()) if isinstance(error, dict) else bool(error)


def _wait_in(text: str) -> float | None:
    found = _RETRY_INFO.search(text)
    return float(found[1]) if found else None


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _text(error: Any, name: str) -> str:
    value = error.get(name) if isinstance(error, dict) else None
    return value if isinstance(value, str) else ""


def _cleaned(said: str) -> str:
    return unescape(said[:_LOOKED_AT]).strip()


def _without_keys(address: str) -> str:
    parts = urlsplit(address)
    return parts._replace(
        netloc=parts.netloc.rpartition("@")[2], query="", fragment=""
    ).geturl()


def _seconds(headers: Mapping[str, Any]) -> float | None:
    """The wait that the headers ask for.

    It is `Retry-After` (seconds or date), or the milliseconds that some providers send.
    """
    lowered = {str(name).lower(): str(value) for name, value in headers.items()}
    milliseconds = retry_after_s(lowered.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    return retry_after_s(lowered.get("retry-after", ""))
