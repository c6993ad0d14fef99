"""The variables of `.env`. It changes no environment, and does not know what they are for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def variables_in(path: Path) -> Mapping[str, str]:
    """Those that have a value. None of a file that cannot be read: it is not ours alone, and others live with it."""
    if not path.is_file():
        return {}
    import dotenv  # not needed where there is no .env

    try:
        values = dotenv.dotenv_values(path)
    except (OSError, ValueError):
        return {}
    return {name: value for name, value in values.items() if value}
