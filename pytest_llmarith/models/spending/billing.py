"""Which requests may be billed though they brought no reply."""

from __future__ import annotations

from pytest_llmarith.models.patience.causes import causes
from pytest_llmarith.models.patience.failures import is_key_missing

# The provider said no, or was never reached: nobody bills that.
_SAID_NO = {"HTTPStatusError", "Redirected"}
_NOT_REACHED = {"ConnectError", "ConnectTimeout", "ConnectionRefusedError", "gaierror"}
# There is no such model, or the request cannot be made of what was given for it.
_NEVER_LEFT = {"UnknownModel", "ImportError", "ModuleNotFoundError", "UnsupportedProtocol", "InvalidURL"} | {
    "LocalProtocolError",
    "UnicodeEncodeError",
}


def may_be_billed(error: BaseException) -> bool:
    """Whether a request that failed may have cost something: it was sent, and no refusal came back."""
    names = {type(cause).__name__ for cause in causes(error)}
    if names & (_SAID_NO | _NOT_REACHED | _NEVER_LEFT) or is_key_missing(error):
        return False
    status = getattr(error, "status_code", None)
    return not (isinstance(status, int) and 400 <= status < 500 and status != 408)
