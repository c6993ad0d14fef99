"""The lock holds exact files, and says nothing of where they come from."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

LOCKS = sorted((Path(__file__).parents[2] / "requirements").glob("*.txt"))


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)
def test_a_lock_has_hashes_and_no_address(lock: Path) -> None:
    text = lock.read_text("utf-8")
    packages = re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)[1:]
    assert packages
    assert [one for one in packages if "--hash=sha256:" not in one] == []
    assert "://" not in text
