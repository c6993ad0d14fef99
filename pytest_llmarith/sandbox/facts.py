"""What the times of a run mean nothing without."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any

from pytest_llmarith.sandbox import slots
from pytest_llmarith.sandbox.interpreter import base_interpreter


def facts() -> dict[str, Any]:
    """The programs' interpreter and the machine under it, as builtins; raises OSError where it does not start."""
    return {
        "host": platform.node(),
        "interpreter": f"{platform.python_implementation()} {base_interpreter().version}",
        "machine": platform.machine(),
        "processor": _processor(),
        "kernel": f"{platform.system()} {platform.release()}",
        "cores": len(os.sched_getaffinity(0)),
        "slots": slots.count(),
    }


def _processor() -> str | None:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), None)
