"""A Dask cluster of two processes on loopback, which prints its address and ends with
its input: `python -m tests.cluster [VERSION]`, whose workers then have this version of
pytest-llmarith, or none if it is empty.
"""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def cluster(*versions: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address of a cluster, and its process."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.cluster", *versions],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), process
        finally:
            process.kill()


def _serve(versions: list[str]) -> None:
    import distributed

    start: Any = distributed.LocalCluster  # without type hints
    known = importlib.metadata.version

    def version(distribution_name: str) -> str:
        if distribution_name != "pytest-llmarith":
            return known(distribution_name)
        if not versions[0]:
            raise importlib.metadata.PackageNotFoundError(distribution_name)
        return versions[0]

    if versions:
        importlib.metadata.version = version
    local = start(
        n_workers=2,
        threads_per_worker=1,
        processes=not versions,
        dashboard_address=None,
        protocol="tcp",
        host="127.0.0.1",
    )
    print(local.scheduler_address, flush=True)  # noqa: T201
    sys.stdin.read()


if __name__ == "__main__":
    _serve(sys.argv[1:])
