"""Slots are held by so many, by one who wants them all, and by nobody who is gone."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("the sandbox needs Linux", allow_module_level=True)

from pytest_llmarith.sandbox import slots
from pytest_llmarith.sandbox.slots import Slots

_PROJECT = Path(__file__).parents[2]
_HOLDER = """
import sys, time
from pathlib import Path
from pytest_llmarith.sandbox.slots import Slots
with Slots(Path(sys.argv[1]), int(sys.argv[2])).all():
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize("size", [1, 2, 3])
def test_so_many_and_no_more(tmp_path: Path, size: int) -> None:
    """However many want one, no more than all slots are held, and everybody has a turn; all at once means alone."""
    own, gate, inside, most, alone = Slots(tmp_path, size), threading.Lock(), [0], [0], [0]

    def work(number: int) -> None:
        for _ in range(20):
            everything = number % 4 == 0
            with own.all() if everything else own.one():
                with gate:
                    inside[0] += 1
                    most[0] = max(most[0], inside[0])
                    alone[0] += everything and inside[0] > 1
                with gate:
                    alone[0] += everything and inside[0] > 1
                    inside[0] -= 1

    workers = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert inside == [0]
    assert most[0] <= size
    assert alone == [0]


def test_they_vanish_with_their_holder(tmp_path: Path) -> None:
    """A killed process holds no slot, and the next in line gets it."""
    holder = subprocess.Popen([sys.executable, "-c", _HOLDER, str(tmp_path), "2"], cwd=_PROJECT, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    holder.stdout.readline()
    held = threading.Event()

    def wait() -> None:
        with Slots(tmp_path, 2).one():
            held.set()

    waiter = threading.Thread(target=wait)
    waiter.start()
    assert not held.wait(0.1)
    holder.kill()
    holder.communicate()
    waiter.join()
    assert held.is_set()


def test_a_folder_of_its_own(tmp_path: Path) -> None:
    """The folder of slots is made for this user alone."""
    with Slots(tmp_path / "new", 1).one():
        assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700


def test_a_folder_that_others_may_enter_is_refused(tmp_path: Path) -> None:
    """Its owner and its mode are looked at, and the error says what to do."""
    tmp_path.chmod(0o777)
    with pytest.raises(PermissionError, match="must belong to this user"), Slots(tmp_path, 1).one():
        pass


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    """A folder for slots that belongs to another user is refused."""
    folder = tmp_path / "theirs"
    folder.mkdir(mode=0o700)
    os.chown(folder, 65534, 65534)
    with pytest.raises(PermissionError), Slots(folder, 1).one():
        pass


@pytest.mark.parametrize("target", ["folder", "lock"])
def test_links_are_not_followed(tmp_path: Path, target: str) -> None:
    """A link in place of the folder or of a lock is refused, so that nobody else decides what is opened."""
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    folder = tmp_path / "slots"
    if target == "folder":
        folder.symlink_to(tmp_path / "elsewhere")
    else:
        folder.mkdir(mode=0o700)
        (folder / "0.lock").symlink_to(tmp_path / "elsewhere" / "made")
    with pytest.raises(OSError), Slots(folder, 1).one():  # noqa: PT011 # any refusal will do
        pass
    assert not [*(tmp_path / "elsewhere").iterdir()]


def test_the_runtime_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The session's own where it is ours alone, else one under the temporary folder."""
    tmp_path.chmod(0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert slots._runtime_folder().parent == tmp_path
    tmp_path.chmod(0o755)
    assert slots._runtime_folder().parent != tmp_path
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "missing"))
    assert slots._runtime_folder().name.endswith(f"-{os.geteuid()}")
