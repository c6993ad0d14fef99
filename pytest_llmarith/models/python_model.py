"""Functions in Python that reply as models do: `python:package.module:function`.

They are called in the broker's process, in threads of their own, or in its event loop
if they are coroutines.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from inspect import isawaitable, iscoroutinefunction, signature
from typing import Any

from msgspec import structs

from pytest_llmarith.models import redact
from pytest_llmarith.models.asking import ModelTerms
from pytest_llmarith.models.error_bodies import Refused
from pytest_llmarith.models.provider_errors import (
    FunctionFailed,
    NoConnection,
    NotSent,
)
from pytest_llmarith.records import Reply
from pytest_llmarith.safe_text import text_of_error
from pytest_llmarith.types import FUNCTION_PREFIX, Model, Price, Prompt

Function = Callable[..., Any]

# A call that timed out goes on in its thread, and others must not wait for it.
_MOST_THREADS = 1024


class FunctionClient:
    """The way to functions."""

    def __init__(self) -> None:
        self._functions: dict[str, Function] = {}
        self._threads = ThreadPoolExecutor(_MOST_THREADS, "llmarith-function")

    def prepare(self) -> None:
        """A function is imported when its model is planned or asked."""

    def terms(self, model: Model) -> ModelTerms:
        """A function costs nothing, unless the user names its price."""
        return ModelTerms(Price(0.0, 0.0))

    def unknown_parameter(self, model: Model) -> str | None:
        """Why a function cannot be called; None if it can."""
        try:
            function = self._imported(model.target)
        except NotSent as error:
            return f"{model.target}: {redact.one_line(str(error), os.environ)}"
        try:
            expected = signature(function)
        except ValueError:  # some that are written in C have none
            return None
        try:
            expected.bind("", **model.params)
        except TypeError as error:
            return (
                f"{model.target}: it is called with the prompt and the parameters "
                f"{', '.join(model.params) or '(none)'}, and takes {expected}: {error}"
            )
        return None

    async def request(self, model: Model, prompt: Prompt, timeout_s: float) -> Reply:
        """Call the function once. Raises the errors of `provider_errors`."""
        function = self._imported(model.target)
        said = model.said(prompt)
        asked: Any = model.messages(prompt)
        if [one.role for one in said] == ["user"]:
            asked = said[0].content
        try:
            if iscoroutinefunction(function):
                answer = await function(asked, **model.params)
            else:
                loop = asyncio.get_running_loop()
                answer, error = await loop.run_in_executor(
                    self._threads, _called, function, asked, model.params
                )
                if error is not None:
                    raise error
                if isawaitable(answer):
                    answer = await answer
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # a SystemExit would end the run
            raise _failed(error) from error
        try:
            reply = redact.own_reply(answer, os.environ)
        except ValueError as error:
            raise FunctionFailed(f"the function {error}") from None
        return structs.replace(reply, cost_usd=reply.cost_usd or 0.0)

    def _imported(self, target: str) -> Function:
        """The function, which is imported once. Raises NotSent."""
        if target in self._functions:
            return self._functions[target]
        path, _, name = target.removeprefix(FUNCTION_PREFIX).rpartition(":")
        try:
            module = import_module(path)
        except (Exception, SystemExit) as error:
            raise NotSent(f"{path} raises {text_of_error(error)}") from None
        function: Any = getattr(module, name, None)
        if not callable(function):
            raise NotSent(f"{module.__file__} has no function {name!r}")
        self._functions[target] = function
        return self._functions[target]


def _called(
    function: Function, asked: Any, params: Mapping[str, Any]
) -> tuple[Any, BaseException | None]:
    """What the function returns, and what it raises: a future takes no
    StopIteration.
    """
    try:
        return function(asked, **params), None
    except BaseException as error:
        return None, error


def _failed(error: BaseException) -> Exception:
    """What an exception of the function means: what it calls a failed connection or a
    status is treated as that of a server.
    """
    text = text_of_error(error)
    for one in (error, getattr(error, "response", None)):
        status = getattr(one, "status_code", None)
        if type(status) is int:
            return Refused(status, text, billed=True)
    if isinstance(error, ConnectionError | TimeoutError):
        return NoConnection(text, sent=True)
    return FunctionFailed(text)
