"""Grades many stored replies again, part by part, in processes here or on a cluster.

A part is a Parquet file, or some lines of a JSONL file; what it becomes is a file of
the same kind. `regrade_part` does one of them, and can be pickled, so any engine that
calls functions will do. A part whose counts are written is done.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from importlib.metadata import version
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from pytest_llmarith.dask_cluster import connected, other_version
from pytest_llmarith.files import replacement
from pytest_llmarith.records import encode as encode_record
from pytest_llmarith.report.frames import regraded_parquet
from pytest_llmarith.results.log import LOG, Span, log_of, spans
from pytest_llmarith.results.regrade import RegradedCounts, changes, tasks_named
from pytest_llmarith.results.run_files import UsageError, encode, name_of, write_json
from pytest_llmarith.safe_text import text_of_error

_DONE = ".regraded"  # the folder of counts; readers of parts skip hidden ones
_PART_BYTES = 1 << 24  # of JSONL: some 10,000 replies
_AGAIN = "rerun the same command to continue"


class EngineLostError(Exception):
    """The processes or the cluster ended early; the message is one line."""


@dataclass(frozen=True)
class StoredPart:
    """What is graded again, how, and by which version; `output` is the file that it
    becomes.

    `size` and `changed_ns` are of its file.
    """

    file: str
    span: Span | None
    size: int
    changed_ns: int
    output: str
    reading: str | None = None
    tasks: tuple[str, ...] = ()  # as FILE:NAME
    version: str = ""

    def done(self) -> RegradedCounts | None:
        """Its counts, if it was graded again.

        Raises UsageError if that was another part, or done otherwise.
        """
        try:
            written = json.loads(self._counts_file.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise self._other("its counts cannot be read") from error
        if written["part"] != json.loads(encode(asdict(self))):
            raise self._other(
                "made of another input, with other options or by another version"
            )
        return RegradedCounts(**written["counts"])

    def finish(self, counts: RegradedCounts) -> None:
        """Note that the part is done."""
        self._counts_file.parent.mkdir(exist_ok=True)
        write_json(self._counts_file, {"part": asdict(self), "counts": vars(counts)})
        output = Path(self.output)  # what processes left that were killed
        for draft in output.parent.glob(f".{output.name}.*.tmp"):
            draft.unlink(missing_ok=True)

    @property
    def _counts_file(self) -> Path:
        output = Path(self.output)
        return output.parent / _DONE / f"{output.name}.json"

    def _other(self, why: str) -> UsageError:
        return UsageError(f"{name_of(Path(self.output))}: {why}; name another folder")


def parts_of(
    paths: Sequence[Path],
    folder: Path,
    reading: str | None = None,
    tasks: Sequence[str] = (),
    part_bytes: int = _PART_BYTES,
) -> list[StoredPart]:
    """The parts of runs, files, and folders with files in them; each becomes a file in
    `folder`.

    Raises UsageError.
    """
    folder = folder.absolute()
    try:
        if folder.is_dir() and not (folder / _DONE).is_dir() and any(folder.iterdir()):
            raise UsageError(
                f"--parts {name_of(folder)}: holds other files; name another folder"
            )
        folder.joinpath(_DONE).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"--parts {name_of(folder)}: cannot be written ({error.strerror}); name "
            f"another folder"
        ) from error
    how = reading, tuple(tasks), version("pytest-llmarith")
    found: dict[str, StoredPart] = {}
    for file in (file for path in paths for file in _files(path)):
        name = f"{file.absolute().parent.name}.jsonl" if file.name == LOG else file.name
        cut: Sequence[Span | None] = [None]
        if file.suffix == ".jsonl":
            cut = spans(file, part_bytes)
        elif tasks:
            raise UsageError(f"{name_of(file)}: --task is for JSONL; name JSONL")
        seen = file.stat()
        for number, span in enumerate(cut, 1):
            own = f"-{number:05}" if len(cut) > 1 else ""
            output = str(folder / f"{Path(name).stem}{own}{Path(name).suffix}")
            if output in found:
                raise UsageError(
                    f"{name_of(file)} and {name_of(Path(found[output].file))}: both "
                    f"would become {name_of(Path(output))}; name one of them"
                )
            found[output] = StoredPart(
                str(file.absolute()), span, seen.st_size, seen.st_mtime_ns, output, *how
            )
    return list(found.values())


def _files(path: Path) -> list[Path]:
    if not path.is_dir() or (path / LOG).exists():
        file = log_of(path)
        if file.suffix not in (".jsonl", ".parquet"):
            raise UsageError(f"{name_of(path)}: neither .jsonl nor .parquet")
        return [file]
    files = [*path.glob("[!._]*.parquet"), *path.glob("[!._]*.jsonl")]
    if not files:
        raise UsageError(f"{name_of(path)}: holds neither .parquet nor .jsonl files")
    return sorted(files)


def regrade_part(part: StoredPart) -> RegradedCounts:
    """Grade the replies of a part again, and write what it becomes; nothing if it was
    done before.

    Raises UsageError.
    """
    if part.version != version("pytest-llmarith"):
        raise UsageError(other_version(version("pytest-llmarith"), part.version))
    counts = part.done()
    if counts is not None:
        return counts
    counts = RegradedCounts()
    file, output = Path(part.file), Path(part.output)
    try:
        seen = file.stat()
        if (seen.st_size, seen.st_mtime_ns) != (part.size, part.changed_ns):
            raise UsageError(f"{name_of(file)}: changed meanwhile; name another folder")
        with replacement(output) as written:
            if part.span is None:
                regraded_parquet(file, written, part.reading, counts)
            else:
                tasks = tasks_named(part.tasks)
                for change in changes(
                    file, part.reading, counts.notes, tasks, part.span
                ):
                    change.count_in(counts)
                    line = encode_record(change.record)
                    written.write(line.encode("ascii") + b"\n")
        part.finish(counts)
    except OSError as error:
        raise UsageError(
            f"{name_of(output)}: cannot be made of {name_of(file)} ({error.strerror}); "
            f"the machine that grades needs both folders"
        ) from error
    return counts


# --- engines --------------------------------------------------------------------------


def in_processes(
    parts: Sequence[StoredPart], workers: int | None
) -> Iterator[RegradedCounts]:
    """The counts of parts as they are done, in processes of this machine.

    Raises UsageError and EngineLostError.
    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, _end_with_parent) as pool:
        futures = [pool.submit(regrade_part, part) for part in parts]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BrokenProcessPool as error:
            raise EngineLostError(
                f"a process ended early, perhaps for lack of memory; {_AGAIN}"
            ) from error
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _end_with_parent() -> None:
    """End with Ctrl-C, without a traceback, and if the command is killed."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def on_dask(parts: Sequence[StoredPart], scheduler: str) -> Iterator[RegradedCounts]:
    """The counts of parts as they are done, on a running Dask cluster.

    Raises UsageError and EngineLostError.
    """
    try:
        client = connected(scheduler, "--scheduler")
    except ValueError as error:
        raise UsageError(str(error)) from None
    import distributed

    as_done: Any = distributed.as_completed  # without type hints
    with client:
        try:
            futures = client.map(regrade_part, parts, pure=False)
            for future in as_done(futures, loop=client.loop):
                yield future.result()
        except UsageError:
            raise
        except (Exception, CancelledError) as error:
            raise EngineLostError(
                f"the cluster was lost ({text_of_error(error)}); {_AGAIN}"
            ) from None
