"""A file that a command was told to write. It does not know what is written."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from pytest_llmarith.reports.mistake import Mistake, name_of


@contextmanager
def new_file(option: str, target: Path, inputs: Iterable[Path], *, force: bool) -> Iterator[BinaryIO]:
    """The file that `option` names. It appears under its name when it is complete, and never in the place of an input.

    Raises Mistake where it cannot be written, or is there without `force`.
    """
    inputs = list(inputs)
    check_target(option, target, inputs, force=force)
    draft = target.with_name(f".llmarith.{os.getpid()}.tmp")  # short: a long name has no room for an ending
    try:
        file = draft.open("xb")
    except OSError as fault:
        raise unwritable(option, target, fault) from fault
    try:
        with file:
            yield file
        check_target(option, target, inputs, force=force)  # somebody may have taken the name meanwhile
        draft.replace(target)
    except OSError as fault:
        raise unwritable(option, target, fault) from fault
    finally:
        draft.unlink(missing_ok=True)


def check_target(option: str, target: Path, inputs: Iterable[Path], *, force: bool) -> None:
    """Raises Mistake where nothing may be written under this name."""
    if any(_same(target, file) for file in inputs):
        raise Mistake(f"{option} {name_of(target)}: this is one of the files to read; name another")
    mode = _mode(option, target)
    if mode is not None and not stat.S_ISREG(mode):  # --force is for files: a pipe or a device would be gone
        raise Mistake(f"{option} {name_of(target)}: this exists and is not a regular file; name another")
    if mode is not None and not force:
        raise Mistake(f"{option} {name_of(target)}: the file exists; name another or add --force")


def _same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other) or (
        os.path.exists(one) and os.path.exists(other) and one.samefile(other)
    )


def _mode(option: str, target: Path) -> int | None:
    """What stands under the name itself, as links are not followed; None is nothing."""
    try:
        return target.lstat().st_mode
    except FileNotFoundError:
        return None
    except OSError as fault:
        raise unwritable(option, target, fault) from fault


def unwritable(option: str, target: Path, fault: OSError) -> Mistake:
    """What is said of a file that the system does not let be written."""
    return Mistake(f"{option} {name_of(target)}: cannot be written ({fault.strerror}); name another file")
