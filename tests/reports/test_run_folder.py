"""The folder of a run: readable, safe and nobody else's."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmarith.reports.folder import UnwritableFolder, create_run_folder
from pytest_llmarith.values import Shard

STARTED = datetime(2026, 11, 22, 0, 31, 5, tzinfo=UTC)
STAMP = "2026-11-22T00-31-05"

MANY_FOLDERS = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from pytest_llmarith.reports.folder import create_run_folder
for _ in range(25):
    print(create_run_folder(Path(sys.argv[1]), datetime(2026, 11, 22, tzinfo=UTC), ["o4-mini"]).name)
"""


@pytest.mark.parametrize(
    ("models", "name"),
    [
        (["o4-mini"], "o4-mini"),
        (["openai/gpt-4o"], "openai-gpt-4o"),
        (["a", "b", "c"], "3-models"),
        ([], "0-models"),
        ([""], "unnamed"),
        (["../../etc/passwd"], "etc-passwd"),
        (["..."], "unnamed"),
        (["CON"], "CON"),
        (["a\x1b[31m\n\0b"], "a-31m-b"),
        (["ends with a dot. "], "ends-with-a-dot"),
        (["模型"], "unnamed"),
        (["m" * 300], "m" * 60),
    ],
)
def test_names_are_safe_and_readable(tmp_path: Path, models: list[str], name: str) -> None:
    """The folder's name is the time and what is left of the model's name when only safe characters stay."""
    assert create_run_folder(tmp_path, STARTED, models) == tmp_path / f"{STAMP}_{name}"


@given(model=st.text(st.characters(), max_size=300))
def test_every_model_name_makes_a_folder(tmp_path_factory: pytest.TempPathFactory, model: str) -> None:
    """Whatever a model is called, its folder lies directly below the base."""
    base = tmp_path_factory.mktemp("reports")
    assert create_run_folder(base, STARTED, [model]).parent == base
    assert len(list(base.iterdir())) == 1


def test_a_shard_says_so(tmp_path: Path) -> None:
    """Folders that come together from many machines tell of what they are parts, also where they are numbered."""
    names = [create_run_folder(tmp_path, STARTED, ["m"], Shard(2, 5)).name for _ in range(2)]
    assert names == [f"{STAMP}_m_shard-2-of-5", f"{STAMP}_m_shard-2-of-5-2"]


def test_the_time_is_utc(tmp_path: Path) -> None:
    """A start in another time zone is written in UTC."""
    tokyo = STARTED.astimezone(timezone(timedelta(hours=9)))
    assert create_run_folder(tmp_path, tokyo, ["m"]).name == f"{STAMP}_m"


def test_runs_of_the_same_second_are_numbered(tmp_path: Path) -> None:
    """The second run of a second gets -2, the third -3."""
    names = [create_run_folder(tmp_path, STARTED, ["m"]).name for _ in range(3)]
    assert names == [f"{STAMP}_m", f"{STAMP}_m-2", f"{STAMP}_m-3"]


def test_two_processes_never_share_a_folder(tmp_path: Path) -> None:
    """Processes that make folders at the same time get different ones."""
    command = [sys.executable, "-c", MANY_FOLDERS, str(tmp_path / "reports")]
    writers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    names = [name for writer in writers for name in writer.communicate()[0].split()]
    assert len(names) == 75
    assert len(set(names)) == 75


def test_a_file_in_the_way_is_said_in_one_line(tmp_path: Path) -> None:
    """A base that is a file gives one line that names it."""
    base = tmp_path / "reports"
    base.write_text("")
    with pytest.raises(UnwritableFolder) as caught:
        create_run_folder(base, STARTED, ["m"])
    assert str(caught.value) == f"no folder for this run can be made in {str(base)!r}: a file is in the way"


def test_a_base_below_a_file_is_said_in_one_line(tmp_path: Path) -> None:
    """A base that cannot be made gives one line as well, as an OSError."""
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match=r"no folder for this run can be made in .*: ") as caught:
        create_run_folder(tmp_path / "file" / "reports", STARTED, ["m"])
    assert "\n" not in str(caught.value)


def test_a_null_byte_in_the_base_is_said_in_one_line() -> None:
    """A path that no system takes is refused with one line."""
    with pytest.raises(UnwritableFolder, match="null"):
        create_run_folder(Path("a\0b"), STARTED, ["m"])
