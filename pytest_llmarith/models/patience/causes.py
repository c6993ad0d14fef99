"""What an error says about itself and what led to it. It decides nothing.

It looks at names, status codes and causes, and so knows litellm and its transports without importing them. litellm
gives every error a status of its own; what really happened stands among the causes.
"""

from __future__ import annotations

import errno
import re
import socket
from collections.abc import Callable, Iterator
from typing import Any

_TIMEOUTS = {"APITimeoutError", "ConnectTimeout", "PoolTimeout", "ReadTimeout", "WriteTimeout"}
_NO_TEXT = {"JSONDecodeError", "UnicodeDecodeError"}
_TRANSPORTS = {"httpx", "httpcore", "aiohttp"}
_NOT_LOST = {"HTTPStatusError", "MaskedHTTPStatusError", "DecodingError", "InvalidURL", "UnsupportedProtocol"}
_NO_ADDRESS = {code for name in ("EAI_NONAME", "EAI_NODATA") if (code := getattr(socket, name, None)) is not None} | {
    11001
}  # Windows' own number

# What litellm says, with these, where a provider said nothing of the sort.
_STATUS_OF_UNREADABLE = {200, 422, 500}


def causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what led to it, outermost first; the chain may be a ring."""
    seen: set[int] = set()
    step: BaseException | None = error
    while step is not None and id(step) not in seen:
        seen.add(id(step))
        yield step
        step = step.__cause__ or step.__context__


def caused_by(error: BaseException, *kinds: type[BaseException]) -> BaseException | None:
    """litellm wraps whatever an embedded model raises."""
    return next((cause for cause in causes(error) if isinstance(cause, kinds)), None)


def status_of(error: BaseException) -> int | None:
    """The status that litellm gives an error; it calls whatever it does not know 500."""
    status = _whole(getattr(error, "status_code", None))
    answered = _answered_status(error)
    return answered if status == 500 and answered is not None and answered > 500 else status


def is_timeout(error: BaseException) -> bool:
    return isinstance(error, TimeoutError) or _led_to(error, lambda cause: type(cause).__name__ in _TIMEOUTS)


def is_no_json(error: BaseException) -> bool:
    """A body came, and is not what every body has to be."""
    return _led_to(error, lambda cause: type(cause).__name__ in _NO_TEXT)


def is_unreadable(error: BaseException) -> bool:
    """A body came, and litellm could make nothing of it."""
    if is_no_json(error):
        return True
    return (
        type(error).__module__.startswith("litellm")
        and status_of(error) in _STATUS_OF_UNREADABLE
        and _answered_status(error) is None
        and lost_connection(error) is None
    )


def is_unknown_host(error: BaseException) -> bool:
    """A name that does not exist, and not a resolver that is away for a moment (EAI_AGAIN)."""
    return any(isinstance(cause, socket.gaierror) and cause.errno in _NO_ADDRESS for cause in causes(error))


def is_connection_refused(error: BaseException) -> bool:
    """No server listens at the address. Of a name with several addresses, asyncio raises one error with all texts."""
    return any(
        isinstance(cause, OSError)
        and (cause.errno == errno.ECONNREFUSED or f"[Errno {errno.ECONNREFUSED}] Connect call failed" in str(cause))
        for cause in causes(error)
    )


def lost_connection(error: BaseException) -> str | None:
    """What became of a connection. The transport names the host; those above it only say `Connection error.`"""
    lost = next((cause for cause in causes(error) if _is_lost(cause)), None)
    if lost is None or _answered_status(error) is not None:
        return None
    return re.sub(r" ssl:(?:<[^>]*>|\S+)", "", str(lost))


def _led_to(error: BaseException, fits: Callable[[BaseException], bool]) -> bool:
    """Whether such a thing led to the error. Where a status was answered, only that did."""
    return _answered_status(error) is None and any(map(fits, causes(error)))


def _is_lost(cause: BaseException) -> bool:
    if isinstance(cause, OSError):
        return True
    kind = type(cause)
    return kind.__module__.split(".")[0] in _TRANSPORTS and kind.__name__ not in _NOT_LOST


def _answered_status(error: BaseException) -> int | None:
    """The status of the response that came, where one came."""
    for cause in causes(error):
        if type(cause).__name__.endswith("HTTPStatusError"):
            return _whole(getattr(getattr(cause, "response", None), "status_code", None))
    return None


def _whole(status: Any) -> int | None:
    return status if isinstance(status, int) else None
