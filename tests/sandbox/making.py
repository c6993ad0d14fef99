"""What makes a sandbox in a test: a fixture, called with the limits that the test wants."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # Linux alone can load it
    from pytest_llmarith.sandbox.runner import Sandbox

MakeSandbox = Callable[..., "Sandbox"]
