"""JSON Schemas of the files of a run, made from their shapes. It does not know how such a file comes about.

pydantic makes them: litellm brings it along, so there is nothing more to install. It takes its time to be imported:
whoever needs a schema imports this room then.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter, with_config
from pydantic.json_schema import GenerateJsonSchema

from pytest_llmarith.reports.shapes import PUBLISHED
from pytest_llmarith.reports.shapes.record import Record
from pytest_llmarith.reports.shapes.summary import Summary

_SHAPES: Mapping[str, Any] = dict(zip(PUBLISHED, (Record, Summary), strict=True))
_documented = with_config(use_attribute_docstrings=True)


class _Untitled(GenerateJsonSchema):
    """Without titles that say the keys again."""

    def field_title_should_be_set(self, schema: object) -> bool:
        return False


def schema_of(name: str) -> dict[str, Any]:
    """The schema of one of the `PUBLISHED` shapes. Keys may be added to every object, so it forbids none."""
    adapter = TypeAdapter(_documented(_SHAPES[name]))
    made = adapter.json_schema(schema_generator=_Untitled)
    version = made["properties"]["format"]["const"]
    return {"$schema": _Untitled.schema_dialect, "$id": f"urn:pytest-llmarith:{name}:{version}", **made}
