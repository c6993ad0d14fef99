"""A client whose attempts are metered. It tells a budget of those that bring nothing and may be billed."""

from __future__ import annotations

from pytest_llmarith.models.patience.causes import causes
from pytest_llmarith.models.patience.failures import is_key_missing
from pytest_llmarith.models.patience.requesting import Sender
from pytest_llmarith.models.spending.budget import Budget
from pytest_llmarith.values import Model, Reply

# The provider said no, or was never reached: nobody bills that.
_SAID_NO = {"HTTPStatusError", "Redirected"}
_NOT_REACHED = {"ConnectError", "ConnectTimeout", "ConnectionRefusedError", "gaierror", "OverBudget"}
# There is no such model, or the request cannot be made of what was given for it.
_NEVER_LEFT = {"UnknownModel", "ImportError", "ModuleNotFoundError", "UnsupportedProtocol", "InvalidURL"} | {
    "LocalProtocolError",
    "UnicodeEncodeError",
}


class Metered:
    """Sends as the client does."""

    def __init__(self, client: Sender, budget: Budget) -> None:
        self._client = client
        self._budget = budget

    def prepare(self) -> None:
        """Called before every attempt. Raises `OverBudget` where there is no room for it."""
        self._budget.begin_attempt()
        self._client.prepare()

    async def complete(self, model: Model, prompt: str, timeout_s: float) -> Reply:
        try:
            return await self._client.complete(model, prompt, timeout_s)
        except BaseException as error:  # a timeout comes as a cancellation
            if may_be_billed(error):
                self._budget.lose_attempt()
            raise

    async def close(self) -> None:
        await self._client.close()


def may_be_billed(error: BaseException) -> bool:
    """Whether a request that failed may have cost something: it was sent, and no refusal came back."""
    names = {type(cause).__name__ for cause in causes(error)}
    if names & (_SAID_NO | _NOT_REACHED | _NEVER_LEFT) or is_key_missing(error):
        return False
    status = getattr(error, "status_code", None)
    return not (isinstance(status, int) and 400 <= status < 500 and status != 408)
