"""Grades `reply` against `expected` in Parquet: ray_parts.py PARTS NEW [ADDRESS]."""

import sys
from pathlib import Path

import ray
from pyarrow import parquet

from pytest_llmarith.exact import grade


@ray.remote(max_retries=3)
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
    ray.init(address=sys.argv[3] if sys.argv[3:] else None)
    done = [graded.remote(source, new.resolve() / source.name) for source in sources]
    print(sum(ray.get(done)), "replies")
