"""Room: what stands in the files of a run, as types. The published JSON Schemas are made from them.

A key that not every file of its format has is `NotRequired`: it came later, or it belongs to one task alone.
Nothing imports this while a run goes on. `TypedDict` is that of typing_extensions: on Python 3.11, pydantic reads no
other one.
"""

PUBLISHED = ("record", "summary")
