"""What a run shows on the terminal: the header, progress while it goes, tables at its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_llmarith.options import Settings
from pytest_llmarith.session.recorder import Recorder

if TYPE_CHECKING:
    from pytest_llmarith.session.conductor import Conductor


class Display:
    """Registered in the controller or the only process; it reads from the others and decides nothing."""

    def __init__(self, config: pytest.Config, settings: Settings, recorder: Recorder) -> None:
        self._config = config
        self._settings = settings
        self._recorder = recorder

    def listen(self, conductor: Conductor) -> None:
        """Take in what only those who ask can tell."""

    def pytest_report_header(self) -> list[str]:
        """One line on what is asked, one on where it goes; shown before anything is collected."""
        settings = self._settings
        if not settings.models:
            return []
        return [
            f"llmarith: {', '.join(model.name for model in settings.models)}; seed {settings.seed}",
        ]
