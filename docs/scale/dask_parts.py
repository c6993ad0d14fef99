"""Grades `reply` against `expected` in Parquet: dask_parts.py PARTS NEW tcp://HOST:8786."""

import sys
from pathlib import Path

from dask.distributed import Client, as_completed
from pyarrow import parquet

from pytest_llmarith.exact import grade


def graded(source: Path, target: Path) -> int:
    if target.exists():
        return 0
    table = parquet.read_table(source)
    pairs = zip(table["reply"].to_pylist(), table["expected"].to_pylist(), strict=True)
    right = [None if reply is None else grade(reply, n).correct for reply, n in pairs]
    draft = target.with_suffix(".draft")  # so that no reader finds half a part
    parquet.write_table(table.append_column("correct", [right]), draft)
    draft.replace(target)
    return len(right)


if __name__ == "__main__":
    parts, new = map(Path, sys.argv[1:3])
    sources = sorted(parts.resolve().glob("*.parquet"))
    with Client(sys.argv[3]) as client:
        targets = [new.resolve() / source.name for source in sources]
        done = client.map(graded, sources, targets, pure=False)
        print(sum(future.result() for future in as_completed(done)), "replies")
