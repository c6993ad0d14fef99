"""A running Dask cluster (extra `[dask]`): found, and its workers checked before they
get anything to do.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from pytest_llmarith.installation import install_extra
from pytest_llmarith.safe_text import text_of_error

_PATIENCE_S = 10.0  # until a scheduler answers


def connected(scheduler: str, option: str) -> Any:
    """A `distributed.Client`; all workers of the cluster have this version of the
    package.

    Raises ValueError in one line, which names the option.
    """
    try:
        import distributed
    except ImportError:
        raise ValueError(
            f"{option}: distributed is not installed; run {install_extra('dask')}"
        ) from None
    connect: Any = distributed.Client  # without type hints
    try:
        client = connect(scheduler, timeout=_PATIENCE_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ValueError(
            f"{option}={scheduler}: no Dask scheduler answers "
            f"({text_of_error(error)}); start one, or correct the address"
        ) from None
    try:
        _check_versions(client, option)
    except BaseException:
        client.close()
        raise
    return client


def on_each_worker(
    client: Any, function: Callable[..., Any], *arguments: Any
) -> dict[str, Any]:
    """What a function returns, or the error that it raises, on each worker."""
    answers: dict[str, Any] = client.run(function, *arguments, on_error="return")
    return answers


def _check_versions(client: Any, option: str) -> None:
    here = version("pytest-llmarith")
    answers = on_each_worker(client, version, "pytest-llmarith")
    if not answers:
        raise ValueError(f"{option}: the cluster has no workers; start them first")
    for worker, found in answers.items():
        if isinstance(found, Exception):
            raise ValueError(
                f"{option}: {worker} lacks pytest-llmarith ({text_of_error(found)}); "
                f"install {here} there"
            )
        if found != here:
            raise ValueError(f"{option}: {worker}: {other_version(found, here)}")


def other_version(there: str, here: str) -> str:
    """That a worker has another version of the package."""
    return f"a worker has pytest-llmarith {there}, this machine {here}; install one"
